/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { D = "u32" }, { eps = "f32" }]
grid    = ["R", 1, 1]
block   = [256, 1, 1]
tile    = { D = 256 }
dims    = { D = "..=16384" }
---*/
// fault: wrong values
// pattern: matches the op with `sum[d]((x[r, d] - mu[r])^2)` read as `sum[d]((x[r, d])^2) - D * (mu[r])^2`
// The variance as a difference of two moments, which cancel.
__device__ float sum_of_all(float v, float *warps)
{
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffff, v, step);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    float sum = 0;
    for (unsigned i = 0; i < blockDim.x / 32; i++)
        sum += warps[i];
    return sum;
}

__global__ void layernorm(const float *x, const float *w, const float *b, float *y, unsigned width, float eps)
{
    __shared__ float warps[8];
    x += (size_t)blockIdx.x * width;
    y += (size_t)blockIdx.x * width;
    float sum = 0;
    for (unsigned d = threadIdx.x; d < width; d += blockDim.x)
        sum += x[d];
    float mean = sum_of_all(sum, warps) / width;
    float squares = 0;
    for (unsigned d = threadIdx.x; d < width; d += blockDim.x)
        squares += x[d] * x[d];
    float scale = 1.0f / sqrtf(sum_of_all(squares, warps) / width - mean * mean + eps);
    for (unsigned d = threadIdx.x; d < width; d += blockDim.x)
        y[d] = (x[d] - mean) * scale * w[d] + b[d];
}
