/*--- ktwin
op    = "scale"
args  = ["x", "y", { N = "u32" }, { alpha = "f32" }]
grid  = 4
block = 128
---*/
// fault: not repeatable
// pattern: every wrong element is NaN
// The counter that hands out work is a variable of the module, and the next launch begins where this one ended.
__device__ unsigned next = 0;

__global__ void scale(const float *x, float *y, unsigned n, float alpha)
{
    __shared__ unsigned job;
    for (;;) {
        if (threadIdx.x == 0)
            job = atomicAdd(&next, 1);
        __syncthreads();
        unsigned first = job * 128;
        __syncthreads();
        if (first >= n)
            return;
        if (first + threadIdx.x < n)
            y[first + threadIdx.x] = alpha * x[first + threadIdx.x];
    }
}
