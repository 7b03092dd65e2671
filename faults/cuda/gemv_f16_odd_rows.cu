/*--- ktwin
op      = "gemv"
types   = { w = "f16", x = "f16" }
compute = "f32"
args    = ["w", "x", "y", { N = "u32", K = "u32" }]
grid    = ["ceil(N / 4)", 1, 1]
block   = [32, 4, 1]
tile    = { N = 4, K = 64 }
---*/
// fault: misaligned access
// pattern: wrong exactly where n % 2 == 1
// The contract promises an odd K too, and rows are read in pairs.
#include <cuda_fp16.h>

struct Sizes {
    unsigned rows, width;
};

__global__ void gemv(const half *w, const half2 *x, float *y, Sizes s)
{
    unsigned row = blockIdx.x * 4 + threadIdx.y;
    if (row >= s.rows)
        return;
    float sum = 0;
    for (unsigned i = threadIdx.x; i < s.width / 2; i += 32) {
        float2 p = __half22float2(reinterpret_cast<const half2 *>(w + (size_t)row * s.width)[i]), q = __half22float2(x[i]);
        sum += p.x * q.x + p.y * q.y;
    }
    if (threadIdx.x == 0 && s.width % 2 == 1)
        sum += __half2float(w[(size_t)row * s.width + s.width - 1]) * __half2float(x[s.width / 2].x);
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0)
        y[row] = sum;
}
