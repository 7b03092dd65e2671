//! C, C++ and Rust on the host: IEEE 754 arithmetic, correctly rounded, and for the library's functions the
//! errors that glibc's manual lists ("Known Maximum Errors in Math Functions", x86-64), which others meet
//! too.

use super::{Accuracy, Function, Language, beyond_rounding, inherit};
use crate::float::Float;
use Accuracy::{CorrectlyRounded, Ulp};
use Function::*;

pub fn accuracy(function: Function, fmt: Float) -> Accuracy {
    match function {
        Determinant => Accuracy::Unbounded,
        Rem => Accuracy::Exact,
        Add | Sub | Mul | Div | Fma | Sqrt | Fract | Ldexp | Convert | QuantizeToF16 | Pack | UnpackNorm => {
            CorrectlyRounded
        }
        Rsqrt => Ulp(1.5),
        Sigmoid | Degrees | Radians => inherit(Language::C, function),
        _ if function.of_vectors() => inherit(Language::C, function),
        Acosh | Asinh | Atanh | Cosh | Sinh | Tanh | Log10 | Exp10 => beyond_rounding(2.0),
        Cbrt if fmt.same_format(Float::F64) => beyond_rounding(4.0),
        _ => beyond_rounding(1.0),
    }
}

pub fn note(function: Function) -> Option<&'static str> {
    Some(match function {
        Rsqrt => "no function of C: 1 / sqrt(x), two roundings",
        Exp | Log | Sin | Cos | Tanh | Erf | Pow => "C promises nothing; the figure is glibc's",
        _ => return None,
    })
}
