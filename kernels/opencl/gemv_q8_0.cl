/*--- ktwin
op      = "gemv"
types   = { w = "q8_0", x = "f16" }
compute = "f32"
args    = ["w", "x", "y", { N = "u32", "K // 32" = "u32" }]
grid    = ["N", 1, 1]
block   = [32, 1, 1]
tile    = { K = 64 }
dims    = { K = "multiple of 32" }
---*/
// A work-group a row, a work-item a weight of every block of 32 signed bytes and a scale.
struct sizes {
    uint rows, blocks;
};

__kernel void gemv_q8_0(__global const char *w, __global const half *x, __global float *y, struct sizes s)
{
    __local float parts[1][32];
    uint item = get_local_id(0), row_here = 0, row = get_group_id(0);
    float sum = 0;
    for (uint block = 0; block < s.blocks; block++) {
        __global const char *at = w + ((size_t)row * s.blocks + block) * 34;
        float scale = vload_half(0, (__global const half *)at);
        sum += scale * at[2 + item] * vload_half(block * 32 + item, x);
    }
    parts[row_here][item] = sum;
    for (uint step = 16; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step)
            parts[row_here][item] += parts[row_here][item + step];
    }
    if (item == 0 && row < s.rows)
        y[row] = parts[row_here][0];
}
