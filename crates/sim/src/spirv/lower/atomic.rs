//! Atomic operations.

use super::Lower;
use crate::emit::place::Place;
use crate::emit::{Res, Value};
use crate::ir::{AtomicFun, Ins, MemSpace, Op as Code, Reg, Ty};
use crate::spirv::decode::Inst;
use crate::spirv::types::{Scalar, broken};
use spirv::{MemorySemantics, Op};

impl Lower<'_> {
    pub fn atomic(&mut self, inst: &Inst) -> Res<()> {
        let ty = self.type_of(inst.arg(0))?;
        let ty = self.types().pointee(ty)?;
        let scalar = self.types().scalar(ty)?;
        let ty = atomic_type(inst.op, scalar);
        let Some(ty) = ty else {
            return self.unsupported(&format!("the simulator has no such atomic of {} bits", scalar.width()));
        };
        let one = self.constant(ty, 1);
        let (fun, operands): (AtomicFun, Vec<Reg>) = match inst.op {
            Op::AtomicLoad => (AtomicFun::Load, Vec::new()),
            Op::AtomicIIncrement => (AtomicFun::Add, vec![one]),
            Op::AtomicIDecrement => (AtomicFun::Sub, vec![one]),
            Op::AtomicStore => (AtomicFun::Store, vec![self.one(inst.arg(3))?]),
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                (AtomicFun::CompareExchange, vec![self.one(inst.arg(4))?, self.one(inst.arg(5))?])
            }
            _ => (function(inst.op)?, vec![self.one(inst.arg(3))?]),
        };
        let wide = |reg: &Reg| self.prog.wide(*reg);
        if operands.iter().any(|reg| wide(reg) != ty.wide()) {
            return Err(broken(format!("{} with an operand of another width", inst.name())));
        }
        let gives = inst.id != 0;
        self.fence_of(inst, MemorySemantics::RELEASE)?;
        let results = if gives { vec![ty] } else { Vec::new() };
        let value = self.at_pointer(inst.arg(0), &results, &mut |own, place, _, _| {
            own.atomic_at(place, (fun, ty), gives, &operands)
        })?;
        self.fence_of(inst, MemorySemantics::ACQUIRE)?;
        if gives { self.set(inst, value) } else { Ok(()) }
    }

    fn atomic_at(
        &mut self,
        place: &Place,
        (fun, ty): (AtomicFun, Ty),
        gives: bool,
        operands: &[Reg],
    ) -> Res<Value> {
        let &Place::Mem { mem, addr, offset } = place else {
            return self.unsupported("an atomic operation on what is not memory");
        };
        if self.prog.mems[mem as usize].space == MemSpace::Constant {
            return self.unsupported("an atomic operation on push constants");
        }
        let dst: Vec<Reg> = if gives { vec![self.prog.reg(ty, false)] } else { Vec::new() };
        let src = [&[self.base(addr)], operands].concat();
        let mut ins = Ins::new(Code::Atomic(fun, ty), &dst, &src, self.at);
        (ins.mem, ins.imm) = (mem, offset);
        self.push(ins)?;
        Ok(dst)
    }
}

/// The type that an atomic operation works on.
fn atomic_type(op: Op, scalar: Scalar) -> Option<Ty> {
    let signed = matches!(op, Op::AtomicSMin | Op::AtomicSMax);
    Some(match scalar {
        Scalar::Int { width: 32, .. } if signed => Ty::I32,
        Scalar::Int { width: 32, .. } => Ty::U32,
        Scalar::Int { width: 64, .. } if signed => Ty::I64,
        Scalar::Int { width: 64, .. } => Ty::U64,
        Scalar::Float { width: 32 } => Ty::F32,
        Scalar::Float { width: 64 } => Ty::F64,
        _ => return None,
    })
}

fn function(op: Op) -> Res<AtomicFun> {
    Ok(match op {
        Op::AtomicExchange => AtomicFun::Exchange,
        Op::AtomicIAdd | Op::AtomicFAddEXT => AtomicFun::Add,
        Op::AtomicISub => AtomicFun::Sub,
        Op::AtomicSMin | Op::AtomicUMin | Op::AtomicFMinEXT => AtomicFun::Min,
        Op::AtomicSMax | Op::AtomicUMax | Op::AtomicFMaxEXT => AtomicFun::Max,
        Op::AtomicAnd => AtomicFun::And,
        Op::AtomicOr => AtomicFun::Or,
        Op::AtomicXor => AtomicFun::Xor,
        other => return Err(broken(format!("Op{other:?} is not an atomic operation"))),
    })
}
