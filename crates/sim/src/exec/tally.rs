//! From how often each block and each access ran to what the launch cost, in all and by line.

use super::decode::Code;
use super::machine::Machine;
use crate::api::counts::{Counts, OpKind};
use crate::api::run::{Compare, Part};
use crate::ir::{MemSpace, Op, Program, Term};
use std::collections::BTreeMap;

/// Raw numbers of one worker, or of several added up.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub blocks: Vec<(u64, u64)>,
    pub barriers: Vec<u64>,
    pub costs: Vec<super::mem::site::Cost>,
    pub compared: Vec<super::compared::Site>,
}

impl Tally {
    pub fn of(m: &Machine) -> Tally {
        Tally {
            blocks: m.blocks.clone(),
            barriers: m.barriers.clone(),
            costs: m.sites.iter().map(|site| site.cost).collect(),
            compared: m.compared.clone(),
        }
    }

    pub fn add(&mut self, other: &Tally) {
        for (mine, theirs) in self.blocks.iter_mut().zip(&other.blocks) {
            mine.0 += theirs.0;
            mine.1 += theirs.1;
        }
        for (mine, theirs) in self.barriers.iter_mut().zip(&other.barriers) {
            *mine += theirs;
        }
        for (mine, theirs) in self.costs.iter_mut().zip(&other.costs) {
            mine.add(theirs);
        }
        self.compared.iter_mut().zip(&other.compared).for_each(|(mine, theirs)| mine.add(theirs));
    }

    /// The counts, in all and by line.
    pub fn finish(&self, prog: &Program, code: &Code, warp: u32) -> (Counts, BTreeMap<u32, Counts>) {
        let mut lines: BTreeMap<u32, Counts> = BTreeMap::new();
        for (b, block) in prog.blocks.iter().enumerate() {
            let ran = self.blocks[b];
            for (ins, &step) in block.ins.iter().zip(&code.step_of[b]) {
                let step = &code.steps[step as usize];
                let counts = lines.entry(prog.source.line(ins.at)).or_default();
                instruction(counts, ins.op.kind(), ran, ins.op.weight());
                counts.flops += ran.1 * ins.op.flops();
                if let Op::Load(_) | Op::Store(_) | Op::Atomic(..) = ins.op {
                    let bytes = u64::from(code.sites[2 * step.site as usize].bytes);
                    self.access(counts, prog, ins, step.site, ran.1, bytes);
                }
            }
            let counts = lines.entry(prog.source.line(block.at)).or_default();
            match block.term {
                Term::Branch(..) => instruction(counts, OpKind::Branch, ran, 1),
                Term::Barrier { .. } | Term::Named { .. } => {
                    instruction(counts, OpKind::Barrier, ran, 1);
                    counts.barriers += self.barriers[b];
                }
                _ => {}
            }
        }
        lines.retain(|_, counts| counts.lane_instructions > 0);
        let mut all = Counts::default();
        for counts in lines.values_mut() {
            counts.warp = warp;
            all += *counts;
        }
        let shared = prog.mems.iter().filter(|mem| mem.space == MemSpace::Shared);
        all.shared_bytes = shared.map(|mem| u64::from(mem.size)).sum();
        all.warp = warp;
        (all, lines)
    }

    /// The parts of the program, and which of them ran, here or in schedules that were run `also`. What only jumps is
    /// no part of the source.
    pub fn parts(&self, prog: &Program, also: &[(u64, u64)]) -> Vec<Part> {
        let mut out = Vec::new();
        for (number, (block, ran)) in (0..).zip(prog.blocks.iter().zip(&self.blocks)) {
            let elsewhere = also.get(number as usize).is_some_and(|(_, lanes)| *lanes > 0);
            let lines = block.ins.iter().map(|ins| prog.source.line(ins.at)).filter(|line| *line > 0);
            out.extend(lines.map(|line| Part { line, number, ran: ran.1 > 0 || elsewhere }));
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// What the comparisons compared that were watched, under the numbers of their places in the code.
    pub fn compared(&self, prog: &Program) -> Vec<Compare> {
        (0..).zip(&self.compared).filter_map(|(number, site)| site.told(prog, number)).collect()
    }

    fn access(
        &self,
        counts: &mut Counts,
        prog: &Program,
        ins: &crate::ir::Ins,
        site: u32,
        lanes: u64,
        bytes: u64,
    ) {
        let mut cost = self.costs[2 * site as usize];
        cost.add(&self.costs[2 * site as usize + 1]);
        let space = prog.mems[ins.mem as usize].space;
        let traffic = match space {
            MemSpace::Global => &mut counts.global,
            MemSpace::Shared => &mut counts.shared,
            MemSpace::Private => &mut counts.private,
            MemSpace::Constant => return,
        };
        match ins.op {
            Op::Load(_) => traffic.loaded += lanes * bytes,
            Op::Store(_) => traffic.stored += lanes * bytes,
            _ => {
                traffic.loaded += lanes * bytes;
                traffic.stored += lanes * bytes;
                counts.atomics += lanes;
            }
        }
        match space {
            MemSpace::Global => {
                counts.sectors += cost.sectors;
                counts.sector_bytes_used += cost.used;
            }
            MemSpace::Shared => {
                counts.shared_accesses += cost.execs;
                counts.bank_conflicts += cost.conflicts;
            }
            _ => {}
        }
    }
}

fn instruction(counts: &mut Counts, kind: OpKind, ran: (u64, u64), weight: u64) {
    counts.warp_instructions += ran.0 * weight;
    counts.lane_instructions += ran.1 * weight;
    counts.by_kind[kind as usize] += ran.1 * weight;
}
