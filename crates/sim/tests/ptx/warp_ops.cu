// Votes, matches, shuffles of all kinds, within part of a warp too.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void warp_ops(const int *x, int *y) {
    int lane = threadIdx.x, v = x[lane];
    int *o = y + lane * 10;
    o[0] = __ballot_sync(~0u, v > 3);
    o[1] = __any_sync(~0u, v == 7);
    o[2] = __all_sync(~0u, v >= 0);
    o[3] = __match_any_sync(~0u, v);
    o[4] = __shfl_sync(~0u, v, lane + 1, 8);
    o[5] = __shfl_up_sync(~0u, v, 1, 16);
    if (lane % 2) o[6] = __shfl_xor_sync(0xaaaaaaaau, v, 2);
    else o[6] = __popc(__activemask());
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int sum = v;
    for (int s = 4; s > 0; s /= 2) sum += tile.shfl_down(sum, s);
    o[7] = tile.shfl(sum, 0);
    o[8] = __reduce_max_sync(~0u, v);
    o[9] = __brev(v) ^ __clz(v) ^ __ffs(v) ^ __byte_perm(v, lane, 0x5140) ^ __funnelshift_l(v, lane, 5);
}
