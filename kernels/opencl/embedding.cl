/*--- ktwin
op    = "embedding"
args  = ["ids", "table", "y", { D = "u32" }]
grid  = ["T", 1, 1]
block = [128, 1, 1]
tile  = { D = 128 }
---*/
// A work-group a token.
__kernel void embedding(__global const uint *ids, __global const float *table, __global float *y, uint width)
{
    size_t token = get_group_id(0);
    __global const float *row = table + (size_t)ids[token] * width;
    for (uint d = get_local_id(0); d < width; d += get_local_size(0))
        y[token * width + d] = row[d];
}
