//! Loads and stores of values, and the lengths of arrays.

use super::build::{Lower, Res};
use super::frame::{Frame, Item, Value};
use crate::api::error::RunError;
use crate::emit::place::Place;
use crate::ir::{AtomicFun, Ins, Op, Reg, Ty};
use naga::{Expression, Handle, TypeInner};

impl<'a> Lower<'a> {
    /// The value at a place.
    pub fn load_leaves(&mut self, place: &Place, inner: &TypeInner) -> Res<Value> {
        let leaves = if let Place::Mem { .. } = place { self.leaves(inner, 0)? } else { Vec::new() };
        self.load_place(place, &leaves)
    }

    /// Writes a value to a place.
    pub fn store_leaves(&mut self, place: &Place, inner: &TypeInner, value: &[Reg]) -> Res<()> {
        let leaves = if let Place::Mem { .. } = place { self.leaves(inner, 0)? } else { Vec::new() };
        self.store_place(place, &leaves, value)
    }

    pub fn array_length(&mut self, frame: &mut Frame<'a>, pointer: Handle<Expression>) -> Res<Reg> {
        let place = self.pointer(frame, pointer)?;
        let inner = self.pointee(frame, pointer)?;
        let Place::Mem { mem, offset, .. } = place else {
            return Err(RunError::Unsupported("arrayLength of something that is not a buffer".into()));
        };
        let dst = self.prog.reg(Ty::U32, false);
        let mut ins = Ins::new(Op::ArrayLength, &[dst], &[], self.at);
        (ins.mem, ins.imm, ins.imm2) = (mem, offset, self.element(&inner)?.2);
        self.push(ins)?;
        Ok(dst)
    }

    /// `workgroupUniformLoad`: a barrier, a load that all lanes share, a barrier.
    pub fn uniform_load(
        &mut self,
        frame: &mut Frame<'a>,
        pointer: Handle<Expression>,
        result: Handle<Expression>,
    ) -> Res<()> {
        let place = self.pointer(frame, pointer)?;
        if let Place::Mem { addr: Some(addr), .. } = place {
            self.add(Op::AssertUniform, &[], &[addr])?;
        }
        let inner = self.pointee(frame, pointer)?;
        self.barrier(naga::Barrier::WORK_GROUP)?;
        let value = match inner {
            TypeInner::Atomic(scalar) => {
                let ty = super::types::scalar_ty(scalar)?;
                let dst = self.prog.reg(ty, false);
                self.push_atomic(&place, AtomicFun::Load, ty, &[], &[dst])?;
                vec![dst]
            }
            _ => self.load_leaves(&place, &inner)?,
        };
        self.barrier(naga::Barrier::WORK_GROUP)?;
        frame.items.insert(result, Item::Value(value));
        Ok(())
    }
}
