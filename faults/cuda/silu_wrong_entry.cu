/*--- ktwin
op    = "silu"
entry = "silus"
args  = ["x", "y", { N = "u32" }]
grid  = ["ceil(N / 256)", 1, 1]
block = [256, 1, 1]
tile  = { N = 256 }
---*/
// fault: invalid
// pattern: none
// The contract names a kernel that is not there.
extern "C" __global__ void silu(const float *x, float *y, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] / (1.0f + expf(-x[i]));
}
