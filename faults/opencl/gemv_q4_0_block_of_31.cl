/*--- ktwin
op      = "gemv"
types   = { w = "q4_0" }
compute = "f32"
args    = ["w", "x", "y", { N = "u32", "K // 32" = "u32" }]
grid    = ["ceil(N / 2)", 1, 1]
block   = [32, 2, 1]
tile    = { N = 2, K = 1024 }
dims    = { K = "multiple of 32" }
---*/
// fault: wrong values
// pattern: fails exactly when K >= 64
// A block of x is 31 elements long.
struct sizes {
    uint rows, blocks;
};

__kernel void gemv_q4_0(__global const uchar *w, __global const float *x, __global float *y, struct sizes s)
{
    __local float parts[2][32];
    uint item = get_local_id(0), row_here = get_local_id(1), row = get_group_id(0) * 2 + row_here;
    float sum = 0;
    for (uint block = item; row < s.rows && block < s.blocks; block += 32) {
        __global const uchar *at = w + ((size_t)row * s.blocks + block) * 18;
        __global const float *v = x + block * 31;
        float part = 0;
        for (int i = 0; i < 16; i++)
            part += ((at[2 + i] & 15) - 8) * v[i] + ((at[2 + i] >> 4) - 8) * v[i + 16];
        sum += vload_half(0, (__global const half *)at) * part;
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
