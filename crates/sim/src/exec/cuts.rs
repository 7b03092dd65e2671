//! Where blocks are cut so that workgroups may take turns: before each access that others see.

use crate::ir::{Block, Ins, MemSpace, Op, Program};

/// Whether other workgroups may see what an instruction does, or do what it sees.
pub fn is_shared(prog: &Program, ins: &Ins) -> bool {
    let accesses = matches!(ins.op, Op::Load(_) | Op::Store(_) | Op::Atomic(..));
    accesses && {
        let mem = &prog.mems[ins.mem as usize];
        mem.space == MemSpace::Global && mem.writable
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
