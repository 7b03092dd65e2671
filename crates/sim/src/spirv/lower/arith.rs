//! Arithmetic and comparisons, component by component. Integers of 8 and 16 bits are computed in 32 and cut.

use super::Lower;
use crate::emit::{Res, Value};
use crate::ir::scalar::{Num, Scalar as Fun};
use crate::ir::{Bin, Op as Code, Reg, Ty, Un};
use crate::spirv::decode::Inst;
use crate::spirv::fold;
use crate::spirv::types::{Scalar, broken};
use spirv::{Decoration, Op};

/// Whether an integer operation takes its operands as signed.
fn signed(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        SDiv | SRem
            | SMod
            | ShiftRightArithmetic
            | SLessThan
            | SLessThanEqual
            | SGreaterThan
            | SGreaterThanEqual
            | SNegate
    )
}

/// The operation here.
fn bin(op: Op) -> Option<Bin> {
    Some(match op {
        Op::IAdd | Op::FAdd => Bin::Add,
        Op::ISub | Op::FSub => Bin::Sub,
        Op::IMul | Op::FMul | Op::VectorTimesScalar | Op::MatrixTimesScalar => Bin::Mul,
        Op::UDiv | Op::SDiv | Op::FDiv => Bin::Div,
        Op::UMod | Op::SRem | Op::FRem => Bin::Rem,
        Op::ShiftLeftLogical => Bin::Shl,
        Op::ShiftRightLogical | Op::ShiftRightArithmetic => Bin::Shr,
        Op::BitwiseAnd | Op::LogicalAnd => Bin::And,
        Op::BitwiseOr | Op::LogicalOr => Bin::Or,
        Op::BitwiseXor | Op::LogicalNotEqual => Bin::Xor,
        Op::IEqual | Op::FOrdEqual | Op::LogicalEqual => Bin::Eq,
        Op::INotEqual | Op::FUnordNotEqual => Bin::Ne,
        Op::ULessThan | Op::SLessThan | Op::FOrdLessThan => Bin::Lt,
        Op::ULessThanEqual | Op::SLessThanEqual | Op::FOrdLessThanEqual => Bin::Le,
        Op::UGreaterThan | Op::SGreaterThan | Op::FOrdGreaterThan => Bin::Gt,
        Op::UGreaterThanEqual | Op::SGreaterThanEqual | Op::FOrdGreaterThanEqual => Bin::Ge,
        _ => return None,
    })
}

/// The comparison that is false exactly where an unordered one is true.
fn opposite(op: Op) -> Option<Bin> {
    Some(match op {
        Op::FUnordLessThan => Bin::Ge,
        Op::FUnordLessThanEqual => Bin::Gt,
        Op::FUnordGreaterThan => Bin::Le,
        Op::FUnordGreaterThanEqual => Bin::Lt,
        _ => return None,
    })
}

/// Whether it is arithmetic or a comparison of two operands.
pub fn of_two(op: Op) -> bool {
    let others = matches!(op, Op::FMod | Op::SMod | Op::FOrdNotEqual | Op::FUnordEqual);
    others || bin(op).is_some() || opposite(op).is_some()
}

