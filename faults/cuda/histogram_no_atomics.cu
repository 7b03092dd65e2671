/*--- ktwin
op    = "histogram"
tile  = { N = 1024, B = 256 }
dims  = { B = "..=1024" }
chain = [
    { entry = "clear", args = ["y", { B = "u32" }], grid = ["ceil(B / 256)", 1, 1], block = 256 },
    { entry = "count", args = ["x", "y", { N = "u32" }, { B = "u32" }], grid = ["ceil(N / 1024)", 1, 1], block = 256, shared = "4 * B" },
]
---*/
// fault: race
// pattern: matches the op with `sum[n where x[n] == b](1)` read as `sum[n where (x[n] == b) and n == max[n_ in 0..N where x[n_] == b](n_)](1)`
// Counting in shared memory with a plain increment.
__global__ void clear(unsigned *y, unsigned bins)
{
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i < bins)
        y[i] = 0;
}

__global__ void count(const unsigned *x, unsigned *y, unsigned n, unsigned bins)
{
    extern __shared__ unsigned own[];
    for (unsigned i = threadIdx.x; i < bins; i += 256)
        own[i] = 0;
    __syncthreads();
    for (unsigned i = 0; i < 4; i++) {
        unsigned at = (blockIdx.x * 4 + i) * 256 + threadIdx.x;
        if (at < n)
            own[x[at]]++;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < bins; i += 256)
        if (own[i] > 0)
            atomicAdd(&y[i], own[i]);
}
