/*--- ktwin
op    = "gelu"
args  = ["x", "y", { N = "u32" }]
grid  = ["ceil(N / 256)", 1, 1]
block = [256, 1, 1]
tile  = { N = 256 }
---*/
// The form with tanh; one work-item an element.
__kernel void gelu(__global const float *x, __global float *y, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float v = x[i];
    y[i] = 0.5f * v * (1.0f + tanh(0.7978845608028654f * (v + 0.044715f * v * v * v)));
}
