/*--- ktwin
op    = "silu"
args  = ["x", "y", { N = "u32" }]
grid  = ["ceil(N / 256)", 1, 1]
block = [2048, 1, 1]
tile  = { N = 256 }
---*/
// fault: invalid
// pattern: none
// A block has at most 1024 lanes.
extern "C" __global__ void silu(const float *x, float *y, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] / (1.0f + expf(-x[i]));
}
