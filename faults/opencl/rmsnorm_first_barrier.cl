/*--- ktwin
op      = "rmsnorm"
compute = "f32"
args    = ["x", "w", "y", { D = "u32" }, { eps = "f32" }]
grid    = ["R", 1, 1]
block   = [256, 1, 1]
tile    = { D = 256 }
dims    = { D = "1..=16384" }
---*/
// fault: race
// pattern: every wrong element is off by a constant factor 1.0337
// Nobody waits until all parts are there.
float group_sum(float own, __local float *parts)
{
    uint item = get_local_id(0);
    parts[item] = own;
    for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (item < step)
            parts[item] += parts[item + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return parts[0];
}

__kernel void rmsnorm(__global const float *x, __global const float *w, __global float *y, uint width, float eps)
{
    __local float parts[256];
    x += (size_t)get_group_id(0) * width;
    y += (size_t)get_group_id(0) * width;
    float sum = 0;
    for (uint d = get_local_id(0); d < width; d += get_local_size(0))
        sum = fma(x[d], x[d], sum);
    float scale = rsqrt(group_sum(sum, parts) / width + eps);
    for (uint d = get_local_id(0); d < width; d += get_local_size(0))
        y[d] = x[d] * scale * w[d];
}
