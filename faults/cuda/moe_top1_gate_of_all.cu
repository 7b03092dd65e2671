/*--- ktwin
op      = "moe_top1"
compute = "f32"
args    = ["x", "w", "expert", "gate", { D = "u32", E = "u32" }]
grid    = ["T", 1, 1]
block   = [128, 1, 1]
shared  = "4 * E"
tile    = { E = 4, D = 32 }
dims    = { E = "..=1024" }
---*/
// fault: wrong values
// pattern: none
// The gate is the largest score itself.
struct Sizes {
    unsigned width, experts;
};

__global__ void moe_top1(const float *x, const float *w, unsigned *expert, float *gate, Sizes s)
{
    extern __shared__ float scores[];
    unsigned lane = threadIdx.x % 32;
    const float *row = x + (size_t)blockIdx.x * s.width;
    for (unsigned e = threadIdx.x / 32; e < s.experts; e += 4) {
        float z = 0;
        for (unsigned d = lane; d < s.width; d += 32)
            z += row[d] * w[(size_t)e * s.width + d];
        for (int step = 16; step > 0; step /= 2)
            z += __shfl_xor_sync(0xffffffff, z, step);
        if (lane == 0)
            scores[e] = z;
    }
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    float top = -INFINITY, sum = 0;
    unsigned best = 0xffffffff;
    for (unsigned e = lane; e < s.experts; e += 32)
        if (scores[e] > top) {
            top = scores[e];
            best = e;
        }
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_xor_sync(0xffffffff, top, step);
        unsigned place = __shfl_xor_sync(0xffffffff, best, step);
        if (other > top || (other == top && place < best)) {
            top = other;
            best = place;
        }
    }
    for (unsigned e = lane; e < s.experts; e += 32)
        sum += expf(scores[e] - top);
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (lane == 0) {
        expert[blockIdx.x] = best;
        gate[blockIdx.x] = top / sum;
    }
}
