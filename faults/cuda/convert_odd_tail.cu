/*--- ktwin
op    = "convert"
types = { y = "f16" }
args  = ["x", "y", { N = "u32" }]
grid  = ["ceil(N / 512)", 1, 1]
block = [256, 1, 1]
tile  = { N = 512 }
---*/
// fault: unwritten elements
// pattern: every wrong element was never written
// The last of an odd number of elements is never written.
#include <cuda_fp16.h>

__global__ void convert(const float *x, __half *y, unsigned n)
{
    unsigned i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n)
        reinterpret_cast<__half2 *>(y)[i / 2] = __floats2half2_rn(x[i], x[i + 1]);
}
