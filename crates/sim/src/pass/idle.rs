//! Parts of vectors that nobody reads: compilers load four where three are wanted, or copy what fills a struct up.
//! They must be in bounds, but what is there does not matter.

use super::uses::reads;
use crate::ir::{Op, Program};
use crate::ptx::idle;

pub fn mark(prog: &mut Program) {
    if !prog.rules.pointers {
        return;
    }
    let counts = reads(prog);
    for ins in prog.blocks.iter_mut().flat_map(|block| &mut block.ins) {
        let several = matches!(ins.op, Op::Load(_)) && ins.defs().count() > 1;
        let unread = ins.defs().enumerate().filter(|(_, reg)| counts[*reg as usize] == 0);
        let marks = unread.fold(0, |marks, (part, _)| marks | idle(part));
        ins.imm2 |= if several { marks } else { 0 };
    }
}
