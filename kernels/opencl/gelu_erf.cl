/*--- ktwin
op    = "gelu_erf"
args  = ["x", "y", { N = "u32" }]
grid  = ["ceil(N / 256)", 1, 1]
block = [256, 1, 1]
tile  = { N = 256 }
---*/
// The exact form.
__kernel void gelu_erf(__global const float *x, __global float *y, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        y[i] = 0.5f * x[i] * (1.0f + erf(x[i] * M_SQRT1_2_F));
}
