// A matrix of 4-bit blocks (32 codes and an f16 scale) times a vector; a warp a row.
#include <cuda_fp16.h>
struct Block { half scale; unsigned char codes[16]; };
extern "C" __global__ void q4_gemv(const Block *a, const float *x, float *y, int blocks) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int b = threadIdx.x; b < blocks; b += 32) {
        const Block *block = a + row * blocks + b;
        float part = 0.0f;
        for (int i = 0; i < 16; i++) {
            int code = block->codes[i];
            part += ((code & 15) - 8) * x[b * 32 + i] + ((code >> 4) - 8) * x[b * 32 + 16 + i];
        }
        sum += __half2float(block->scale) * part;
    }
    for (int o = 16; o; o /= 2) sum += __shfl_down_sync(~0u, sum, o);
    if (threadIdx.x == 0) y[row] = sum;
}
