//! Loads and stores of values, scalar by scalar, in runs of consecutive elements.

use super::build::{Lower, Res};
use super::frame::{Frame, Item, Value};
use super::place::Place;
use super::types::Leaf;
use crate::api::error::RunError;
use crate::ir::{AtomicFun, Bin, Fmt, Ins, Op, Reg, Ty};
use naga::{Expression, Handle, TypeInner};

/// Elements that one instruction moves at most.
const LONGEST_RUN: usize = 4;

impl<'a> Lower<'a> {
    /// The value at a place.
    pub fn load_leaves(&mut self, place: &Place, inner: &TypeInner) -> Res<Value> {
        match place {
            Place::Regs(regs) => self.snapshot(regs),
            Place::Pick { parts, index } => self.load_pick(parts, *index),
            Place::Mem { mem, addr, offset } => {
                let leaves = self.leaves(inner, *offset)?;
                let mut value = Vec::new();
                for run in runs(&leaves) {
                    let regs: Vec<_> = run.iter().map(|leaf| self.prog.reg(leaf.ty, false)).collect();
                    let base = self.base(*addr);
                    let mut ins = Ins::new(Op::Load(Fmt::of(run[0].ty)), &regs, &[base], self.at);
                    (ins.mem, ins.imm) = (*mem, run[0].offset);
                    self.push(ins)?;
                    value.extend(regs);
                }
                Ok(value)
            }
        }
    }

    /// Writes a value to a place.
    pub fn store_leaves(&mut self, place: &Place, inner: &TypeInner, value: &[Reg]) -> Res<()> {
        match place {
            Place::Regs(regs) => {
                for (&var, &value) in regs.iter().zip(value) {
                    self.assign(var, value)?;
                }
            }
            Place::Pick { parts, index } => {
                for (i, part) in parts.iter().enumerate() {
                    let i = self.u32(i as u32);
                    let hit = self.emit(Op::Bin(Bin::Eq, Ty::U32), Ty::Bool, &[*index, i])?;
                    for (&var, &value) in part.iter().zip(value) {
                        let new = self.pick(hit, value, var)?;
                        self.assign(var, new)?;
                    }
                }
                self.check_index(*index, parts.len())?;
            }
            Place::Mem { mem, addr, offset } => {
                let leaves = self.leaves(inner, *offset)?;
                let mut at = 0;
                for run in runs(&leaves) {
                    let base = self.base(*addr);
                    let mut src = vec![base];
                    src.extend(&value[at..at + run.len()]);
                    let mut ins = Ins::new(Op::Store(Fmt::of(run[0].ty)), &[], &src, self.at);
                    (ins.mem, ins.imm) = (*mem, run[0].offset);
                    self.push(ins)?;
                    at += run.len();
                }
            }
        }
        Ok(())
    }

    /// One of several parts, chosen by an index; zero where it is out of range.
    pub fn load_pick(&mut self, parts: &[Vec<Reg>], index: Reg) -> Res<Value> {
        let Some(first) = parts.first() else { return Ok(Vec::new()) };
        let types: Vec<_> = first.iter().map(|&r| self.prog.regs[r as usize].ty).collect();
        let mut out: Value = types.iter().map(|&ty| self.constant(ty, 0)).collect();
        for (i, part) in parts.iter().enumerate() {
            let i = self.u32(i as u32);
            let hit = self.emit(Op::Bin(Bin::Eq, Ty::U32), Ty::Bool, &[index, i])?;
            out = self.select(&[hit], part, &out)?;
        }
        self.check_index(index, parts.len())?;
        Ok(out)
    }

    /// Reports an index out of range.
    fn check_index(&mut self, index: Reg, len: usize) -> Res<()> {
        let mut ins = Ins::new(Op::CheckIndex, &[], &[index], self.at);
        ins.imm2 = len as u32;
        self.push(ins)
    }

    /// The register of the part of an address that is not constant.
    pub fn base(&mut self, addr: Option<Reg>) -> Reg {
        match addr {
            Some(addr) => addr,
            None => self.u32(0),
        }
    }

    pub fn array_length(&mut self, frame: &mut Frame<'a>, pointer: Handle<Expression>) -> Res<Reg> {
        let place = self.pointer(frame, pointer)?;
        let inner = self.pointee(frame, pointer)?;
        let Place::Mem { mem, offset, .. } = place else {
            return Err(RunError::Unsupported("arrayLength of what is no buffer".into()));
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
            self.push(Ins::new(Op::AssertUniform, &[], &[addr], self.at))?;
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

/// Splits leaves into runs of one format that follow each other without gaps.
fn runs(leaves: &[Leaf]) -> Vec<&[Leaf]> {
    let mut out = Vec::new();
    let mut start = 0;
    for i in 1..=leaves.len() {
        let joined = i < leaves.len()
            && i - start < LONGEST_RUN
            && Fmt::of(leaves[i].ty) == Fmt::of(leaves[start].ty)
            && leaves[i].offset == leaves[i - 1].offset + Fmt::of(leaves[i].ty).bytes();
        if !joined {
            out.push(&leaves[start..i]);
            start = i;
        }
    }
    out
}
