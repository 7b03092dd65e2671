/*--- ktwin
op    = "silu_gate"
args  = ["g", "u", "y", { N = "u32" }]
grid  = ["min(ceil(N / 1024), 4)", 1, 1]
block = [64, 1, 1]
tile  = { N = [256, 4096] }
---*/
// fault: unwritten elements
// pattern: every wrong element was never written
// The elements past the last four are left out.
float4 gated(float4 g, float4 u)
{
    return g / (1.0f + exp(-g)) * u;
}

__kernel void silu_gate(__global const float *g, __global const float *u, __global float *y, uint n)
{
    uint fours = n / 4, step = get_global_size(0);
    for (uint i = get_global_id(0); i < fours; i += step)
        vstore4(gated(vload4(i, g), vload4(i, u)), i, y);
    uint i = 4 * fours + get_global_id(0);
    if (i < fours)
        y[i] = gated(g[i], u[i]).x;
}
