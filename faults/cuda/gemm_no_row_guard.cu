/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 16)", "ceil(M / 16)", 1]
block   = [16, 16, 1]
tile    = { M = 16, N = 16 }
dims    = { M = "..=65535" }
---*/
// fault: out of bounds
// pattern: fails exactly when M is not a multiple of 16
// Rows are not held against the height.
struct Sizes {
    unsigned m, n, k;
};

__global__ void gemm(const float *a, const float *b, float *c, Sizes s)
{
    unsigned row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    if (column >= s.n)
        return;
    float sum = 0;
    for (unsigned k = 0; k < s.k; k++)
        sum += a[(size_t)row * s.k + k] * b[(size_t)k * s.n + column];
    c[(size_t)row * s.n + column] = sum;
}
