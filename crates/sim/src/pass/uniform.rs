//! Which registers hold the same value for every lane of a workgroup: they are computed once, not lane by
//! lane.

use super::graph::Graph;
use crate::ir::{Ins, MemSpace, Op, Program, Reg, Term};

/// For each register, whether it may differ between the lanes.
pub fn divergent(prog: &Program, graph: &Graph) -> Vec<bool> {
    if prog.apart {
        return by_lane(prog);
    }
    let mut divergent = vec![false; prog.regs.len()];
    let mut controlled = vec![false; prog.blocks.len()];
    let mut branched = vec![false; prog.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (b, block) in prog.blocks.iter().enumerate() {
            for ins in &block.ins {
                // an instruction runs once or lane by lane, with all of its results
                let apart =
                    |dst: Reg| divergent[dst as usize] || prog.regs[dst as usize].var && controlled[b];
                let varies = varies(prog, ins, &divergent) || ins.defs().any(apart);
                for dst in ins.defs() {
                    if varies && !divergent[dst as usize] {
                        divergent[dst as usize] = true;
                        changed = true;
                    }
                }
            }
            let Term::Branch(condition, ..) = block.term else { continue };
            if divergent[condition as usize] && !branched[b] {
                branched[b] = true;
                changed = true;
                for inner in graph.controlled(b as u32) {
                    controlled[inner as usize] = true;
                }
            }
        }
    }
    divergent
}

/// Where lanes take turns, only constants are the same for all of them at any time.
fn by_lane(prog: &Program) -> Vec<bool> {
    let mut divergent = vec![true; prog.regs.len()];
    prog.consts.iter().for_each(|c| divergent[c.0 as usize] = false);
    divergent
}

fn varies(prog: &Program, ins: &Ins, divergent: &[bool]) -> bool {
    let by_operand = ins.uses().any(|r| divergent[r as usize]);
    match ins.op {
        Op::Special(special) => !special.uniform(),
        Op::Load(_) => by_operand || prog.mems[ins.mem as usize].space == MemSpace::Private,
        Op::Atomic(..)
        | Op::SubgroupScan(..)
        | Op::SubgroupAll
        | Op::SubgroupAny
        | Op::SubgroupBallot
        | Op::SubgroupGather(..)
        | Op::Warp(_) => true,
        _ => by_operand,
    }
}
