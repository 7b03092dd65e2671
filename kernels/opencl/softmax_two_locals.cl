/*--- ktwin
op      = "softmax"
args    = ["x", "y", { D = "u32" }]
grid    = ["R", 1, 1]
block   = [64, 1, 1]
shared  = "64 * 4"
tile    = { D = 64 }
---*/
// A work-group a row. The host gives room for the tops and for the sums, each apart.
__kernel void softmax(__global const float *x, __global float *y, uint width, __local float *tops, __local float *sums)
{
    uint item = get_local_id(0);
    size_t row = get_group_id(0);
    x += row * width;
    y += row * width;
    float top = -INFINITY;
    for (uint at = item; at < width; at += 64)
        top = fmax(top, x[at]);
    tops[item] = top;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = 0; at < 64; at++)
        top = fmax(top, tops[at]);
    float sum = 0;
    for (uint at = item; at < width; at += 64)
        sum += exp(x[at] - top);
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (uint at = 0; at < 64; at++)
        sum += sums[at];
    for (uint at = item; at < width; at += 64)
        y[at] = exp(x[at] - top) / sum;
}
