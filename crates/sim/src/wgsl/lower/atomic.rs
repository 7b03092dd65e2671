//! Atomic statements.

use super::build::{Lower, Res};
use super::frame::{Frame, Item};
use crate::api::error::RunError;
use crate::emit::place::Place;
use crate::ir::{AtomicFun, Ins, Op, Reg, Ty};
use naga::{AtomicFunction, Expression, Handle};

impl<'a> Lower<'a> {
    pub fn atomic(
        &mut self,
        frame: &mut Frame<'a>,
        pointer: Handle<Expression>,
        fun: &AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) -> Res<()> {
        let ty = self.scalar_of(frame, value)?;
        let value = self.one(frame, value)?;
        let mut src = vec![value];
        let fun = match *fun {
            AtomicFunction::Add => AtomicFun::Add,
            AtomicFunction::Subtract => AtomicFun::Sub,
            AtomicFunction::And => AtomicFun::And,
            AtomicFunction::ExclusiveOr => AtomicFun::Xor,
            AtomicFunction::InclusiveOr => AtomicFun::Or,
            AtomicFunction::Min => AtomicFun::Min,
            AtomicFunction::Max => AtomicFun::Max,
            AtomicFunction::Exchange { compare: None } => AtomicFun::Exchange,
            AtomicFunction::Exchange { compare: Some(compare) } => {
                src.push(self.one(frame, compare)?);
                AtomicFun::CompareExchange
            }
        };
        let mut dst = Vec::new();
        if result.is_some() {
            dst.push(self.prog.reg(ty, false));
            if fun == AtomicFun::CompareExchange {
                dst.push(self.prog.reg(Ty::Bool, false));
            }
        }
        let place = self.pointer(frame, pointer)?;
        self.push_atomic(&place, fun, ty, &src, &dst)?;
        if let Some(result) = result {
            frame.items.insert(result, Item::Value(dst));
        }
        Ok(())
    }

    pub fn push_atomic(
        &mut self,
        place: &Place,
        fun: AtomicFun,
        ty: Ty,
        values: &[Reg],
        dst: &[Reg],
    ) -> Res<()> {
        let Place::Mem { mem, addr, offset } = *place else {
            return Err(RunError::Unsupported(
                "an atomic operation on something that is not in memory".into(),
            ));
        };
        let base = self.base(addr);
        let mut src = vec![base];
        src.extend(values);
        let mut ins = Ins::new(Op::Atomic(fun, ty), dst, &src, self.at);
        (ins.mem, ins.imm) = (mem, offset);
        self.push(ins)
    }
}
