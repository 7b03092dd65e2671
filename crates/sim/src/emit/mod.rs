//! What front ends build the register code with: blocks, instructions, constants, arithmetic of vectors, places in
//! memory. Knows the register code, and of naga only the names of built-in functions.

mod geometry;
mod math;
mod memory;
mod pack;
pub mod place;
mod scalar;

use crate::api::error::RunError;
use crate::api::options::Limits;
use crate::ir::{Block, Ins, Op, Program, Reg, Term, Ty};
use std::collections::HashMap;

pub use memory::{Leaf, NOWHERE, unbound};
pub use scalar::comparison;

pub type Res<T> = Result<T, RunError>;

/// A value: its scalars, in order.
pub type Value = Vec<Reg>;

/// A program as it grows.
pub struct Build {
    pub prog: Program,
    pub limits: Limits,
    /// Blocks in the order in which they were opened: the layout.
    pub order: Vec<u32>,
    pub current: u32,
    /// The place of the instructions that follow.
    pub at: u32,
    pub code: usize,
    consts: HashMap<(Ty, u64), Reg>,
}

impl Build {
    pub fn new(prog: Program, limits: Limits) -> Build {
        Build { prog, limits, order: Vec::new(), current: 0, at: 0, code: 0, consts: HashMap::new() }
    }

    /// A block that is not yet opened.
    pub fn block(&mut self) -> u32 {
        self.prog.blocks.push(Block { ins: Vec::new(), term: Term::Return, at: self.at });
        self.prog.blocks.len() as u32 - 1
    }

    /// Instructions go here from now on.
    pub fn open(&mut self, block: u32) {
        self.order.push(block);
        self.current = block;
        self.prog.blocks[block as usize].at = self.at;
    }

    /// Ends the current block.
    pub fn end(&mut self, term: Term) {
        let block = &mut self.prog.blocks[self.current as usize];
        block.term = term;
        block.at = self.at;
    }

    /// Adds an instruction.
    pub fn push(&mut self, ins: Ins) -> Res<()> {
        self.code += 1;
        if self.code > self.limits.code || self.prog.regs.len() > 4 * self.limits.code {
            let text = format!("more than {} instructions after inlining all calls", self.limits.code);
            return Err(RunError::Limit(text));
        }
        self.prog.blocks[self.current as usize].ins.push(ins);
        Ok(())
    }

    /// Adds an instruction with these results.
    pub fn add(&mut self, op: Op, dst: &[Reg], src: &[Reg]) -> Res<()> {
        self.push(Ins::new(op, dst, src, self.at))
    }

    /// Adds an instruction with one result.
    pub fn emit(&mut self, op: Op, ty: Ty, src: &[Reg]) -> Res<Reg> {
        let dst = self.prog.reg(ty, false);
        self.push(Ins::new(op, &[dst], src, self.at))?;
        Ok(dst)
    }

    /// Copies into a variable.
    pub fn assign(&mut self, var: Reg, value: Reg) -> Res<()> {
        let mut ins = Ins::new(Op::Move(self.prog.wide(var)), &[var], &[value], self.at);
        ins.masked = true;
        self.push(ins)
    }

    /// The register of a constant.
    pub fn constant(&mut self, ty: Ty, bits: u64) -> Reg {
        if let Some(&reg) = self.consts.get(&(ty, bits)) {
            return reg;
        }
        let reg = self.prog.constant(ty, bits);
        self.consts.insert((ty, bits), reg);
        reg
    }

    /// The bits of a register, when it holds a constant.
    pub fn known(&self, reg: Reg) -> Option<u64> {
        self.prog.consts.binary_search_by_key(&reg, |&(r, _)| r).ok().map(|i| self.prog.consts[i].1)
    }

    pub fn u32(&mut self, value: u32) -> Reg {
        self.constant(Ty::U32, u64::from(value))
    }

    pub fn f32(&mut self, value: f32) -> Reg {
        self.constant(Ty::F32, u64::from(value.to_bits()))
    }

    /// A constant of a float type. An f16 is held as an f32.
    pub fn float(&mut self, ty: Ty, value: f64) -> Reg {
        match ty {
            Ty::F64 => self.constant(ty, value.to_bits()),
            _ => self.constant(ty, u64::from((value as f32).to_bits())),
        }
    }

    /// The line of the instructions that follow.
    pub fn locate_line(&mut self, line: u32) {
        if self.prog.source.line(self.at) != line {
            self.prog.source.places.push(line);
            self.at = self.prog.source.places.len() as u32 - 1;
        }
    }
}
