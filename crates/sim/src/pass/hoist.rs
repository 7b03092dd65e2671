//! What is the same in every round of a loop is computed before it.

use super::uses::{defines_once, movable};
use crate::ir::{Ins, Program, Term};

pub fn hoist(prog: &mut Program) {
    let mut loops = prog.loops.clone();
    loops.sort_by_key(|(start, end)| end - start);
    for (start, end) in loops {
        if let Some(before) = entry(prog, start, end) {
            hoist_from(prog, before, start, end);
        }
    }
}

/// The one block outside that leads into a loop, if it leads nowhere else, and to the loop's first block.
fn entry(prog: &Program, start: u32, end: u32) -> Option<u32> {
    let outside = (0..prog.blocks.len() as u32).filter(|b| !(start..end).contains(b));
    let mut into =
        outside.filter(|&b| prog.blocks[b as usize].term.targets().any(|t| (start..end).contains(&t)));
    let only = into.next().filter(|&b| b < start)?;
    (into.next().is_none() && prog.blocks[only as usize].term == Term::Jump(start)).then_some(only)
}

fn hoist_from(prog: &mut Program, before: u32, start: u32, end: u32) {
    let mut inside = vec![false; prog.regs.len()];
    for block in &prog.blocks[start as usize..end as usize] {
        block.ins.iter().flat_map(Ins::defs).for_each(|r| inside[r as usize] = true);
    }
    for b in start..end {
        let all = std::mem::take(&mut prog.blocks[b as usize].ins);
        for ins in all {
            let steady = ins.uses().all(|r| !inside[r as usize]);
            let moves = steady && defines_once(prog, &ins) && movable(prog, &ins);
            if moves {
                ins.defs().for_each(|r| inside[r as usize] = false);
            }
            prog.blocks[if moves { before } else { b } as usize].ins.push(ins);
        }
    }
}
