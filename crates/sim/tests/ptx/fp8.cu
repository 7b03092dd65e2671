// nvrtc: --gpu-architecture=compute_89
// Conversions between f32, f16 and the two formats of 8 bits.
#include <cuda_fp8.h>
extern "C" __global__ void fp8(const float *x, float *y, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    __nv_fp8_e4m3 a(x[i]);
    __nv_fp8_e5m2 b(x[i]);
    y[2 * i] = (float)a;
    y[2 * i + 1] = (float)b;
}
