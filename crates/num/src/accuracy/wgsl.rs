//! WGSL: the specification's section "Floating Point Accuracy"
//! (<https://www.w3.org/TR/WGSL/#floating-point-accuracy>), for f32 and f16. Where it is silent, what
//! implementations do, and a note that says so.

use super::{Accuracy, Function, Language, inherit};
use crate::float::Float;
use Accuracy::{AbsoluteGrowing, AbsoluteWithin, CorrectlyRounded, Ulp, UlpOfArg, UlpWithin, Unbounded};
use Function::*;

const fn power(e: i32) -> f64 {
    f64::from_bits(((1023 + e) as u64) << 52)
}

// Above pi: f32 hardware multiplies by 1/(2 pi) first, and that product's last place is worth |x| 2^-23 or
// so.
const GROWTH: f64 = power(-22);
const GROWTH_F16: f64 = power(-9);

pub fn accuracy(function: Function, fmt: Float) -> Accuracy {
    let half = fmt.same_format(Float::F16);
    let log = |error| AbsoluteWithin { error, lo: 0.5, hi: 2.0, ulps: 3.0 };
    let wave = |error, slope| AbsoluteGrowing { error, from: std::f64::consts::PI, slope };
    let worse = |at_least| Accuracy::Inherited { language: Language::Wgsl, function, at_least };
    let range = if half { 14 } else { 126 };
    match function {
        Add | Sub | Mul | Fma | Ldexp | QuantizeToF16 | Convert | Pack => CorrectlyRounded,
        Div => UlpWithin { ulps: 2.5, lo: power(-range), hi: power(range) },
        Exp | Exp2 => UlpOfArg { base: if half { 1.0 } else { 3.0 }, slope: 2.0 },
        Log | Log2 => log(power(if half { -7 } else { -21 })),
        Sin | Cos if half => wave(power(-7), GROWTH_F16),
        Sin | Cos => wave(power(-11), GROWTH),
        Rsqrt => Ulp(2.0),
        // 1 / inverseSqrt(x): 2 units are at most 4 of the reciprocal's, and the division's own 2.5.
        Sqrt => Ulp(6.5),
        Atan => Ulp(if half { 5.0 } else { 4096.0 }),
        Atan2 => UlpWithin { ulps: if half { 5.0 } else { 4096.0 }, lo: power(-range), hi: power(range) },
        Asin => worse(if half { 3.91e-3 } else { 6.81e-5 }),
        Acos => worse(if half { 3.91e-3 } else { 6.77e-5 }),
        Tanh => worse(1e-5),
        UnpackNorm => Ulp(3.0),
        Erf => AbsoluteWithin { error: 1.5e-7 + 32.0 * fmt.unit_roundoff(), lo: -6.0, hi: 6.0, ulps: 1.0 },
        Determinant => Unbounded,
        _ => inherit(Language::Wgsl, function),
    }
}

pub fn note(function: Function) -> Option<&'static str> {
    Some(match function {
        Fma => "fused or not: an unfused one adds the rounding of the product",
        Add | Sub | Mul => {
            "the specification allows either neighbour; implementations round to nearest, and so does this"
        }
        Sin | Cos => {
            "promised in -pi..=pi only; beyond, implementations reduce the argument in the same format: \
             2^-22 |x| more (f16: 2^-9 |x|)"
        }
        Tan => "promised where sin and cos are; see sin",
        Erf => {
            "no built-in: kernels use Abramowitz and Stegun 7.1.26, error 1.5e-7; near 0 its division may cost 17 \
             units, its exp 6, its sum the rest of 32"
        }
        Exp10 | Expm1 | Log10 | Log1p | Cbrt | Hypot => "no built-in: taken as its expression",
        Sqrt => "inherited from 1 / inverseSqrt(x), summed up in one figure",
        Determinant => "the specification promises nothing",
        Pack => "the value before packing is correctly rounded",
        _ => return None,
    })
}
