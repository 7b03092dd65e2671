/*--- ktwin
op    = "gelu"
args  = ["x", "y", { N = "u32" }]
grid  = ["ceil(N / 128)", 1, 1]
block = [128, 1, 1]
tile  = { N = 128 }
---*/
// fault: fail
// pattern: none
// A name that is not declared.
extern "C" __global__ void gelu(const float *x, float *y, unsigned n)
{
    unsigned i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    float inner = 0.7978845608028654f * (v + 0.044715f * w * v * v);
    y[i] = 0.5f * v * (1.0f + tanhf(inner));
}
