//! What was computed before on every way here is not computed again.

use super::graph::{EXIT, Graph};
use super::uses::{defines_once, movable, replace};
use crate::ir::{Op, Program, Reg};
use std::collections::HashMap;

type Key = (Op, [Reg; 5], u32, u32, u32, usize);

pub fn eliminate(prog: &mut Program) {
    let graph = Graph::new(prog);
    let mut with: Vec<Reg> = (0..prog.regs.len() as Reg).collect();
    let mut known: HashMap<Key, Vec<(u32, [Reg; 4])>> = HashMap::new();
    for b in 0..prog.blocks.len() as u32 {
        for i in 0..prog.blocks[b as usize].ins.len() {
            let ins = &mut prog.blocks[b as usize].ins[i];
            for src in &mut ins.src {
                *src = with.get(*src as usize).copied().unwrap_or(*src);
            }
            let ins = *ins;
            let steady = ins.uses().all(|r| !prog.regs[r as usize].var);
            if !steady || !defines_once(prog, &ins) || !movable(prog, &ins) || ins.dst[0] == crate::ir::NONE {
                continue;
            }
            let key = (ins.op, ins.src, ins.imm, ins.imm2, ins.mem, ins.defs().count());
            let found = known.entry(key).or_default();
            let before = found.iter().find(|(from, _)| visible(prog, &graph, *from, b));
            match before {
                Some((_, regs)) => {
                    for (new, old) in ins.dst.into_iter().zip(regs).filter(|(new, _)| *new != crate::ir::NONE)
                    {
                        with[new as usize] = *old;
                    }
                }
                None => found.push((b, ins.dst)),
            }
        }
    }
    replace(prog, &with);
}

/// Whether what a block computed is there in another: it lies on every way, and no loop around it is left,
/// since lanes that stay in a loop overwrite what those that left had.
fn visible(prog: &Program, graph: &Graph, from: u32, to: u32) -> bool {
    let mut at = to;
    while at != from {
        at = graph.idom[at as usize];
        if at == EXIT {
            return false;
        }
    }
    prog.loops.iter().all(|&(start, end)| !(start..end).contains(&from) || (start..end).contains(&to))
}
