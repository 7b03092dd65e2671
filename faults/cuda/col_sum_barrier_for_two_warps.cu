/*--- ktwin
op    = "col_sum"
args  = ["x", "y", { R = "u32", D = "u32" }]
grid  = ["ceil(D / 32)", 1, 1]
block = [96, 1, 1]
tile  = { R = 3, D = 32 }
---*/
// fault: divergent barrier
// pattern: every wrong element was never written
// Three warps come to a barrier that is for two: the third is not waited for.
struct sizes {
    unsigned rows, width;
};

__global__ void col_sum(const float *x, float *y, sizes s)
{
    __shared__ float parts[3][32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, column = blockIdx.x * 32 + lane;
    float sum = 0;
    for (unsigned row = warp; row < s.rows && column < s.width; row += 3)
        sum += x[row * s.width + column];
    parts[warp][lane] = sum;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    if (warp == 0 && column < s.width)
        y[column] = parts[0][lane] + parts[1][lane] + parts[2][lane];
}
