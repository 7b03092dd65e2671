//! A product that only a sum reads becomes one instruction with it; it is still rounded twice.

use super::uses::reads;
use crate::ir::{Bin, Block, NONE, Op, Program, Ty};

pub fn fuse(prog: &mut Program) {
    let counts = reads(prog);
    let vars: Vec<bool> = prog.regs.iter().map(|r| r.var).collect();
    for block in &mut prog.blocks {
        let mut gone = vec![false; block.ins.len()];
        for i in 0..block.ins.len() {
            let Some((product, slot)) = product_of(block, &gone, i, &counts, &vars) else { continue };
            let (mul, add) = (block.ins[product], block.ins[i]);
            let Op::Bin(_, ty) = add.op else { continue };
            block.ins[i].op = Op::MulAdd(ty);
            block.ins[i].src = [mul.src[0], mul.src[1], add.src[1 - slot], NONE, NONE];
            gone[product] = true;
        }
        let mut gone = gone.into_iter();
        block.ins.retain(|_| !gone.next().unwrap_or(false));
    }
}

/// How far back a product is looked for.
const WINDOW: usize = 64;

/// The product that a sum is made of, and which side of it: computed before in the block, read by nobody
/// else, its factors unchanged since.
fn product_of(
    block: &Block,
    gone: &[bool],
    i: usize,
    counts: &[u32],
    vars: &[bool],
) -> Option<(usize, usize)> {
    let first = i.saturating_sub(WINDOW);
    let add = &block.ins[i];
    let Op::Bin(Bin::Add, ty) = add.op else { return None };
    if !matches!(ty, Ty::F16 | Ty::F32 | Ty::F64 | Ty::I32 | Ty::U32) {
        return None;
    }
    (0..2).find_map(|slot| {
        let factor = add.src[slot];
        if counts[factor as usize] != 1 || vars[factor as usize] {
            return None;
        }
        let at = first + block.ins[first..i].iter().rposition(|ins| ins.dst[0] == factor)?;
        let mul = &block.ins[at];
        let same = mul.op == Op::Bin(Bin::Mul, ty);
        let changed = block.ins[at + 1..i].iter().any(|ins| ins.defs().any(|d| mul.uses().any(|u| u == d)));
        (same && !changed && !gone[at]).then_some((at, slot))
    })
}
