//! Makes every instruction work on one kind of register: on values of a whole warp, or on values that all
//! lanes share. A shared value that a warp instruction reads is copied to all lanes, once, where it is
//! computed.

use crate::ir::{Ins, NONE, Op, Program, Reg};

/// The program after [`split`]: which registers are shared, and which constants all lanes need copies of.
pub struct Split {
    pub shared: Vec<bool>,
    /// Copies for all lanes of constants.
    pub consts: Vec<(Reg, u64)>,
}

/// Whether an instruction must run lane by lane although its operands are shared.
fn by_lane(op: Op) -> bool {
    matches!(
        op,
        Op::Store(_)
            | Op::Atomic(..)
            | Op::SubgroupScan(..)
            | Op::SubgroupAll
            | Op::SubgroupAny
            | Op::SubgroupBallot
            | Op::SubgroupGather(..)
            | Op::Warp(_)
    )
}

pub fn split(prog: &mut Program, divergent: &[bool]) -> Split {
    let mut shared: Vec<bool> = divergent.iter().map(|d| !d).collect();
    let mut copies = vec![NONE; prog.regs.len()];
    for b in 0..prog.blocks.len() {
        for i in 0..prog.blocks[b].ins.len() {
            let ins = prog.blocks[b].ins[i];
            if !runs_shared(&ins, divergent) {
                for slot in 0..ins.src.len() {
                    let src = ins.src[slot];
                    let stays = slot == 1 && index_stays(&ins, divergent);
                    if src != NONE && !divergent[src as usize] && !stays {
                        let copy = copy_of(prog, &mut copies, &mut shared, src);
                        prog.blocks[b].ins[i].src[slot] = copy;
                    }
                }
            }
        }
    }
    for b in 0..prog.blocks.len() {
        let old = std::mem::take(&mut prog.blocks[b].ins);
        for ins in old {
            let (at, defs) = (ins.at, ins.defs());
            let mut added = Vec::new();
            for dst in defs {
                if let Some(&copy) = copies.get(dst as usize).filter(|&&c| c != NONE) {
                    let mut splat = Ins::new(Op::Splat(prog.wide(dst)), &[copy], &[dst], at);
                    splat.masked = prog.regs[dst as usize].var;
                    added.push(splat);
                }
            }
            prog.blocks[b].ins.push(ins);
            prog.blocks[b].ins.extend(added);
        }
    }
    let consts = prog.consts.iter().filter(|c| copies[c.0 as usize] != NONE);
    let consts = consts.map(|&(reg, bits)| (copies[reg as usize], bits)).collect();
    Split { shared, consts }
}

/// Whether an address of each lane takes an index that all lanes share, as it is.
pub fn index_stays(ins: &Ins, divergent: &[bool]) -> bool {
    let differs = |r: Reg| divergent.get(r as usize).copied().unwrap_or(true);
    ins.op == Op::Index && differs(ins.src[0]) && !differs(ins.src[1])
}

/// Whether an instruction runs once for all lanes.
pub fn runs_shared(ins: &Ins, divergent: &[bool]) -> bool {
    !by_lane(ins.op)
        && ins.defs().all(|r| !divergent[r as usize])
        && ins.uses().all(|r| divergent.get(r as usize).is_none_or(|d| !d))
}

fn copy_of(prog: &mut Program, copies: &mut [Reg], shared: &mut Vec<bool>, reg: Reg) -> Reg {
    if copies[reg as usize] == NONE {
        let info = prog.regs[reg as usize];
        copies[reg as usize] = prog.reg(info.ty, info.var);
        shared.push(false);
    }
    copies[reg as usize]
}
