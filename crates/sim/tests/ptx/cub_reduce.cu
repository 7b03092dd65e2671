// Block reduction and scan of cub.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
extern "C" __global__ void cub_reduce(const float *x, float *y, float *sums) {
    using Reduce = cub::BlockReduce<float, 128>;
    using Scan = cub::BlockScan<float, 128>;
    __shared__ union { typename Reduce::TempStorage r; typename Scan::TempStorage s; } temp;
    float v = x[blockIdx.x * 128 + threadIdx.x];
    float sum = Reduce(temp.r).Sum(v);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    __syncthreads();
    float out;
    Scan(temp.s).InclusiveSum(v, out);
    y[blockIdx.x * 128 + threadIdx.x] = out;
}
