//! Statements: structured control flow becomes blocks, calls are inlined.

use super::build::{Lower, Res};
use super::frame::{Frame, Item, Value};
use crate::api::error::RunError;
use crate::emit::place::Place;
use crate::ir::{AtomicFun, Bin, Op, Term, Ty};
use naga::{Block, Expression, Function, Handle, Statement, SwitchCase, SwitchValue, TypeInner};
use std::collections::HashMap;

/// How deep calls may nest.
const DEEPEST_CALL: u32 = 200;

/// The initial value of a variable.
pub enum Init {
    /// An expression of the module.
    Global(Handle<Expression>),
    /// A value.
    Value(Value),
}

impl<'a> Lower<'a> {
    /// The body of a function, with its variables set up.
    pub fn function(&mut self, frame: &mut Frame<'a>) -> Res<()> {
        let function = frame.function;
        let indexed = super::access::indexed_locals(function);
        for (handle, local) in function.local_variables.iter() {
            self.locate(function.local_variables.get_span(handle));
            let init = match local.init {
                Some(init) => Some(Init::Value(self.value(frame, init)?)),
                None => None,
            };
            let name = local.name.clone().unwrap_or_default();
            let place = self.variable(&name, local.ty, init, indexed.contains(&handle))?;
            frame.locals.insert(handle, place);
        }
        self.statements(frame, &function.body)
    }

    /// A variable of one lane: in registers, or in private memory when it is an array indexed while running.
    pub fn variable(
        &mut self,
        name: &str,
        ty: Handle<naga::Type>,
        init: Option<Init>,
        indexed: bool,
    ) -> Res<Place> {
        let inner = &self.module.types[ty].inner;
        let scalars = self.scalars(inner)?;
        let init = match init {
            Some(Init::Value(value)) => value,
            Some(Init::Global(expression)) => self.global_value(expression)?,
            None => scalars.iter().map(|&ty| self.constant(ty, 0)).collect(),
        };
        let in_memory = indexed && self.has_array(inner);
        if !in_memory {
            let regs: Vec<_> = scalars.iter().map(|&ty| self.prog.reg(ty, true)).collect();
            for (&var, &value) in regs.iter().zip(&init) {
                self.assign(var, value)?;
            }
            return Ok(Place::Regs(regs));
        }
        let size = self.size_of(ty);
        let place = self.private(name, size);
        self.store_leaves(&place, inner, &init)?;
        Ok(place)
    }

    fn has_array(&self, inner: &TypeInner) -> bool {
        match inner {
            TypeInner::Array { .. } => true,
            TypeInner::Struct { members, .. } => {
                members.iter().any(|m| self.has_array(&self.module.types[m.ty].inner))
            }
            _ => false,
        }
    }

    pub fn statements(&mut self, frame: &mut Frame<'a>, block: &'a Block) -> Res<()> {
        for (statement, &span) in block.span_iter() {
            self.locate(span);
            self.statement(frame, statement)?;
        }
        Ok(())
    }

