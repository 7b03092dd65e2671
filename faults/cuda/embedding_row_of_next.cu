/*--- ktwin
op    = "embedding"
args  = ["ids", "table", "y", { D = "u32" }]
grid  = ["T", 1, 1]
block = [128, 1, 1]
tile  = { D = 128 }
---*/
// fault: wrong values
// pattern: every wrong element equals the one in the previous row
// The row of the token before.
__global__ void embedding(const unsigned *ids, const float *table, float *y, unsigned width)
{
    const float *row = table + (size_t)ids[blockIdx.x ? blockIdx.x - 1 : 0] * width;
    for (unsigned d = threadIdx.x; d < width; d += blockDim.x)
        y[(size_t)blockIdx.x * width + d] = row[d];
}
