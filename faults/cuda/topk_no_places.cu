/*--- ktwin
op    = "topk"
args  = ["x", "y", "idx", { D = "u32", K = "u32" }]
grid  = ["R", 1, 1]
block = [128, 1, 1]
tile  = { D = 128 }
---*/
// fault: unwritten elements
// pattern: idx: every wrong element was never written
// pattern: idx: every wrong element was never written
// The places of all but the best are never written.
__device__ bool comes_before(float a, unsigned i, float b, unsigned j) { return a > b || (a == b && i < j); }

struct Sizes {
    unsigned width, count;
};

__global__ void topk(const float *x, float *y, unsigned *idx, Sizes s)
{
    __shared__ float values[4];
    __shared__ unsigned places[4];
    const float *row = x + (size_t)blockIdx.x * s.width;
    float last = INFINITY;
    unsigned last_at = 0;
    for (unsigned k = 0; k < s.count; k++) {
        float best = -INFINITY;
        unsigned at = 0xffffffff;
        for (unsigned d = threadIdx.x; d < s.width; d += blockDim.x)
            if ((k == 0 || comes_before(last, last_at, row[d], d)) && comes_before(row[d], d, best, at)) {
                best = row[d];
                at = d;
            }
        for (int step = 16; step > 0; step /= 2) {
            float other = __shfl_xor_sync(0xffffffff, best, step);
            unsigned place = __shfl_xor_sync(0xffffffff, at, step);
            if (comes_before(other, place, best, at)) {
                best = other;
                at = place;
            }
        }
        if (threadIdx.x % 32 == 0) {
            values[threadIdx.x / 32] = best;
            places[threadIdx.x / 32] = at;
        }
        __syncthreads();
        last = values[0];
        last_at = places[0];
        for (int i = 1; i < 4; i++)
            if (comes_before(values[i], places[i], last, last_at)) {
                last = values[i];
                last_at = places[i];
            }
        __syncthreads();
        if (threadIdx.x == 0) {
            y[blockIdx.x * s.count + k] = last;
            if (k == 0)
                idx[blockIdx.x * s.count] = last_at;
        }
    }
}
