/*--- ktwin
op            = "scan"
tile          = { N = 64 }
scratch       = { state = "u32[ceil(N / 64) + 1]", parts = "f32[ceil(N / 64)]", whole = "f32[ceil(N / 64)]" }
deterministic = false
chain         = [
    { entry = "clear", args = ["state", { "ceil(N / 64) + 1" = "u32" }], grid = ["ceil((N + 64) / 4096) + 1", 1, 1], block = 64 },
    { entry = "scan", args = ["x", "y", "state", "parts", "whole", { N = "u32" }], grid = ["ceil(N / 64)", 1, 1], block = 64 },
]
---*/
// fault: wrong values
// pattern: wrong exactly where n >= 2176
// The warp that looks back reads the 32 tiles before its own at once. Where none of them knows its whole sum yet it
// would have to go on with the 32 before those; it stops there.
__global__ void clear(unsigned *state, unsigned count)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    if (i < count)
        state[i] = 0;
}

__device__ float window(int tile, volatile unsigned *state, const volatile float *parts, const volatile float *whole)
{
    int lane = threadIdx.x, at = tile - 1 - lane;
    unsigned said = 2;
    if (at >= 0) {
        do {
            said = state[at];
        } while (said == 0);
    }
    __threadfence();
    unsigned known = __ballot_sync(0xffffffff, said == 2);
    int last = known ? __ffs(known) - 1 : 31;
    float v = 0;
    if (at >= 0 && lane <= last)
        v = said == 2 ? whole[at] : parts[at];
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffff, v, step);
    return v;
}

__global__ void scan(const float *x, float *y, unsigned *state, float *parts, float *whole, unsigned n)
{
    __shared__ float first;
    __shared__ float before;
    __shared__ unsigned tile;
    if (threadIdx.x == 0)
        tile = atomicAdd(&state[gridDim.x], 1);
    __syncthreads();
    unsigned lane = threadIdx.x % 32, at = tile * 64 + threadIdx.x;
    float v = at < n ? x[at] : 0.0f;
    for (unsigned step = 1; step < 32; step *= 2) {
        float other = __shfl_up_sync(0xffffffff, v, step);
        if (lane >= step)
            v += other;
    }
    if (threadIdx.x == 31)
        first = v;
    __syncthreads();
    if (threadIdx.x >= 32)
        v += first;
    if (threadIdx.x == 63) {
        parts[tile] = v;
        __threadfence();
        atomicExch(&state[tile], 1);
    }
    if (threadIdx.x < 32) {
        float all = window(tile, state, parts, whole);
        if (threadIdx.x == 0)
            before = all;
    }
    __syncthreads();
    if (threadIdx.x == 63) {
        whole[tile] = before + v;
        __threadfence();
        atomicExch(&state[tile], 2);
    }
    if (at < n)
        y[at] = before + v;
}
