/*--- ktwin
op      = "scan"
tile    = { N = 64 }
scratch = { flags = "u32[ceil(N / 64) + 1]", upto = "f32[ceil(N / 64)]" }
chain   = [
    { entry = "clear", args = ["flags", { "ceil(N / 64) + 1" = "u32" }], grid = ["ceil(N / 4096) + 1", 1, 1], block = 64 },
    { entry = "chained", args = ["x", "y", "flags", "upto", { N = "u32" }], grid = ["ceil(N / 64)", 1, 1], block = 64 },
]
---*/
// Each block waits for the sum of all before it. Number and flag are volatile, and the fence keeps their order.
__global__ void clear(unsigned *flags, unsigned count)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    if (i < count)
        flags[i] = 0;
}

__global__ void chained(const float *x, float *y, volatile unsigned *flags, volatile float *upto, unsigned n)
{
    __shared__ unsigned tile;
    __shared__ float part[64], before;
    unsigned t = threadIdx.x;
    if (t == 0)
        tile = atomicAdd((unsigned *)flags, 1);
    __syncthreads();
    unsigned at = tile * 64 + t;
    part[t] = at < n ? x[at] : 0.0f;
    __syncthreads();
    for (unsigned step = 1; step < 64; step *= 2) {
        float other = t >= step ? part[t - step] : 0.0f;
        __syncthreads();
        part[t] += other;
        __syncthreads();
    }
    if (t == 0) {
        float sum = 0;
        if (tile > 0) {
            while (flags[tile] == 0) {
            }
            __threadfence();
            sum = upto[tile - 1];
        }
        upto[tile] = sum + part[63];
        __threadfence();
        flags[tile + 1] = 1;
        before = sum;
    }
    __syncthreads();
    if (at < n)
        y[at] = before + part[t];
}
