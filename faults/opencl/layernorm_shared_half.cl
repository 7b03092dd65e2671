/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { D = "u32" }, { eps = "f32" }]
grid    = ["R", 1, 1]
block   = [256, 1, 1]
shared  = "2 * 256"
tile    = { D = 256 }
dims    = { D = "..=16384" }
---*/
// fault: out of bounds
// pattern: none
// `shared` gives half of the local memory that is used.
float sum_of_all(float own, __local float *parts)
{
    uint item = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    parts[item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (item < step)
            parts[item] += parts[item + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return parts[0];
}

__kernel void layernorm(__global const float *x, __global const float *w, __global const float *b, __global float *y,
                        __local float *parts, uint width, float eps)
{
    x += (size_t)get_group_id(0) * width;
    y += (size_t)get_group_id(0) * width;
    uint first = get_local_id(0), step = get_local_size(0);
    float sum = 0;
    for (uint d = first; d < width; d += step)
        sum += x[d];
    float mean = sum_of_all(sum, parts) / width;
    float squares = 0;
    for (uint d = first; d < width; d += step)
        squares += (x[d] - mean) * (x[d] - mean);
    float scale = rsqrt(sum_of_all(squares, parts) / width + eps);
    for (uint d = first; d < width; d += step)
        y[d] = (x[d] - mean) * scale * w[d] + b[d];
}
