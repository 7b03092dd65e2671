/*--- ktwin
op    = "gelu_gate"
types = { g = "f16", u = "f16", y = "f16" }
args  = ["g", "u", "y", { N = "u32" }]
grid  = ["ceil(N / 256)", 1, 1]
block = [256, 1, 1]
tile  = { N = 256 }
---*/
// fault: unwritten elements
// pattern: every wrong element was never written
// The last element is left out.
#include <cuda_fp16.h>

__device__ float gelu(float v)
{
    return 0.5f * v * (1.0f + tanhf(0.7978845608028654f * (v + 0.044715f * v * v * v)));
}

__global__ void gelu_gate(const __half *g, const __half *u, __half *y, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n)
        y[i] = __float2half(gelu(__half2float(g[i])) * __half2float(u[i]));
}
