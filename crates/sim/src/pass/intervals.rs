//! Which accesses can race at all: those that some way through the code brings into one barrier interval with
//! a store to the same memory. Only they are tracked.

use crate::ir::{AtomicFun, MemSpace, Op, Program, Term};

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
