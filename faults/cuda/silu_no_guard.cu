/*--- ktwin
op    = "silu"
args  = ["x", "y", { N = "u32" }]
grid  = ["ceil(N / 256)", 1, 1]
block = [256, 1, 1]
tile  = { N = 256 }
---*/
// fault: out of bounds
// pattern: fails exactly when N is not a multiple of 256
// No guard: the last block goes past the end.
extern "C" __global__ void silu(const float *x, float *y, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] / (1.0f + expf(-x[i]));
}
