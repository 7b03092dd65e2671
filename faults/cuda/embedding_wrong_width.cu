/*--- ktwin
op    = "embedding"
args  = ["ids", "table", "y", { D = "u32" }]
grid  = ["T", 1, 1]
block = [128, 1, 1]
tile  = { D = 128 }
---*/
// fault: out of bounds
// pattern: every wrong element is zero
// Rows of the table are taken to be one longer than they are.
__global__ void embedding(const unsigned *ids, const float *table, float *y, unsigned width)
{
    const float *row = table + (size_t)ids[blockIdx.x] * (width + 1);
    for (unsigned d = threadIdx.x; d < width; d += blockDim.x)
        y[(size_t)blockIdx.x * width + d] = row[d];
}
