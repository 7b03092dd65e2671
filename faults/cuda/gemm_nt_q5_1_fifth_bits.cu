/*--- ktwin
op      = "gemm_nt"
types   = { a = "q8_1", b = "q5_1" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", "K // 32" = "u32" }]
grid    = ["ceil(N / 32)", "ceil(M / 4)", 1]
block   = [32, 4, 1]
tile    = { M = 4, N = 32, K = 32 }
dims    = { M = "..=65535", K = "multiple of 32" }
---*/
// fault: wrong values
// pattern: matches the op with the fifth bits of the first half of each block of `b` for the second half too
// Fifth bits of the second half are taken from the first.
#include <cuda_fp16.h>

struct Sizes {
    unsigned m, n, blocks;
};

// words that may begin at any even byte
__device__ int word(const unsigned char *at)
{
    const unsigned short *half = reinterpret_cast<const unsigned short *>(at);
    return half[0] | half[1] << 16;
}

__device__ float scale_at(const unsigned char *at) { return __half2float(*reinterpret_cast<const half *>(at)); }

// four bits of a word, each to the fifth place of a byte
__device__ int fifth(int bits)
{
    return (bits & 1) << 4 | (bits & 2) << 11 | (bits & 4) << 18 | (bits & 8) << 25;
}

__device__ float block_times(const unsigned char *w, const int *q)
{
    int high = word(w + 4), products = 0, bytes = 0;
    for (int i = 0; i < 4; i++) {
        int pairs = word(w + 8 + 4 * i);
        products = __dp4a((pairs & 0x0f0f0f0f) | fifth(high >> 4 * i), q[i], products);
        products = __dp4a((pairs >> 4 & 0x0f0f0f0f) | fifth(high >> (4 * i)), q[i + 4], products);
        bytes = __dp4a(0x01010101, q[i], __dp4a(0x01010101, q[i + 4], bytes));
    }
    return scale_at(w) * products + scale_at(w + 2) * bytes;
}

__global__ void gemm_nt_q5_1_q8_1(const unsigned char *a, const unsigned char *b, float *c, Sizes s)
{
    unsigned row = blockIdx.y * 4 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    if (row >= s.m || column >= s.n)
        return;
    float sum = 0;
    for (unsigned k = 0; k < s.blocks; k++) {
        const unsigned char *x = a + ((size_t)row * s.blocks + k) * 36;
        const unsigned char *w = b + ((size_t)column * s.blocks + k) * 24;
        sum += scale_at(x) * block_times(w, reinterpret_cast<const int *>(x + 4));
    }
    c[(size_t)row * s.n + column] = sum;
}
