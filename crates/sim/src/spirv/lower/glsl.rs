//! The functions of `GLSL.std.450`.

use super::{Item, Lower};
use crate::emit::{Res, Value};
use crate::ir::scalar::Scalar as Fun;
use crate::ir::{Op as Code, Ty};
use crate::spirv::decode::Inst;
use crate::spirv::module::{Set, Type};
use crate::spirv::types::{Layout, Scalar, broken};
use naga::MathFunction as M;
use spirv::GlslStd450Op as G;

/// Operands at most.
const MOST_OPERANDS: usize = 4;

impl Lower<'_> {
    pub fn extended_instruction(&mut self, inst: &Inst) -> Res<()> {
        match self.module.sets.get(&inst.arg(0)) {
            Some(Set::Glsl) => {}
            Some(Set::OpenCl) => return self.opencl(inst),
            Some(_) => return Ok(()),
            None => return Err(broken(format!("%{} is not a set of instructions", inst.arg(0)))),
        }
        let number = inst.arg(1);
        let Some(op) = G::from_u32(number) else {
            return self.unsupported(&format!("instruction {number} of GLSL.std.450 is unknown"));
        };
        self.name = format!("{op:?} of GLSL.std.450");
        let ids = inst.args.get(2..).unwrap_or(&[]);
        if ids.is_empty() || ids.len() > MOST_OPERANDS {
            return Err(broken(format!("{} operands", ids.len())));
        }
        if matches!(op, G::Modf | G::Frexp) {
            return self.with_pointer(inst, op, ids);
        }
        let mut args = Vec::new();
        for &id in ids {
            args.push(self.value(id)?);
        }
        let (_, of) = self.vector(ids[0])?;
        let first = self.type_of(ids[0])?;
        let rows = match *self.types().get(first)? {
            Type::Matrix { column, .. } => self.types().width(column)?,
            _ => 1,
        };
        self.sound(op, &args)?;
        let value = self.glsl(op, of, rows, &args)?;
        self.set(inst, value)
    }

    /// Whether the operands have the number and the sizes that the functions here rely on.
    fn sound(&self, op: G, args: &[Value]) -> Res<()> {
        let wanted = match op {
            G::FMin
            | G::UMin
            | G::SMin
            | G::FMax
            | G::UMax
            | G::SMax
            | G::NMin
            | G::NMax
            | G::Atan2
            | G::Pow
            | G::Step
            | G::Ldexp
            | G::Distance
            | G::Cross
            | G::Reflect => 2,
            G::FClamp
            | G::UClamp
            | G::SClamp
            | G::NClamp
            | G::FMix
            | G::SmoothStep
            | G::Fma
            | G::FaceForward
            | G::Refract => 3,
            _ => 1,
        };
        let len = args[0].len();
        let scalar_last = op == G::Refract;
        let even = |(i, a): (usize, &Value)| a.len() == len || scalar_last && i == 2 && a.len() == 1;
        if args.len() != wanted || len == 0 || !args.iter().enumerate().all(even) {
            return Err(broken("operands of a number or a size that the function does not take".into()));
        }
        if op == G::Cross && len != 3 {
            return Err(broken("a cross product has vectors of 3".into()));
        }
        let packed = match op {
            G::PackSnorm4x8 | G::PackUnorm4x8 => 4,
            G::PackSnorm2x16 | G::PackUnorm2x16 | G::PackHalf2x16 | G::PackDouble2x32 => 2,
            G::UnpackDouble2x32 => 1,
            _ => len,
        };
        if packed != len {
            return Err(broken(format!("{len} components instead of {packed}")));
        }
        Ok(())
    }

    fn glsl(&mut self, op: G, of: Scalar, rows: usize, args: &[Value]) -> Res<Value> {
        if let Some((fun, signed)) = whole(op) {
            return self.integers(fun, signed, of, args);
        }
        match op {
            G::PackDouble2x32 => {
                return Ok(vec![self.emit(Code::Scalar(Fun::Join), Ty::F64, &[args[0][0], args[0][1]])?]);
            }
            G::UnpackDouble2x32 => {
                let low = self.emit(Code::Scalar(Fun::Low), Ty::U32, &[args[0][0]])?;
                return Ok(vec![low, self.emit(Code::Scalar(Fun::High), Ty::U32, &[args[0][0]])?]);
            }
            _ => {}
        }
        let Some(fun) = real(op) else { return self.unsupported("the simulator does not have it") };
        let float = matches!(of, Scalar::Float { .. });
        let unpacks = matches!(fun, M::Unpack2x16float | M::Unpack2x16snorm | M::Unpack2x16unorm)
            || matches!(fun, M::Unpack4x8snorm | M::Unpack4x8unorm);
        if float == unpacks || unpacks && of.width() != 32 {
            return Err(broken("an operand of another type than the function takes".into()));
        }
        if matches!(fun, M::Determinant | M::Inverse) && args[0].len() != rows * rows {
            return Err(broken("the matrix is not square".into()));
        }
        let value = self.function_of_math(fun, of.ty(), rows, args)?;
        value.map_or_else(|| self.unsupported("the simulator does not have it"), Ok)
    }

    /// Functions of integers; narrow ones with their signs.
    pub fn integers(&mut self, fun: M, signed: bool, of: Scalar, args: &[Value]) -> Res<Value> {
        if !matches!(of, Scalar::Int { .. }) {
            return Err(broken("operands that are not integers".into()));
        }
        let bits = matches!(fun, M::FirstTrailingBit | M::FirstLeadingBit);
        if bits && of.width() != 32 {
            return self.unsupported(&format!("the simulator does not have it for {} bits", of.width()));
        }
        let ty = super::arith::whole_type(of, signed);
        let mut wide = Vec::new();
        for arg in args {
            let all: Res<Value> =
                arg.iter().map(|&v| if signed { self.widened(of, v) } else { Ok(v) }).collect();
            wide.push(all?);
        }
        let value = self.function_of_math(fun, ty, 1, &wide)?;
        let Some(value) = value else { return self.unsupported("the simulator does not have it") };
        value.into_iter().map(|v| self.cut_to(of, v)).collect()
    }

    /// `Modf` and `Frexp`, which leave a part of the result in a variable.
    fn with_pointer(&mut self, inst: &Inst, op: G, ids: &[u32]) -> Res<()> {
        let &[x, pointer] = ids else { return Err(broken("two operands are wanted".into())) };
        let (value, of) = self.vector(x)?;
        if !matches!(of, Scalar::Float { .. }) {
            return Err(broken("an operand that is not a float".into()));
        }
        let fun = if op == G::Modf { M::Modf } else { M::Frexp };
        let len = value.len();
        let Some(both) = self.function_of_math(fun, of.ty(), 1, &[value])? else {
            return self.unsupported("the simulator does not have it");
        };
        let Item::Place(..) = self.item(pointer)?.1 else {
            return Err(broken("the second operand is a pointer".into()));
        };
        let (place, ty, layout): (_, u32, Layout) = self.pointer(pointer)?;
        self.store_to(&place, ty, layout, &both[len..])?;
        self.set(inst, both[..len].to_vec())
    }
}

