/*--- ktwin
op      = "gemv"
compute = "f32"
args    = ["w", "x", "y", { N = "u32", K = "u32" }]
grid    = ["ceil(N / 96)", 1, 1]
block   = 128
tile    = { N = 96, K = 32 }
dims    = { K = "..=2048" }
---*/
// fault: race
// pattern: fails only where K >= 65, in 20 of 26 such cases
// The ring is filled again when two of its three readers are done.
// The first warp brings pieces of the vector into a ring of two, from which three warps read all of each, a row a lane.
// One lane of a warp waits and signals for all of it; nobody waits at a barrier of the block.
struct Sizes {
    unsigned n, k;
};

__global__ void gemv(const float *w, const float *x, float *y, Sizes s)
{
    __shared__ float ring[2][32];
    __shared__ unsigned full[2], read[2];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x * 96 + (warp - 1) * 32 + lane;
    if (threadIdx.x < 2)
        full[threadIdx.x] = read[threadIdx.x] = 0;
    __syncthreads();
    float sum = 0;
    for (unsigned piece = 0; piece * 32 < s.k; piece++) {
        unsigned stage = piece % 2, round = piece / 2, k = piece * 32;
        if (warp == 0) {
            if (lane == 0) {
                while (atomicAdd(&read[stage], 0) < 2 * round) { }
                __threadfence_block();
            }
            __syncwarp();
            ring[stage][lane] = k + lane < s.k ? x[k + lane] : 0.0f;
            __threadfence_block();
            __syncwarp();
            if (lane == 0)
                atomicAdd(&full[stage], 1);
        } else {
            if (lane == 0)
                while (atomicAdd(&full[stage], 0) <= round) { }
            __threadfence_block();
            __syncwarp();
            for (unsigned i = 0; i < 32 && k + i < s.k; i++)
                sum += row < s.n ? w[(size_t)row * s.k + k + i] * ring[stage][i] : 0.0f;
            __syncwarp();
            if (lane == 0) {
                __threadfence_block();
                atomicAdd(&read[stage], 1);
            }
        }
    }
    if (warp > 0 && row < s.n)
        y[row] = sum;
}
