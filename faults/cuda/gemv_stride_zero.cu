/*--- ktwin
op      = "gemv"
types   = { w = "q8_0", x = "f16" }
compute = "f32"
args    = ["w", "x", "y", { "K // 32" = "u32" }]
grid    = ["N", 1, 1]
block   = [64, 1, 1]
tile    = { K = 64 }
dims    = { K = "multiple of 32" }
---*/
// fault: endless loop
// pattern: every wrong element was never written
// pattern: every element is wrong
// The loop over blocks goes on by nothing in the second warp.
#include <cuda_fp16.h>

__global__ void gemv_q8_0(const signed char *w, const half *x, float *y, unsigned blocks)
{
    __shared__ float warps[2];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = 0;
    for (unsigned block = warp; block < blocks; block += 2 - 2 * warp) {
        const signed char *at = w + ((size_t)blockIdx.x * blocks + block) * 34;
        float scale = __half2float(*(const half *)at);
        sum += scale * at[2 + lane] * __half2float(x[block * 32 + lane]);
    }
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (lane == 0)
        warps[warp] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        y[blockIdx.x] = warps[0] + warps[1];
}
