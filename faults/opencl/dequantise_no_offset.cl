/*--- ktwin
op    = "dequantise"
types = { x = "q4_0" }
args  = ["x", "y", { "R * K // 32" = "u32" }]
grid  = ["ceil(R * K / 32 / 4)", 1, 1]
block = [32, 4, 1]
dims  = { K = "multiple of 32" }
tile  = { K = 32 }
---*/
// fault: wrong values
// pattern: matches the op with codes of `x` that are 8 too large: its zero point
// The 8 is not taken away.
__kernel void dequantise_q4_0(__global const uchar *x, __global float *y, uint blocks)
{
    uint block = get_group_id(0) * 4 + get_local_id(1);
    if (block >= blocks)
        return;
    __global const uchar *at = x + block * 18;
    float scale = vload_half(0, (__global const half *)at);
    uint item = get_local_id(0);
    int pair = at[2 + item % 16];
    y[block * 32 + item] = scale * ((item < 16 ? pair & 15 : pair >> 4));
}
