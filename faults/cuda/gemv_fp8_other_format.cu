/*--- ktwin
op      = "gemv"
types   = { w = "e4m3", x = "f16" }
compute = "f32"
args    = ["w", "x", "y", { N = "u32", K = "u32" }]
grid    = ["ceil(N / 4)", 1, 1]
block   = [32, 4, 1]
tile    = { N = 4, K = 32 }
---*/
// fault: wrong values
// pattern: matches the op with `w` read as e5m2
// The bytes are read as e5m2.
#include <cuda_fp16.h>
#include <cuda_fp8.h>

struct Sizes {
    unsigned rows, width;
};

__global__ void gemv_fp8(const __nv_fp8_e5m2 *w, const half *x, float *y, Sizes s)
{
    unsigned row = blockIdx.x * 4 + threadIdx.y;
    if (row >= s.rows)
        return;
    float sum = 0;
    for (unsigned k = threadIdx.x; k < s.width; k += 32)
        sum += float(w[(size_t)row * s.width + k]) * __half2float(x[k]);
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0)
        y[row] = sum;
}
