/*--- ktwin
op      = "moe_gemm"
types   = { x = "f16", w = "f16" }
compute = "f32"
args    = ["x", "w", "expert", "y", { F = "u32", D = "u32" }]
grid    = ["ceil(F / 4)", "T", 1]
block   = [32, 4, 1]
tile    = { F = 4, D = 32 }
dims    = { T = "..=65535" }
---*/
// A warp a result: the row of x times the column of its expert.
#include <cuda_fp16.h>

struct Sizes {
    unsigned results, width;
};

__global__ void moe_gemm(const half *x, const half *w, const unsigned *expert, float *y, Sizes s)
{
    unsigned f = blockIdx.x * 4 + threadIdx.y, t = blockIdx.y;
    if (f >= s.results)
        return;
    const half *row = x + (size_t)t * s.width;
    const half *column = w + ((size_t)expert[t] * s.results + f) * s.width;
    float sum = 0;
    for (unsigned d = threadIdx.x; d < s.width; d += 32)
        sum += __half2float(row[d]) * __half2float(column[d]);
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0)
        y[(size_t)t * s.results + f] = sum;
}
