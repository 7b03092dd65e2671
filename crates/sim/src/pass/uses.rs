//! How often each register is read and written, and what may be computed anywhere.

use crate::ir::{Ins, MemSpace, Op, Program, Reg, Term};

/// How often each register is read.
pub fn reads(prog: &Program) -> Vec<u32> {
    let mut counts = vec![0; prog.regs.len()];
    for block in &prog.blocks {
        block.ins.iter().flat_map(Ins::uses).for_each(|r| counts[r as usize] += 1);
        if let Term::Branch(condition, ..) = block.term {
            counts[condition as usize] += 1;
        }
    }
    counts
}

/// Replaces reads of one register by reads of another, everywhere.
pub fn replace(prog: &mut Program, with: &[Reg]) {
    for block in &mut prog.blocks {
        for src in block.ins.iter_mut().flat_map(|ins| &mut ins.src) {
            if let Some(&new) = with.get(*src as usize) {
                *src = new;
            }
        }
        if let Term::Branch(condition, ..) = &mut block.term {
            *condition = with[*condition as usize];
        }
    }
}

/// Whether an instruction may be computed at another time: it only computes, or it reads memory that nobody
/// writes at a place that is always there.
pub fn movable(prog: &Program, ins: &Ins) -> bool {
    if let Op::Load(fmt) = ins.op {
        let mem = &prog.mems[ins.mem as usize];
        let end = u64::from(ins.imm) + u64::from(fmt.bytes()) * ins.defs().count() as u64;
        let at = prog.consts.binary_search_by_key(&ins.src[0], |&(reg, _)| reg);
        let zero = at.is_ok_and(|at| prog.consts[at].1 == 0);
        return !mem.writable && zero && end <= u64::from(mem.size) && mem.space == MemSpace::Global;
    }
    ins.op.pure()
}

/// Whether an instruction defines nothing but registers that are written once.
pub fn defines_once(prog: &Program, ins: &Ins) -> bool {
    ins.defs().all(|r| !prog.regs[r as usize].var)
}
