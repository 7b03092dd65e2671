//! Where blocks are cut: so that workgroups may take turns, before each access that others see; and where lanes meet.

use crate::ir::{Block, Ins, MemSpace, NONE, Op, Program, Warp};

/// Whether other workgroups may see what an instruction does, or do what it sees.
pub fn is_shared(prog: &Program, ins: &Ins) -> bool {
    let accesses = matches!(ins.op, Op::Load(_) | Op::Store(_) | Op::Atomic(..));
    accesses && {
        let mem = &prog.mems[ins.mem as usize];
        mem.space == MemSpace::Global && mem.writable
    }
}

/// Whether other lanes may see what an instruction does.
pub fn is_seen(prog: &Program, ins: &Ins) -> bool {
    match ins.op {
        Op::Store(_) => prog.mems[ins.mem as usize].space != MemSpace::Private,
        Op::Atomic(..) | Op::Warp(Warp::Arrive) => true,
        _ => false,
    }
}

/// The decoded block that each block begins with, where blocks are cut before some instructions.
pub fn firsts(prog: &Program, cuts: impl Fn(&Ins) -> bool) -> Vec<u32> {
    let pieces = |block: &Block| 1 + block.ins.iter().skip(1).filter(|ins| cuts(ins)).count() as u32;
    let mut next = 0;
    let begin = |block| {
        let first = next;
        next += pieces(block);
        first
    };
    prog.blocks.iter().map(begin).collect()
}

/// The operand that names the lanes that meet at an instruction, if that is known where its block begins.
pub fn mask_known(all: &[Ins], number: usize) -> Option<usize> {
    let Op::Warp(warp) = all[number].op else { return None };
    let slot = warp.mask()?;
    let mask = all[number].src[slot];
    let late = all[..number].iter().any(|ins| ins.defs().any(|dst| dst == mask));
    (mask != NONE && !late).then_some(slot)
}
