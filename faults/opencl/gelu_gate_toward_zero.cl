/*--- ktwin
op    = "gelu_gate"
types = { g = "f16", u = "f16", y = "f16" }
args  = ["g", "u", "y", { N = "u32" }]
grid  = ["ceil(N / 256)", 1, 1]
block = [256, 1, 1]
tile  = { N = 256 }
---*/
// fault: wrong values
// pattern: wrong exactly where n <= 1
// The result is truncated to half.
float gelu(float v)
{
    return 0.5f * v * (1.0f + tanh(0.7978845608028654f * (v + 0.044715f * v * v * v)));
}

__kernel void gelu_gate(__global const half *g, __global const half *u, __global half *y, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        vstore_half_rtz(gelu(vload_half(i, g)) * vload_half(i, u), i, y);
}
