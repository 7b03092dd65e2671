/*--- ktwin
op    = "gelu"
args  = ["x", "y", { N = "u32" }]
grid  = ["ceil(N / 128)", 1, 1]
block = [128, 1, 1]
tile  = { N = 128 }
---*/
// fault: out of bounds
// pattern: fails exactly when N is not a multiple of 128
// One element too many.
extern "C" __global__ void gelu(const float *x, float *y, unsigned n)
{
    unsigned i = blockIdx.x * 128 + threadIdx.x;
    if (i > n)
        return;
    float v = x[i];
    float inner = 0.7978845608028654f * (v + 0.044715f * v * v * v);
    y[i] = 0.5f * v * (1.0f + tanhf(inner));
}
