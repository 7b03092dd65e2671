// C = A B in tiles of 16 by 16 by 16 with wmma: f16 inputs, f32 sums, a warp a tile.
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void wmma_gemm(const half *a, const half *b, float *c, int m, int n, int k) {
    int row = blockIdx.y * 16, col = blockIdx.x * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int t = 0; t < k; t += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, a + row * k + t, k);
        wmma::load_matrix_sync(fb, b + t * n + col, n);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 2.0f;
    wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major);
}
