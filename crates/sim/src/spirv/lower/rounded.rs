//! Conversions of OpenCL that say how they round and whether they stop at the limits of their type, and what asks for
//! the class of a number.

use super::Lower;
use super::opencl_memory::direction;
use crate::emit::Res;
use crate::ir::scalar::{Class, How, Num, Round, Scalar as Fun};
use crate::ir::{Bin, Op as Code, Reg, Ty, Un};
use crate::spirv::decode::Inst;
use crate::spirv::types::Scalar;
use spirv::{Decoration, Op};

impl Lower<'_> {
    /// A conversion of a kernel that says how it rounds or that it stops at limits; nothing for one that does not.
    pub fn stated(&mut self, inst: &Inst, from: Scalar, to: Scalar, x: Reg) -> Res<Option<Reg>> {
        let mode = self.module.number(inst.id, Decoration::FPRoundingMode).map(direction);
        let satisfied = self.module.decoration(inst.id, Decoration::SaturatedConversion).is_some();
        let stops = satisfied || matches!(inst.op, Op::SatConvertSToU | Op::SatConvertUToS);
        match (from, to) {
            (Scalar::Int { .. }, Scalar::Int { .. }) if stops => {
                let signed = matches!(inst.op, Op::SatConvertSToU | Op::SConvert);
                let into = matches!(inst.op, Op::SatConvertUToS | Op::SConvert);
                self.stopped((from, signed), (to, into), x).map(Some)
            }
            (Scalar::Float { .. }, Scalar::Float { .. }) => match mode {
                Some(round) if round != Round::Near => self.float_to_float(from, to, x, round).map(Some),
                _ => Ok(None),
            },
            (Scalar::Float { .. }, Scalar::Int { .. }) if stops || mode.is_some() => {
                let into = inst.op == Op::ConvertFToS;
                self.float_to_whole(from, (to, into), x, mode.unwrap_or(Round::Zero), stops).map(Some)
            }
            (Scalar::Int { .. }, Scalar::Float { .. }) => {
                let signed = inst.op == Op::ConvertSToF;
                match mode {
                    Some(round) if round != Round::Near => {
                        let x = if signed { self.widened(from, x)? } else { x };
                        let wide = Scalar::Int { width: from.width().max(32), signed };
                        self.by_format(num(wide, signed), to, x, round).map(Some)
                    }
                    _ => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// One float as another, rounded in a direction.
    pub fn float_to_float(&mut self, from: Scalar, to: Scalar, x: Reg, round: Round) -> Res<Reg> {
        if from.ty() == to.ty() {
            return Ok(x);
        }
        if round == Round::Near {
            return self.convert(from.ty(), to.ty(), x);
        }
        // halves lie in registers as floats
        let own = if from.ty() == Ty::F64 { Num::F64 } else { Num::F32 };
        self.by_format(own, to, x, round)
    }

    fn by_format(&mut self, from: Num, to: Scalar, x: Reg, round: Round) -> Res<Reg> {
        let how = How { round, ..How::default() };
        match to.ty() {
            Ty::F16 => {
                let bits = self.emit(Code::Scalar(Fun::Convert(from, Num::F16, how)), Ty::U32, &[x])?;
                self.emit(Code::Bitcast(Ty::U16, Ty::F16), Ty::F16, &[bits])
            }
            ty => self.emit(Code::Scalar(Fun::Convert(from, num(to, false), how)), ty, &[x]),
        }
    }

    /// A whole number near a float; the nearest that the type has, where it is to stop at its limits.
    fn float_to_whole(
        &mut self,
        from: Scalar,
        (to, signed): (Scalar, bool),
        x: Reg,
        round: Round,
        stops: bool,
    ) -> Res<Reg> {
        let un = match round {
            Round::Up => Un::Ceil,
            Round::Down => Un::Floor,
            Round::Zero => Un::Trunc,
            _ => Un::Round,
        };
        let whole = self.un(un, from.ty(), x)?;
        let wide = match (to.width(), signed) {
            (64, true) => Ty::I64,
            (64, false) => Ty::U64,
            (_, true) => Ty::I32,
            (_, false) => Ty::U32,
        };
        // these stop at the limits of 32 and 64 bits
        let value = self.convert(from.ty(), wide, whole)?;
        match to.width() < 32 {
            true if stops => {
                let value = self.convert(wide, Ty::I64, value)?;
                self.held_to(signed, to, value)
            }
            _ => self.cut_to(to, value),
        }
    }

    /// The integer of a type that is nearest to another integer.
    fn stopped(&mut self, (from, signed): (Scalar, bool), (to, into): (Scalar, bool), x: Reg) -> Res<Reg> {
        if from.width() < 64 {
            let x = if signed { self.widened(from, x)? } else { x };
            let x = self.convert(if signed { Ty::I32 } else { Ty::U32 }, Ty::I64, x)?;
            if to.width() < 64 {
                return self.held_to(into, to, x);
            }
            let zero = self.constant(Ty::I64, 0);
            return if into { Ok(x) } else { self.bin(Bin::Max, Ty::I64, x, zero) };
        }
        if signed && to.width() < 64 {
            return self.held_to(into, to, x);
        }
        let most = if signed { (1u64 << 63) - 1 } else { u64::MAX };
        let most =
            most.min(if into { (1u64 << (to.width() - 1)) - 1 } else { u64::MAX >> (64 - to.width()) });
        let (most, zero) = (self.constant(Ty::U64, most), self.constant(Ty::I64, 0));
        let x = if signed { self.bin(Bin::Max, Ty::I64, x, zero)? } else { x };
        let x = self.bin(Bin::Min, Ty::U64, x, most)?;
        let x = if to.width() < 64 { self.convert(Ty::U64, Ty::U32, x)? } else { x };
        self.cut_to(to, x)
    }

    /// `isfinite`, `isnormal`, `signbit`, `isordered` and their kin.
    pub fn classified(&mut self, inst: &Inst) -> Res<()> {
        let (a, of) = self.vector(inst.arg(0))?;
        let b = if inst.args.len() > 1 { self.value(inst.arg(1))? } else { a.clone() };
        let (num, ty) = (num(of, false), of.ty());
        let mut out = Vec::new();
        for (&x, &y) in a.iter().zip(&b) {
            out.push(match inst.op {
                // halves lie in registers as floats, whose smallest normal number is another
                Op::IsNormal if ty == Ty::F16 => return self.unsupported("the simulator has none for half"),
                Op::IsNormal => self.emit(Code::Scalar(Fun::Class(Class::Normal(num))), Ty::Bool, &[x])?,
                Op::IsFinite => {
                    let num = if ty == Ty::F16 { Num::F32 } else { num };
                    self.emit(Code::Scalar(Fun::Class(Class::Finite(num))), Ty::Bool, &[x])?
                }
                Op::SignBitSet => {
                    let (one, zero) = (self.float(ty, 1.0), self.float(ty, 0.0));
                    let own = if ty == Ty::F64 { Num::F64 } else { Num::F32 };
                    let sign = self.emit(Code::Scalar(Fun::CopySign(own)), ty, &[x, one])?;
                    self.bin(Bin::Lt, ty, sign, zero)?
                }
                Op::LessOrGreater => {
                    let (less, more) = (self.bin(Bin::Lt, ty, x, y)?, self.bin(Bin::Gt, ty, x, y)?);
                    self.bin(Bin::Or, Ty::Bool, less, more)?
                }
                _ => {
                    let (x, y) = (self.un_flag(Un::IsNan, ty, x)?, self.un_flag(Un::IsNan, ty, y)?);
                    let either = self.bin(Bin::Or, Ty::Bool, x, y)?;
                    if inst.op == Op::Unordered { either } else { self.un(Un::Not, Ty::Bool, either)? }
                }
            });
        }
        self.set(inst, out)
    }

    fn un_flag(&mut self, un: Un, ty: Ty, x: Reg) -> Res<Reg> {
        self.emit(Code::Un(un, ty), Ty::Bool, &[x])
    }
}

/// The format of a scalar.
fn num(of: Scalar, signed: bool) -> Num {
    match (of, signed) {
        (Scalar::Float { width: 16 }, _) => Num::F16,
        (Scalar::Float { width: 64 }, _) => Num::F64,
        (Scalar::Float { .. }, _) => Num::F32,
        (Scalar::Int { width: 64, .. }, true) => Num::S64,
        (Scalar::Int { width: 64, .. }, false) => Num::U64,
        (_, true) => Num::S32,
        (_, false) => Num::U32,
    }
}
