//! The functions of `OpenCL.std` that take and give floats; those of integers and of memory have files of their own.
//! `native_` and `half_` functions count as the full ones: how wrong they may be is the implementation's to say.

use super::Lower;
use crate::emit::{Res, Value};
use crate::ir::scalar::{Num, Scalar as Fun};
use crate::ir::{Bin, Op as Code, Reg, Ty, Un};
use crate::spirv::clstd;
use crate::spirv::decode::Inst;
use crate::spirv::types::{Scalar, broken};
use naga::MathFunction as M;
use std::f64::consts::PI;

/// Vectors have so many components at most, and instructions so many operands.
const MOST_OPERANDS: usize = 4;

impl Lower<'_> {
    pub fn opencl(&mut self, inst: &Inst) -> Res<()> {
        let number = inst.arg(1);
        let Some(full) = clstd::name(number) else {
            return self.unsupported(&format!("instruction {number} of OpenCL.std is unknown"));
        };
        self.name = format!("`{full}`");
        let name = ["native_", "half_"].iter().find_map(|start| full.strip_prefix(start)).unwrap_or(full);
        if name == "prefetch" {
            return Ok(());
        }
        if name.starts_with("vload") || name.starts_with("vstore") {
            return self.vector_memory(inst, name);
        }
        let ids = inst.args.get(2..).unwrap_or(&[]);
        if ids.is_empty() || ids.len() > MOST_OPERANDS {
            return Err(broken(format!("{} operands", ids.len())));
        }
        if matches!(name, "fract" | "modf" | "frexp" | "sincos") {
            return self.with_result(inst, name, ids);
        }
        let mut args = Vec::new();
        for &id in ids {
            args.push(self.value(id)?);
        }
        let (first, of) = self.vector(ids[0])?;
        if first.is_empty() || args.iter().any(|a| a.len() != first.len()) && !name.starts_with("shuffle") {
            return Err(broken("operands of different sizes".into()));
        }
        let least = if name == "select" { 3 } else { 1 + usize::from(name.starts_with("shuffle")) };
        if args.len() < least {
            return Err(broken(format!("{} operands", args.len())));
        }
        let value = match of {
            _ if name.starts_with("shuffle") => self.shuffled(inst, &args)?,
            _ if name == "select" => self.selected(ids[2], &args)?,
            Scalar::Float { .. } => self.float_function(name, of.ty(), ids, &args)?,
            _ => self.whole_function(name, of, &args)?,
        };
        self.set(inst, value)
    }

    fn float_function(&mut self, name: &str, ty: Ty, ids: &[u32], args: &[Value]) -> Res<Value> {
        if let Some(un) = unary(name) {
            return args[0].iter().map(|&x| self.un(un, ty, x)).collect();
        }
        if let Some((fun, wanted)) = by_components(name) {
            if args.len() != wanted || name == "cross" && args[0].len() != 3 {
                return self.unsupported("the simulator does not have it for such operands");
            }
            let value = self.function_of_math(fun, ty, 1, args)?;
            return value.map_or_else(|| self.unsupported("the simulator does not have it"), Ok);
        }
        let mut out = Vec::new();
        for i in 0..args[0].len() {
            let at: Value = args.iter().map(|a| a[i]).collect();
            out.push(match at[..] {
                [x] => self.of_one(name, ty, x)?,
                [x, y] => self.of_two(name, ty, ids[1], x, y)?,
                [x, y, z] => self.of_three(name, ty, x, y, z)?,
                _ => return self.unsupported("the simulator does not have it"),
            });
        }
        Ok(out)
    }

    fn of_one(&mut self, name: &str, ty: Ty, x: Reg) -> Res<Reg> {
        let one = self.float(ty, 1.0);
        match name {
            "recip" => self.bin(Bin::Div, ty, one, x),
            "round" => self.rounded_away(ty, x),
            "acospi" | "asinpi" | "atanpi" => {
                let un = unary(&name[..4]).unwrap_or(Un::Acos);
                let angle = self.un(un, ty, x)?;
                let part = self.float(ty, 1.0 / PI);
                self.bin(Bin::Mul, ty, angle, part)
            }
            _ => self.unsupported("the simulator does not have it"),
        }
    }

    /// To the nearest whole number; of two, the one that is further from zero.
    fn rounded_away(&mut self, ty: Ty, x: Reg) -> Res<Reg> {
        let (zero, half, one) = (self.float(ty, 0.0), self.float(ty, 0.5), self.float(ty, 1.0));
        let whole = self.un(Un::Trunc, ty, x)?;
        let rest = self.bin(Bin::Sub, ty, x, whole)?;
        let size = self.un(Un::Abs, ty, rest)?;
        let more = self.bin(Bin::Ge, ty, size, half)?;
        let step = self.pick(more, one, zero)?;
        let step = self.with_sign(ty, step, x)?;
        self.bin(Bin::Add, ty, whole, step)
    }

    fn with_sign(&mut self, ty: Ty, size: Reg, sign: Reg) -> Res<Reg> {
        // halves lie in registers as floats
        let num = if ty == Ty::F64 { Num::F64 } else { Num::F32 };
        self.emit(Code::Scalar(Fun::CopySign(num)), ty, &[sign, size])
    }

    fn of_two(&mut self, name: &str, ty: Ty, second: u32, x: Reg, y: Reg) -> Res<Reg> {
        let bin = match name {
            "fmin" | "fmin_common" => Bin::Min,
            "fmax" | "fmax_common" => Bin::Max,
            "fmod" => Bin::Rem,
            "pow" | "powr" => Bin::Pow,
            "atan2" => Bin::Atan2,
            "divide" => Bin::Div,
            "ldexp" => return self.emit(Code::Bin(Bin::Ldexp, ty), ty, &[x, y]),
            "copysign" => return self.with_sign(ty, x, y),
            "hypot" => return self.hypotenuse(ty, x, y),
            "pown" => {
                let of = self.vector(second)?.1;
                let power = self.widened(of, y)?;
                let power = self.convert(Ty::I32, ty, power)?;
                return self.bin(Bin::Pow, ty, x, power);
            }
            "fdim" => {
                let zero = self.float(ty, 0.0);
                let below = self.bin(Bin::Le, ty, x, y)?;
                let difference = self.bin(Bin::Sub, ty, x, y)?;
                return self.pick(below, zero, difference);
            }
            "atan2pi" => {
                let angle = self.bin(Bin::Atan2, ty, x, y)?;
                let part = self.float(ty, 1.0 / PI);
                return self.bin(Bin::Mul, ty, angle, part);
            }
            _ => return self.unsupported("the simulator does not have it"),
        };
        self.bin(bin, ty, x, y)
    }

    /// Squares of floats do not overflow in double precision.
    fn hypotenuse(&mut self, ty: Ty, x: Reg, y: Reg) -> Res<Reg> {
        if ty == Ty::F64 {
            return self.unsupported("the simulator does not have it for double");
        }
        let (x, y) = (self.convert(ty, Ty::F64, x)?, self.convert(ty, Ty::F64, y)?);
        let square = self.dot(Ty::F64, &[x, y], &[x, y])?;
        let root = self.un(Un::Sqrt, Ty::F64, square)?;
        self.convert(Ty::F64, ty, root)
    }

    fn of_three(&mut self, name: &str, ty: Ty, x: Reg, y: Reg, z: Reg) -> Res<Reg> {
        match name {
            "mad" => {
                let product = self.bin(Bin::Mul, ty, x, y)?;
                self.bin(Bin::Add, ty, product, z)
            }
            "mix" => {
                let span = self.bin(Bin::Sub, ty, y, x)?;
                let part = self.bin(Bin::Mul, ty, span, z)?;
                self.bin(Bin::Add, ty, x, part)
            }
            // of their bits, which lie in a register as those of a whole number do
            "bitselect" if ty == Ty::F32 => {
                let differ = self.bin(Bin::Xor, Ty::U32, x, y)?;
                let taken = self.bin(Bin::And, Ty::U32, differ, z)?;
                self.bin(Bin::Xor, Ty::U32, x, taken)
            }
            _ => self.unsupported("the simulator does not have it"),
        }
    }

    /// Functions that leave a second result where a pointer leads to.
    fn with_result(&mut self, inst: &Inst, name: &str, ids: &[u32]) -> Res<()> {
        let &[x, pointer] = ids else { return Err(broken("two operands are wanted".into())) };
        let (value, of) = self.vector(x)?;
        let Scalar::Float { .. } = of else { return Err(broken("an operand that is not a float".into())) };
        let ty = of.ty();
        let (mut own, mut left) = (Vec::new(), Vec::new());
        for &x in &value {
            let (first, second) = match name {
                "sincos" => (self.un(Un::Sin, ty, x)?, self.un(Un::Cos, ty, x)?),
                "frexp" => {
                    let power = self.emit(Code::Un(Un::FrexpExp, ty), Ty::I32, &[x])?;
                    (self.un(Un::FrexpFract, ty, x)?, power)
                }
                "modf" => {
                    let whole = self.un(Un::Trunc, ty, x)?;
                    let rest = self.bin(Bin::Sub, ty, x, whole)?;
                    (self.with_sign(ty, rest, x)?, whole)
                }
                _ => (self.un(Un::Fract, ty, x)?, self.un(Un::Floor, ty, x)?),
            };
            own.push(first);
            left.push(second);
        }
        self.store_at(pointer, &left)?;
        self.set(inst, own)
    }
}

