/*--- ktwin
op    = "row_sum"
args  = ["x", "y", { R = "u32" }, { D = "u32" }]
grid  = ["ceil(R / 8)", 1, 1]
block = [32, 8, 1]
tile  = { R = 8, D = 32 }
---*/
// A row for every 32 lanes. Lanes without a row leave before they have done anything: barriers do not wait for them.
__global__ void row_sum(const float *x, float *y, unsigned rows, unsigned width)
{
    __shared__ float parts[8][32];
    unsigned lane = threadIdx.x, own = threadIdx.y, row = blockIdx.x * 8 + own;
    if (row >= rows)
        return;
    float sum = 0;
    for (unsigned d = lane; d < width; d += 32)
        sum += x[(size_t)row * width + d];
    parts[own][lane] = sum;
    __syncthreads();
    for (unsigned step = 16; step > 0; step /= 2) {
        if (lane < step)
            parts[own][lane] += parts[own][lane + step];
        __syncthreads();
    }
    if (lane == 0)
        y[row] = parts[own][0];
}
