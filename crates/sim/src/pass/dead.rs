//! What nobody reads is not computed.

use super::uses::reads;
use crate::ir::{NONE, Program};

pub fn remove(prog: &mut Program) {
    let mut counts = reads(prog);
    let mut changed = true;
    while changed {
        changed = false;
        // from the end, so that a chain of dead instructions goes at once
        for block in prog.blocks.iter_mut().rev() {
            let len = block.ins.len();
            let mut kept = Vec::with_capacity(len);
            for ins in block.ins.drain(..).rev() {
                let idle = ins.dst[0] != NONE && ins.defs().all(|r| counts[r as usize] == 0);
                if idle && ins.op.pure() {
                    ins.uses().for_each(|r| counts[r as usize] -= 1);
                } else {
                    kept.push(ins);
                }
            }
            kept.reverse();
            changed |= kept.len() != len;
            block.ins = kept;
        }
    }
}
