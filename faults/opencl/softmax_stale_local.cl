/*--- ktwin
op      = "softmax"
compute = "f32"
args    = ["x", "y", { D = "u32" }]
grid    = ["R", 1, 1]
block   = [128, 1, 1]
tile    = { D = 128 }
---*/
// fault: race
// pattern: none
// Local memory is written again while others still read it.
float of_all(float own, __local float *parts, bool largest)
{
    uint item = get_local_id(0);
    parts[item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (item < step) {
            float a = parts[item], b = parts[item + step];
            parts[item] = largest ? fmax(a, b) : a + b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return parts[0];
}

__kernel void softmax(__global const float *x, __global float *y, uint width)
{
    __local float parts[128];
    x += (size_t)get_group_id(0) * width;
    y += (size_t)get_group_id(0) * width;
    uint first = get_local_id(0), step = get_local_size(0);
    float top = -INFINITY;
    for (uint d = first; d < width; d += step)
        top = fmax(top, x[d]);
    top = of_all(top, parts, true);
    float sum = 0;
    for (uint d = first; d < width; d += step)
        sum += exp(x[d] - top);
    sum = of_all(sum, parts, false);
    for (uint d = first; d < width; d += step)
        y[d] = exp(x[d] - top) / sum;
}
