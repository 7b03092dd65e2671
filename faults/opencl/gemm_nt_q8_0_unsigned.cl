/*--- ktwin
op      = "gemm_nt"
types   = { a = "q8_1", b = "q8_0" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", "K // 32" = "u32" }]
grid    = ["ceil(N / 32)", "ceil(M / 4)", 1]
block   = [32, 4, 1]
tile    = { M = 4, N = 32, K = 32 }
dims    = { M = "..=65535", K = "multiple of 32" }
---*/
// fault: wrong values
// pattern: matches the op with the numbers of `b` read as unsigned
// The weights are read as unsigned bytes.
struct sizes {
    uint m, n, blocks;
};

float scale_at(__global const uchar *at)
{
    return vload_half(0, (__global const half *)at);
}

float block_times(__global const uchar *w, __global const char *q)
{
    int products = 0;
    for (int i = 0; i < 32; i++)
        products += w[2 + i] * q[i];
    return scale_at(w) * products;
}

__kernel void gemm_nt_q8_0_q8_1(__global const uchar *a, __global const uchar *b, __global float *c, struct sizes s)
{
    uint column = get_global_id(0), row = get_global_id(1);
    if (row >= s.m || column >= s.n)
        return;
    float sum = 0;
    for (uint k = 0; k < s.blocks; k++) {
        __global const uchar *x = a + ((size_t)row * s.blocks + k) * 36;
        __global const uchar *w = b + ((size_t)column * s.blocks + k) * 34;
        sum += scale_at(x) * block_times(w, (__global const char *)(x + 4));
    }
    c[(size_t)row * s.n + column] = sum;
}
