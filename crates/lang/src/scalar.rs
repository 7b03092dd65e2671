//! The real functions on one number, in f64. The one place that says which library function each operation
//! is.

use ktwin_num::math;

use crate::func::Func;
use crate::function;

/// A function of one real.
pub fn unary(func: Func, x: f64) -> f64 {
    match func {
        Func::Neg => -x,
        Func::Abs => x.abs(),
        Func::Floor => x.floor(),
        Func::Ceil => x.ceil(),
        Func::Trunc => x.trunc(),
        Func::Round => x.round_ties_even(),
        Func::Sign => sign(x),
        _ => function::of(func).map_or(x, |row| (row.value)(x)),
    }
}

/// -1, 0 or 1; NaN of NaN.
pub fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}

/// A function of two reals.
pub fn binary(func: Func, a: f64, b: f64) -> f64 {
    match func {
        Func::Add => a + b,
        Func::Sub => a - b,
        Func::Mul => a * b,
        Func::Div => a / b,
        Func::Pow => power(a, b),
        Func::Atan2 => math::atan2(a, b),
        Func::Min => least(a, b),
        Func::Max => greatest(a, b),
        _ => a,
    }
}

/// The smaller, NaN if either is NaN.
#[inline(always)]
pub fn least(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}

/// The larger, NaN if either is NaN.
#[inline(always)]
pub fn greatest(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// `a ^ b`; small whole exponents by multiplication, as kernels do.
pub fn power(a: f64, b: f64) -> f64 {
    match b {
        1.0 => a,
        2.0 => a * a,
        3.0 => a * a * a,
        4.0 => (a * a) * (a * a),
        _ => math::pow(a, b),
    }
}
