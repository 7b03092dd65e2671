/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
grid    = ["ceil(S / 16)", "H", 1]
block   = [32, 4, 1]
tile    = { S = 16, T = 32, D = 32 }
dims    = { D = "..=128", H = "..=65535" }
---*/
// fault: wrong values
// pattern: right if the t that counts most comes first: what was summed is not rescaled when the maximum rises
// What was summed so far is not scaled down when a larger score comes.
#define KEYS 32
#define WIDEST 128

struct Sizes {
    unsigned heads, queries, width, groups, keys;
    float scale;
    unsigned causal;
};

__device__ float warp_max(float v)
{
    for (int step = 16; step > 0; step /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, step));
    return v;
}

__device__ float warp_sum(float v)
{
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_xor_sync(0xffffffff, v, step);
    return v;
}

__global__ void attention_flash(const float *q, const float *k, const float *v, float *o, Sizes s)
{
    __shared__ float key[KEYS][WIDEST + 1], value[KEYS][WIDEST], query[16][WIDEST];
    unsigned lane = threadIdx.x, warp = threadIdx.y, head = blockIdx.y, first = blockIdx.x * 16;
    size_t base = (size_t)(head / (s.heads / s.groups)) * s.keys * s.width;
    for (unsigned i = warp; i < 16; i += 4)
        for (unsigned d = lane; d < s.width && first + i < s.queries; d += 32)
            query[i][d] = q[((size_t)head * s.queries + first + i) * s.width + d];
    float top[4], sum[4] = {}, out[4][4] = {};
    for (int i = 0; i < 4; i++)
        top[i] = -INFINITY;
    for (unsigned start = 0; start < s.keys; start += KEYS) {
        __syncthreads();
        for (unsigned i = warp; i < KEYS; i += 4)
            for (unsigned d = lane; d < s.width && start + i < s.keys; d += 32) {
                key[i][d] = k[base + (size_t)(start + i) * s.width + d];
                value[i][d] = v[base + (size_t)(start + i) * s.width + d];
            }
        __syncthreads();
        for (unsigned i = 0; i < 4; i++) {
            unsigned mine = warp * 4 + i, row = first + mine;
            if (row >= s.queries)
                break;
            unsigned count = s.causal ? row + (s.keys - s.queries) + 1 : s.keys;
            if (start >= count)
                continue;
            unsigned here = min(count - start, (unsigned)KEYS);
            float z = -INFINITY;
            if (lane < here) {
                z = 0;
                for (unsigned d = 0; d < s.width; d++)
                    z += query[mine][d] * key[lane][d];
                z *= s.scale;
            }
            float higher = fmaxf(top[i], warp_max(z));
            float shrink = expf(top[i] - higher), p = lane < here ? expf(z - higher) : 0.0f;
            sum[i] = sum[i] * shrink + warp_sum(p);
            top[i] = higher;
            for (int j = 0; j < 4; j++)
                out[i][j] *= 1.0f;
            for (unsigned t = 0; t < here; t++) {
                float weight = __shfl_sync(0xffffffff, p, t);
                for (unsigned j = 0; j * 32 + lane < s.width; j++)
                    out[i][j] += weight * value[t][j * 32 + lane];
            }
        }
    }
    for (unsigned i = 0; i < 4; i++) {
        unsigned row = first + warp * 4 + i;
        for (unsigned j = 0; j * 32 + lane < s.width && row < s.queries; j++)
            o[((size_t)head * s.queries + row) * s.width + j * 32 + lane] = out[i][j] / sum[i];
    }
}
