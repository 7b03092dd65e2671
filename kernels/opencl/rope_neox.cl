/*--- ktwin
op    = "rope_neox"
args  = ["x", "y", { T = "u32", H = "u32", D = "u32", pos = "u32", base = "f32" }]
grid  = ["ceil(T * H * D / 2 / 128)", 1, 1]
block = [128, 1, 1]
tile  = { D = 64 }
---*/
// A work-item a pair, all pairs in one line.
struct sizes {
    uint tokens, heads, width, pos;
    float base;
};

__kernel void rope_neox(__global const float *x, __global float *y, struct sizes s)
{
    uint half_width = s.width / 2, at = get_global_id(0);
    if (at >= s.tokens * s.heads * half_width)
        return;
    uint pair = at % half_width, row = at / half_width, token = row / s.heads;
    float angle = (float)(s.pos + token) * pow(s.base, -2.0f * pair / s.width);
    float a = x[row * s.width + pair], b = x[row * s.width + pair + half_width];
    y[row * s.width + pair] = a * cos(angle) - b * sin(angle);
    y[row * s.width + pair + half_width] = b * cos(angle) + a * sin(angle);
}
