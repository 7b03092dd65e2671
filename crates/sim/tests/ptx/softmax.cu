// Softmax by rows, one block a row.
__device__ float reduce(float v, bool largest, float *part) {
    for (int o = 16; o > 0; o /= 2) {
        float w = __shfl_xor_sync(0xffffffffu, v, o);
        v = largest ? fmaxf(v, w) : v + w;
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[threadIdx.x % (blockDim.x / 32)];
    for (int o = 16; o > 0; o /= 2) {
        float w = __shfl_xor_sync(0xffffffffu, v, o);
        if (o < blockDim.x / 32) v = largest ? fmaxf(v, w) : v + w;
    }
    __syncthreads();
    return v;
}

extern "C" __global__ void softmax(const float *x, float *y, int d) {
    __shared__ float part[32];
    x += (size_t)blockIdx.x * d;
    y += (size_t)blockIdx.x * d;
    float top = -1.0f / 0.0f;
    for (int i = threadIdx.x; i < d; i += blockDim.x) top = fmaxf(top, x[i]);
    top = reduce(top, true, part);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < d; i += blockDim.x) sum += expf(x[i] - top);
    sum = reduce(sum, false, part);
    for (int i = threadIdx.x; i < d; i += blockDim.x) y[i] = expf(x[i] - top) / sum;
}
