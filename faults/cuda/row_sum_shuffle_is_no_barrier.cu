/*--- ktwin
op    = "row_sum"
args  = ["x", "y", { D = "u32" }]
grid  = ["R", 1, 1]
block = 32
---*/
// fault: race
// pattern: none
// A shuffle orders no writes: nothing says that a neighbour's sum has come to shared memory.
__global__ void row_sum(const float *x, float *y, unsigned width)
{
    __shared__ float sums[32];
    const unsigned lane = threadIdx.x;
    x += (size_t)blockIdx.x * width;
    float sum = 0;
    for (unsigned i = lane; i < width; i += 32)
        sum += x[i];
    sums[lane] = sum;
    const float below = __shfl_xor_sync(~0u, sum, 16);
    const float two = below + sums[lane];
    const float four = two + sums[lane ^ 8] + __shfl_xor_sync(~0u, below, 8);
    sum = four;
    for (int i = 4; i; i >>= 1)
        sum += __shfl_xor_sync(~0u, sum, i);
    if (lane == 0)
        y[blockIdx.x] = sum;
}
