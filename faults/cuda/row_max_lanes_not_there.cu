/*--- ktwin
op    = "row_max"
args  = ["x", "y", { D = "u32" }]
grid  = ["R", 1, 1]
block = [48, 1, 1]
tile  = { D = 48 }
dims  = { R = "..=65535" }
---*/
// fault: wrong values
// pattern: none
// The second warp has 16 lanes, and they read from the 16 that it does not have.
__global__ void row_max(const float *x, float *y, unsigned width)
{
    __shared__ float parts[2];
    float most = -INFINITY;
    for (unsigned d = threadIdx.x; d < width; d += 48)
        most = fmaxf(most, x[(size_t)blockIdx.x * width + d]);
    for (int step = 16; step > 0; step /= 2)
        most = fmaxf(most, __shfl_down_sync(0xffffffff, most, step));
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = most;
    __syncthreads();
    if (threadIdx.x == 0)
        y[blockIdx.x] = fmaxf(parts[0], parts[1]);
}