impl Lower<'_> {
    /// An instruction of two operands.
    pub fn binary(&mut self, inst: &Inst) -> Res<()> {
        let ((a, of), (b, by)) = (self.vector(inst.arg(0))?, self.vector(inst.arg(1))?);
        let to = self.types().scalar(inst.ty)?;
        let len = a.len().max(b.len());
        if a.is_empty() || b.is_empty() || a.len() != b.len() && a.len() != 1 && b.len() != 1 {
            return Err(broken(format!("operands of {} and {} scalars", a.len(), b.len())));
        }
        let precise = self.module.decoration(inst.id, Decoration::NoContraction).is_some();
        let at = |side: &Value, i: usize| side[if side.len() == 1 { 0 } else { i }];
        let mut out = Vec::new();
        for i in 0..len {
            let (x, y) = (at(&a, i), at(&b, i));
            out.push(match of {
                Scalar::Float { .. } => self.real(inst.op, of, x, y, precise)?,
                _ => self.whole(inst.op, to, (of, x), (by, y))?,
            });
        }
        self.set(inst, out)
    }

    /// One operation of floats.
    fn real(&mut self, op: Op, of: Scalar, x: Reg, y: Reg, precise: bool) -> Res<Reg> {
        let ty = of.ty();
        if let Some(opposite) = opposite(op) {
            let ordered = self.bin(opposite, ty, x, y)?;
            return self.un(Un::Not, Ty::Bool, ordered);
        }
        match op {
            Op::FMod => return self.modulo(ty, x, y),
            Op::FOrdNotEqual | Op::FUnordEqual => {
                let below = self.bin(Bin::Lt, ty, x, y)?;
                let above = self.bin(Bin::Gt, ty, x, y)?;
                let differ = self.bin(Bin::Or, Ty::Bool, below, above)?;
                return if op == Op::FOrdNotEqual { Ok(differ) } else { self.un(Un::Not, Ty::Bool, differ) };
            }
            Op::FMul if precise && ty == Ty::F32 => {
                // one that no sum takes up
                let how = Default::default();
                let fun = Fun::Arith(crate::ir::scalar::Arith::Mul, Num::F32, how);
                return self.emit(Code::Scalar(fun), ty, &[x, y]);
            }
            _ => {}
        }
        match bin(op) {
            Some(bin) => self.bin(bin, ty, x, y),
            None => self.unsupported("the simulator does not have it for floats"),
        }
    }

    /// `x - y floor(x / y)`: the remainder with the sign of `y`.
    fn modulo(&mut self, ty: Ty, x: Reg, y: Reg) -> Res<Reg> {
        let rest = self.bin(Bin::Rem, ty, x, y)?;
        let zero = self.float(ty, 0.0);
        let other = self.bin(Bin::Ne, ty, rest, zero)?;
        let (a, b) = (self.bin(Bin::Lt, ty, rest, zero)?, self.bin(Bin::Lt, ty, y, zero)?);
        let signs = self.bin(Bin::Xor, Ty::Bool, a, b)?;
        let wrong = self.bin(Bin::And, Ty::Bool, other, signs)?;
        let sum = self.bin(Bin::Add, ty, rest, y)?;
        self.pick(wrong, sum, rest)
    }

    /// One operation of integers or truth values, computed now where both are known.
    pub fn whole(&mut self, op: Op, to: Scalar, (of, x): (Scalar, Reg), (by, y): (Scalar, Reg)) -> Res<Reg> {
        if let (Some(a), Some(b)) = (self.known(x), self.known(y))
            && let Some(bits) = fold::fold(op, to, &[(of, a), (by, b)])
        {
            return Ok(self.constant(to.ty(), bits));
        }
        let signed = signed(op);
        let (x, y) = match signed {
            true => (self.widened(of, x)?, self.widened(by, y)?),
            false => (x, y),
        };
        let ty = whole_type(of, signed);
        let shift = matches!(op, Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic);
        let y =
            if shift && self.prog.wide(y) { self.emit(Code::Scalar(Fun::Low), Ty::U32, &[y])? } else { y };
        let known = self.known(y).is_some_and(|by| by < u64::from(of.width()));
        let result = match (op, bin(op)) {
            (Op::SMod, _) => self.signed_modulo(ty, x, y)?,
            (Op::LogicalEqual, _) => {
                let differ = self.bin(Bin::Xor, Ty::Bool, x, y)?;
                self.un(Un::Not, Ty::Bool, differ)?
            }
            (_, Some(Bin::Shl)) if known => self.bin(Bin::ShlFixed, ty, x, y)?,
            (_, Some(Bin::Shr)) if known => self.bin(Bin::ShrFixed, ty, x, y)?,
            (_, Some(bin)) => self.bin(bin, ty, x, y)?,
            (_, None) => return self.unsupported("the simulator does not have it for integers"),
        };
        if to == Scalar::Bool { Ok(result) } else { self.cut_to(to, result) }
    }

    fn signed_modulo(&mut self, ty: Ty, x: Reg, y: Reg) -> Res<Reg> {
        let rest = self.bin(Bin::Rem, ty, x, y)?;
        let zero = self.constant(ty, 0);
        let other = self.bin(Bin::Ne, ty, rest, zero)?;
        let (a, b) = (self.bin(Bin::Lt, ty, rest, zero)?, self.bin(Bin::Lt, ty, y, zero)?);
        let signs = self.bin(Bin::Xor, Ty::Bool, a, b)?;
        let wrong = self.bin(Bin::And, Ty::Bool, other, signs)?;
        let sum = self.bin(Bin::Add, ty, rest, y)?;
        self.pick(wrong, sum, rest)
    }

    /// A narrow integer with its sign in the upper bits.
    pub fn widened(&mut self, of: Scalar, reg: Reg) -> Res<Reg> {
        match of {
            Scalar::Int { width, .. } if width < 32 => self.extended(width, reg),
            _ => Ok(reg),
        }
    }

    pub fn extended(&mut self, width: u32, reg: Reg) -> Res<Reg> {
        if let Some(bits) = self.known(reg) {
            let up = 32 - width;
            let value = ((bits as u32) << up) as i32 >> up;
            return Ok(self.constant(Ty::I32, u64::from(value as u32)));
        }
        self.emit(Code::Scalar(Fun::Sext(width as u8)), Ty::I32, &[reg])
    }

    /// What a narrow integer keeps of 32 bits.
    pub fn cut_to(&mut self, to: Scalar, reg: Reg) -> Res<Reg> {
        match to {
            Scalar::Int { width, .. } if width < 32 => match self.known(reg) {
                Some(bits) => Ok(self.constant(Ty::U32, bits & ((1 << width) - 1))),
                None => self.emit(Code::Scalar(Fun::Zext(width as u8)), Ty::U32, &[reg]),
            },
            _ => Ok(reg),
        }
    }

    /// An instruction of one operand.
    pub fn unary(&mut self, inst: &Inst) -> Res<()> {
        let (a, of) = self.vector(inst.arg(0))?;
        let to = self.types().scalar(inst.ty)?;
        let mut out = Vec::new();
        for &x in &a {
            if let Some(bits) = self.known(x).and_then(|bits| fold::fold(inst.op, to, &[(of, bits)])) {
                out.push(self.constant(to.ty(), bits));
                continue;
            }
            let (un, ty) = match inst.op {
                Op::FNegate => (Un::Neg, of.ty()),
                Op::SNegate => (Un::Neg, whole_type(of, true)),
                Op::Not | Op::LogicalNot => {
                    (Un::Not, if of == Scalar::Bool { Ty::Bool } else { whole_type(of, false) })
                }
                Op::IsNan => (Un::IsNan, of.ty()),
                _ => (Un::IsInf, of.ty()),
            };
            let result = self.emit(Code::Un(un, ty), if to == Scalar::Bool { Ty::Bool } else { ty }, &[x])?;
            out.push(if to == Scalar::Bool { result } else { self.cut_to(to, result)? });
        }
        self.set(inst, out)
    }

    /// `OpAny` and `OpAll`.
    pub fn truth(&mut self, inst: &Inst) -> Res<()> {
        let value = self.value(inst.arg(0))?;
        let bin = if inst.op == Op::Any { Bin::Or } else { Bin::And };
        if value.is_empty() {
            return Err(broken("a vector without components".into()));
        }
        let out = self.fold(bin, Ty::Bool, &value)?;
        self.set(inst, vec![out])
    }
}

/// The type in which integers of a width are computed.
pub fn whole_type(of: Scalar, signed: bool) -> Ty {
    match (of, signed) {
        (Scalar::Bool, _) => Ty::Bool,
        (Scalar::Int { width: 64, .. }, true) => Ty::I64,
        (Scalar::Int { width: 64, .. }, false) => Ty::U64,
        (_, true) => Ty::I32,
        (_, false) => Ty::U32,
    }
}
