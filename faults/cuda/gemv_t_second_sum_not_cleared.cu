/*--- ktwin
op    = "gemv_t"
args  = ["w", "x", "y", { K = "u32", N = "u32" }]
grid  = ["ceil(N / 128)", 1, 1]
block = [64, 1, 1]
tile  = { N = 128 }
---*/
// fault: wrong values
// pattern: wrong exactly where n % 128 is from 64 to 127: a part of each tile
// The second of two sums begins with whatever is in its register.
struct sizes {
    unsigned k, n;
};

__global__ void gemv_t(const float *w, const float *x, float *y, sizes s)
{
    unsigned column = blockIdx.x * 128 + threadIdx.x;
    float first = 0, second;
    for (unsigned k = 0; k < s.k; k++) {
        const float *row = w + (size_t)k * s.n;
        if (column < s.n)
            first += x[k] * row[column];
        if (column + 64 < s.n)
            second += x[k] * row[column + 64];
    }
    if (column < s.n)
        y[column] = first;
    if (column + 64 < s.n)
        y[column + 64] = second;
}
