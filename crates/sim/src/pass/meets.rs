//! Blocks begin where lanes of a warp meet: those that are early then wait before it for those that it names.

use crate::ir::{Block, Ins, NONE, Op, Program, Term};

/// Cuts blocks before what the lanes that a mask names do together, where lanes may wait for others in loops. Gives
/// the new order of blocks.
pub fn split(prog: &mut Program, order: &[u32]) -> Vec<u32> {
    let waits = prog.blocks.iter().flat_map(|block| &block.ins).any(|ins| matches!(ins.op, Op::Atomic(..)));
    if !waits {
        return order.to_vec();
    }
    let mut out = Vec::with_capacity(order.len());
    for &first in order {
        let mut at = first;
        out.push(at);
        while let Some(place) = prog.blocks[at as usize].ins.iter().skip(1).position(meets) {
            let next = prog.blocks.len() as u32;
            let block = &mut prog.blocks[at as usize];
            let ins = block.ins.split_off(place + 1);
            let rest = Block { ins, term: block.term, at: block.at };
            block.term = Term::Jump(next);
            prog.blocks.push(rest);
            out.push(next);
            at = next;
        }
    }
    out
}

fn meets(ins: &Ins) -> bool {
    let Op::Warp(warp) = ins.op else { return false };
    warp.mask().is_some_and(|slot| ins.src[slot] != NONE)
}
