//! Which registers keep their values in lanes that are not active, and which loops wait for other lanes.

use super::graph::{Dominators, Graph};
use crate::ir::{Ins, NONE, Op, Program, Term, Ty, junk};

/// A register is a variable, and keeps its value in lanes that are not active, unless one instruction defines it on
/// every way to where it is read, and no loop lies between.
pub fn classify(prog: &mut Program, irreducible: bool) {
    let graph = Graph::new(prog);
    let count = prog.regs.len();
    let mut home: Vec<Option<(u32, usize)>> = vec![None; count];
    let mut var = vec![false; count];
    for (b, block) in prog.blocks.iter().enumerate() {
        for (i, ins) in block.ins.iter().enumerate() {
            for dst in ins.defs() {
                var[dst as usize] |= home[dst as usize].is_some();
                home[dst as usize] = Some((b as u32, i));
            }
        }
    }
    let dominators = Dominators::new(&graph);
    let innermost = innermost_loops(prog);
    for (b, block) in prog.blocks.iter().enumerate() {
        let uses = block.ins.iter().enumerate().flat_map(|(i, ins)| ins.uses().map(move |r| (i, r)));
        let last = match block.term {
            Term::Branch(condition, ..) => Some((usize::MAX, condition)),
            _ => None,
        };
        for (i, reg) in uses.chain(last) {
            let Some((from, at)) = home[reg as usize] else { continue };
            let same = from == b as u32;
            let before = if same { at < i } else { dominators.dominates(from, b as u32) };
            let left = !same && (irreducible || leaves_loop(&innermost, from, b as u32));
            var[reg as usize] |= !before || left;
        }
    }
    for (reg, &is) in var.iter().enumerate() {
        prog.regs[reg].var = is || prog.apart && home[reg].is_some();
    }
    fill_unwritten(prog);
    for ins in prog.blocks.iter_mut().flat_map(|block| &mut block.ins) {
        ins.masked = ins.dst.iter().any(|&d| d != NONE && prog.regs[d as usize].var);
    }
}

/// The innermost loop around each block.
fn innermost_loops(prog: &Program) -> Vec<Option<(u32, u32)>> {
    let mut out = vec![None; prog.blocks.len()];
    let mut loops = prog.loops.clone();
    loops.sort_by_key(|&(start, end)| std::cmp::Reverse(end - start));
    for (start, end) in loops {
        out[start as usize..end as usize].fill(Some((start, end)));
    }
    out
}

fn leaves_loop(innermost: &[Option<(u32, u32)>], from: u32, to: u32) -> bool {
    innermost[from as usize].is_some_and(|(start, end)| !(start..end).contains(&to))
}

/// What is read where nothing may have been written is zero from the start, or junk where the language leaves it open.
fn fill_unwritten(prog: &mut Program) {
    let live = live_at_entry(prog);
    let mut added = Vec::new();
    let open = prog.rules.undefined_locals;
    for &reg in &live {
        let (wide, ty) = (prog.wide(reg), prog.regs[reg as usize].ty);
        let word = match ty {
            _ if !open => 0,
            Ty::Bool => junk::TRUTH,
            _ => u64::from(junk::ENDS[reg as usize % 2]),
        };
        let first = match wide {
            true => prog.constant(Ty::U64, word << 32 | word),
            false => prog.constant(Ty::U32, word),
        };
        prog.regs[reg as usize].var = true;
        added.push(Ins::new(Op::Move(wide), &[reg], &[first], 0));
    }
    added.extend(super::filled::watch(prog, &live));
    let Some(first) = prog.blocks.first_mut() else { return };
    first.ins.splice(0..0, added);
}

/// The registers that some way from the entry reads before it writes them.
pub fn live_at_entry(prog: &Program) -> Vec<u32> {
    let len = prog.regs.len().div_ceil(64);
    let set = |bits: &mut Vec<u64>, reg: u32| bits[reg as usize / 64] |= 1 << (reg % 64);
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for block in &prog.blocks {
        let (mut read, mut written) = (vec![0u64; len], vec![0u64; len]);
        let mut see = |written: &Vec<u64>, reg: u32| {
            if written[reg as usize / 64] >> (reg % 64) & 1 == 0 {
                set(&mut read, reg);
            }
        };
        for ins in &block.ins {
            ins.uses().for_each(|r| see(&written, r));
            ins.defs().for_each(|r| set(&mut written, r));
        }
        if let Term::Branch(condition, ..) = block.term {
            see(&written, condition);
        }
        reads.push(read);
        writes.push(written);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..prog.blocks.len()).rev() {
            for to in prog.blocks[b].term.targets() {
                for word in 0..len {
                    let new = reads[to as usize][word] & !writes[b][word] & !reads[b][word];
                    changed |= new != 0;
                    reads[b][word] |= new;
                }
            }
        }
    }
    let consts: std::collections::HashSet<u32> = prog.consts.iter().map(|c| c.0).collect();
    let live = reads.first().map_or(&[][..], |r| r);
    (0..prog.regs.len() as u32)
        .filter(|r| live[*r as usize / 64] >> (r % 64) & 1 == 1 && !consts.contains(r))
        .collect()
}

/// The loops that go on or not by what an atomic gave: their lanes wait for others.
pub fn spinning(prog: &Program) -> Vec<(u32, u32)> {
    let waits = |&&(start, end): &&(u32, u32)| {
        let body = &prog.blocks[start as usize..end as usize];
        let mut by_others = std::collections::HashSet::new();
        let mut size = usize::MAX;
        while size != by_others.len() {
            size = by_others.len();
            for ins in body.iter().flat_map(|block| &block.ins) {
                if matches!(ins.op, Op::Atomic(..)) || ins.uses().any(|r| by_others.contains(&r)) {
                    by_others.extend(ins.defs());
                }
            }
        }
        body.iter().any(|block| matches!(block.term, Term::Branch(c, ..) if by_others.contains(&c)))
    };
    prog.loops.iter().filter(waits).copied().collect()
}
