/*--- ktwin
op      = "gemm_nt"
types   = { a = "q8_1", b = "q4_0" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", "K // 32" = "u32" }]
grid    = ["ceil(N / 32)", "ceil(M / 4)", 1]
block   = [32, 4, 1]
tile    = { M = 4, N = 32, K = 32 }
dims    = { M = "..=65535", K = "multiple of 32" }
---*/
// fault: wrong values
// pattern: matches the op with codes of `b` that are 8 too large: its zero point
// Nibbles are not shifted to both sides of zero.
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

__device__ float block_times(const unsigned char *w, const int *q)
{
    int products = 0, bytes = 0;
    for (int i = 0; i < 4; i++) {
        int pairs = word(w + 2 + 4 * i);
        products = __dp4a(pairs & 0x0f0f0f0f, q[i], products);
        products = __dp4a(pairs >> 4 & 0x0f0f0f0f, q[i + 4], products);
        bytes = __dp4a(0x01010101, q[i], bytes);
        bytes = __dp4a(0x01010101, q[i + 4], bytes);
    }
    return scale_at(w) * (products);
}

__global__ void gemm_nt_q4_0_q8_1(const unsigned char *a, const unsigned char *b, float *c, Sizes s)
{
    unsigned row = blockIdx.y * 4 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    if (row >= s.m || column >= s.n)
        return;
    float sum = 0;
    for (unsigned k = 0; k < s.blocks; k++) {
        const unsigned char *x = a + ((size_t)row * s.blocks + k) * 36;
        const unsigned char *w = b + ((size_t)column * s.blocks + k) * 18;
        sum += scale_at(x) * block_times(w, reinterpret_cast<const int *>(x + 4));
    }
    c[(size_t)row * s.n + column] = sum;
}
