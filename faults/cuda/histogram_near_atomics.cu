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
// pattern: any
// Blocks add to the same counts by operations that are atomic within a block.
// Every block counts in shared memory and adds what it has to the whole.
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
            atomicAdd(&own[x[at]], 1u);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < bins; i += 256)
        if (own[i] > 0)
            atomicAdd_block(&y[i], own[i]);
}