/// Functions of integers, and whether they take them as signed.
fn whole(op: G) -> Option<(M, bool)> {
    Some(match op {
        G::SAbs => (M::Abs, true),
        G::SSign => (M::Sign, true),
        G::SMin => (M::Min, true),
        G::UMin => (M::Min, false),
        G::SMax => (M::Max, true),
        G::UMax => (M::Max, false),
        G::SClamp => (M::Clamp, true),
        G::UClamp => (M::Clamp, false),
        G::FindILsb => (M::FirstTrailingBit, false),
        G::FindSMsb => (M::FirstLeadingBit, true),
        G::FindUMsb => (M::FirstLeadingBit, false),
        _ => return None,
    })
}

fn real(op: G) -> Option<M> {
    Some(match op {
        G::Round | G::RoundEven => M::Round,
        G::Trunc => M::Trunc,
        G::FAbs => M::Abs,
        G::FSign => M::Sign,
        G::Floor => M::Floor,
        G::Ceil => M::Ceil,
        G::Fract => M::Fract,
        G::Radians => M::Radians,
        G::Degrees => M::Degrees,
        G::Sin => M::Sin,
        G::Cos => M::Cos,
        G::Tan => M::Tan,
        G::Asin => M::Asin,
        G::Acos => M::Acos,
        G::Atan => M::Atan,
        G::Sinh => M::Sinh,
        G::Cosh => M::Cosh,
        G::Tanh => M::Tanh,
        G::Asinh => M::Asinh,
        G::Acosh => M::Acosh,
        G::Atanh => M::Atanh,
        G::Atan2 => M::Atan2,
        G::Pow => M::Pow,
        G::Exp => M::Exp,
        G::Log => M::Log,
        G::Exp2 => M::Exp2,
        G::Log2 => M::Log2,
        G::Sqrt => M::Sqrt,
        G::InverseSqrt => M::InverseSqrt,
        G::Determinant => M::Determinant,
        G::MatrixInverse => M::Inverse,
        G::ModfStruct => M::Modf,
        G::FrexpStruct => M::Frexp,
        G::FMin | G::NMin => M::Min,
        G::FMax | G::NMax => M::Max,
        G::FClamp | G::NClamp => M::Clamp,
        G::FMix => M::Mix,
        G::Step => M::Step,
        G::SmoothStep => M::SmoothStep,
        G::Fma => M::Fma,
        G::Ldexp => M::Ldexp,
        G::Length => M::Length,
        G::Distance => M::Distance,
        G::Cross => M::Cross,
        G::Normalize => M::Normalize,
        G::FaceForward => M::FaceForward,
        G::Reflect => M::Reflect,
        G::Refract => M::Refract,
        _ => return packing(op),
    })
}

fn packing(op: G) -> Option<M> {
    Some(match op {
        G::PackSnorm4x8 => M::Pack4x8snorm,
        G::PackUnorm4x8 => M::Pack4x8unorm,
        G::PackSnorm2x16 => M::Pack2x16snorm,
        G::PackUnorm2x16 => M::Pack2x16unorm,
        G::PackHalf2x16 => M::Pack2x16float,
        G::UnpackSnorm4x8 => M::Unpack4x8snorm,
        G::UnpackUnorm4x8 => M::Unpack4x8unorm,
        G::UnpackSnorm2x16 => M::Unpack2x16snorm,
        G::UnpackUnorm2x16 => M::Unpack2x16unorm,
        G::UnpackHalf2x16 => M::Unpack2x16float,
        _ => return None,
    })
}
