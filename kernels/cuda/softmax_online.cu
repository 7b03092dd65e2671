/*--- ktwin
op      = "softmax"
types   = { x = "f16", y = "f16" }
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
grid    = ["ceil(R / 8)", 1, 1]
block   = [256, 1, 1]
tile    = { R = 8, D = 32 }
---*/
// A warp a row; maximum and sum in one pass, what was summed so far scaled down when a larger number comes.
#include <cuda_fp16.h>

struct Sizes {
    unsigned rows, width;
};

__global__ void __launch_bounds__(256) softmax_online(const half *x, half *y, Sizes s)
{
    unsigned row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= s.rows)
        return;
    x += (size_t)row * s.width;
    y += (size_t)row * s.width;
    float top = -INFINITY, sum = 0;
    for (unsigned d = lane; d < s.width; d += 32) {
        float v = __half2float(x[d]), higher = fmaxf(top, v);
        sum = sum * (top == -INFINITY ? 0.0f : expf(top - higher)) + expf(v - higher);
        top = higher;
    }
    for (int step = 16; step > 0; step /= 2) {
        float other_top = __shfl_xor_sync(~0u, top, step), other_sum = __shfl_xor_sync(~0u, sum, step);
        float higher = fmaxf(top, other_top);
        float own = top == -INFINITY ? 0.0f : sum * expf(top - higher);
        float others = other_top == -INFINITY ? 0.0f : other_sum * expf(other_top - higher);
        sum = own + others;
        top = higher;
    }
    for (unsigned d = lane; d < s.width; d += 32)
        y[d] = __float2half(expf(__half2float(x[d]) - top) / sum);
}
