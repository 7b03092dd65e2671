//! The order of blocks, their loops and whether the graph can be reduced, all computed from the graph itself.
//!
//! Code whose source has structure keeps the source's order, if every loop of the graph is then in one piece and
//! entered at its top: lanes that leave a loop through a last few blocks run these in the round in which they leave.
//! Any other graph is put in order here: every loop in one piece, its header first. Either way the rule that the
//! lowest block runs first brings lanes together as early as they can meet. Loops that can be entered in several
//! places are ordered the same way; registers then keep the values of lanes that are not active.

use super::classify;
use super::graph::reachable;
use crate::ir::{Block, Ins, Op, Program, Term};

/// Loops within each other at most.
const MOST_DEPTH: usize = 200;

/// Where the order of blocks comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The source's, where it will do.
    Source,
    /// The graph alone.
    Graph,
}

struct Orderer<'a> {
    succs: &'a [Vec<u32>],
    /// The position of each block in the source.
    rank: &'a [u32],
    out: Vec<u32>,
    /// Loops as ranges of positions, with the header's way in.
    loops: Vec<(u32, u32)>,
    /// Which part of the graph a block is in, while it is looked at.
    part: Vec<u32>,
    parts: u32,
    irreducible: bool,
}

/// Drops what cannot be reached, orders the blocks, and says of every register whether it keeps its value in lanes
/// that are not active. `source` has the blocks in the order of the source, the entry first.
pub fn finish(mut prog: Program, source: &[u32], order: Order) -> Result<Program, String> {
    let succs: Vec<Vec<u32>> = prog.blocks.iter().map(|b| b.term.targets().collect()).collect();
    let entry = source.first().copied().unwrap_or(0);
    let reached = reachable(&succs, &[entry]);
    let kept: Vec<u32> = source.iter().copied().filter(|&b| reached[b as usize]).collect();
    let loops = if order == Order::Source { super::nest::loops(&succs, &kept) } else { None };
    let (order, loops, irreducible) = match loops {
        Some(loops) => (kept, loops, false),
        None => by_graph(&succs, source, &reached)?,
    };
    renumber(&mut prog, &order);
    prog.loops = loops;
    latches(&mut prog);
    prog.spins = !classify::spinning(&prog).is_empty();
    prog.apart = prog.spins || prog.blocks.iter().any(|block| matches!(block.term, Term::Named { .. }));
    let syncs = |ins: &Ins| matches!(ins.op, Op::Warp(crate::ir::Warp::Sync));
    let trades = |ins: &Ins| matches!(ins.op, Op::Warp(warp) if warp.trades());
    prog.warp_syncs = prog.blocks.iter().flat_map(|block| &block.ins).any(syncs);
    let fences = |ins: &Ins| matches!(ins.op, Op::Warp(crate::ir::Warp::Fence));
    prog.fences = prog.blocks.iter().flat_map(|block| &block.ins).any(fences);
    let near = |ins: &Ins| matches!(ins.op, Op::Atomic(..)) && ins.imm2 & crate::ptx::NEAR != 0;
    prog.near = prog.blocks.iter().flat_map(|block| &block.ins).any(near);
    prog.warp_meets = prog.blocks.iter().flat_map(|block| &block.ins).any(trades);
    classify::classify(&mut prog, irreducible);
    Ok(prog)
}

/// The order that the graph alone gives, its loops, and whether some loop has several ways in.
fn by_graph(
    succs: &[Vec<u32>],
    source: &[u32],
    reached: &[bool],
) -> Result<(Vec<u32>, Vec<(u32, u32)>, bool), String> {
    let mut rank = vec![u32::MAX; succs.len()];
    for (i, &block) in source.iter().enumerate() {
        rank[block as usize] = i as u32;
    }
    let entry = source.first().copied().unwrap_or(0);
    let all: Vec<u32> = (0..succs.len() as u32).filter(|&b| reached[b as usize]).collect();
    let mut orderer = Orderer {
        succs,
        rank: &rank,
        out: Vec::new(),
        loops: Vec::new(),
        part: vec![0; succs.len()],
        parts: 0,
        irreducible: false,
    };
    orderer.order(&all, entry, 0)?;
    Ok((orderer.out, orderer.loops, orderer.irreducible))
}

