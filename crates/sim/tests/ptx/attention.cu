// Attention of one head, a warp for each query, with a running maximum; values in local memory and a call that is
// not inlined.
__device__ __noinline__ float dot(const float *a, const float *b, int d) {
    float sum = 0.0f;
    for (int i = 0; i < d; i++) sum += a[i] * b[i];
    return sum;
}
extern "C" __global__ void attention(const float *q, const float *k, const float *v, float *o, int s, int t, float scale) {
    const int D = 16;
    int query = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (query >= s) return;
    float top = -1.0f / 0.0f, sum = 0.0f, acc[D];
    for (int i = 0; i < D; i++) acc[i] = 0.0f;
    for (int j = lane; j < t && j <= query + t - s; j += 32) {
        float z = scale * dot(q + query * D, k + j * D, D);
        float next = fmaxf(top, z), fade = __expf(top - next), p = __expf(z - next);
        sum = sum * fade + p;
        for (int i = 0; i < D; i++) acc[i] = acc[i] * fade + p * v[j * D + i];
        top = next;
    }
    float all = top;
    for (int off = 16; off; off /= 2) all = fmaxf(all, __shfl_xor_sync(~0u, all, off));
    float fade = top == -1.0f / 0.0f ? 0.0f : __expf(top - all);
    sum *= fade;
    for (int off = 16; off; off /= 2) sum += __shfl_xor_sync(~0u, sum, off);
    for (int i = 0; i < D; i++) {
        float part = acc[i] * fade;
        for (int off = 16; off; off /= 2) part += __shfl_xor_sync(~0u, part, off);
        if (lane == i) o[query * D + i] = part / sum;
    }
}
