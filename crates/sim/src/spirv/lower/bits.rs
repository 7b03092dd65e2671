//! Extended arithmetic, bit fields, and dot products of integers.

use super::Lower;
use crate::emit::{Res, Value};
use crate::ir::scalar::{Num, Scalar as Fun};
use crate::ir::{Bin, Op as Code, Reg, Ty, Un};
use crate::spirv::decode::Inst;
use crate::spirv::module::Type;
use crate::spirv::types::{Scalar, broken};
use naga::MathFunction as M;
use spirv::Op;

impl Lower<'_> {
    /// `OpUMulExtended`, `OpIAddCarry` and their kin: the low halves, then the high ones or the carries.
    pub fn extended_pair(&mut self, inst: &Inst) -> Res<()> {
        let ((a, of), (b, _)) = (self.vector(inst.arg(0))?, self.vector(inst.arg(1))?);
        let Scalar::Int { width, .. } = of else {
            return Err(broken("operands that are not integers".into()));
        };
        if a.len() != b.len() {
            return Err(broken("operands of different sizes".into()));
        }
        let ty = if width == 64 { Ty::U64 } else { Ty::U32 };
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for (&x, &y) in a.iter().zip(&b) {
            let (first, second) = match inst.op {
                Op::UMulExtended | Op::SMulExtended => self.product(inst.op, of, x, y)?,
                Op::IAddCarry => {
                    let sum = self.bin(Bin::Add, ty, x, y)?;
                    let sum = self.cut_to(of, sum)?;
                    (sum, self.bin(Bin::Lt, ty, sum, x)?)
                }
                _ => {
                    let difference = self.bin(Bin::Sub, ty, x, y)?;
                    (self.cut_to(of, difference)?, self.bin(Bin::Lt, ty, x, y)?)
                }
            };
            low.push(first);
            high.push(match self.prog.regs[second as usize].ty {
                Ty::Bool => self.convert(Ty::Bool, ty, second)?,
                _ => second,
            });
        }
        self.set(inst, [low, high].concat())
    }

    pub fn product(&mut self, op: Op, of: Scalar, x: Reg, y: Reg) -> Res<(Reg, Reg)> {
        let signed = op == Op::SMulExtended;
        let width = of.width();
        if width < 32 {
            let (x, y) = if signed { (self.extended(width, x)?, self.extended(width, y)?) } else { (x, y) };
            let product = self.bin(Bin::Mul, Ty::U32, x, y)?;
            let by = self.u32(width);
            let high = self.bin(Bin::ShrFixed, Ty::U32, product, by)?;
            return Ok((self.cut_to(of, product)?, self.cut_to(of, high)?));
        }
        let (ty, num) = match (width, signed) {
            (64, true) => (Ty::U64, Num::S64),
            (64, false) => (Ty::U64, Num::U64),
            (_, true) => (Ty::U32, Num::S32),
            _ => (Ty::U32, Num::U32),
        };
        let low = self.bin(Bin::Mul, ty, x, y)?;
        let high = self.emit(Code::Scalar(Fun::MulHi(num)), ty, &[x, y])?;
        Ok((low, high))
    }

    /// Bit fields, counts and reversals.
    pub fn bit_function(&mut self, inst: &Inst) -> Res<()> {
        let (first, of) = self.vector(inst.arg(0))?;
        if inst.op == Op::BitCount && of.width() < 32 {
            let counted: Res<Value> = first.iter().map(|&v| self.un(Un::CountOnes, Ty::U32, v)).collect();
            let counted = counted?;
            return self.set(inst, counted);
        }
        if of.width() != 32 {
            return self.unsupported(&format!("the simulator does not have it for {} bits", of.width()));
        }
        let (fun, ty) = match inst.op {
            Op::BitFieldInsert => (M::InsertBits, Ty::U32),
            Op::BitFieldSExtract => (M::ExtractBits, Ty::I32),
            Op::BitFieldUExtract => (M::ExtractBits, Ty::U32),
            Op::BitReverse => (M::ReverseBits, Ty::U32),
            _ => (M::CountOneBits, Ty::U32),
        };
        let mut args = vec![first];
        for &arg in inst.args.get(1..).unwrap_or(&[]) {
            let value = self.value(arg)?;
            if value.is_empty() || value.iter().any(|&v| self.prog.wide(v)) {
                return self.unsupported("the simulator has it with operands of 32 bits");
            }
            args.push(value);
        }
        let wanted = match fun {
            M::InsertBits => 4,
            M::ExtractBits => 3,
            _ => 1,
        };
        let even = args.iter().take(2).all(|a| a.len() == args[0].len() || fun == M::ExtractBits);
        if args.len() != wanted || !even {
            return Err(broken(format!("{} with {} operands", inst.name(), args.len())));
        }
        match self.function_of_math(fun, ty, 1, &args)? {
            Some(value) => self.set(inst, value),
            None => self.unsupported("the simulator does not have it"),
        }
    }

    pub fn function_of_math(&mut self, fun: M, ty: Ty, rows: usize, args: &[Value]) -> Res<Option<Value>> {
        self.build.function_of(fun, ty, rows, args)
    }

    /// The integers of a vector, or of a word that packs four bytes, in registers as wide as the result.
    fn unpacked(&mut self, id: u32, signed: bool, ty: Ty) -> Res<Value> {
        let (value, of) = self.vector(id)?;
        let vector = {
            let ty = self.type_of(id)?;
            matches!(self.types().get(ty)?, Type::Vector { .. })
        };
        let mut out = Vec::new();
        let Scalar::Int { width, .. } = of else { return Err(broken(format!("%{id} is not integers"))) };
        let (parts, width) = if vector {
            (value, width)
        } else {
            let mut bytes = Vec::new();
            for i in 0..4 {
                let by = self.u32(8 * i);
                let moved = self.bin(Bin::ShrFixed, Ty::U32, value[0], by)?;
                bytes.push(self.emit(Code::Scalar(Fun::Zext(8)), Ty::U32, &[moved])?);
            }
            (bytes, 8)
        };
        for part in parts {
            let narrow = if signed && width < 32 { self.extended(width, part)? } else { part };
            let from = if width == 64 {
                ty
            } else if signed {
                Ty::I32
            } else {
                Ty::U32
            };
            out.push(self.convert(from, ty, narrow)?);
        }
        Ok(out)
    }

    /// `OpSDot`, `OpUDot`, `OpSUDot`, and those that add to a sum and stop at its limits.
    pub fn integer_dot(&mut self, inst: &Inst) -> Res<()> {
        let to = self.types().scalar(inst.ty)?;
        let (a, b) = match inst.op {
            Op::SDot | Op::SDotAccSat => (true, true),
            Op::UDot | Op::UDotAccSat => (false, false),
            _ => (true, false),
        };
        let stops = matches!(inst.op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
        if stops && to.width() > 32 {
            return self.unsupported("the simulator has it for results of at most 32 bits");
        }
        let ty = if stops || to.width() == 64 { Ty::I64 } else { Ty::I32 };
        let (x, y) = (self.unpacked(inst.arg(0), a, ty)?, self.unpacked(inst.arg(1), b, ty)?);
        if x.len() != y.len() || x.is_empty() {
            return Err(broken("vectors of different sizes".into()));
        }
        let mut sum = self.dot(ty, &x, &y)?;
        if stops {
            let (sum_of, signed) = (self.one(inst.arg(2))?, a);
            let before = if signed { self.widened(to, sum_of)? } else { sum_of };
            let before = self.convert(if signed { Ty::I32 } else { Ty::U32 }, ty, before)?;
            sum = self.bin(Bin::Add, ty, sum, before)?;
            let (least, most) = match signed {
                true => (-(1i64 << (to.width() - 1)), (1i64 << (to.width() - 1)) - 1),
                false => (0, (1i64 << to.width()) - 1),
            };
            let (least, most) = (self.constant(ty, least as u64), self.constant(ty, most as u64));
            sum = self.bin(Bin::Max, ty, sum, least)?;
            sum = self.bin(Bin::Min, ty, sum, most)?;
            sum = self.emit(Code::Scalar(Fun::Low), Ty::U32, &[sum])?;
        }
        let sum = self.cut_to(to, sum)?;
        self.set(inst, vec![sum])
    }
}
