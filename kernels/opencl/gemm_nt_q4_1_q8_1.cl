/*--- ktwin
op      = "gemm_nt"
types   = { a = "q8_1", b = "q4_1" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", "K // 32" = "u32" }]
grid    = ["ceil(N / 32)", "ceil(M / 4)", 1]
block   = [32, 4, 1]
tile    = { M = 4, N = 32, K = 32 }
dims    = { M = "..=65535", K = "multiple of 32" }
---*/
// Products in whole numbers, 16 at a time. A block of b is 20 bytes: a scale, a minimum, and nibbles. The sum of the
// bytes of a is counted afresh: the one that q8_1 carries was rounded to half by whoever stored it.
struct sizes {
    uint m, n, blocks;
};

float scale_at(__global const uchar *at)
{
    return vload_half(0, (__global const half *)at);
}

int sum_of(int16 v)
{
    int8 a = v.lo + v.hi;
    int4 b = a.lo + a.hi;
    return b.x + b.y + b.z + b.w;
}

float block_times(__global const uchar *w, __global const char *q)
{
    int16 pairs = convert_int16(vload16(0, w + 4));
    int16 low = convert_int16(vload16(0, q)), high = convert_int16(vload16(1, q));
    int products = sum_of((pairs & 15) * low + (pairs >> 4) * high);
    return scale_at(w) * products + scale_at(w + 2) * sum_of(low + high);
}

__kernel void gemm_nt_q4_1_q8_1(__global const uchar *a, __global const uchar *b, __global float *c, struct sizes s)
{
    uint column = get_global_id(0), row = get_global_id(1);
    if (row >= s.m || column >= s.n)
        return;
    float sum = 0;
    for (uint k = 0; k < s.blocks; k++) {
        __global const uchar *x = a + ((size_t)row * s.blocks + k) * 36;
        __global const uchar *w = b + ((size_t)column * s.blocks + k) * 20;
        sum += scale_at(x) * block_times(w, (__global const char *)(x + 4));
    }
    c[(size_t)row * s.n + column] = sum;
}
