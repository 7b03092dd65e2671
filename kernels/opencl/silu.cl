/*--- ktwin
op    = "silu"
args  = ["x", "y", { N = "u32" }]
grid  = ["ceil(N / 256)", 1, 1]
block = [256, 1, 1]
tile  = { N = 256 }
---*/
// One work-item an element.
__kernel void silu(__global const float *x, __global float *y, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        y[i] = x[i] / (1.0f + exp(-x[i]));
}
