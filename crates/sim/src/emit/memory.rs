//! Loads and stores of values, scalar by scalar, in runs of consecutive elements; indices of arrays.

use super::place::Place;
use super::{Build, Res, Value};
use crate::ir::{Bin, Fmt, Ins, MemObject, MemSpace, Op, Reg, Ty};

/// One scalar of a composite in memory.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    pub offset: u32,
    pub ty: Ty,
    pub fmt: Fmt,
}

impl Leaf {
    pub fn new(offset: u32, ty: Ty) -> Leaf {
        Leaf { offset, ty, fmt: Fmt::of(ty) }
    }
}

/// An address that no memory has; added to small offsets it stays one.
pub const NOWHERE: u32 = 0x8000_0000;

/// Elements that one instruction moves at most.
const LONGEST_RUN: usize = 4;

impl Build {
    /// The value at a place.
    pub fn load_place(&mut self, place: &Place, leaves: &[Leaf]) -> Res<Value> {
        match place {
            Place::Regs(regs) => self.snapshot(regs),
            Place::Pick { parts, index } => self.load_pick(parts, *index),
            Place::Mem { mem, addr, offset } => {
                let mut value = Vec::new();
                for run in runs(leaves) {
                    let regs: Vec<_> = run.iter().map(|leaf| self.prog.reg(leaf.ty, false)).collect();
                    let base = self.base(*addr);
                    let mut ins = Ins::new(Op::Load(run[0].fmt), &regs, &[base], self.at);
                    (ins.mem, ins.imm) = (*mem, offset.saturating_add(run[0].offset));
                    self.push(ins)?;
                    value.extend(regs);
                }
                Ok(value)
            }
        }
    }

    /// Writes a value to a place.
    pub fn store_place(&mut self, place: &Place, leaves: &[Leaf], value: &[Reg]) -> Res<()> {
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
                let mut at = 0;
                for run in runs(leaves) {
                    let base = self.base(*addr);
                    let mut src = vec![base];
                    src.extend(&value[at..at + run.len()]);
                    let mut ins = Ins::new(Op::Store(run[0].fmt), &[], &src, self.at);
                    (ins.mem, ins.imm) = (*mem, offset.saturating_add(run[0].offset));
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
    pub fn check_index(&mut self, index: Reg, len: usize) -> Res<()> {
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

    /// An index as a u32: one that does not fit is out of every range.
    pub fn index_word(&mut self, index: Reg) -> Res<Reg> {
        let ty = self.prog.regs[index as usize].ty;
        if !ty.wide() {
            return Ok(index);
        }
        let most = self.constant(ty, u64::from(u32::MAX));
        let least = self.emit(Op::Bin(Bin::Min, Ty::U64), Ty::U64, &[index, most])?;
        self.emit(Op::Convert(Ty::U64, Ty::U32), Ty::U32, &[least])
    }

    /// `outer * len + inner`, or an index out of every range.
    fn flat_index(&mut self, outer: Reg, inner: Reg, len: Reg) -> Res<Reg> {
        let row = self.emit(Op::Bin(Bin::Mul, Ty::U32), Ty::U32, &[outer, len])?;
        let at = self.emit(Op::Bin(Bin::Add, Ty::U32), Ty::U32, &[row, inner])?;
        let fits = self.emit(Op::Bin(Bin::Lt, Ty::U32), Ty::Bool, &[inner, len])?;
        let none = self.u32(u32::MAX);
        self.pick(fits, at, none)
    }

    /// A pointer to one of `len` elements, `stride` bytes apart, each of `each` scalars, at an index that is known
    /// only while running. A `len` of 0 means an open end.
    pub fn indexed_place(
        &mut self,
        place: &Place,
        index: Reg,
        len: u32,
        stride: u32,
        each: usize,
    ) -> Res<Place> {
        match place {
            Place::Mem { mem, addr, offset } => {
                let base = self.base(*addr);
                let dst = self.prog.reg(Ty::U32, false);
                let mut ins = Ins::new(Op::Index, &[dst], &[base, index], self.at);
                ins.imm = stride;
                let open = (NOWHERE / 2) / stride.max(1);
                ins.imm2 = if len == 0 { open } else { len };
                self.push(ins)?;
                Ok(Place::Mem { mem: *mem, addr: Some(dst), offset: *offset })
            }
            Place::Regs(regs) => {
                Ok(Place::Pick { parts: regs.chunks(each.max(1)).map(<[Reg]>::to_vec).collect(), index })
            }
            Place::Pick { parts, index: outer } => {
                let parts = parts.iter().flat_map(|p| p.chunks(each.max(1)).map(<[Reg]>::to_vec)).collect();
                let (outer, len) = (*outer, self.u32(len));
                let index = self.flat_index(outer, index, len)?;
                Ok(Place::Pick { parts, index })
            }
        }
    }

    /// Private memory of so many bytes.
    pub fn private(&mut self, name: &str, size: u32) -> Place {
        let object = MemObject {
            name: name.to_owned(),
            size,
            zeroed: true,
            writable: true,
            ..unbound(MemSpace::Private)
        };
        self.memory(object)
    }

    /// Constant memory with these words.
    pub fn constant_place(&mut self, words: Vec<u32>) -> Place {
        let same = |m: &MemObject| m.space == MemSpace::Constant && m.words == words;
        if let Some(mem) = self.prog.mems.iter().position(same) {
            return Place::Mem { mem: mem as u32, addr: None, offset: 0 };
        }
        let size = words.len() as u32 * 4;
        self.memory(MemObject { name: "a constant array".into(), size, words, ..unbound(MemSpace::Constant) })
    }

    pub fn memory(&mut self, object: MemObject) -> Place {
        self.prog.mems.push(object);
        Place::Mem { mem: self.prog.mems.len() as u32 - 1, addr: None, offset: 0 }
    }
}

/// A memory object that no buffer is bound to.
pub fn unbound(space: MemSpace) -> MemObject {
    MemObject {
        name: String::new(),
        space,
        binding: None,
        size: 0,
        zeroed: false,
        writable: false,
        dynamic: false,
        in_place: false,
        words: Vec::new(),
    }
}

/// Splits leaves into runs of one format that follow each other without gaps.
fn runs(leaves: &[Leaf]) -> Vec<&[Leaf]> {
    let mut out = Vec::new();
    let mut start = 0;
    for i in 1..=leaves.len() {
        let joined = i < leaves.len()
            && i - start < LONGEST_RUN
            && leaves[i].fmt == leaves[start].fmt
            && leaves[i].offset == leaves[i - 1].offset + leaves[i].fmt.bytes();
        if !joined {
            out.push(&leaves[start..i]);
            start = i;
        }
    }
    out
}
