//! Loads whose value a compare-and-swap checks: what they race with does no harm.
//!
//! `old = *p; do { seen = old; old = atomicCAS(p, seen, f(seen)); } while (old != seen)` is how everybody writes the
//! atomics that a device lacks. An old value, or a torn one, only costs another round.

use crate::ir::{AtomicFun, Fmt, Ins, Op, Program, Reg, Ty};

/// Reads atomically what goes nowhere but into compare-and-swaps of the same memory.
pub fn mark(prog: &mut Program) {
    let swaps = |ins: &Ins| matches!(ins.op, Op::Atomic(AtomicFun::CompareExchange, _));
    if !prog.blocks.iter().flat_map(|block| &block.ins).any(swaps) {
        return;
    }
    for block in 0..prog.blocks.len() {
        for at in 0..prog.blocks[block].ins.len() {
            if let Some(ty) = checked(prog, &prog.blocks[block].ins[at]) {
                let ins = &mut prog.blocks[block].ins[at];
                (ins.op, ins.imm2) = (Op::Atomic(AtomicFun::Load, ty), 0);
            }
        }
    }
}

/// The type of the word that an instruction loads, if only a compare-and-swap of the same memory learns of it.
fn checked(prog: &Program, load: &Ins) -> Option<Ty> {
    let ty = match load.op {
        Op::Load(Fmt::Word) => Ty::U32,
        Op::Load(Fmt::Wide) => Ty::U64,
        _ => return None,
    };
    let [value] = load.defs().collect::<Vec<Reg>>()[..] else { return None };
    let mut from = vec![false; prog.regs.len()];
    from[value as usize] = true;
    let (mut swapped, mut changed) = (false, true);
    while std::mem::take(&mut changed) {
        for ins in prog.blocks.iter().flat_map(|block| &block.ins) {
            if !ins.uses().any(|reg| from[reg as usize]) {
                continue;
            }
            match ins.op {
                Op::Atomic(AtomicFun::CompareExchange, _)
                    if ins.mem == load.mem && !from[ins.src[0] as usize] =>
                {
                    // the value comes before what is compared
                    swapped |= from[ins.src[2] as usize];
                }
                op if computes(op) => {
                    for dst in ins.defs() {
                        changed |= !std::mem::replace(&mut from[dst as usize], true);
                    }
                }
                _ => return None,
            }
        }
    }
    swapped.then_some(ty)
}

/// Whether an operation gives what comes of its operands, and does nothing else.
fn computes(op: Op) -> bool {
    use Op::{Bin, Bitcast, Convert, Fma, Move, MulAdd, Scalar, Select, Splat, Un};
    matches!(
        op,
        Bin(..)
            | Un(..)
            | Fma(_)
            | MulAdd(_)
            | Select(_)
            | Move(_)
            | Splat(_)
            | Convert(..)
            | Bitcast(..)
            | Scalar(_)
    )
}
