/*--- ktwin
op    = "row_scan"
args  = ["x", "y", { D = "u32" }]
grid  = ["R", 1, 1]
block = [128, 1, 1]
tile  = { D = 512 }
---*/
// A block a row, four numbers a thread, scanned by CUB; what came before is carried along.
#include <cub/cub.cuh>

__global__ void row_scan(const float *x, float *y, unsigned width)
{
    typedef cub::BlockScan<float, 128> Scan;
    __shared__ typename Scan::TempStorage room;
    x += (size_t)blockIdx.x * width;
    y += (size_t)blockIdx.x * width;
    float before = 0;
    for (unsigned start = 0; start < width; start += 512) {
        float own[4], sum;
        for (unsigned i = 0; i < 4; i++) {
            unsigned d = start + threadIdx.x * 4 + i;
            own[i] = d < width ? x[d] : 0.0f;
        }
        Scan(room).InclusiveSum(own, own, sum);
        __syncthreads();
        for (unsigned i = 0; i < 4; i++) {
            unsigned d = start + threadIdx.x * 4 + i;
            if (d < width)
                y[d] = before + own[i];
        }
        before += sum;
    }
}
