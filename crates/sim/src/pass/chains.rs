//! Addresses of elements of arrays of arrays, put together so that what changes least comes first: `tile[k][lane]` in a
//! loop over k then starts from `lane * 4`, which does not change in the loop.

use super::uses::reads;
use crate::ir::{NONE, Op, Program};

/// Swaps the steps of an address where the outer index changes in more loops than the inner one.
pub fn reorder(prog: &mut Program) {
    let counts = reads(prog);
    let homes = homes(prog);
    for b in 0..prog.blocks.len() {
        for i in 0..prog.blocks[b].ins.len() {
            let inner = prog.blocks[b].ins[i];
            if inner.op != Op::Index {
                continue;
            }
            let first = i.saturating_sub(8);
            let before = &prog.blocks[b].ins[first..i];
            let Some(o) = before.iter().position(|ins| ins.op == Op::Index && ins.dst[0] == inner.src[0])
            else {
                continue;
            };
            let outer = prog.blocks[b].ins[first + o];
            // only an address that nothing else starts from, and an inner index that is there already
            let alone = counts[outer.dst[0] as usize] == 1 && outer.src[0] != NONE;
            let ready = homes[inner.src[1] as usize] < homes[outer.src[1] as usize];
            if !(alone && ready) {
                continue;
            }
            let (a, z) = (&mut prog.blocks[b].ins, first + o);
            (a[z].src[1], a[z].imm, a[z].imm2, a[z].at) = (inner.src[1], inner.imm, inner.imm2, inner.at);
            (a[i].src[1], a[i].imm, a[i].imm2, a[i].at) = (outer.src[1], outer.imm, outer.imm2, outer.at);
        }
    }
}

/// How deep in loops each register is written at most.
fn homes(prog: &Program) -> Vec<usize> {
    let mut homes = vec![0; prog.regs.len()];
    for (b, block) in prog.blocks.iter().enumerate() {
        let depth = prog.loops.iter().filter(|(start, end)| (*start..*end).contains(&(b as u32))).count();
        for reg in block.ins.iter().flat_map(crate::ir::Ins::defs) {
            let home: &mut usize = &mut homes[reg as usize];
            *home = (*home).max(depth);
        }
    }
    homes
}
