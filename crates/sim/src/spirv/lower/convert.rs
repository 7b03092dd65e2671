//! Conversions between number types, and the same bits as another type.

use super::Lower;
use crate::emit::{Res, Value};
use crate::ir::scalar::{How, Num, Round, Scalar as Fun};
use crate::ir::{Bin, Op as Code, Reg, Ty, Un};
use crate::spirv::decode::Inst;
use crate::spirv::fold;
use crate::spirv::types::{Scalar, broken};
use spirv::{Decoration, FPRoundingMode, Op};

impl Lower<'_> {
    pub fn conversion(&mut self, inst: &Inst) -> Res<()> {
        let (value, from) = self.vector(inst.arg(0))?;
        let to = self.types().scalar(inst.ty)?;
        let zero =
            self.module.number(inst.id, Decoration::FPRoundingMode) == Some(FPRoundingMode::RTZ as u32);
        let stated = self.module.kernel
            && [Decoration::FPRoundingMode, Decoration::SaturatedConversion]
                .iter()
                .any(|&way| self.module.decoration(inst.id, way).is_some());
        let mut out = Vec::new();
        for &x in &value {
            let known = self.known(x).filter(|_| !stated);
            if let Some(bits) = known.and_then(|bits| fold::fold(inst.op, to, &[(from, bits)])) {
                out.push(self.constant(to.ty(), bits));
                continue;
            }
            if self.module.kernel
                && let Some(stated) = self.stated(inst, from, to, x)?
            {
                out.push(stated);
                continue;
            }
            out.push(self.converted(inst.op, from, to, x, zero)?);
        }
        self.set(inst, out)
    }

    fn converted(&mut self, op: Op, from: Scalar, to: Scalar, x: Reg, zero: bool) -> Res<Reg> {
        match op {
            Op::UConvert => {
                let wide = self.convert(unsigned(from), unsigned(to), x)?;
                self.cut_to(to, wide)
            }
            Op::SConvert => {
                let x = self.widened(from, x)?;
                let wide = self.convert(signed(from), signed(to), x)?;
                self.cut_to(to, wide)
            }
            Op::ConvertSToF => {
                let x = self.widened(from, x)?;
                self.convert(signed(from), to.ty(), x)
            }
            Op::ConvertUToF => self.convert(unsigned(from), to.ty(), x),
            Op::ConvertFToS => {
                let whole = self.convert(from.ty(), signed(to), x)?;
                self.cut_to(to, whole)
            }
            Op::ConvertFToU => {
                let whole = self.convert(from.ty(), unsigned(to), x)?;
                self.cut_to(to, whole)
            }
            Op::QuantizeToF16 => self.un(Un::Quantize, Ty::F32, x),
            Op::FConvert if zero && from.ty() == Ty::F32 && to.ty() == Ty::F16 => {
                let how = How { round: Round::Zero, ..How::default() };
                let bits = self.emit(Code::Scalar(Fun::Convert(Num::F32, Num::F16, how)), Ty::U32, &[x])?;
                self.emit(Code::Bitcast(Ty::U16, Ty::F16), Ty::F16, &[bits])
            }
            // halves lie in registers as the numbers that they are: nothing is rounded, and nothing flushed
            Op::FConvert if (from.ty(), to.ty()) == (Ty::F16, Ty::F32) => {
                self.emit(Code::Move(false), Ty::F32, &[x])
            }
            Op::FConvert => self.convert(from.ty(), to.ty(), x),
            _ => self.unsupported("the simulator does not have it"),
        }
    }

    /// `OpBitcast`: between scalars and vectors with as many bits in all.
    pub fn bitcast(&mut self, inst: &Inst) -> Res<()> {
        let (value, from) = self.vector(inst.arg(0))?;
        let to = self.types().scalar(inst.ty)?;
        let (a, b) = (from.width(), to.width());
        let whole = a as usize * value.len();
        if whole != b as usize * self.types().width(inst.ty)? || from == Scalar::Bool || to == Scalar::Bool {
            return Err(broken("the operand has another number of bits".into()));
        }
        let mut bits = Vec::new();
        for &x in &value {
            bits.push(if from.ty() == Ty::F16 {
                self.emit(Code::Bitcast(Ty::F16, Ty::U16), Ty::U32, &[x])?
            } else {
                x
            });
        }
        let parts = if a == b { bits } else { self.regrouped(&bits, a, b)? };
        let mut out = Vec::new();
        for &x in &parts {
            out.push(if to.ty() == Ty::F16 {
                self.emit(Code::Bitcast(Ty::U16, Ty::F16), Ty::F16, &[x])?
            } else {
                x
            });
        }
        self.set(inst, out)
    }

    /// Numbers of `from` bits as numbers of `to` bits, the low ones first.
    fn regrouped(&mut self, parts: &[Reg], from: u32, to: u32) -> Res<Value> {
        if to < from {
            let mut out = Vec::new();
            for &part in parts {
                out.extend(self.halves(part, from, to)?);
            }
            return Ok(out);
        }
        let each = (to / from) as usize;
        parts.chunks(each).map(|group| self.joined(group, from, to)).collect()
    }

    fn halves(&mut self, part: Reg, from: u32, to: u32) -> Res<Value> {
        if from == 64 {
            let low = self.emit(Code::Scalar(Fun::Low), Ty::U32, &[part])?;
            let high = self.emit(Code::Scalar(Fun::High), Ty::U32, &[part])?;
            return if to == 32 { Ok(vec![low, high]) } else { self.regrouped(&[low, high], 32, to) };
        }
        let mut out = Vec::new();
        for i in 0..from / to {
            let by = self.u32(i * to);
            let moved = self.bin(Bin::ShrFixed, Ty::U32, part, by)?;
            out.push(self.emit(Code::Scalar(Fun::Zext(to as u8)), Ty::U32, &[moved])?);
        }
        Ok(out)
    }

    fn joined(&mut self, group: &[Reg], from: u32, to: u32) -> Res<Reg> {
        if to == 64 {
            let words = if from == 32 { group.to_vec() } else { self.regrouped(group, from, 32)? };
            return self.emit(Code::Scalar(Fun::Join), Ty::U64, &[words[0], words[1]]);
        }
        let mut sum = group[0];
        for (i, &part) in group.iter().enumerate().skip(1) {
            let by = self.u32(i as u32 * from);
            let moved = self.bin(Bin::ShlFixed, Ty::U32, part, by)?;
            sum = self.bin(Bin::Or, Ty::U32, sum, moved)?;
        }
        Ok(sum)
    }
}

fn signed(of: Scalar) -> Ty {
    if of.width() == 64 { Ty::I64 } else { Ty::I32 }
}

fn unsigned(of: Scalar) -> Ty {
    if of.width() == 64 { Ty::U64 } else { Ty::U32 }
}
