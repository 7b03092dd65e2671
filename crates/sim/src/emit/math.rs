//! Built-in functions: which instructions each one is.

use super::{Build, Res, Value};
use crate::ir::{Bin, Op, Reg, Ty, Un};
use naga::MathFunction as M;

impl Build {
    /// A built-in function of scalars and vectors; of matrices with so many rows. Nothing, where it is none of them.
    pub fn function_of(&mut self, fun: M, ty: Ty, rows: usize, args: &[Value]) -> Res<Option<Value>> {
        if let Some(un) = unary(fun) {
            return args[0].iter().map(|&v| self.un(un, ty, v)).collect::<Res<_>>().map(Some);
        }
        if let Some(bin) = binary(fun) {
            return self.zip(Op::Bin(bin, ty), ty, &args[0], &args[1]).map(Some);
        }
        if let Some(value) = self.per_component(fun, ty, args)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.packing(fun, args)? {
            return Ok(Some(value));
        }
        self.geometry(fun, ty, rows, args)
    }

    /// Functions that work on each component by itself, but take several instructions.
    fn per_component(&mut self, fun: M, ty: Ty, args: &[Value]) -> Res<Option<Value>> {
        let width = args.iter().map(Vec::len).max().unwrap_or(0);
        let at = |k: usize, i: usize| args[k][if args[k].len() == 1 { 0 } else { i }];
        let mut out = Vec::new();
        let mut second = Vec::new();
        for i in 0..width {
            out.push(match fun {
                M::Clamp => {
                    let low = self.bin(Bin::Max, ty, at(0, i), at(1, i))?;
                    self.bin(Bin::Min, ty, low, at(2, i))?
                }
                M::Saturate => {
                    let (zero, one) = (self.float(ty, 0.0), self.float(ty, 1.0));
                    let low = self.bin(Bin::Max, ty, at(0, i), zero)?;
                    self.bin(Bin::Min, ty, low, one)?
                }
                M::Radians => {
                    let k = self.float(ty, std::f64::consts::PI / 180.0);
                    self.bin(Bin::Mul, ty, at(0, i), k)?
                }
                M::Degrees => {
                    let k = self.float(ty, 180.0 / std::f64::consts::PI);
                    self.bin(Bin::Mul, ty, at(0, i), k)?
                }
                M::Fma => self.emit(Op::Fma(ty), ty, &[at(0, i), at(1, i), at(2, i)])?,
                M::Mix => self.mix(ty, at(0, i), at(1, i), at(2, i))?,
                M::Step => {
                    let (zero, one) = (self.float(ty, 0.0), self.float(ty, 1.0));
                    let past = self.bin(Bin::Le, ty, at(0, i), at(1, i))?;
                    self.pick(past, one, zero)?
                }
                M::SmoothStep => self.smooth_step(ty, at(0, i), at(1, i), at(2, i))?,
                M::ExtractBits => self.extract_bits(ty, at(0, i), args[1][0], args[2][0])?,
                M::InsertBits => self.insert_bits(ty, at(0, i), at(1, i), args[2][0], args[3][0])?,
                M::Modf => {
                    let whole = self.un(Un::Trunc, ty, at(0, i))?;
                    second.push(whole);
                    self.bin(Bin::Sub, ty, at(0, i), whole)?
                }
                M::Frexp => {
                    second.push(self.emit(Op::Un(Un::FrexpExp, ty), Ty::I32, &[at(0, i)])?);
                    self.un(Un::FrexpFract, ty, at(0, i))?
                }
                _ => return Ok(None),
            });
        }
        out.extend(second);
        Ok(Some(out))
    }

    /// `a * (1 - t) + b * t`.
    fn mix(&mut self, ty: Ty, a: Reg, b: Reg, t: Reg) -> Res<Reg> {
        let one = self.float(ty, 1.0);
        let rest = self.bin(Bin::Sub, ty, one, t)?;
        let left = self.bin(Bin::Mul, ty, a, rest)?;
        let right = self.bin(Bin::Mul, ty, b, t)?;
        self.bin(Bin::Add, ty, left, right)
    }

    /// `t * t * (3 - 2 t)` with `t = clamp((x - low) / (high - low), 0, 1)`.
    fn smooth_step(&mut self, ty: Ty, low: Reg, high: Reg, x: Reg) -> Res<Reg> {
        let (zero, one) = (self.float(ty, 0.0), self.float(ty, 1.0));
        let (two, three) = (self.float(ty, 2.0), self.float(ty, 3.0));
        let above = self.bin(Bin::Sub, ty, x, low)?;
        let span = self.bin(Bin::Sub, ty, high, low)?;
        let part = self.bin(Bin::Div, ty, above, span)?;
        let part = self.bin(Bin::Max, ty, part, zero)?;
        let t = self.bin(Bin::Min, ty, part, one)?;
        let square = self.bin(Bin::Mul, ty, t, t)?;
        let twice = self.bin(Bin::Mul, ty, two, t)?;
        let rest = self.bin(Bin::Sub, ty, three, twice)?;
        self.bin(Bin::Mul, ty, square, rest)
    }

