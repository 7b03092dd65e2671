/*--- ktwin
op      = "rmsnorm_gemma"
types   = { x = "bf16", w = "bf16", y = "bf16" }
compute = "f32"
args    = ["x", "w", "y", { R = "u32", D = "u32", eps = "f32" }]
grid    = ["ceil(R / 4)", 1, 1]
block   = [32, 4, 1]
tile    = { R = 4, D = 32 }
dims    = { D = "..=4096" }
---*/
// fault: warp operation
// pattern: none
// The mask names half of the lanes that shuffle.
#include <cuda_bf16.h>

struct Sizes {
    unsigned rows, width;
    float eps;
};

__global__ void rmsnorm_gemma(const __nv_bfloat16 *x, const __nv_bfloat16 *w, __nv_bfloat16 *y, Sizes s)
{
    unsigned row = blockIdx.x * 4 + threadIdx.y;
    if (row >= s.rows)
        return;
    const __nv_bfloat16 *in = x + (size_t)row * s.width;
    float sum = 0;
    for (unsigned d = threadIdx.x; d < s.width; d += 32) {
        float v = __bfloat162float(in[d]);
        sum = fmaf(v, v, sum);
    }
    for (int step = 16; step > 0; step >>= 1)
        sum += __shfl_down_sync(0xffffu, sum, step);
    float root = sqrtf(__shfl_sync(~0u, sum, 0) / s.width + s.eps);
    for (unsigned d = threadIdx.x; d < s.width; d += 32) {
        float v = __bfloat162float(in[d]) / root * (1.0f + __bfloat162float(w[d]));
        y[(size_t)row * s.width + d] = __float2bfloat16(v);
    }
}