    fn statement(&mut self, frame: &mut Frame<'a>, statement: &'a Statement) -> Res<()> {
        match statement {
            Statement::Emit(range) => self.emit_range(frame, range.clone())?,
            Statement::Block(block) => self.statements(frame, block)?,
            Statement::If { condition, accept, reject } => self.branch(frame, *condition, accept, reject)?,
            Statement::Switch { selector, cases } => self.switch(frame, *selector, cases)?,
            Statement::Loop { body, continuing, break_if } => {
                self.repeat(frame, body, continuing, *break_if)?;
            }
            Statement::Break => self.leave(frame.breaks.last().copied()),
            Statement::Continue => self.leave(frame.continues.last().copied()),
            Statement::Return { value } => self.give_back(frame, *value)?,
            Statement::Kill => return Err(RunError::Unsupported("a compute shader has no discard".into())),
            Statement::ControlBarrier(flags) => self.barrier(*flags)?,
            Statement::MemoryBarrier(_) => {}
            Statement::Store { pointer, value } => {
                let value = self.value(frame, *value)?;
                let place = self.pointer(frame, *pointer)?;
                match self.pointee(frame, *pointer)? {
                    TypeInner::Atomic(scalar) => {
                        let ty = super::types::scalar_ty(scalar)?;
                        self.push_atomic(&place, AtomicFun::Store, ty, &value, &[])?;
                    }
                    inner => self.store_leaves(&place, &inner, &value)?,
                }
            }
            Statement::Atomic { pointer, fun, value, result } => {
                self.atomic(frame, *pointer, fun, *value, *result)?;
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                self.uniform_load(frame, *pointer, *result)?;
            }
            Statement::Call { function, arguments, result } => {
                self.call(frame, *function, arguments, *result)?;
            }
            Statement::SubgroupBallot { result, predicate } => self.ballot(frame, *result, *predicate)?,
            Statement::SubgroupGather { mode, argument, result } => {
                self.gather(frame, mode, *argument, *result)?;
            }
            Statement::SubgroupCollectiveOperation { op, collective_op, argument, result } => {
                self.collective(frame, *op, *collective_op, *argument, *result)?;
            }
            Statement::ImageStore { .. } | Statement::ImageAtomic { .. } => {
                return Err(RunError::Unsupported(
                    "the simulator has no textures: compute with buffers".into(),
                ));
            }
            Statement::RayQuery { .. } | Statement::RayPipelineFunction(_) => {
                return Err(RunError::Unsupported("the simulator has no ray tracing".into()));
            }
            Statement::CooperativeStore { .. } => {
                return Err(RunError::Unsupported("the simulator has no cooperative matrices".into()));
            }
        }
        Ok(())
    }

    fn branch(
        &mut self,
        frame: &mut Frame<'a>,
        condition: Handle<Expression>,
        accept: &'a Block,
        reject: &'a Block,
    ) -> Res<()> {
        let condition = self.value(frame, condition)?[0];
        let (yes, no, join) = (self.block(), self.block(), self.block());
        self.end(Term::Branch(condition, yes, if reject.is_empty() { join } else { no }));
        self.open(yes);
        self.statements(frame, accept)?;
        self.end(Term::Jump(join)); // a dead block where the statements left
        if !reject.is_empty() {
            self.open(no);
            self.statements(frame, reject)?;
            self.end(Term::Jump(join));
        }
        self.open(join);
        Ok(())
    }

    fn repeat(
        &mut self,
        frame: &mut Frame<'a>,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
    ) -> Res<()> {
        let (header, next, exit) = (self.block(), self.block(), self.block());
        self.end(Term::Jump(header));
        self.open(header);
        frame.breaks.push(exit);
        frame.continues.push(next);
        self.statements(frame, body)?;
        self.end(Term::Jump(next));
        self.open(next);
        self.statements(frame, continuing)?;
        match break_if {
            Some(condition) => {
                let condition = self.value(frame, condition)?[0];
                self.end(Term::Branch(condition, exit, header));
            }
            None => self.end(Term::Jump(header)),
        }
        frame.breaks.pop();
        frame.continues.pop();
        self.open(exit);
        Ok(())
    }

    /// A chain of tests, each followed by its body, so that the layout is the order of execution.
    fn switch(
        &mut self,
        frame: &mut Frame<'a>,
        selector: Handle<Expression>,
        cases: &'a [SwitchCase],
    ) -> Res<()> {
        let selector = self.value(frame, selector)?[0];
        let exit = self.block();
        frame.breaks.push(exit);
        let mut default = None;
        let mut first = 0;
        while first < cases.len() {
            let last = (first..cases.len()).find(|&i| !label(&cases[i])).unwrap_or(cases.len() - 1);
            let labels = &cases[first..=last];
            if labels.iter().any(|case| case.value == SwitchValue::Default) {
                default = Some(last);
            } else {
                let hit = self.any_label(selector, labels)?;
                let (body, other) = (self.block(), self.block());
                self.end(Term::Branch(hit, body, other));
                self.open(body);
                self.case_body(frame, cases, last)?;
                self.end(Term::Jump(exit));
                self.open(other);
            }
            first = last + 1;
        }
        if let Some(last) = default {
            self.case_body(frame, cases, last)?;
        }
        self.end(Term::Jump(exit));
        frame.breaks.pop();
        self.open(exit);
        Ok(())
    }

