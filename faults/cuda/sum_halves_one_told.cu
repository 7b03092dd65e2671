/*--- ktwin
op      = "sum"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
types   = { x = "f16" }
dims    = { N = 2 }
grid    = 1
block   = 64
---*/
// fault: race
// pattern: none
// Two lanes write a half of a word each, and only one of them tells.
#include <cuda_fp16.h>

extern "C" __global__ void sum(const __half *x, float *y, unsigned n)
{
    __shared__ __half2 both;
    __shared__ int ready;
    __half *half = reinterpret_cast<__half *>(&both);
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        half[0] = x[0];
    if (threadIdx.x == 1) {
        half[1] = x[1];
        __threadfence_block();
        atomicExch(&ready, 1);
    }
    if (threadIdx.x == 32) {
        while (atomicAdd(&ready, 0) == 0) { }
        __threadfence_block();
        *y = __low2float(both) + __high2float(both);
    }
}
