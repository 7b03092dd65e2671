/*--- ktwin
op      = "rmsnorm_gemma"
types   = { x = "bf16", w = "bf16", y = "bf16" }
compute = "f32"
args    = ["x", "w", "y", { D = "u32", eps = "f32" }]
grid    = ["R", 1, 1]
block   = [64, 1, 1]
tile    = { D = 64 }
dims    = { D = "..=4096" }
---*/
// A work-group a row. OpenCL C has no bf16: its bits are the upper half of a float.
struct sizes {
    uint width;
    float eps;
};

float widened(ushort bits)
{
    return as_float((uint)bits << 16);
}

// to nearest, ties to even; of a NaN, its upper half
ushort narrowed(float v)
{
    uint bits = as_uint(v);
    return isnan(v) ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

__kernel void rmsnorm_gemma(__global const ushort *x, __global const ushort *w, __global ushort *y, struct sizes s)
{
    __local float parts[64];
    size_t start = (size_t)get_group_id(0) * s.width;
    uint item = get_local_id(0);
    float sum = 0;
    for (uint d = item; d < s.width; d += 64)
        sum = mad(widened(x[start + d]), widened(x[start + d]), sum);
    parts[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 32; step > 0; step /= 2) {
        if (item < step)
            parts[item] += parts[item + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float scale = rsqrt(parts[0] / s.width + s.eps);
    for (uint d = item; d < s.width; d += 64)
        y[start + d] = narrowed(widened(x[start + d]) * scale * (1.0f + widened(w[d])));
}
