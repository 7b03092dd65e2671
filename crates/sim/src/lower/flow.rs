//! The end of lowering: unreachable blocks go, the others are numbered in the order of the source.

use crate::ir::{Program, Term};

/// Keeps what is reachable and numbers it by `order`. Loops come as (header, last block) and leave as ranges.
pub fn finish(mut prog: Program, order: &[u32]) -> Program {
    let mut reached = vec![false; prog.blocks.len()];
    let mut stack = vec![order[0]];
    while let Some(block) = stack.pop() {
        if !std::mem::replace(&mut reached[block as usize], true) {
            stack.extend(prog.blocks[block as usize].term.targets());
        }
    }
    // positions[b]: how many kept blocks come before b
    let mut positions = vec![0u32; prog.blocks.len()];
    let mut kept = 0;
    for &block in order {
        positions[block as usize] = kept;
        kept += u32::from(reached[block as usize]);
    }
    let mut blocks: Vec<_> = prog.blocks.drain(..).map(Some).collect();
    for &block in order {
        if let Some(mut body) = blocks[block as usize].take().filter(|_| reached[block as usize]) {
            body.term = renumber(body.term, &positions);
            prog.blocks.push(body);
        }
    }
    let range = |&(header, last): &(u32, u32)| {
        let end = positions[last as usize] + u32::from(reached[last as usize]);
        reached[header as usize].then_some((positions[header as usize], end))
    };
    prog.loops = prog.loops.iter().filter_map(range).collect();
    prog
}

fn renumber(term: Term, positions: &[u32]) -> Term {
    let at = |block: u32| positions[block as usize];
    match term {
        Term::Jump(next) => Term::Jump(at(next)),
        Term::Branch(condition, yes, no) => Term::Branch(condition, at(yes), at(no)),
        Term::Barrier { shared, global, next } => Term::Barrier { shared, global, next: at(next) },
        Term::Named { id, count, next } => Term::Named { id, count, next: at(next) },
        Term::Return => Term::Return,
    }
}
