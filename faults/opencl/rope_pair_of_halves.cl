/*--- ktwin
op    = "rope"
args  = ["x", "y", { H = "u32", D = "u32", pos = "u32", base = "f32" }]
grid  = ["T", "H", 1]
block = [64, 1, 1]
tile  = { D = 128 }
dims  = { T = "..=65535", H = "..=65535" }
---*/
// fault: wrong values
// pattern: fails exactly when D >= 4
// Pairs are taken as rope_neox takes them.
struct sizes {
    uint heads, width, pos;
    float base;
};

__kernel void rope(__global const float *x, __global float *y, struct sizes s)
{
    size_t row = get_group_id(0) * s.heads + get_group_id(1);
    __global const float2 *in = (__global const float2 *)(x + row * s.width);
    __global float2 *out = (__global float2 *)(y + row * s.width);
    for (uint i = get_local_id(0); i < s.width / 2; i += get_local_size(0)) {
        float angle = (float)(s.pos + (uint)get_group_id(0)) * pow(s.base, -2.0f * i / s.width);
        float cosine, sine = sincos(angle, &cosine);
        float2 v = (float2)(x[row * s.width + i], x[row * s.width + i + s.width / 2]);
        out[i] = (float2)(v.x * cosine - v.y * sine, v.y * cosine + v.x * sine);
    }
}
