//! Workers that ran workgroups side by side become one result: what they wrote is joined, and where they
//! touched the same memory it is seen.

use super::machine::Machine;
use super::mem::object::Mem;
use crate::ir::{AtomicFun, MemSpace, Op, Program};
use rayon::prelude::*;

/// How the atomic operations on a buffer by several workers add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// No atomics: each word has one writer.
    Bits,
    Add,
    And,
    Or,
    Min {
        signed: bool,
    },
    Max {
        signed: bool,
    },
}

/// How each buffer's writes by several workers are joined; none where workers would see each other's.
pub fn joins(prog: &Program) -> Option<Vec<Join>> {
    let mut joins: Vec<Option<Join>> = vec![None; prog.mems.len()];
    for ins in prog.blocks.iter().flat_map(|block| &block.ins) {
        let Op::Atomic(fun, ty) = ins.op else { continue };
        if prog.mems[ins.mem as usize].space != MemSpace::Global {
            continue;
        }
        if ins.defs().next().is_some() && used(prog, ins.dst[0]) || ty.is_float() || ty.wide() {
            return None;
        }
        let signed = ty == crate::ir::Ty::I32;
        let join = match fun {
            AtomicFun::Add | AtomicFun::Sub => Join::Add,
            AtomicFun::And => Join::And,
            AtomicFun::Or => Join::Or,
            AtomicFun::Xor => Join::Bits,
            AtomicFun::Min => Join::Min { signed },
            AtomicFun::Max => Join::Max { signed },
            _ => return None,
        };
        let slot = &mut joins[ins.mem as usize];
        if slot.is_some_and(|before| before != join) {
            return None;
        }
        *slot = Some(join);
    }
    for ins in prog.blocks.iter().flat_map(|block| &block.ins) {
        if let Op::Load(_) | Op::Store(_) = ins.op
            && joins[ins.mem as usize].is_some()
        {
            return None; // a buffer with atomics and other accesses
        }
    }
    Some(joins.into_iter().map(|join| join.unwrap_or(Join::Bits)).collect())
}

fn used(prog: &Program, reg: u32) -> bool {
    prog.blocks.iter().any(|block| {
        block.ins.iter().any(|ins| ins.uses().any(|r| r == reg))
            || matches!(block.term, crate::ir::Term::Branch(r, ..) if r == reg)
    })
}

/// Adds what another worker wrote to the first one's memory. Returns whether both touched one grain.
pub fn merge(
    into: &mut Machine,
    other: &Machine,
    original: &[Option<std::sync::Arc<Vec<u32>>>],
    joins: &[Join],
) -> bool {
    let mut clash = false;
    for (i, mem) in into.mems.iter_mut().enumerate() {
        let Some(original) = &original[i] else { continue };
        let theirs = &other.mems[i];
        if mem.space != MemSpace::Global || !into.prog.mems[i].writable {
            continue;
        }
        clash |= joins[i] == Join::Bits && !atomic_only(&into.prog, i) && touched(mem, theirs);
        join_words(mem, theirs, original, joins[i]);
        if let (Some(mine), Some(theirs)) = (&mut mem.init, &theirs.init) {
            mine.iter_mut().zip(theirs).for_each(|(a, b)| *a |= b);
        }
    }
    clash
}

fn atomic_only(prog: &Program, mem: usize) -> bool {
    let mut touches = prog.blocks.iter().flat_map(|b| &b.ins).filter(|ins| ins.mem as usize == mem);
    touches.all(|ins| matches!(ins.op, Op::Atomic(..) | Op::ArrayLength))
}

/// Whether two workers touched one grain, at least one writing; the first one's shadow learns of the other's.
fn touched(mine: &mut Mem, theirs: &Mem) -> bool {
    let (Some(a), Some(b)) = (&mut mine.shadow, &theirs.shadow) else { return false };
    let mut clash = false;
    for (mine, theirs) in a.writes.iter().zip(&b.reads) {
        clash |= *mine != 0 && *theirs != 0;
    }
    for (mine, theirs) in a.reads.iter_mut().zip(&b.reads).zip(&b.writes).map(|((a, b), w)| {
        clash |= *a != 0 && *w != 0;
        (a, b)
    }) {
        *mine |= theirs;
    }
    for (mine, theirs) in a.writes.iter_mut().zip(&b.writes) {
        clash |= *mine != 0 && *theirs != 0;
        *mine |= theirs;
    }
    clash
}

fn join_words(mine: &mut Mem, theirs: &Mem, original: &[u32], join: Join) {
    let (mine, theirs) = (mine.words.get_mut(), theirs.words.get());
    match join {
        Join::Bits => each(mine, theirs, original, |a, b, o| a ^ b ^ o),
        Join::Add => each(mine, theirs, original, |a, b, o| a.wrapping_add(b.wrapping_sub(o))),
        Join::And => each(mine, theirs, original, |a, b, _| a & b),
        Join::Or => each(mine, theirs, original, |a, b, _| a | b),
        Join::Min { signed: false } => each(mine, theirs, original, |a, b, _| a.min(b)),
        Join::Max { signed: false } => each(mine, theirs, original, |a, b, _| a.max(b)),
        Join::Min { signed: true } => each(mine, theirs, original, |a, b, _| (a as i32).min(b as i32) as u32),
        Join::Max { signed: true } => each(mine, theirs, original, |a, b, _| (a as i32).max(b as i32) as u32),
    }
}

/// Joins word by word, in parts side by side.
fn each(mine: &mut [u32], theirs: &[u32], original: &[u32], f: impl Fn(u32, u32, u32) -> u32 + Sync) {
    const PART: usize = 1 << 16;
    let parts = mine.par_chunks_mut(PART).zip(theirs.par_chunks(PART)).zip(original.par_chunks(PART));
    parts.for_each(|((mine, theirs), original)| {
        for ((a, b), o) in mine.iter_mut().zip(theirs).zip(original) {
            *a = f(*a, *b, *o);
        }
    });
}
