//! Elementary functions of f64, the same bits on every platform: nothing here calls the system's library.

mod slices;

pub(crate) use slices::cos_turns;
pub use slices::{exp, exp_slice, exp2, log, log_slice, log2, sigmoid, sigmoid_slice, tanh, tanh_slice};

/// 10^x.
pub fn exp10(x: f64) -> f64 {
    libm::exp10(x)
}
/// e^x - 1, accurate near 0.
pub fn expm1(x: f64) -> f64 {
    libm::expm1(x)
}
/// The logarithm to base 10.
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}
/// log(1 + x), accurate near 0.
pub fn log1p(x: f64) -> f64 {
    libm::log1p(x)
}
/// x to the power y.
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}
/// The square root.
pub fn sqrt(x: f64) -> f64 {
    x.sqrt()
}
/// 1 / sqrt(x).
#[inline(always)]
pub fn rsqrt(x: f64) -> f64 {
    1.0 / x.sqrt()
}
/// The cube root.
pub fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}
/// The sine.
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}
/// The cosine.
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}
/// The tangent.
pub fn tan(x: f64) -> f64 {
    libm::tan(x)
}
/// The arc sine.
pub fn asin(x: f64) -> f64 {
    libm::asin(x)
}
/// The arc cosine.
pub fn acos(x: f64) -> f64 {
    libm::acos(x)
}
/// The arc tangent.
pub fn atan(x: f64) -> f64 {
    libm::atan(x)
}
/// The angle of the point (x, y).
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}
/// The hyperbolic sine.
pub fn sinh(x: f64) -> f64 {
    libm::sinh(x)
}
/// The hyperbolic cosine.
pub fn cosh(x: f64) -> f64 {
    libm::cosh(x)
}
/// The inverse hyperbolic sine.
pub fn asinh(x: f64) -> f64 {
    libm::asinh(x)
}
/// The inverse hyperbolic cosine.
pub fn acosh(x: f64) -> f64 {
    libm::acosh(x)
}
/// The inverse hyperbolic tangent.
pub fn atanh(x: f64) -> f64 {
    libm::atanh(x)
}
/// The error function.
pub fn erf(x: f64) -> f64 {
    libm::erf(x)
}
