//! CUDA: the programming guide's appendix "Mathematical Functions" (maximum ulp errors, counted from the
//! correctly rounded result; default flags), and its table of intrinsics, which `--use_fast_math` puts in
//! their place together with -ftz=true -prec-div=false -prec-sqrt=false.

use super::{Accuracy, Function, Language, beyond_rounding, inherit};
use crate::float::Float;
use Accuracy::{AbsoluteGrowing, AbsoluteWithin, CorrectlyRounded, Ulp, UlpOfArg, UlpWithin};
use Function::*;

fn single(function: Function) -> f64 {
    match function {
        Expm1 | Log | Log2 | Log1p | Cbrt => 1.0,
        Rsqrt | Exp | Exp2 | Exp10 | Log10 | Sin | Cos | Asin | Acos | Atan | Cosh | Tanh | Erf => 2.0,
        Hypot | Atan2 | Sinh | Asinh | Atanh => 3.0,
        Tan | Pow | Acosh => 4.0,
        _ => 0.0,
    }
}

fn double(function: Function) -> f64 {
    match function {
        Rsqrt | Cbrt | Exp | Exp2 | Exp10 | Expm1 | Log | Log2 | Log10 | Log1p | Cosh | Tanh => 1.0,
        Hypot | Pow | Sin | Cos | Tan | Asin | Acos | Atan | Atan2 | Sinh | Atanh | Erf => 2.0,
        Asinh | Acosh => 3.0,
        _ => 0.0,
    }
}

fn is_arithmetic(function: Function) -> bool {
    matches!(
        function,
        Add | Sub | Mul | Div | Fma | Rem | Sqrt | Fract | Ldexp | Convert | QuantizeToF16 | Pack
    )
}

fn composed(function: Function) -> bool {
    function.of_vectors() || matches!(function, Sigmoid | Degrees | Radians | UnpackNorm)
}

pub fn accuracy(function: Function, fmt: Float) -> Accuracy {
    match function {
        Determinant => Accuracy::Unbounded,
        Rem => Accuracy::Exact,
        UnpackNorm => CorrectlyRounded,
        _ if composed(function) => inherit(Language::Cuda, function),
        _ if is_arithmetic(function) => CorrectlyRounded,
        _ if fmt.same_format(Float::F16) => Ulp(1.0),
        _ if fmt.same_format(Float::F64) => beyond_rounding(double(function)),
        _ => beyond_rounding(single(function)),
    }
}

/// With `--use_fast_math`: f32 alone changes.
pub fn fast(function: Function, fmt: Float) -> Accuracy {
    if fmt.same_format(Float::F64) || fmt.same_format(Float::F16) {
        return match accuracy(function, fmt) {
            Accuracy::Inherited { .. } => inherit(Language::CudaFast, function),
            other => other,
        };
    }
    let log = |exponent: f64, ulps| AbsoluteWithin { error: libm::exp2(exponent), lo: 0.5, hi: 2.0, ulps };
    // The guide measured 2^-21.41 and 2^-21.19 in -pi..=pi and says "larger" beyond. What cards are
    // held to is in the table of PTX's sin.approx and cos.approx: 2^-20.5 in -2 pi..=2 pi, 2^-14.7
    // in -100 pi..=100 pi. This is 2^-23 |x|, the rounding of the argument's product with 1 / (2
    // pi) to f32.
    let wave = AbsoluteGrowing {
        error: libm::exp2(-20.5),
        from: 2.0 * std::f64::consts::PI,
        slope: 2.0 * Float::F32.unit_roundoff(),
    };
    match function {
        Div => UlpWithin { ulps: 2.5, lo: Float::F32.min_normal(), hi: 1.0 / Float::F32.min_normal() },
        Sqrt => Ulp(1.5),
        Exp => UlpOfArg { base: 2.5, slope: 1.173 },
        Exp10 => UlpOfArg { base: 2.5, slope: 2.97 },
        Log => log(-21.41, 3.5),
        Log2 => log(-22.0, 2.5),
        Log10 => log(-24.0, 3.5),
        Sin | Cos => wave,
        // __tanhf, which is tanh.approx.f32: relative error 2^-11.
        Tanh => Ulp(8192.0),
        Tan | Pow => inherit(Language::CudaFast, function),
        _ if composed(function) && !matches!(function, Determinant | UnpackNorm) => {
            inherit(Language::CudaFast, function)
        }
        _ => accuracy(function, fmt),
    }
}

pub fn note(function: Function) -> Option<&'static str> {
    Some(match function {
        Sin | Cos => {
            "fast math: as PTX has it, 2^-20.5 in -2 pi..=2 pi, growing to 2^-14.7 at 100 pi, and on like that beyond"
        }
        Tanh => "fast math: tanh.approx.f32, relative error 2^-11",
        Tan => "fast math: __sinf(x) * (1 / __cosf(x))",
        Pow => "fast math: exp2f(y * __log2f(x))",
        Exp | Exp2 | Log | Log2 | Log10 | Rsqrt => {
            "f16: documented as rounded to nearest; one unit is allowed"
        }
        _ => return None,
    })
}
