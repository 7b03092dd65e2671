/*--- ktwin
op      = "variance"
args    = ["x", "sums", "y", { N = "u32" }]
scratch = { sums = "f32[16]" }
grid    = [8, 1, 1]
block   = [64, 1, 1]
tile    = { N = 512 }
---*/
// fault: uninitialised read
// pattern: every wrong element is NaN
// The grid does not meet between the mean and the squares: a block reads what others have not written yet.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__device__ void add_up(cg::thread_block block, float v, float *sum)
{
    __shared__ float total;
    if (block.thread_rank() == 0)
        total = 0;
    block.sync();
    auto warp = cg::tiled_partition<32>(block);
    v = cg::reduce(warp, v, cg::plus<float>());
    for (unsigned w = 0; w < warp.meta_group_size(); w++) {
        if (warp.meta_group_rank() == w && warp.thread_rank() == 0)
            total += v;
        block.sync();
    }
    if (block.thread_rank() == 0)
        *sum = total;
}

__device__ float sum_of_all(const float *sums)
{
    float sum = 0;
    for (unsigned i = 0; i < gridDim.x; i++)
        sum += sums[i];
    return sum;
}

__global__ void variance(const float *x, float *sums, float *y, unsigned n)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    float sum = 0;
    for (unsigned i = grid.thread_rank(); i < n; i += grid.size())
        sum += x[i];
    add_up(block, sum, sums + blockIdx.x);
    block.sync();
    float mean = sum_of_all(sums) / n;
    sum = 0;
    for (unsigned i = grid.thread_rank(); i < n; i += grid.size())
        sum += (x[i] - mean) * (x[i] - mean);
    add_up(block, sum, sums + gridDim.x + blockIdx.x);
    grid.sync();
    if (grid.thread_rank() == 0)
        *y = sum_of_all(sums + gridDim.x) / n;
}
