/*--- ktwin
op      = "convert"
types   = { y = "e4m3" }
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// What is too large becomes the largest there is, as most conversions to eight bits are called.
#include <math.h>
#include <stdint.h>

static uint8_t to_e4m3(float x)
{
    const uint8_t sign = signbit(x) ? 0x80 : 0;
    float size = fabsf(x);
    if (isnan(x))
        return sign | 0x7f;
    if (size >= 448.0f)
        return sign | 0x7e;
    int exponent;
    frexpf(size, &exponent);
    // numbers below 2^-6 have its step
    const int step = (exponent < -5 ? -5 : exponent) - 4;
    const int code = (int)rintf(ldexpf(size, -step));
    if (code < 8)
        return sign | (uint8_t)code;
    return sign | (uint8_t)(((step + 9) << 3) + code);
}

void convert(const float *x, uint8_t *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++)
        y[n] = to_e4m3(x[n]);
}
