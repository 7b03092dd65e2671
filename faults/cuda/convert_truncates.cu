/*--- ktwin
op    = "convert"
types = { y = "f16" }
args  = ["x", "y", { N = "u32" }]
grid  = ["ceil(N / 512)", 1, 1]
block = [256, 1, 1]
tile  = { N = 512 }
---*/
// fault: wrong values
// pattern: every element is the right one rounded toward zero (truncated)
// Numbers are rounded towards zero.
#include <cuda_fp16.h>

__global__ void convert(const float *x, __half *y, unsigned n)
{
    unsigned i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n)
        reinterpret_cast<__half2 *>(y)[i / 2] = __halves2half2(__float2half_rz(x[i]), __float2half_rz(x[i + 1]));
    else if (i < n)
        y[i] = __float2half_rz(x[i]);
}