impl Orderer<'_> {
    /// Orders a part of the graph that is entered at `entry`, without the ways back to it.
    fn order(&mut self, blocks: &[u32], entry: u32, depth: usize) -> Result<(), String> {
        if depth > MOST_DEPTH {
            return Err(format!("loops more than {MOST_DEPTH} deep"));
        }
        self.parts += 1;
        let part = self.parts;
        blocks.iter().for_each(|&b| self.part[b as usize] = part);
        let groups = self.components(blocks, entry, part);
        // components come out in reverse topological order of one search; order them by their place in the source
        for group in self.sorted(&groups, entry, part) {
            let first = self.out.len() as u32;
            let cyclic =
                group.len() > 1 || self.succs[group[0] as usize].contains(&group[0]) && group[0] != entry;
            if !cyclic {
                self.out.push(group[0]);
                continue;
            }
            let header = self.header(&group);
            self.order(&group, header, depth + 1)?;
            self.loops.push((first, self.out.len() as u32));
            blocks.iter().for_each(|&b| self.part[b as usize] = part);
        }
        Ok(())
    }

    fn inside<'b>(&'b self, block: u32, entry: u32, part: u32) -> impl Iterator<Item = u32> + 'b {
        let all = self.succs[block as usize].iter().copied();
        all.filter(move |&to| to != entry && self.part[to as usize] == part)
    }

    /// Strongly connected components, by Tarjan's method.
    fn components(&self, blocks: &[u32], entry: u32, part: u32) -> Vec<Vec<u32>> {
        let len = self.succs.len();
        let (mut index, mut low) = (vec![u32::MAX; len], vec![0u32; len]);
        let mut on_stack = vec![false; len];
        let (mut stack, mut out, mut next) = (Vec::new(), Vec::new(), 0);
        for &root in blocks {
            if index[root as usize] != u32::MAX {
                continue;
            }
            let mut work: Vec<(u32, Vec<u32>, usize)> = Vec::new();
            let mut enter = Some(root);
            loop {
                if let Some(block) = enter.take() {
                    (index[block as usize], low[block as usize]) = (next, next);
                    next += 1;
                    stack.push(block);
                    on_stack[block as usize] = true;
                    work.push((block, self.inside(block, entry, part).collect(), 0));
                }
                let Some((block, succs, at)) = work.last_mut() else { break };
                if let Some(&to) = succs.get(*at) {
                    *at += 1;
                    let b = *block as usize;
                    if index[to as usize] == u32::MAX {
                        enter = Some(to);
                    } else if on_stack[to as usize] {
                        low[b] = low[b].min(index[to as usize]);
                    }
                    continue;
                }
                let block = *block;
                work.pop();
                if let Some((outer, ..)) = work.last() {
                    low[*outer as usize] = low[*outer as usize].min(low[block as usize]);
                }
                if low[block as usize] == index[block as usize] {
                    let mut group = Vec::new();
                    while let Some(b) = stack.pop() {
                        on_stack[b as usize] = false;
                        group.push(b);
                        if b == block {
                            break;
                        }
                    }
                    out.push(group);
                }
            }
        }
        out
    }

    /// The components in an order in which every edge goes forward, those that come first in the source first.
    fn sorted(&self, groups: &[Vec<u32>], entry: u32, part: u32) -> Vec<Vec<u32>> {
        let mut of = std::collections::HashMap::new();
        for (g, group) in groups.iter().enumerate() {
            group.iter().for_each(|&b| {
                of.insert(b, g);
            });
        }
        let mut incoming = vec![0u32; groups.len()];
        let mut edges: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
        for (g, group) in groups.iter().enumerate() {
            for &b in group {
                for to in self.inside(b, entry, part) {
                    let t = of[&to];
                    if t != g {
                        edges[g].push(t);
                        incoming[t] += 1;
                    }
                }
            }
        }
        let rank = |g: usize| groups[g].iter().map(|&b| self.rank[b as usize]).min().unwrap_or(0);
        let mut ready: std::collections::BinaryHeap<std::cmp::Reverse<(u32, usize)>> = (0..groups.len())
            .filter(|&g| incoming[g] == 0)
            .map(|g| std::cmp::Reverse((rank(g), g)))
            .collect();
        let mut out = Vec::new();
        while let Some(std::cmp::Reverse((_, g))) = ready.pop() {
            out.push(groups[g].clone());
            for &t in &edges[g] {
                incoming[t] -= 1;
                if incoming[t] == 0 {
                    ready.push(std::cmp::Reverse((rank(t), t)));
                }
            }
        }
        out
    }

    /// Where a loop is entered; the first such place in the source, if there are several.
    fn header(&mut self, group: &[u32]) -> u32 {
        let within: std::collections::HashSet<u32> = group.iter().copied().collect();
        let mut entries: Vec<u32> = Vec::new();
        for (from, targets) in self.succs.iter().enumerate() {
            if self.rank[from] != u32::MAX && !within.contains(&(from as u32)) {
                entries.extend(targets.iter().filter(|t| within.contains(t)));
            }
        }
        entries.sort_by_key(|&b| self.rank[b as usize]);
        entries.dedup();
        self.irreducible |= entries.len() > 1;
        entries.first().copied().unwrap_or(group[0])
    }
}

