/*--- ktwin
op      = "gemm"
entry   = "gemm<float, 16>"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 16)", "ceil(M / 16)", 1]
block   = [16, 16, 1]
tile    = { M = 16, N = 16, K = 16 }
dims    = { M = "..=65535" }
---*/
// fault: wrong values
// pattern: matches the op with `sum[k](a[m, k] * b[k, n])` read as `sum[k where k < K // 16 * 16](a[m, k] * b[k, n])`
// The last tile is left out where K is no multiple of its side.
struct Sizes {
    unsigned m, n, k;
};

template <class T, int SIDE> __global__ void gemm(const T *a, const T *b, T *c, Sizes s)
{
    __shared__ T left[SIDE][SIDE], right[SIDE][SIDE];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned row = blockIdx.y * SIDE + y, column = blockIdx.x * SIDE + x;
    T sum = 0;
    for (unsigned start = 0; start + SIDE <= s.k; start += SIDE) {
        left[y][x] = row < s.m && start + x < s.k ? a[(size_t)row * s.k + start + x] : T(0);
        right[y][x] = start + y < s.k && column < s.n ? b[(size_t)(start + y) * s.n + column] : T(0);
        __syncthreads();
        for (int k = 0; k < SIDE; k++)
            sum += left[y][k] * right[k][x];
        __syncthreads();
    }
    if (row < s.m && column < s.n)
        c[(size_t)row * s.n + column] = sum;
}