/// Functions of each component by itself that are one instruction.
fn unary(name: &str) -> Option<Un> {
    Some(match name {
        "acos" => Un::Acos,
        "acosh" => Un::Acosh,
        "asin" => Un::Asin,
        "asinh" => Un::Asinh,
        "atan" => Un::Atan,
        "atanh" => Un::Atanh,
        "cbrt" => Un::Cbrt,
        "ceil" => Un::Ceil,
        "cos" => Un::Cos,
        "cosh" => Un::Cosh,
        "erf" => Un::Erf,
        "exp" => Un::Exp,
        "exp2" => Un::Exp2,
        "exp10" => Un::Exp10,
        "expm1" => Un::Expm1,
        "fabs" => Un::Abs,
        "floor" => Un::Floor,
        "log" => Un::Log,
        "log2" => Un::Log2,
        "log10" => Un::Log10,
        "log1p" => Un::Log1p,
        "rint" => Un::Round,
        "rsqrt" => Un::Rsqrt,
        "sign" => Un::Sign,
        "sin" => Un::Sin,
        "sinh" => Un::Sinh,
        "sqrt" => Un::Sqrt,
        "tan" => Un::Tan,
        "tanh" => Un::Tanh,
        "trunc" => Un::Trunc,
        _ => return None,
    })
}

/// Functions that the front ends share, and how many operands each takes.
fn by_components(name: &str) -> Option<(M, usize)> {
    Some(match name {
        "fma" => (M::Fma, 3),
        "fclamp" => (M::Clamp, 3),
        "degrees" => (M::Degrees, 1),
        "radians" => (M::Radians, 1),
        "step" => (M::Step, 2),
        "smoothstep" => (M::SmoothStep, 3),
        "cross" => (M::Cross, 2),
        "distance" | "fast_distance" => (M::Distance, 2),
        "length" | "fast_length" => (M::Length, 1),
        "normalize" | "fast_normalize" => (M::Normalize, 1),
        _ => return None,
    })
}
