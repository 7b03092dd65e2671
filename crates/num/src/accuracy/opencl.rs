//! OpenCL C, full profile: the table "Relative Error as ULPs" of the OpenCL C specification and of the SPIR-V
//! environment specification, for single, double (cl_khr_fp64) and half (cl_khr_fp16) precision.

use super::{Accuracy, Function, Language, inherit};
use crate::float::Float;
use Accuracy::{CorrectlyRounded, Ulp};
use Function::*;

fn half(function: Function) -> Accuracy {
    match function {
        Add | Sub | Mul | Div | Fma | Sqrt | Fract | Ldexp | Convert | QuantizeToF16 | Pack => {
            CorrectlyRounded
        }
        Rsqrt => Ulp(1.0),
        Pow | Erf => Ulp(4.0),
        _ => Ulp(2.0),
    }
}

fn single(function: Function) -> Accuracy {
    Ulp(match function {
        Add | Sub | Mul | Fma | Fract | Ldexp | Convert | QuantizeToF16 | Pack => {
            return CorrectlyRounded;
        }
        Div => 2.5,
        Rsqrt | Cbrt | Log1p | Degrees | Radians => 2.0,
        Sqrt | Exp | Exp2 | Exp10 | Expm1 | Log | Log2 | Log10 => 3.0,
        Atan | Tan | Tanh | Atanh => 5.0,
        Atan2 => 6.0,
        Pow | Erf => 16.0,
        _ => 4.0,
    })
}

pub fn accuracy(function: Function, fmt: Float) -> Accuracy {
    match function {
        Determinant => Accuracy::Unbounded,
        Rem => Accuracy::Exact,
        UnpackNorm => CorrectlyRounded,
        Sigmoid => inherit(Language::OpenCl, function),
        _ if function.of_vectors() => inherit(Language::OpenCl, function),
        _ if fmt.same_format(Float::F16) => half(function),
        Div | Sqrt if fmt.same_format(Float::F64) => CorrectlyRounded,
        _ => single(function),
    }
}

pub fn note(function: Function) -> Option<&'static str> {
    Some(match function {
        Mix | Smoothstep | Dot | Length | Distance | Normalize | Cross => {
            "the specification bounds it by the largest operand; taken as its expression, which is tighter"
        }
        Reflect | Refract | FaceForward | Determinant => "no built-in of OpenCL C",
        _ => return None,
    })
}
