//! Where blocks are cut: so that workgroups may take turns, before each access that others see; and where lanes meet.

use crate::ir::{Block, Ins, MemSpace, NONE, Op, Program, Term, Warp};

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

/// Which ways at the end of a block are a `return` of the kernel: they lead to its end at once, and the source says so
/// at that line or soon after.
pub fn returns(prog: &Program, block: &Block) -> [bool; 2] {
    let Term::Branch(_, yes, no) = block.term else { return [false; 2] };
    let said = prog.rules.parks && says_return(prog, prog.source.line(block.at));
    [yes, no].map(|to| said && is_end(prog, to))
}

/// Whether a block does nothing but end the kernel.
fn is_end(prog: &Program, block: u32) -> bool {
    let block = &prog.blocks[block as usize];
    block.ins.is_empty() && block.term == Term::Return
}

/// Whether a line has a `return`, or one of the next: its condition may go over several. In PTX it is a branch.
fn says_return(prog: &Program, line: u32) -> bool {
    const WORDS: [&str; 3] = ["return", "bra", "ret"];
    (line..line + 3).any(|line| {
        let text = prog.source.text(line);
        text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| WORDS.contains(&word))
    })
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
