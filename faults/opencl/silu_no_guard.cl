/*--- ktwin
op    = "silu"
args  = ["x", "y", { N = "u32" }]
grid  = ["ceil(N / 256)", 1, 1]
block = [256, 1, 1]
tile  = { N = 256 }
---*/
// fault: out of bounds
// pattern: fails exactly when N is not a multiple of 256
// No guard at the end of the array.
__kernel void silu(__global const float *x, __global float *y, uint n)
{
    uint i = get_global_id(0);
    y[i] = x[i] / (1.0f + exp(-x[i]));
}
