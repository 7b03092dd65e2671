/*--- ktwin
op      = "sum"
tile    = { N = [256, 2048] }
scratch = { parts = "f32[ceil(N / 2048)]" }
chain   = [
    { entry = "parts_of", args = ["x", "parts", { N = "u32" }], grid = ["ceil(N / 2048)", 1, 1], block = 256 },
    { entry = "whole", args = ["parts", "y", { "ceil(N / 2048)" = "u32" }], grid = [1, 1, 1], block = 256 },
]
---*/
// Two kernels: a sum for every 2048 elements, then the sum of those. Both end in the same tree.
float tree(float own, __local float *all)
{
    uint item = get_local_id(0);
    all[item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 128; step > 0; step >>= 1) {
        if (item < step)
            all[item] += all[item + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return all[0];
}

__kernel void parts_of(__global const float *x, __global float *parts, uint n)
{
    __local float all[256];
    float own = 0;
    for (uint i = 0; i < 8; i++) {
        uint at = (get_group_id(0) * 8 + i) * 256 + get_local_id(0);
        own += at < n ? x[at] : 0.0f;
    }
    float sum = tree(own, all);
    if (get_local_id(0) == 0)
        parts[get_group_id(0)] = sum;
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void whole(__global const float *parts, __global float *y, uint count)
{
    __local float all[256];
    float own = 0;
    for (uint at = get_local_id(0); at < count; at += 256)
        own += parts[at];
    float sum = tree(own, all);
    if (get_local_id(0) == 0)
        *y = sum;
}