fn renumber(prog: &mut Program, order: &[u32]) {
    let mut place = vec![0u32; prog.blocks.len()];
    for (i, &block) in order.iter().enumerate() {
        place[block as usize] = i as u32;
    }
    let mut old: Vec<Option<Block>> = prog.blocks.drain(..).map(Some).collect();
    for &block in order {
        if let Some(mut block) = old[block as usize].take() {
            block.term = retarget(block.term, |b| place[b as usize]);
            prog.blocks.push(block);
        }
    }
}

/// The same end, its targets named otherwise.
pub fn retarget(term: Term, to: impl Fn(u32) -> u32) -> Term {
    match term {
        Term::Jump(next) => Term::Jump(to(next)),
        Term::Branch(condition, yes, no) => Term::Branch(condition, to(yes), to(no)),
        Term::Barrier { shared, global, next } => Term::Barrier { shared, global, next: to(next) },
        Term::Named { id, count, next } => Term::Named { id, count, next: to(next) },
        Term::Return => Term::Return,
    }
}

/// Gives every loop a block at its end that is the one way back to its header.
fn latches(prog: &mut Program) {
    // innermost loops first, so that positions inside are settled before those around them
    let mut loops = std::mem::take(&mut prog.loops);
    loops.sort_by_key(|&(start, end)| (end - start, start));
    for i in 0..loops.len() {
        let (start, end) = loops[i];
        let back: Vec<u32> =
            (start..end).filter(|&b| prog.blocks[b as usize].term.targets().any(|t| t == start)).collect();
        if back.len() == 1 && back[0] + 1 == end {
            continue;
        }
        let at = prog.blocks[end as usize - 1].at;
        let latch = end;
        for block in &mut prog.blocks {
            block.term = retarget(block.term, |t| if t >= latch { t + 1 } else { t });
        }
        for &b in &back {
            let block = &mut prog.blocks[b as usize];
            block.term = retarget(block.term, |t| if t == start { latch } else { t });
        }
        prog.blocks.insert(latch as usize, Block { ins: Vec::new(), term: Term::Jump(start), at });
        for (j, (s, e)) in loops.iter_mut().enumerate() {
            let around = j == i || (*s <= start && *e >= end);
            *e += u32::from(*e > end || around);
            *s += u32::from(*s >= end && j != i);
        }
    }
    prog.loops = loops;
}
