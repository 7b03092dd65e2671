/*--- ktwin
op    = "max"
tile  = { N = 256 }
chain = [
    { entry = "begin", args = ["most", "count"], grid = [1, 1, 1], block = 1 },
    { entry = "highest", args = ["x", "most", "count", "y", { N = "u32" }], grid = ["ceil(N / 256)", 1, 1], block = 256 },
]
scratch = { most = "u32[1]", count = "u32[1]" }
---*/
// fault: wrong values
// pattern: fails only where N >= 257, in 17 of 42 such cases
// A block is counted as done before its maximum is in, so that the last one of all may take what is there too early.
__device__ unsigned ordered(float v)
{
    unsigned bits = __float_as_uint(v);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

__device__ float back(unsigned key)
{
    return __uint_as_float(key >> 31 ? key & 0x7fffffffu : ~key);
}

__global__ void begin(unsigned *most, unsigned *count)
{
    *most = 0;
    *count = 0;
}

__global__ void highest(const float *x, unsigned *most, unsigned *count, float *y, unsigned n)
{
    __shared__ unsigned own;
    if (threadIdx.x == 0)
        own = 0;
    __syncthreads();
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        atomicMax(&own, ordered(x[i]));
    __syncthreads();
    if (threadIdx.x == 0) {
        bool last = atomicAdd(count, 1u) == gridDim.x - 1;
        atomicMax(most, own);
        __threadfence();
        if (last)
            *y = back(atomicMax(most, 0u));
    }
}
