/*--- ktwin
op      = "../../kernels/cuda/gemv_int4.op"
types   = { w = "u8", scale = "f16", x = "f16" }
compute = "f32"
args    = ["w", "scale", "x", "y", { N = "u32", K = "u32", G = "u32" }]
grid    = ["ceil(N / 4)", 1, 1]
block   = [32, 4, 1]
tile    = { N = 4, K = 64 }
---*/
// fault: wrong values
// pattern: none
// The group of a weight is counted from one.
#include <cuda_fp16.h>

struct Sizes {
    unsigned rows, width, groups;
};

__global__ void gemv_int4(const unsigned char *w, const half *scale, const half *x, float *y, Sizes s)
{
    unsigned row = blockIdx.x * 4 + threadIdx.y, each = s.width / s.groups;
    if (row >= s.rows)
        return;
    float sum = 0;
    for (unsigned i = threadIdx.x; i < s.width / 2; i += 32) {
        int both = w[(size_t)row * (s.width / 2) + i];
        float low = __half2float(scale[row * s.groups + (2 * i + each) / each]) * ((both & 15) - 8);
        float high = __half2float(scale[row * s.groups + (2 * i + 1) / each]) * ((both >> 4) - 8);
        sum += low * __half2float(x[2 * i]) + high * __half2float(x[2 * i + 1]);
    }
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0)
        y[row] = sum;
}
