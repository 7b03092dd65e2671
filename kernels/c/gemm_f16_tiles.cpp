/*--- ktwin
op      = "gemm"
types   = { a = "f16", b = "f16", c = "f16" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
tile    = { M = 4, N = 4 }
---*/
// C++ with a C entry point: 4 x 4 sums in registers, a template of the tile's size, so that the edges of
// the matrix run the same code with smaller tiles. Sums in f32, rounded once to f16, to nearest even.
#include <cmath>
#include <cstdint>

namespace {

struct Scalars {
    std::uint32_t M, N, K;
};

float from_half(std::uint16_t h)
{
    int exponent = h >> 10 & 0x1f, fraction = h & 0x3ff;
    float size = exponent == 31 ? (fraction ? NAN : INFINITY)
               : exponent == 0  ? std::ldexp(float(fraction), -24)
                                : std::ldexp(float(fraction | 0x400), exponent - 25);
    return h & 0x8000 ? -size : size;
}

std::uint16_t to_half(float v)
{
    std::uint16_t sign = std::signbit(v) ? 0x8000 : 0;
    float size = std::fabs(v);
    if (std::isnan(v))
        return sign | 0x7e00;
    if (size >= 65520.0f)
        return sign | 0x7c00;
    // the last place of the half is 2^unit; the default rounding mode makes nearbyint round to even
    int exponent = size == 0 ? -15 : std::ilogb(size);
    int unit = (exponent < -14 ? -14 : exponent) - 10;
    int places = int(std::nearbyint(std::ldexp(size, -unit)));
    return std::uint16_t(sign + ((unit + 24) << 10) + places);
}

template <int Rows, int Columns>
void tile(const std::uint16_t *a, const std::uint16_t *b, std::uint16_t *c, Scalars s)
{
    float sum[Rows][Columns] = {};
    for (std::size_t k = 0; k < s.K; k++)
        for (int i = 0; i < Rows; i++)
            for (int j = 0; j < Columns; j++)
                sum[i][j] += from_half(a[i * std::size_t(s.K) + k]) * from_half(b[k * s.N + j]);
    for (int i = 0; i < Rows; i++)
        for (int j = 0; j < Columns; j++)
            c[i * std::size_t(s.N) + j] = to_half(sum[i][j]);
}

} // namespace

extern "C" void gemm_f16_tiles(const std::uint16_t *a, const std::uint16_t *b, std::uint16_t *c, Scalars s)
{
    for (std::size_t m = 0; m < s.M;) {
        bool tall = s.M - m >= 4;
        for (std::size_t n = 0; n < s.N;) {
            bool wide = s.N - n >= 4;
            auto run = tall ? (wide ? tile<4, 4> : tile<4, 1>) : (wide ? tile<1, 4> : tile<1, 1>);
            run(a + m * s.K, b + n, c + m * s.N + n, s);
            n += wide ? 4 : 1;
        }
        m += tall ? 4 : 1;
    }
}