    /// The offset and the count of a bit field, both brought into range.
    fn field(&mut self, offset: Reg, count: Reg) -> Res<(Reg, Reg)> {
        let width = self.u32(32);
        let offset = self.bin(Bin::Min, Ty::U32, offset, width)?;
        let room = self.bin(Bin::Sub, Ty::U32, width, offset)?;
        Ok((offset, self.bin(Bin::Min, Ty::U32, count, room)?))
    }

    fn extract_bits(&mut self, ty: Ty, value: Reg, offset: Reg, count: Reg) -> Res<Reg> {
        let (offset, count) = self.field(offset, count)?;
        let (width, zero) = (self.u32(32), self.u32(0));
        let right = self.bin(Bin::Sub, Ty::U32, width, count)?;
        let left = self.bin(Bin::Sub, Ty::U32, right, offset)?;
        let up = self.bin(Bin::ShlFixed, ty, value, left)?;
        let down = self.bin(Bin::ShrFixed, ty, up, right)?;
        let none = self.bin(Bin::Eq, Ty::U32, count, zero)?;
        self.pick(none, zero, down)
    }

    fn insert_bits(&mut self, ty: Ty, value: Reg, new: Reg, offset: Reg, count: Reg) -> Res<Reg> {
        let (offset, count) = self.field(offset, count)?;
        let (width, one, ones) = (self.u32(32), self.u32(1), self.u32(u32::MAX));
        let power = self.bin(Bin::ShlFixed, Ty::U32, one, count)?;
        let low = self.bin(Bin::Sub, Ty::U32, power, one)?;
        let all = self.bin(Bin::Eq, Ty::U32, count, width)?;
        let low = self.pick(all, ones, low)?;
        let mask = self.bin(Bin::ShlFixed, Ty::U32, low, offset)?;
        let moved = self.bin(Bin::ShlFixed, ty, new, offset)?;
        let moved = self.bin(Bin::And, ty, moved, mask)?;
        let hole = self.un(Un::Not, Ty::U32, mask)?;
        let kept = self.bin(Bin::And, ty, value, hole)?;
        self.bin(Bin::Or, ty, kept, moved)
    }
}

fn unary(fun: M) -> Option<Un> {
    Some(match fun {
        M::Abs => Un::Abs,
        M::Sign => Un::Sign,
        M::Cos => Un::Cos,
        M::Cosh => Un::Cosh,
        M::Sin => Un::Sin,
        M::Sinh => Un::Sinh,
        M::Tan => Un::Tan,
        M::Tanh => Un::Tanh,
        M::Acos => Un::Acos,
        M::Asin => Un::Asin,
        M::Atan => Un::Atan,
        M::Asinh => Un::Asinh,
        M::Acosh => Un::Acosh,
        M::Atanh => Un::Atanh,
        M::Ceil => Un::Ceil,
        M::Floor => Un::Floor,
        M::Round => Un::Round,
        M::Fract => Un::Fract,
        M::Trunc => Un::Trunc,
        M::Exp => Un::Exp,
        M::Exp2 => Un::Exp2,
        M::Log => Un::Log,
        M::Log2 => Un::Log2,
        M::Sqrt => Un::Sqrt,
        M::InverseSqrt => Un::Rsqrt,
        M::QuantizeToF16 => Un::Quantize,
        M::CountTrailingZeros => Un::TrailingZeros,
        M::CountLeadingZeros => Un::LeadingZeros,
        M::CountOneBits => Un::CountOnes,
        M::ReverseBits => Un::Reverse,
        M::FirstTrailingBit => Un::FirstTrailing,
        M::FirstLeadingBit => Un::FirstLeading,
        _ => return None,
    })
}

fn binary(fun: M) -> Option<Bin> {
    Some(match fun {
        M::Min => Bin::Min,
        M::Max => Bin::Max,
        M::Atan2 => Bin::Atan2,
        M::Pow => Bin::Pow,
        M::Ldexp => Bin::Ldexp,
        M::Dot4I8Packed => Bin::DotI8,
        M::Dot4U8Packed => Bin::DotU8,
        _ => return None,
    })
}
