/*--- ktwin
op      = "gemm_nt"
types   = { a = "q8_1", b = "q5_0" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", "K // 32" = "u32" }]
grid    = ["ceil(N / 32)", "ceil(M / 4)", 1]
block   = [32, 4, 1]
tile    = { M = 4, N = 32, K = 32 }
dims    = { M = "..=65535", K = "multiple of 32" }
---*/
// Products in whole numbers. A block of b is 22 bytes: a scale, the fifth bits of 32 weights, then the low four; each
// weight is 16 too large.
struct sizes {
    uint m, n, blocks;
};

float scale_at(__global const uchar *at)
{
    return vload_half(0, (__global const half *)at);
}

// weight i of a block: four bits, and the fifth from the word of high bits
int weight(__global const uchar *bits, __global const uchar *pairs, int i)
{
    int nibble = i < 16 ? pairs[i] & 15 : pairs[i - 16] >> 4;
    return nibble | (bits[i / 8] >> i % 8 & 1) << 4;
}

float block_times(__global const uchar *w, __global const char *q)
{
    int products = 0;
    for (int i = 0; i < 32; i++)
        products += (weight(w + 2, w + 6, i) - 16) * q[i];
    return scale_at(w) * products;
}

__kernel void gemm_nt_q5_0_q8_1(__global const uchar *a, __global const uchar *b, __global float *c, struct sizes s)
{
    uint column = get_global_id(0), row = get_global_id(1);
    if (row >= s.m || column >= s.n)
        return;
    float sum = 0;
    for (uint k = 0; k < s.blocks; k++) {
        __global const uchar *x = a + ((size_t)row * s.blocks + k) * 36;
        __global const uchar *w = b + ((size_t)column * s.blocks + k) * 22;
        sum += scale_at(x) * block_times(w, (__global const char *)(x + 4));
    }
    c[(size_t)row * s.n + column] = sum;
}
