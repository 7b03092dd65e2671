// RMS normalisation of f16 rows in pairs, sums in f32.
#include <cuda_fp16.h>
extern "C" __global__ void rmsnorm_half(const __half2 *x, const __half2 *w, __half2 *y, int d, float eps) {
    __shared__ float part[8];
    const __half2 *row = x + blockIdx.x * d / 2;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < d / 2; i += blockDim.x) {
        float2 v = __half22float2(row[i]);
        sum += v.x * v.x + v.y * v.y;
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int i = 0; i < blockDim.x / 32; i++) sum += part[i];
    float scale = rsqrtf(sum / d + eps);
    for (int i = threadIdx.x; i < d / 2; i += blockDim.x) {
        float2 v = __half22float2(row[i]), u = __half22float2(w[i]);
        y[blockIdx.x * d / 2 + i] = __floats2half2_rn(v.x * scale * u.x, v.y * scale * u.y);
    }
}
