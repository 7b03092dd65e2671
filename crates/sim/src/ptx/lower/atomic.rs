//! Atomics: `atom` and `red`.

use super::build::Lower;
use super::memory::HINTS;
use crate::ir::scalar::Num;
use crate::ir::{AtomicFun, Ins, Op, Reg, Ty};
use crate::ptx::ast::{Arg, Base, Instr, Space, Type};
use crate::ptx::parse::Res;

impl Lower {
    pub fn atom(&mut self, ins: &Instr) -> Res<()> {
        let funs = ["add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec", "noftz", "rn"];
        let known: Vec<&str> = HINTS.iter().chain(&funs).copied().collect();
        self.allow(ins, &known)?;
        let (ty, space) = (self.ty(ins)?, self.space(ins));
        let has_result = ins.name() == "atom";
        let (dst, rest) = match ins.args.split_first() {
            Some((first, rest)) if has_result => (Some(first), rest),
            _ => (None, &ins.args[..]),
        };
        let Some((address, operands)) = rest.split_first() else {
            return self.fail("this atomic has no address");
        };
        let held = self.atomic_type(ty)?;
        let (fun, dst) = self.wanted(ins, ty, dst)?;
        let mut values = Vec::new();
        for operand in operands {
            values.push(self.src(operand, ty)?);
        }
        let wanted = if fun == AtomicFun::CompareExchange { 2 } else { 1 };
        if values.len() != wanted {
            return self.fail(format!(
                "`{}` takes {wanted} values, here are {}",
                ins.op.join("."),
                values.len()
            ));
        }
        if fun == AtomicFun::CompareExchange {
            values.swap(0, 1); // the value comes before what is compared
        }
        if ins.has("release") || ins.has("acq_rel") {
            self.fence();
        }
        self.access(address, space, &mut |s, object, at, imm| {
            if matches!(object.space, Space::Local | Space::Const | Space::Param) {
                return s.unsupported("atomics on local or constant memory are not supported");
            }
            let wide = if held.wide() { Ty::U64 } else { Ty::U32 };
            let old = dst.map(|_| s.prog.reg(wide, false));
            let mut src = vec![at];
            src.extend(&values);
            let dsts: Vec<Reg> = old.into_iter().collect();
            let mut atomic = Ins::new(Op::Atomic(fun, held), &dsts, &src, s.at);
            (atomic.imm, atomic.mem) = (imm, object.mem);
            s.push(atomic);
            match (dst, old) {
                (Some(dst), Some(old)) => s.set(dst, old),
                _ => Ok(()),
            }
        })?;
        if ins.has("acquire") || ins.has("acq_rel") {
            self.fence();
        }
        Ok(())
    }

    /// What an atomic does, and where its result goes.
    fn wanted<'a>(&self, ins: &Instr, ty: Type, dst: Option<&'a Arg>) -> Res<(AtomicFun, Option<&'a Arg>)> {
        let unread = match dst {
            Some(Arg::Reg(reg)) => !self.read.contains(reg),
            Some(Arg::Discard) | None => true,
            _ => false,
        };
        // an exchange for nothing is a store: what was there before need not have been written
        Ok(match self.atomic_fun(ins, ty)? {
            AtomicFun::Exchange if unread => (AtomicFun::Store, None),
            fun => (fun, dst),
        })
    }

    fn atomic_type(&self, ty: Type) -> Res<Ty> {
        Ok(match (ty.base, ty.bits, ty.pair) {
            (_, 32, true) | (Base::Bits | Base::Unsigned, 32, _) => Ty::U32,
            (Base::Signed, 32, _) => Ty::I32,
            (Base::Float, 32, _) => Ty::F32,
            (Base::Bits | Base::Unsigned, 64, _) => Ty::U64,
            (Base::Signed, 64, _) => Ty::I64,
            (Base::Float, 64, _) => Ty::F64,
            (Base::Float | Base::Brain, 16, _) => Ty::U32,
            _ => return self.unsupported(format!("atomics of {} bits are not supported", ty.bits)),
        })
    }

    fn atomic_fun(&self, ins: &Instr, ty: Type) -> Res<AtomicFun> {
        let named = ins.op.iter().skip(1).find_map(|m| {
            Some(match m.as_str() {
                "add" if ty.pair && ty.base == Base::Float => AtomicFun::AddPair(Num::F16),
                "add" if ty.pair => AtomicFun::AddPair(Num::Bf16),
                "add" if ty.bits == 16 && ty.base == Base::Float => AtomicFun::AddHalf(Num::F16),
                "add" if ty.bits == 16 && ty.base == Base::Brain => AtomicFun::AddHalf(Num::Bf16),
                "add" => AtomicFun::Add,
                "min" => AtomicFun::Min,
                "max" => AtomicFun::Max,
                "and" => AtomicFun::And,
                "or" => AtomicFun::Or,
                "xor" => AtomicFun::Xor,
                "exch" => AtomicFun::Exchange,
                "cas" => AtomicFun::CompareExchange,
                "inc" => AtomicFun::Increment,
                "dec" => AtomicFun::Decrement,
                _ => return None,
            })
        });
        match named {
            Some(fun) if !ty.pair && ty.bits > 16 || is_of_halves(fun) => Ok(fun),
            _ => self.unsupported_op(ins),
        }
    }
}

/// Whether an operation is of 16 bits, or of two times as many.
fn is_of_halves(fun: AtomicFun) -> bool {
    matches!(fun, AtomicFun::AddPair(_) | AtomicFun::AddHalf(_))
}
