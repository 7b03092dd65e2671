/*--- ktwin
op      = "attention_kv"
compute = "f32"
tile    = { T = 64, D = 32 }
dims    = { S = 1, D = "..=128", H = "..=65535" }
scratch = { part = "f32[H * 8 * D]", tops = "f32[H * 8]", sums = "f32[H * 8]" }
chain   = [
    { entry = "parts", args = ["q", "k", "v", "part", "tops", "sums", { H = "u32", G = "u32", T = "u32", D = "u32", len = "u32", scale = "f32" }], grid = [8, "H", 1], block = 128 },
    { entry = "join", args = ["part", "tops", "sums", "o", { D = "u32" }], grid = ["H", 1, 1], block = 128 },
]
---*/
// fault: wrong values
// pattern: o[h, s, d] stays the same whatever q[h, s, d] is: its own element is left out
// Parts are joined without scaling them to the highest score.
struct Sizes {
    unsigned heads, groups, room, width, filled;
    float scale;
};

__device__ float of_all(float v, bool largest)
{
    __shared__ float warps[4];
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_xor_sync(0xffffffff, v, step);
        v = largest ? fmaxf(v, other) : v + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    return largest ? fmaxf(fmaxf(warps[0], warps[1]), fmaxf(warps[2], warps[3]))
                   : (warps[0] + warps[1]) + (warps[2] + warps[3]);
}

__global__ void parts(const float *q, const float *k, const float *v, float *part, float *tops, float *sums, Sizes s)
{
    __shared__ float weights[128];
    unsigned head = blockIdx.y, each = (s.filled + 7) / 8;
    unsigned from = min(blockIdx.x * each, s.filled), to = min(from + each, s.filled), at = head * 8 + blockIdx.x;
    size_t base = (size_t)(head / (s.heads / s.groups)) * s.room * s.width;
    float top = -INFINITY, sum = 0, out = 0;
    for (unsigned start = from; start < to; start += 128) {
        unsigned t = start + threadIdx.x, here = min(to - start, 128u);
        float z = -INFINITY;
        if (t < to) {
            z = 0;
            for (unsigned d = 0; d < s.width; d++)
                z += q[head * s.width + d] * k[base + (size_t)t * s.width + d];
            z *= s.scale;
        }
        float higher = fmaxf(top, of_all(z, true)), shrink = expf(top - higher);
        float p = t < to ? expf(z - higher) : 0.0f;
        weights[threadIdx.x] = p;
        sum = sum * shrink + of_all(p, false);
        out *= shrink;
        for (unsigned i = 0; i < here && threadIdx.x < s.width; i++)
            out += weights[i] * v[base + (size_t)(start + i) * s.width + threadIdx.x];
        top = higher;
        __syncthreads();
    }
    if (threadIdx.x < s.width)
        part[(size_t)at * s.width + threadIdx.x] = out;
    if (threadIdx.x == 0) {
        tops[at] = top;
        sums[at] = sum;
    }
}

__global__ void join(const float *part, const float *tops, const float *sums, float *o, unsigned width)
{
    const float *top = tops + blockIdx.x * 8, *sum = sums + blockIdx.x * 8;
    float highest = -INFINITY, total = 0, out = 0;
    for (int i = 0; i < 8; i++)
        highest = fmaxf(highest, top[i]);
    unsigned d = threadIdx.x;
    for (int i = 0; i < 8; i++) {
        float weight = top[i] == -INFINITY ? 0.0f : 1.0f;
        total += weight * sum[i];
        if (d < width && weight > 0)
            out += weight * part[((size_t)blockIdx.x * 8 + i) * width + d];
    }
    if (d < width)
        o[(size_t)blockIdx.x * width + d] = out / total;
}
