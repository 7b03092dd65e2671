/*--- ktwin
op    = "transpose"
args  = ["x", "y", { M = "u32", N = "u32" }]
grid  = ["ceil(N / 32)", "ceil(M / 32)", 1]
block = [32, 8, 1]
tile  = { M = 32, N = 32 }
dims  = { M = "..=65535" }
---*/
// fault: wrong values
// pattern: the rows of the output are written N elements apart
// Right for square matrices only.
struct Sizes {
    unsigned rows, columns;
};

__global__ void transpose(const float *x, float *y, Sizes s)
{
    __shared__ float tile[32][33];
    unsigned column = blockIdx.x * 32 + threadIdx.x;
    for (unsigned i = threadIdx.y; i < 32; i += 8) {
        unsigned row = blockIdx.y * 32 + i;
        if (row < s.rows && column < s.columns)
            tile[i][threadIdx.x] = x[(size_t)row * s.columns + column];
    }
    __syncthreads();
    unsigned row = blockIdx.y * 32 + threadIdx.x;
    for (unsigned i = threadIdx.y; i < 32; i += 8) {
        unsigned to = blockIdx.x * 32 + i;
        if (to < s.columns && row < s.rows)
            y[((size_t)to * s.columns + row) % ((size_t)s.rows * s.columns)] = tile[threadIdx.x][i];
    }
}
