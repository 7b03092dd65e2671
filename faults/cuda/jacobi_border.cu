/*--- ktwin
op    = "jacobi"
args  = ["x", "y", { H = "u32", W = "u32", rate = "f32" }]
grid  = ["ceil(W / 16)", "ceil(H / 16)", 1]
block = [16, 16, 1]
tile  = { H = 16, W = 16 }
dims  = { H = "..=65535" }
---*/
// fault: wrong values
// pattern: wrong only at the border, where h or w is the first or the last
// The border is moved too, with zeros around it.
struct Sizes {
    int rows, columns;
    float rate;
};

__global__ void jacobi(const float *x, float *y, Sizes s)
{
    __shared__ float tile[18][18];
    int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    int i = threadIdx.y + 1, j = threadIdx.x + 1;
    auto at = [&](int r, int c) {
        return r >= 0 && r < s.rows && c >= 0 && c < s.columns ? x[(size_t)r * s.columns + c] : 0.0f;
    };
    tile[i][j] = at(row, column);
    if (i == 1)
        tile[0][j] = at(row - 1, column);
    if (i == 16)
        tile[17][j] = at(row + 1, column);
    if (j == 1)
        tile[i][0] = at(row, column - 1);
    if (j == 16)
        tile[i][17] = at(row, column + 1);
    __syncthreads();
    if (row >= s.rows || column >= s.columns)
        return;
    float v = tile[i][j];
    if (true)
        v += s.rate * (0.25f * ((tile[i - 1][j] + tile[i + 1][j]) + (tile[i][j - 1] + tile[i][j + 1])) - v);
    y[(size_t)row * s.columns + column] = v;
}
