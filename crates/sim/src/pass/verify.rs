//! Holds a program to what passes and the machine count on. A program that fails is a fault of this crate, never of
//! the kernel.

use super::graph::{Dominators, Graph};
use super::operands;
use crate::ir::{Ins, MemSpace, Op, Program, Reg, Term, Ty};

/// Whether programs are verified: where debug assertions are on, and with the feature `verify`.
pub const ON: bool = cfg!(any(debug_assertions, feature = "verify"));

impl Program {
    /// What is wrong with the program, with its block and instruction.
    pub fn verify(&self) -> Result<(), String> {
        self.verify_shape()?;
        let graph = Graph::new(self);
        self.verify_loops()?;
        Defs::new(self)?.verify(self, &Dominators::new(&graph))
    }

    /// Every block, register and memory object that is named exists, and each operation has its operands.
    fn verify_shape(&self) -> Result<(), String> {
        if self.blocks.is_empty() {
            return Err("it has no block".to_owned());
        }
        for (b, block) in self.blocks.iter().enumerate() {
            if let Some(to) = block.term.targets().find(|&to| to as usize >= self.blocks.len()) {
                return Err(format!("b{b} leads to b{to}, which does not exist"));
            }
            for (i, ins) in block.ins.iter().enumerate() {
                self.verify_ins(ins)
                    .map_err(|text| format!("b{b}, instruction {i} ({:?}): {text}", ins.op))?;
            }
            if let Term::Branch(condition, ..) = block.term {
                let info = self.regs.get(condition as usize);
                if info.is_none_or(|info| info.ty != Ty::Bool) {
                    return Err(format!("b{b} branches on r{condition}, which is not a truth value"));
                }
            }
        }
        let sorted = self.consts.is_sorted_by(|a, b| a.0 < b.0);
        let known = self.consts.iter().all(|c| (c.0 as usize) < self.regs.len());
        if sorted && known { Ok(()) } else { Err("constants are not sorted by register".to_owned()) }
    }

    fn verify_ins(&self, ins: &Ins) -> Result<(), String> {
        if let Some(reg) = ins.uses().chain(ins.defs()).find(|&r| r as usize >= self.regs.len()) {
            return Err(format!("r{reg} does not exist"));
        }
        operands::check(self, ins)?;
        let touches = matches!(ins.op, Op::Load(_) | Op::Store(_) | Op::Atomic(..) | Op::ArrayLength);
        if touches {
            let Some(mem) = self.mems.get(ins.mem as usize) else {
                return Err("its memory object does not exist".to_owned());
            };
            let writes = matches!(ins.op, Op::Store(_));
            if writes && (!mem.writable || mem.space == MemSpace::Constant) {
                return Err(format!("it writes `{}`, which is read only", mem.name));
            }
        }
        Ok(())
    }

    /// Every loop is a range of blocks, apart from others or within them, and every way back leads to the first block
    /// of a loop that it lies in.
    fn verify_loops(&self) -> Result<(), String> {
        for &(start, end) in &self.loops {
            if start >= end || end as usize > self.blocks.len() {
                return Err(format!("the loop b{start}..b{end} is empty or outside the program"));
            }
            let crosses = |&&(s, e): &&(u32, u32)| s < start && start < e && e < end;
            if let Some((s, e)) = self.loops.iter().find(crosses) {
                return Err(format!("the loops b{s}..b{e} and b{start}..b{end} overlap"));
            }
        }
        for (from, block) in self.blocks.iter().enumerate() {
            let from = from as u32;
            for to in block.term.targets().filter(|&to| to <= from) {
                if !self.loops.iter().any(|&(start, end)| start == to && from < end) {
                    return Err(format!("b{from} leads back to b{to}, where no loop begins"));
                }
            }
        }
        Ok(())
    }
}

/// Where each register is defined.
struct Defs {
    /// The block and the instruction of registers that are not variables.
    home: Vec<Option<(u32, usize)>>,
    constant: Vec<bool>,
    /// Whether anything defines it.
    any: Vec<bool>,
}

impl Defs {
    fn new(prog: &Program) -> Result<Defs, String> {
        let mut constant = vec![false; prog.regs.len()];
        prog.consts.iter().for_each(|c| constant[c.0 as usize] = true);
        let mut defs = Defs { home: vec![None; prog.regs.len()], any: constant.clone(), constant };
        for (b, block) in prog.blocks.iter().enumerate() {
            for (i, ins) in block.ins.iter().enumerate() {
                for reg in ins.defs() {
                    let place = format!("b{b}, instruction {i} ({:?})", ins.op);
                    let var = prog.regs[reg as usize].var;
                    if defs.constant[reg as usize] {
                        return Err(format!("{place} changes r{reg}, a constant"));
                    }
                    if !var && defs.home[reg as usize].is_some() {
                        return Err(format!("{place} defines r{reg} a second time: it is not a variable"));
                    }
                    if var && !ins.masked {
                        return Err(format!(
                            "{place} writes the variable r{reg} in lanes that are not active"
                        ));
                    }
                    defs.home[reg as usize] = Some((b as u32, i)).filter(|_| !var);
                    defs.any[reg as usize] = true;
                }
            }
        }
        Ok(defs)
    }

    /// Every register is defined before it is read. One that is not a variable is defined on every way to where it is
    /// read, and read in every loop that it is defined in: lanes that go round once more would overwrite what those
    /// that left still need.
    fn verify(&self, prog: &Program, dominators: &Dominators) -> Result<(), String> {
        for (b, block) in prog.blocks.iter().enumerate() {
            for (i, ins) in block.ins.iter().enumerate() {
                for reg in ins.uses() {
                    self.reads(prog, dominators, (b as u32, i), reg)?;
                }
            }
            if let Term::Branch(condition, ..) = block.term {
                self.reads(prog, dominators, (b as u32, usize::MAX), condition)?;
            }
        }
        Ok(())
    }

    fn reads(
        &self,
        prog: &Program,
        dominators: &Dominators,
        (b, i): (u32, usize),
        reg: Reg,
    ) -> Result<(), String> {
        let place = || match i {
            usize::MAX => format!("b{b}, at its end,"),
            _ => format!("b{b}, instruction {i},"),
        };
        if !self.any[reg as usize] {
            return Err(format!("{} reads r{reg}, which nothing defines", place()));
        }
        let Some((from, at)) = self.home[reg as usize] else { return Ok(()) };
        let before = if from == b { at < i } else { dominators.dominates(from, b) };
        if !before && dominators.reached(b) {
            return Err(format!("{} reads r{reg}, which b{from} may not have defined yet", place()));
        }
        let left = prog.loops.iter().find(|&&(start, end)| {
            let inside = start..end;
            inside.contains(&from) && !inside.contains(&b)
        });
        match left {
            Some((start, end)) => Err(format!(
                "{} reads r{reg} outside the loop b{start}..b{end} that defines it: it must be a variable",
                place()
            )),
            None => Ok(()),
        }
    }
}
