// Arithmetic of f16 and bf16, single and in pairs, and conversions to fp8.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void half_ops(const half *x, const half *y, float *out, int n) {
    int i = threadIdx.x;
    half a = x[i], b = y[i];
    float *o = out + i * 12;
    o[0] = __half2float(__hadd(a, b));
    o[1] = __half2float(__hmul(a, b));
    o[2] = __half2float(__hfma(a, b, a));
    o[3] = __half2float(__hmax(a, b));
    o[4] = __half2float(hexp2(a));
    half2 p = __halves2half2(a, b), q = __hfma2(p, p, p);
    o[5] = __low2float(q);
    o[6] = __high2float(q);
    __nv_bfloat16 c = __float2bfloat16(__half2float(a)), d = __float2bfloat16(__half2float(b));
    o[7] = __bfloat162float(__hadd(c, d));
    o[8] = __bfloat162float(__hfma(c, d, c));
    o[9] = __hlt(a, b) ? 1.0f : 0.0f;
    o[10] = (float)__half2int_rn(a);
    o[11] = __half2float(__hsub(a, b));
}
