//! Copies go: who reads a copy reads the original while that has not changed.

use super::uses::{reads, replace};
use crate::ir::{NONE, Op, Program, Reg, Term};

pub fn propagate(prog: &mut Program) {
    let mut with: Vec<Reg> = (0..prog.regs.len() as Reg).collect();
    for block in &prog.blocks {
        for ins in &block.ins {
            let (dst, src) = (ins.dst[0], ins.src[0]);
            if let Op::Move(_) = ins.op
                && !prog.regs[dst as usize].var
                && !prog.regs[src as usize].var
            {
                with[dst as usize] = with[src as usize];
            }
        }
    }
    replace(prog, &with);
    let counts = reads(prog);
    for b in 0..prog.blocks.len() {
        for i in 0..prog.blocks[b].ins.len() {
            let ins = prog.blocks[b].ins[i];
            let (dst, src) = (ins.dst[0], ins.src[0]);
            if let Op::Move(_) = ins.op
                && !prog.regs[dst as usize].var
                && prog.regs[src as usize].var
            {
                copy_of_variable(prog, b, i, counts[dst as usize]);
            }
        }
    }
}

/// A copy of a variable is read in place of it if all its readers come before the variable's next change, in
/// one block.
fn copy_of_variable(prog: &mut Program, b: usize, i: usize, readers: u32) {
    let (copy, var) = (prog.blocks[b].ins[i].dst[0], prog.blocks[b].ins[i].src[0]);
    let block = &prog.blocks[b];
    let mut seen = 0;
    let mut end = block.ins.len();
    let mut changed = false;
    for (j, ins) in block.ins.iter().enumerate().skip(i + 1) {
        seen += ins.uses().filter(|&r| r == copy).count() as u32;
        if seen == readers {
            end = j + 1;
            break;
        }
        if ins.defs().any(|r| r == var) {
            end = j + 1;
            changed = true;
            break;
        }
    }
    let branch = matches!(block.term, Term::Branch(c, ..) if c == copy);
    seen += u32::from(branch && !changed);
    if seen != readers {
        return;
    }
    let block = &mut prog.blocks[b];
    for src in block.ins[i + 1..end].iter_mut().flat_map(|ins| &mut ins.src) {
        if *src == copy && *src != NONE {
            *src = var;
        }
    }
    if let Term::Branch(condition, ..) = &mut block.term
        && *condition == copy
    {
        *condition = var;
    }
}
