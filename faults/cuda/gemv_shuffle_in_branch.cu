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
// fault: warp operation
// pattern: every wrong element is NaN
// Only some lanes take part in the shuffle that names all.
#include <cuda_fp16.h>

struct Sizes {
    unsigned rows, width;
};

__global__ void gemv(const half2 *w, const half2 *x, float *y, Sizes s)
{
    unsigned row = blockIdx.x * 4 + threadIdx.y;
    if (row >= s.rows)
        return;
    float sum = 0;
    for (unsigned i = threadIdx.x; i < s.width / 2; i += 32) {
        float2 p = __half22float2(w[(size_t)row * (s.width / 2) + i]), q = __half22float2(x[i]);
        sum += p.x * q.x + p.y * q.y;
    }
    for (int step = 16; step > 0; step /= 2)
        if (threadIdx.x < (unsigned)step)
            sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0)
        y[row] = sum;
}
