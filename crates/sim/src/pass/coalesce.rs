//! What is computed only to be copied into a variable is computed into it.

use super::uses::reads;
use crate::ir::{Block, Op, Program, Reg};

pub fn coalesce(prog: &mut Program) {
    let counts = reads(prog);
    let vars: Vec<bool> = prog.regs.iter().map(|r| r.var).collect();
    for block in &mut prog.blocks {
        let mut gone = vec![false; block.ins.len()];
        for i in 0..block.ins.len() {
            let copy = block.ins[i];
            let (var, value) = (copy.dst[0], copy.src[0]);
            let direct = matches!(copy.op, Op::Move(_)) && vars[var as usize] && !vars[value as usize];
            if direct
                && counts[value as usize] == 1
                && let Some(at) = definition(block, &gone, i, var, value)
            {
                let ins = &mut block.ins[at];
                ins.dst.iter_mut().filter(|dst| **dst == value).for_each(|dst| *dst = var);
                ins.masked = true;
                gone[i] = true;
            }
        }
        let mut gone = gone.into_iter();
        block.ins.retain(|_| !gone.next().unwrap_or(false));
    }
}

/// How far back a definition is looked for.
const WINDOW: usize = 64;

/// Where a value is computed in the block, if the variable is not touched between there and its copy.
fn definition(block: &Block, gone: &[bool], i: usize, var: Reg, value: Reg) -> Option<usize> {
    let first = i.saturating_sub(WINDOW);
    for at in (first..i).rev().filter(|&at| !gone[at]) {
        let ins = &block.ins[at];
        if ins.defs().any(|r| r == value) {
            let whole = matches!(
                ins.op,
                Op::SubgroupScan(..)
                    | Op::SubgroupAll
                    | Op::SubgroupAny
                    | Op::SubgroupBallot
                    | Op::SubgroupGather(..)
                    | Op::Warp(_)
            );
            // results of several registers must not overwrite what they are computed from
            let own = ins.dst[1] != crate::ir::NONE && ins.uses().any(|r| r == var);
            let twice = ins.defs().any(|r| r == var);
            return (!whole && !own && !twice).then_some(at);
        }
        if ins.uses().chain(ins.defs()).any(|r| r == var) {
            return None;
        }
    }
    None
}
