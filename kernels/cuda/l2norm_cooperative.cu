/*--- ktwin
op      = "l2norm"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32", eps = "f32" }]
grid    = ["ceil(R / 8)", 1, 1]
block   = [128, 1, 1]
tile    = { R = 8, D = 16 }
---*/
// Cooperative groups: sixteen lanes a row.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

struct Sizes {
    unsigned rows, width;
    float eps;
};

__global__ void l2norm(const float *x, float *y, Sizes s)
{
    auto block = cg::this_thread_block();
    auto lanes = cg::tiled_partition<16>(block);
    unsigned row = blockIdx.x * 8 + lanes.meta_group_rank();
    if (row >= s.rows)
        return;
    float sum = 0;
    for (unsigned d = lanes.thread_rank(); d < s.width; d += lanes.size())
        sum += x[(size_t)row * s.width + d] * x[(size_t)row * s.width + d];
    float root = fmaxf(sqrtf(cg::reduce(lanes, sum, cg::plus<float>())), s.eps);
    for (unsigned d = lanes.thread_rank(); d < s.width; d += lanes.size())
        y[(size_t)row * s.width + d] = x[(size_t)row * s.width + d] / root;
}
