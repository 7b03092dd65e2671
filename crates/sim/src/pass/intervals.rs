//! Which accesses can race at all: those that some way through the code brings into one barrier interval with
//! a store to the same memory. Only they are tracked.

use std::collections::BTreeSet;

use crate::ir::scalar::Scalar;
use crate::ir::{AtomicFun, Ins, MemSpace, NONE, Op, Program, Reg, Term};

pub fn mark(prog: &mut Program) {
    let mems = prog.mems.len();
    let mut tracked = vec![vec![false; mems]; prog.blocks.len()];
    for start in starts(prog) {
        let region = region(prog, start);
        let mut stored = vec![false; mems];
        for &b in &region {
            for ins in &prog.blocks[b as usize].ins {
                // where any access may be atomic or not, atomics are stores that plain loads must be kept apart from
                let stores = match ins.op {
                    Op::Store(_) => true,
                    Op::Atomic(fun, _) => prog.rules.pointers && fun != AtomicFun::Load,
                    _ => false,
                };
                if stores {
                    stored[ins.mem as usize] = true;
                }
            }
        }
        for &b in &region {
            for (flag, stored) in tracked[b as usize].iter_mut().zip(&stored) {
                *flag |= stored;
            }
        }
    }
    let mut written = vec![false; mems];
    for ins in prog.blocks.iter().flat_map(|block| &block.ins) {
        if let Op::Store(_) | Op::Atomic(..) = ins.op {
            written[ins.mem as usize] = true;
        }
    }
    for mem in 0..mems {
        prog.mems[mem].in_place = prog.rules.copies && in_place(prog, mem as u32);
    }
    let mut read = vec![false; mems];
    let spaces: Vec<MemSpace> = prog.mems.iter().map(|mem| mem.space).collect();
    for (b, block) in prog.blocks.iter_mut().enumerate() {
        for ins in block.ins.iter_mut().filter(|ins| matches!(ins.op, Op::Load(_))) {
            let mem = ins.mem as usize;
            ins.tracked = match spaces[mem] {
                MemSpace::Shared => tracked[b][mem],
                MemSpace::Global => written[mem], // no barrier orders workgroups
                MemSpace::Private | MemSpace::Constant => false,
            };
            read[mem] |= ins.tracked;
        }
    }
    for ins in prog.blocks.iter_mut().flat_map(|block| &mut block.ins) {
        if let Op::Store(_) = ins.op {
            ins.tracked = read[ins.mem as usize];
        }
    }
}

/// Whether each lane only loads from a buffer what it, or the lane that it is a copy of, stores to the same place, by
/// the same addresses and once. Lanes of which one stores where another loads by another address both store there, and
/// that is seen.
fn in_place(prog: &Program, mem: u32) -> bool {
    let (mut loads, mut stores) = (BTreeSet::new(), BTreeSet::new());
    // the place in a buffer is worked out wherever it is needed
    let resolved = |place: Reg| {
        let all = prog.blocks.iter().flat_map(|block| &block.ins);
        let mut made = all.filter(|ins| ins.defs().any(|reg| reg == place));
        let from = made.next().filter(|ins| ins.op == Op::Scalar(Scalar::Resolve));
        if made.next().is_some() { NONE } else { from.map_or(place, |ins| ins.src[0]) }
    };
    for (at, block) in prog.blocks.iter().enumerate() {
        let repeats = prog.loops.iter().any(|(first, last)| (*first..=*last).contains(&(at as u32)));
        let touches = |ins: &&Ins| ins.mem == mem && !matches!(ins.op, Op::ArrayLength);
        for ins in block.ins.iter().filter(touches) {
            let places = match ins.op {
                Op::Load(_) => &mut loads,
                Op::Store(_) => &mut stores,
                _ => return false,
            };
            let own = resolved(ins.src[0]);
            if repeats || own == NONE || prog.regs[own as usize].var {
                return false;
            }
            places.insert((own, ins.imm));
        }
    }
    loads == stores
}

/// Where intervals begin: at the entry and after each barrier that orders workgroup memory.
fn starts(prog: &Program) -> Vec<u32> {
    let after = prog.blocks.iter().filter_map(|block| match block.term {
        Term::Barrier { shared: true, next, .. } => Some(next),
        _ => None,
    });
    std::iter::once(0).chain(after).collect()
}

/// What can be reached without such a barrier.
fn region(prog: &Program, start: u32) -> Vec<u32> {
    let mut seen = vec![false; prog.blocks.len()];
    let mut stack = vec![start];
    let mut out = Vec::new();
    while let Some(b) = stack.pop() {
        if std::mem::replace(&mut seen[b as usize], true) {
            continue;
        }
        out.push(b);
        if !matches!(prog.blocks[b as usize].term, Term::Barrier { shared: true, .. }) {
            stack.extend(prog.blocks[b as usize].term.targets());
        }
    }
    out
}
