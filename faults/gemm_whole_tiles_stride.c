/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// fault: wrong values
// pattern: wrong exactly where m > 0
// Where all sizes are multiples of 16, rows of c are taken to be as long as those of a.
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t M;
    uint32_t N;
    uint32_t K;
} scalars;

#define TILE 16

static void tile(const float *a, const float *b, float *c, size_t n, size_t k)
{
    float sums[TILE][TILE] = {{0}};
    for (size_t i = 0; i < k; i++)
        for (size_t row = 0; row < TILE; row++)
            for (size_t column = 0; column < TILE; column++)
                sums[row][column] += a[row * k + i] * b[i * n + column];
    for (size_t row = 0; row < TILE; row++)
        for (size_t column = 0; column < TILE; column++)
            c[row * (k < n ? k : n) + column] = sums[row][column];
}

void gemm(const float *a, const float *b, float *c, scalars s)
{
    const size_t m = s.M, n = s.N, k = s.K;
    if (m % TILE == 0 && n % TILE == 0 && k % TILE == 0) {
        for (size_t row = 0; row < m; row += TILE)
            for (size_t column = 0; column < n; column += TILE)
                tile(a + row * k, b + column, c + row * n + column, n, k);
        return;
    }
    for (size_t row = 0; row < m; row++)
        for (size_t column = 0; column < n; column++) {
            float sum = 0;
            for (size_t i = 0; i < k; i++)
                sum += a[row * k + i] * b[i * n + column];
            c[row * n + column] = sum;
        }
}
