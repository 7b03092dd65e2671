//! Functions, blocks and how they end; calls are inlined. Every edge copies what the next block's `OpPhi` take.

use super::{Frame, Item, Lower, Phi};
use crate::api::error::RunError;
use crate::emit::{Res, Value};
use crate::ir::{Bin, Op as Code, Reg, Term, Ty};
use crate::spirv::decode::Inst;
use crate::spirv::module::{Block, Function, Type};
use crate::spirv::types::{Layout, broken};
use spirv::Op;

/// How deep calls may nest, and how many blocks there may be.
const DEEPEST_CALL: usize = 100;
const MOST_BLOCKS: usize = 1 << 16;

impl Lower<'_> {
    /// The body of a function. Where it returns, control goes on in the block that is then open.
    pub fn run_function(
        &mut self,
        function: &Function,
        args: Vec<(u32, Item)>,
        exit: Option<(u32, Value)>,
    ) -> Res<()> {
        if args.len() != function.params.len() {
            return Err(broken(format!("%{} takes {} parameters", function.id, function.params.len())));
        }
        let mut frame = Frame { function: function.id, exit, ..Frame::default() };
        frame.items.extend(function.params.iter().map(|(id, _)| *id).zip(args));
        self.frames.push(frame);
        for block in &function.blocks {
            let own = self.block();
            self.frame().blocks.insert(block.label, own);
            self.phis(block)?;
        }
        let Some(first) = function.blocks.first() else {
            let name = self.module.names.get(&function.id).cloned().unwrap_or_default();
            return self.unsupported(&format!("the simulator does not have the function `{name}`"));
        };
        if self.prog.blocks.len() > MOST_BLOCKS {
            return Err(RunError::Limit(format!("more than {MOST_BLOCKS} blocks after inlining all calls")));
        }
        self.go(first.label, first.label)?;
        for block in &function.blocks {
            if self.frame().reached.contains(&block.label) {
                self.run_block(block)?;
            }
        }
        self.frames.pop();
        Ok(())
    }

    /// Registers for the results of the `OpPhi` of a block.
    fn phis(&mut self, block: &Block) -> Res<()> {
        for inst in block.insts.iter().take_while(|inst| matches!(inst.op, Op::Phi | Op::Line | Op::NoLine)) {
            self.name = inst.name();
            if let (Type::Pointer { .. }, false) = (self.types().get(inst.ty)?, self.module.kernel) {
                self.line = inst.line;
                return self.unsupported("the simulator has no choice between pointers");
            }
            let scalars = self.types().scalars(inst.ty)?;
            let regs: Value = scalars.iter().map(|s| self.prog.reg(s.ty(), true)).collect();
            let phi = Phi { regs: regs.clone(), pairs: inst.args.clone() };
            self.frame().phis.entry(block.label).or_default().push(phi);
            self.frame().items.insert(inst.id, (inst.ty, Item::Value(regs)));
        }
        Ok(())
    }

    fn run_block(&mut self, block: &Block) -> Res<()> {
        let own = self.target(block.label)?;
        self.open(own);
        self.ordered = (false, false);
        let Some((last, insts)) = block.insts.split_last() else {
            return Err(broken(format!("block %{} does not end", block.label)));
        };
        for inst in insts {
            self.at_line(inst);
            self.step(inst)?;
        }
        self.at_line(last);
        self.leave(block.label, last)
    }

    fn at_line(&mut self, inst: &Inst) {
        self.line = inst.line;
        self.name = inst.name();
        self.locate_line(inst.line);
    }

    fn target(&mut self, label: u32) -> Res<u32> {
        let found = self.frame().blocks.get(&label).copied();
        found.ok_or_else(|| broken(format!("%{label} is not a block of this function")))
    }

    /// Ends the current block with a jump.
    fn go(&mut self, from: u32, label: u32) -> Res<()> {
        self.frame().reached.insert(label);
        let to = self.target(label)?;
        self.copies(from, label)?;
        self.end(Term::Jump(to));
        Ok(())
    }

    /// The values that the `OpPhi` of a block take when control comes from another.
    fn copies(&mut self, from: u32, label: u32) -> Res<()> {
        let phis = self.frame().phis.get(&label).cloned().unwrap_or_default();
        let mut moves: Vec<(Reg, Reg)> = Vec::new();
        for phi in &phis {
            let taken = phi.pairs.chunks(2).find(|pair| pair.get(1) == Some(&from));
            let Some(&[value, _]) = taken else {
                return Err(broken(format!("OpPhi in %{label} has no value for %{from}")));
            };
            let value = self.value(value)?;
            if value.len() != phi.regs.len() {
                return Err(broken(format!("OpPhi in %{label} takes a value of another type")));
            }
            moves.extend(phi.regs.iter().copied().zip(value));
        }
        // all are read before any is written
        for at in 0..moves.len() {
            let source = moves[at].1;
            if moves[..at].iter().any(|&(to, _)| to == source) {
                moves[at].1 = self.snapshot(&[source])?[0];
            }
        }
        for (to, value) in moves {
            if to != value {
                self.assign(to, value)?;
            }
        }
        Ok(())
    }

    /// A block that leads to a label with the copies that it takes; the label's own where it takes none.
    fn edge(&mut self, from: u32, label: u32) -> Res<u32> {
        self.frame().reached.insert(label);
        if self.frame().phis.get(&label).is_none_or(Vec::is_empty) {
            return self.target(label);
        }
        let (edge, back) = (self.block(), self.current);
        self.open(edge);
        self.go(from, label)?;
        self.current = back;
        Ok(edge)
    }

    /// How a block ends.
    fn leave(&mut self, label: u32, inst: &Inst) -> Res<()> {
        match inst.op {
            Op::Branch => self.go(label, inst.arg(0)),
            Op::BranchConditional => {
                let condition = self.one(inst.arg(0))?;
                match self.known(condition) {
                    Some(bits) => self.go(label, inst.arg(if bits != 0 { 1 } else { 2 })),
                    None if inst.arg(1) == inst.arg(2) => self.go(label, inst.arg(1)),
                    None => {
                        let yes = self.edge(label, inst.arg(1))?;
                        let no = self.edge(label, inst.arg(2))?;
                        self.end(Term::Branch(condition, yes, no));
                        Ok(())
                    }
                }
            }
            Op::Switch => self.switch(label, inst),
            Op::Return | Op::Unreachable | Op::Kill | Op::TerminateInvocation => {
                self.give_back();
                Ok(())
            }
            Op::ReturnValue => {
                let value = self.value(inst.arg(0))?;
                self.frame().exit.as_ref().map(|(_, regs)| regs.clone()).map_or(Ok(()), |regs| {
                    regs.iter().zip(&value).try_for_each(|(&to, &from)| self.assign(to, from))
                })?;
                self.give_back();
                Ok(())
            }
            _ => Err(broken(format!("block %{label} ends in {}", inst.name()))),
        }
    }

    fn give_back(&mut self) {
        let exit = self.frame().exit.as_ref().map(|(block, _)| *block);
        self.end(exit.map_or(Term::Return, Term::Jump));
    }

    /// A chain of tests.
    fn switch(&mut self, label: u32, inst: &Inst) -> Res<()> {
        let (value, scalar) = self.vector(inst.arg(0))?;
        let selector = value[0];
        let words = if scalar.width() == 64 { 3 } else { 2 };
        let cases: Vec<(u64, u32)> = inst
            .args
            .get(2..)
            .unwrap_or(&[])
            .chunks_exact(words)
            .map(|case| {
                let high = if words == 3 { u64::from(case[1]) << 32 } else { 0 };
                let mask = if scalar.width() < 32 { (1u64 << scalar.width()) - 1 } else { u64::MAX };
                ((u64::from(case[0]) | high) & mask, case[words - 1])
            })
            .collect();
        if let Some(bits) = self.known(selector) {
            let hit = cases.iter().find(|(literal, _)| *literal == bits);
            return self.go(label, hit.map_or(inst.arg(1), |(_, to)| *to));
        }
        let ty = if scalar.width() == 64 { Ty::U64 } else { Ty::U32 };
        for (literal, to) in cases {
            let literal = self.constant(ty, literal);
            let same = self.emit(Code::Bin(Bin::Eq, ty), Ty::Bool, &[selector, literal])?;
            let yes = self.edge(label, to)?;
            let next = self.block();
            self.end(Term::Branch(same, yes, next));
            self.open(next);
        }
        self.go(label, inst.arg(1))
    }

    /// `OpFunctionCall`.
    pub fn call(&mut self, inst: &Inst) -> Res<()> {
        let callee = inst.arg(0);
        if self.frames.len() >= DEEPEST_CALL || self.frames.iter().any(|frame| frame.function == callee) {
            return self.unsupported("a function calls itself, or calls nest too deep");
        }
        let function = self.function_of(callee)?;
        let mut args = Vec::new();
        for &arg in inst.args.get(1..).unwrap_or(&[]) {
            args.push(self.item(arg)?);
        }
        let regs: Value = match self.types().get(inst.ty)? {
            Type::Void => Vec::new(),
            Type::Pointer { .. } if !self.module.kernel => {
                return self.unsupported("functions here return no pointers");
            }
            _ => self.types().scalars(inst.ty)?.iter().map(|s| self.prog.reg(s.ty(), true)).collect(),
        };
        let (exit, at) = (self.block(), self.at);
        self.run_function(function, args, Some((exit, regs.clone())))?;
        self.open(exit);
        self.at = at;
        let value = self.snapshot(&regs)?;
        self.frame().items.insert(inst.id, (inst.ty, Item::Value(value)));
        Ok(())
    }

    /// A variable of a function.
    pub fn variable(&mut self, inst: &Inst) -> Res<()> {
        let to = self.types().pointee(inst.ty)?;
        let place = self.own_variable(inst, to)?;
        self.frame().items.insert(inst.id, (inst.ty, Item::Place(place, Layout::default())));
        Ok(())
    }
}
