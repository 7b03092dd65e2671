/*--- ktwin
op    = "silu"
args  = ["x", "y", { N = "u32" }]
grid  = ["min(ceil(N / 128), 1024)", 1, 1]
block = 128
---*/
// fault: unwritten elements
// pattern: every wrong element was never written
// As many workgroups as are good for a large device, and none of them comes back for more.
__global__ void silu(const float *x, float *y, unsigned count)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        y[i] = x[i] / (1.0f + expf(-x[i]));
}
