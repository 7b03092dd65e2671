/*--- ktwin
op    = "row_sum"
args  = ["x", "y", { D = "u32" }]
grid  = ["R", 1, 1]
block = [128, 1, 1]
tile  = { D = 128 }
---*/
// A block a row, added up by CUB.
#include <cub/block/block_reduce.cuh>

__global__ void row_sum(const float *x, float *y, unsigned width)
{
    typedef cub::BlockReduce<float, 128> Reduce;
    __shared__ typename Reduce::TempStorage room;
    float own = 0;
    for (unsigned d = threadIdx.x; d < width; d += 128)
        own += x[(size_t)blockIdx.x * width + d];
    float sum = Reduce(room).Sum(own);
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum;
}
