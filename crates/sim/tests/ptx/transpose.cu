// A transpose through a padded tile.
extern "C" __global__ void transpose(const float *x, float *y, int rows, int cols) {
    __shared__ float tile[32][33];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (r + j < rows && c < cols) tile[threadIdx.y + j][threadIdx.x] = x[(r + j) * cols + c];
    __syncthreads();
    int c2 = blockIdx.y * 32 + threadIdx.x, r2 = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (r2 + j < cols && c2 < rows) y[(r2 + j) * rows + c2] = tile[threadIdx.x][threadIdx.y + j];
}
