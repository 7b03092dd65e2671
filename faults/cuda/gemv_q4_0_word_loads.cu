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
// fault: misaligned access
// pattern: none
// Nibbles are read as words, and blocks of 18 bytes begin at odd halves.
#include <cuda_fp16.h>

struct Sizes {
    unsigned rows, blocks;
};

__global__ void gemv_q4_0(const unsigned char *w, const float *x, float *y, Sizes s)
{
    unsigned row = blockIdx.x * 2 + threadIdx.y;
    if (row >= s.rows)
        return;
    float sum = 0;
    for (unsigned block = threadIdx.x; block < s.blocks; block += 32) {
        const unsigned char *at = w + ((size_t)row * s.blocks + block) * 18;
        const float *v = x + block * 32;
        float part = 0;
        for (int i = 0; i < 16; i++) {
            int both = *(const unsigned *)(at + 2 + i / 4 * 4) >> i % 4 * 8 & 255;
            part += ((both & 15) - 8) * v[i] + ((both >> 4) - 8) * v[i + 16];
        }
        sum += __half2float(*reinterpret_cast<const half *>(at)) * part;
    }
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0)
        y[row] = sum;
}
