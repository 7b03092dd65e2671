//! Register allocation: virtual registers that are never live together share a place.
//!
//! Lanes of a warp that took different ways run one way after the other, in the order of the blocks, and most
//! instructions write all lanes whether active or not. So a register is taken as live from its first mention
//! to its last in the order of the blocks; what is mentioned in a loop and outside, or is a variable, is live
//! in all of the loop.

use super::legal::Split;
use crate::ir::{Program, Reg, Term};

/// The place of a register that nothing mentions.
pub const NOWHERE: u32 = u32::MAX;

/// Where each register lives: an index into its file.
pub struct Places {
    pub place: Vec<u32>,
    /// Sizes of the files: warp 32, warp 64, shared 32, shared 64.
    pub sizes: [u32; 4],
}

#[derive(Clone, Copy)]
struct Range {
    first: u32,
    last: u32,
}

/// The file of a register.
pub fn file(prog: &Program, shared: &[bool], reg: Reg) -> usize {
    2 * usize::from(shared[reg as usize]) + usize::from(prog.wide(reg))
}

pub fn allocate(prog: &Program, split: &Split) -> Places {
    let ranges = live_ranges(prog);
    let mut places = Places { place: vec![NOWHERE; prog.regs.len()], sizes: [0; 4] };
    let consts = prog.consts.iter().map(|c| (c.0, true)).chain(split.consts.iter().map(|c| (c.0, true)));
    let mut fixed = vec![false; prog.regs.len()];
    for (reg, _) in consts {
        // constants are written once, before anything runs
        if ranges[reg as usize].is_some() {
            let file = file(prog, &split.shared, reg);
            places.place[reg as usize] = places.sizes[file];
            places.sizes[file] += 1;
        }
        fixed[reg as usize] = true;
    }
    let mut order: Vec<(Range, Reg)> = Vec::new();
    for (reg, range) in ranges.iter().enumerate() {
        if let Some(range) = range.filter(|_| !fixed[reg]) {
            order.push((range, reg as Reg));
        }
    }
    order.sort_by_key(|(range, reg)| (range.first, *reg));
    let mut free: [Vec<u32>; 4] = Default::default();
    let mut active: std::collections::BinaryHeap<std::cmp::Reverse<(u32, usize, u32)>> = Default::default();
    for (range, reg) in order {
        while let Some(&std::cmp::Reverse((last, file, place))) = active.peek() {
            if last >= range.first {
                break;
            }
            free[file].push(place);
            active.pop();
        }
        let file = file(prog, &split.shared, reg);
        let place = free[file].pop().unwrap_or_else(|| {
            places.sizes[file] += 1;
            places.sizes[file] - 1
        });
        places.place[reg as usize] = place;
        active.push(std::cmp::Reverse((range.last, file, place)));
    }
    places
}

/// From the first mention to the last, by position: two a place, reads before writes.
fn live_ranges(prog: &Program) -> Vec<Option<Range>> {
    let mut ranges: Vec<Option<Range>> = vec![None; prog.regs.len()];
    let mut starts = Vec::new();
    let mut at = 0;
    let touch = |ranges: &mut Vec<Option<Range>>, reg: Reg, at: u32| {
        let range = ranges[reg as usize].get_or_insert(Range { first: at, last: at });
        range.last = at;
    };
    for block in &prog.blocks {
        starts.push(at);
        for ins in &block.ins {
            ins.uses().for_each(|reg| touch(&mut ranges, reg, at));
            // several results are written one after the other while operands are still read
            let write = if ins.dst[1] == crate::ir::NONE { at + 1 } else { at };
            ins.defs().for_each(|reg| touch(&mut ranges, reg, write));
            at += 2;
        }
        if let Term::Branch(condition, ..) = block.term {
            touch(&mut ranges, condition, at);
        }
        at += 2;
    }
    starts.push(at);
    // innermost loops first: an extended range may cross the border of an outer loop
    let mut loops: Vec<(u32, u32)> =
        prog.loops.iter().map(|&(a, b)| (starts[a as usize], starts[b as usize])).collect();
    loops.sort_by_key(|&(start, end)| end - start);
    for (reg, range) in ranges.iter_mut().enumerate() {
        let Some(range) = range else { continue };
        for &(start, end) in &loops {
            let inside = range.first >= start && range.last < end;
            let apart = range.last < start || range.first >= end;
            if !apart && (!inside || prog.regs[reg].var) {
                range.first = range.first.min(start);
                range.last = range.last.max(end);
            }
        }
    }
    ranges
}
