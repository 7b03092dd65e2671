/*--- ktwin
op    = "silu"
args  = ["x", "y", { N = "u32" }]
grid  = ["ceil(N / 256)", 1, 1]
block = [256, 1, 1]
tile  = { N = 256 }
---*/
// fault: wrong values
// __expf and __fdividef where the contract promises f32 without fast_math.
extern "C" __global__ void silu(const float *x, float *y, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __fdividef(x[i], 1.0f + __expf(-x[i]));
}
