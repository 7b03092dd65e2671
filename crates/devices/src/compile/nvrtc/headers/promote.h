// The overloads that C++ has beside those of CUDA: whole numbers, and operands of two types, count as double.
// NVRTC lacks them, so `fmax(x, 1.0)` of a float and `sqrt(n)` of an int would be ambiguous. They come last
// (a parameter pack loses to any template without one), so that no function of a kernel's own is outdone.
#pragma once

template <class T> struct __ktwin_number { static constexpr int kind = 0; };
#define WHOLE(T) template <> struct __ktwin_number<T> { static constexpr int kind = 1; };
#define REAL(T) template <> struct __ktwin_number<T> { static constexpr int kind = 2; };
WHOLE(bool) WHOLE(char) WHOLE(signed char) WHOLE(unsigned char) WHOLE(short) WHOLE(unsigned short) WHOLE(int)
WHOLE(unsigned) WHOLE(long) WHOLE(unsigned long) WHOLE(long long) WHOLE(unsigned long long) WHOLE(wchar_t)
WHOLE(char16_t) WHOLE(char32_t) REAL(float) REAL(double)
#undef WHOLE
#undef REAL
template <bool Is, class T> struct __ktwin_where {};
template <class T> struct __ktwin_where<true, T> { using type = T; };

#define FROM_WHOLE(R, F)                                                                                   \
    template <class A, class... None>                                                                      \
    __host__ __device__ constexpr                                                                          \
        typename __ktwin_where<__ktwin_number<A>::kind == 1 && sizeof...(None) == 0, R>::type              \
        F(A a, None...) {                                                                                  \
        return F(static_cast<double>(a));                                                                  \
    }
#define FROM_TWO(F)                                                                                        \
    template <class A, class B, class... None>                                                             \
    __host__ __device__ constexpr                                                                          \
        typename __ktwin_where<__ktwin_number<A>::kind && __ktwin_number<B>::kind && sizeof...(None) == 0, \
                               double>::type                                                               \
        F(A a, B b, None...) {                                                                             \
        return F(static_cast<double>(a), static_cast<double>(b));                                          \
    }
FROM_WHOLE(double, acos) FROM_WHOLE(double, acosh) FROM_WHOLE(double, asin) FROM_WHOLE(double, asinh)
FROM_WHOLE(double, atan) FROM_WHOLE(double, atanh) FROM_WHOLE(double, cbrt) FROM_WHOLE(double, ceil)
FROM_WHOLE(double, cos) FROM_WHOLE(double, cosh) FROM_WHOLE(double, erf) FROM_WHOLE(double, erfc)
FROM_WHOLE(double, exp) FROM_WHOLE(double, exp2) FROM_WHOLE(double, expm1) FROM_WHOLE(double, fabs)
FROM_WHOLE(double, floor) FROM_WHOLE(double, lgamma) FROM_WHOLE(double, log) FROM_WHOLE(double, log10)
FROM_WHOLE(double, log1p) FROM_WHOLE(double, log2) FROM_WHOLE(double, logb) FROM_WHOLE(double, nearbyint)
FROM_WHOLE(double, rint) FROM_WHOLE(double, round) FROM_WHOLE(double, sin) FROM_WHOLE(double, sinh)
FROM_WHOLE(double, sqrt) FROM_WHOLE(double, tan) FROM_WHOLE(double, tanh) FROM_WHOLE(double, tgamma)
FROM_WHOLE(double, trunc) FROM_WHOLE(int, ilogb) FROM_WHOLE(long, lrint) FROM_WHOLE(long, lround)
FROM_WHOLE(long long, llrint) FROM_WHOLE(long long, llround) FROM_WHOLE(bool, isfinite)
FROM_WHOLE(bool, isinf) FROM_WHOLE(bool, isnan) FROM_WHOLE(bool, signbit)
FROM_TWO(atan2) FROM_TWO(copysign) FROM_TWO(fdim) FROM_TWO(fmax) FROM_TWO(fmin) FROM_TWO(fmod)
FROM_TWO(hypot) FROM_TWO(nextafter) FROM_TWO(pow) FROM_TWO(remainder)
#undef FROM_WHOLE
#undef FROM_TWO

template <class A, class B, class C, class... None>
__host__ __device__ constexpr typename __ktwin_where<
    __ktwin_number<A>::kind && __ktwin_number<B>::kind && __ktwin_number<C>::kind && sizeof...(None) == 0,
    double>::type
fma(A a, B b, C c, None...) {
    return fma(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c));
}