    /// The body of a case and of those that it falls through to.
    fn case_body(&mut self, frame: &mut Frame<'a>, cases: &'a [SwitchCase], at: usize) -> Res<()> {
        for case in &cases[at..] {
            self.statements(frame, &case.body)?;
            if !case.fall_through {
                break;
            }
        }
        Ok(())
    }

    fn any_label(&mut self, selector: u32, labels: &[SwitchCase]) -> Res<u32> {
        let mut hit = None;
        for case in labels {
            let bits = match case.value {
                SwitchValue::I32(v) => v as u32,
                SwitchValue::U32(v) => v,
                SwitchValue::Default => continue,
            };
            let value = self.u32(bits);
            let same = self.emit(Op::Bin(Bin::Eq, Ty::U32), Ty::Bool, &[selector, value])?;
            hit = Some(match hit {
                None => same,
                Some(before) => self.emit(Op::Bin(Bin::Or, Ty::Bool), Ty::Bool, &[before, same])?,
            });
        }
        Ok(hit.unwrap_or_else(|| self.constant(Ty::Bool, 0)))
    }

    /// Jumps away; what follows in the block is dead.
    fn leave(&mut self, target: Option<u32>) {
        self.end(target.map_or(Term::Return, Term::Jump));
        let dead = self.block();
        self.open(dead);
    }

    fn give_back(&mut self, frame: &mut Frame<'a>, value: Option<Handle<Expression>>) -> Res<()> {
        let Some((exit, regs)) = frame.exit.clone() else {
            self.leave(None);
            return Ok(());
        };
        if let Some(value) = value {
            let value = self.value(frame, value)?;
            for (&reg, &v) in regs.iter().zip(&value) {
                self.assign(reg, v)?;
            }
        }
        self.leave(Some(exit));
        Ok(())
    }

    pub fn barrier(&mut self, flags: naga::Barrier) -> Res<()> {
        if flags.is_empty() || flags == naga::Barrier::SUB_GROUP {
            return Ok(()); // the lanes of a warp run in lockstep
        }
        let next = self.block();
        self.end(Term::Barrier {
            shared: flags.contains(naga::Barrier::WORK_GROUP),
            global: flags.contains(naga::Barrier::STORAGE),
            next,
        });
        self.open(next);
        Ok(())
    }

    fn call(
        &mut self,
        frame: &mut Frame<'a>,
        callee: Handle<Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
    ) -> Res<()> {
        if frame.depth >= DEEPEST_CALL {
            return Err(RunError::Limit(format!("calls nest deeper than {DEEPEST_CALL}")));
        }
        let function = &self.module.functions[callee];
        let mut items = Vec::new();
        for &argument in arguments {
            items.push(self.item(frame, argument)?);
        }
        let exit = self.block();
        let regs = match &function.result {
            Some(result) => {
                let scalars = self.scalars(&self.module.types[result.ty].inner)?;
                scalars.iter().map(|&ty| self.prog.reg(ty, true)).collect()
            }
            None => Vec::new(),
        };
        let at = self.at;
        let mut inner = Frame {
            function,
            info: &self.info[callee],
            arguments: items,
            items: HashMap::new(),
            locals: HashMap::new(),
            exit: Some((exit, regs.clone())),
            breaks: Vec::new(),
            continues: Vec::new(),
            depth: frame.depth + 1,
        };
        self.function(&mut inner)?;
        self.end(Term::Jump(exit));
        self.open(exit);
        self.at = at;
        if let Some(result) = result {
            let value = self.snapshot(&regs)?;
            frame.items.insert(result, Item::Value(value));
        }
        Ok(())
    }
}

/// Whether a case is just one more label of the next.
fn label(case: &SwitchCase) -> bool {
    case.fall_through && case.body.is_empty()
}
