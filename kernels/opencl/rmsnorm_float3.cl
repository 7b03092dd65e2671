/*--- ktwin
op      = "rmsnorm"
args    = ["x", "w", "y", { D = "u32" }, { eps = "f32" }]
grid    = ["R", 1, 1]
block   = [32, 1, 1]
tile    = { D = 96 }
dims    = { D = ["multiple of 3", "..=4096"] }
---*/
// A work-group a row of triples, which lie 12 bytes apart in the row and 16 in local memory. The tree joins them
// component by component.
__kernel void rmsnorm(__global const float *x, __global const float *w, __global float *y, uint width, float eps)
{
    __local float3 parts[32];
    uint item = get_local_id(0), count = width / 3;
    size_t row = get_group_id(0);
    x += row * width;
    y += row * width;
    float3 sum = 0;
    for (uint at = item; at < count; at += 32) {
        float3 v = vload3(at, x);
        sum += v * v;
    }
    parts[item].x = sum.x;
    parts[item].yz = sum.yz;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 16; step > 0; step /= 2) {
        if (item < step) {
            parts[item].x += parts[item + step].x;
            parts[item].yz += parts[item + step].yz;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float3 all = parts[0];
    float scale = rsqrt((all.x + all.y + all.z) / width + eps);
    for (uint at = item; at < count; at += 32)
        vstore3(vload3(at, x) * scale * vload3(at, w), at, y);
}
