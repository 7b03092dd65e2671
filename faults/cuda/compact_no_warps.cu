/*--- ktwin
op    = "compact"
args  = ["x", "y", "count", { N = "u32" }, { limit = "f32" }]
grid  = 1
block = 256
tile  = { N = 256 }
---*/
// fault: wrong values
// pattern: fails only where N >= 33, in 22 of 23 such cases
// the votes of the warps before are not added
__global__ void compact(const float *x, float *y, unsigned *count, unsigned n, float limit)
{
    __shared__ unsigned kept[8];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, before = 0;
    for (unsigned start = 0; start < n; start += 256) {
        unsigned at = start + threadIdx.x;
        float value = at < n ? x[at] : 0.0f;
        bool keep = at < n && value > limit;
        unsigned votes = __ballot_sync(0xffffffffu, keep);
        if (lane == 0)
            kept[warp] = __popc(votes);
        __syncthreads();
        unsigned to = before + __popc(votes & ((1u << lane) - 1));
        for (unsigned w = 0; w < 8; w++) {
            before += kept[w];
        }
        if (keep)
            y[to] = value;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *count = before;
}
