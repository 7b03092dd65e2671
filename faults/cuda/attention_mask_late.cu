/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
grid    = ["S", "H", 1]
block   = [128, 1, 1]
shared  = "4 * T"
tile    = { T = 128 }
dims    = { T = "..=8192", H = "..=65535" }
---*/
// fault: wrong values
// pattern: matches the op with `if causal and t > s + (T - S) then -inf else scale * sum[d](q[h, s, d] * k[h // (H // G), t, d])` read as `scale * sum[d](q[h, s, d] * k[h // (H // G), t, d])`
// A query sees one key too many.
struct Sizes {
    unsigned heads, queries, width, groups, keys;
    float scale;
    unsigned causal;
};

template <bool MAX> __device__ float of_all(float v)
{
    __shared__ float warps[4];
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_xor_sync(0xffffffff, v, step);
        v = MAX ? fmaxf(v, other) : v + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    return MAX ? fmaxf(fmaxf(warps[0], warps[1]), fmaxf(warps[2], warps[3]))
               : (warps[0] + warps[1]) + (warps[2] + warps[3]);
}

__global__ void attention(const float *q, const float *k, const float *v, float *o, Sizes s)
{
    extern __shared__ float scores[];
    unsigned head = blockIdx.y, query = blockIdx.x;
    size_t keys = (size_t)(head / (s.heads / s.groups)) * s.keys * s.width;
    size_t at = ((size_t)head * s.queries + query) * s.width;
    unsigned count = s.causal ? query + (s.keys - s.queries) + 2 : s.keys;
    count = min(count, s.keys);
    float top = -INFINITY;
    for (unsigned t = threadIdx.x; t < count; t += blockDim.x) {
        float z = 0;
        for (unsigned d = 0; d < s.width; d++)
            z += q[at + d] * k[keys + (size_t)t * s.width + d];
        scores[t] = z * s.scale;
        top = fmaxf(top, scores[t]);
    }
    top = of_all<true>(top);
    float sum = 0;
    for (unsigned t = threadIdx.x; t < count; t += blockDim.x) {
        scores[t] = expf(scores[t] - top);
        sum += scores[t];
    }
    sum = of_all<false>(sum);
    for (unsigned d = threadIdx.x; d < s.width; d += blockDim.x) {
        float all = 0;
        for (unsigned t = 0; t < count; t++)
            all += scores[t] * v[keys + (size_t)t * s.width + d];
        o[at + d] = all / sum;
    }
}
