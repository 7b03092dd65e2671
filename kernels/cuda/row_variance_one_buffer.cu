/*--- ktwin
op    = "row_variance"
args  = ["x", "y", { D = "u32" }]
grid  = ["R", 1, 1]
block = 256
---*/
// A block for each row, which adds up twice in one small buffer. The second time a warp's first lane writes its slot
// while others might still read it from the first, were it not for the shuffles: each has then read, since what they
// trade comes of it.
__device__ float of_block(float v)
{
    __shared__ float slots[8];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 16; i; i >>= 1)
        v += __shfl_xor_sync(~0u, v, i);
    if (lane == 0)
        slots[warp] = v;
    __syncthreads();
    if (warp == 0) {
        float sum = lane < 8 ? slots[lane] : 0;
        for (int i = 4; i; i >>= 1)
            sum += __shfl_xor_sync(~0u, sum, i);
        if (lane < 8)
            slots[lane] = sum;
    }
    __syncthreads();
    return slots[warp];
}

__global__ void row_variance(const float *x, float *y, unsigned width)
{
    x += (size_t)blockIdx.x * width;
    float sum = 0, squares = 0;
    for (unsigned i = threadIdx.x; i < width; i += 256)
        sum += x[i];
    const float mean = of_block(sum) / width;
    for (unsigned i = threadIdx.x; i < width; i += 256)
        squares += (x[i] - mean) * (x[i] - mean);
    const float variance = of_block(squares) / width;
    if (threadIdx.x == 0)
        y[blockIdx.x] = variance;
}
