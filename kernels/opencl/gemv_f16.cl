/*--- ktwin
op      = "gemv"
types   = { w = "f16", x = "f16" }
compute = "f32"
args    = ["w", "x", "y", { N = "u32", K = "u32" }]
grid    = ["ceil(N / 4)", 1, 1]
block   = [32, 4, 1]
tile    = { N = 4, K = 64 }
dims    = { K = "multiple of 2" }
---*/
// 32 work-items a row, two halves at a time, sums in single precision.
struct sizes {
    uint rows, width;
};

__kernel void gemv(__global const half *w, __global const half *x, __global float *y, struct sizes s)
{
    __local float parts[4][32];
    uint item = get_local_id(0), row_here = get_local_id(1), row = get_group_id(0) * 4 + row_here;
    float sum = 0;
    for (uint i = item; row < s.rows && i < s.width / 2; i += 32) {
        float2 p = vload_half2((size_t)row * (s.width / 2) + i, w), q = vload_half2(i, x);
        sum += dot(p, q);
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
