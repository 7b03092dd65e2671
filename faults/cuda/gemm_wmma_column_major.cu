/*--- ktwin
op      = "gemm"
types   = { a = "f16", b = "f16" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["N // 32", "M // 32", 1]
block   = [32, 4, 1]
tile    = { M = 32, N = 32, K = 16 }
dims    = { M = ["multiple of 32", "..=65504"], N = "multiple of 32", K = "multiple of 16" }
---*/
// fault: wrong values
// pattern: matches the op with `a[m, k] * b[k, n]` read as `a[m, k] * b[k // 16 * 16 + n % 16, n // 16 * 16 + k % 16]`
// b is loaded as if it were stored by columns.
#include <mma.h>
using namespace nvcuda;

struct Sizes {
    unsigned m, n, k;
};

__global__ void gemm(const half *a, const half *b, float *c, Sizes s)
{
    unsigned row = blockIdx.y * 32 + threadIdx.y / 2 * 16, column = blockIdx.x * 32 + threadIdx.y % 2 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (unsigned k = 0; k < s.k; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
        wmma::load_matrix_sync(left, a + (size_t)row * s.k + k, s.k);
        wmma::load_matrix_sync(right, b + (size_t)k * s.n + column, s.n);
        wmma::mma_sync(sum, left, right, sum);
    }
    wmma::store_matrix_sync(c + (size_t)row * s.n + column, sum, s.n, wmma::mem_row_major);
}
