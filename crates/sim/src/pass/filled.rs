//! Fragments of matrix products that were never filled. A register that something may read before
//! it is written gets a truth beside it, which says whether it was, if it can reach a matrix
//! product; the product asks for it.

use crate::ir::{Bin, Ins, Op, Program, Reg, Ty, Warp};
use std::collections::{HashMap, HashSet};

/// Whether an operation hands a value on, whole or as a part of its result.
fn passes(op: Op) -> bool {
    matches!(op, Op::Move(_) | Op::Bin(Bin::Or | Bin::ShlFixed, _))
}

fn takes_fragments(op: Op) -> bool {
    matches!(op, Op::Warp(Warp::PutDown))
}

/// Adds what the truths need. `live` are the registers that may be read before they are written;
/// the result is what the program does first.
pub fn watch(prog: &mut Program, live: &[Reg]) -> Vec<Ins> {
    let doubtful = doubtful(prog, live);
    if doubtful.is_empty() {
        return Vec::new();
    }
    let truths: HashMap<Reg, Reg> = doubtful.iter().map(|&reg| (reg, prog.reg(Ty::Bool, true))).collect();
    let (no, yes) = (prog.constant(Ty::Bool, 0), prog.constant(Ty::Bool, 1));
    let set = |truth: Reg, value: Reg, at: u32| Ins::new(Op::Move(false), &[truth], &[value], at);
    for block in &mut prog.blocks {
        let mut all = Vec::with_capacity(block.ins.len());
        for ins in block.ins.drain(..) {
            let mut asked: Vec<Reg> = ins.uses().filter_map(|reg| truths.get(&reg).copied()).collect();
            asked.dedup();
            if takes_fragments(ins.op) && !asked.is_empty() {
                all.push(Ins::new(Op::Warp(Warp::Filled), &[], &asked, ins.at));
            }
            all.push(ins);
            for truth in ins.defs().filter_map(|dst| truths.get(&dst).copied()) {
                // of a register that is put together, the first part that is in doubt speaks for
                // all
                let from = asked.first().copied().filter(|_| passes(ins.op)).unwrap_or(yes);
                all.push(set(truth, from, ins.at));
            }
        }
        block.ins = all;
    }
    let mut first: Vec<Reg> = truths.into_values().collect();
    first.sort_unstable();
    first.into_iter().map(|truth| set(truth, no, 0)).collect()
}

/// The registers that may never have been written and that reach a matrix product.
fn doubtful(prog: &Program, live: &[Reg]) -> Vec<Reg> {
    let all = || prog.blocks.iter().flat_map(|block| &block.ins);
    let mut reach: HashSet<Reg> = all().filter(|ins| takes_fragments(ins.op)).flat_map(Ins::uses).collect();
    let grow = |set: &mut HashSet<Reg>, f: &dyn Fn(&Ins, &HashSet<Reg>) -> Vec<Reg>| {
        let mut size = usize::MAX;
        while size != set.len() {
            size = set.len();
            for ins in all().filter(|ins| passes(ins.op)) {
                let more = f(ins, set);
                set.extend(more);
            }
        }
    };
    grow(&mut reach, &|ins, set| {
        if ins.defs().any(|dst| set.contains(&dst)) { ins.uses().collect() } else { Vec::new() }
    });
    let mut doubtful: HashSet<Reg> = live.iter().copied().filter(|reg| reach.contains(reg)).collect();
    if doubtful.is_empty() {
        return Vec::new();
    }
    grow(&mut doubtful, &|ins, set| {
        let from = ins.uses().any(|src| set.contains(&src));
        ins.defs().filter(|dst| from && reach.contains(dst)).collect()
    });
    let mut doubtful: Vec<Reg> = doubtful.into_iter().collect();
    doubtful.sort_unstable();
    doubtful
}
