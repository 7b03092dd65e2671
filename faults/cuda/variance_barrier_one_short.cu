/*--- ktwin
op      = "variance"
args    = ["x", "sums", "arrived", "y", { N = "u32" }]
scratch = { sums = "f32[16]", arrived = "u32[1]" }
fill    = { arrived = 0 }
grid    = [8, 1, 1]
block   = [64, 1, 1]
tile    = { N = 512 }
---*/
// fault: uninitialised read
// pattern: every wrong element is NaN
// The last of eight blocks is not waited for before the mean is taken.
__device__ void meet(unsigned *arrived, unsigned all)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < all)
            ;
        __threadfence();
    }
    __syncthreads();
}

__device__ float sum_of_block(float v)
{
    __shared__ float warps[2];
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_xor_sync(0xffffffff, v, step);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    v = warps[0] + warps[1];
    __syncthreads();
    return v;
}

__device__ float sum_of_all(const float *sums)
{
    float sum = 0;
    for (int i = 0; i < 8; i++)
        sum += __ldcg(sums + i);
    return sum;
}

__global__ void variance(const float *x, float *sums, unsigned *arrived, float *y, unsigned n)
{
    float sum = 0;
    for (unsigned i = blockIdx.x * 64 + threadIdx.x; i < n; i += 512)
        sum += x[i];
    sum = sum_of_block(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
    meet(arrived, 7);
    float mean = sum_of_all(sums) / n;
    sum = 0;
    for (unsigned i = blockIdx.x * 64 + threadIdx.x; i < n; i += 512)
        sum += (x[i] - mean) * (x[i] - mean);
    sum = sum_of_block(sum);
    if (threadIdx.x == 0)
        sums[8 + blockIdx.x] = sum;
    meet(arrived, 16);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *y = sum_of_all(sums + 8) / n;
}
