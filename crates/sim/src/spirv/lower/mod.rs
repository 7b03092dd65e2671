//! From a module's tables to the register code: one entry point, all calls inlined, all composites taken apart.

mod access;
mod arith;
mod atomic;
mod bits;
mod composite;
mod convert;
mod flow;
mod globals;
mod glsl;
mod group;
mod kernel;
mod memory;
mod opencl;
mod opencl_memory;
mod opencl_whole;
mod parts;
mod pointer;
mod rounded;
mod select;

use super::consts::Consts;
use super::decode::Inst;
use super::module::{Entry, Function, Module};
use super::origin::Origins;
use super::types::{Layout, Scalar, Types, broken};
use crate::api::error::RunError;
use crate::api::options::Limits;
use crate::emit::place::Place;
use crate::emit::{Build, Res, Value};
use crate::ir::{Program, Reg, Rules, Source};
use crate::params;
use crate::pass::order::{self, Order};
use pointer::Homes;
use std::collections::{HashMap, HashSet};
use std::ops::{Deref, DerefMut};

/// A value or a pointer, with how matrices that it leads to lie.
#[derive(Clone, Debug)]
pub enum Item {
    Value(Value),
    Place(Place, Layout),
}

/// A function being lowered; calls open a frame within a frame.
#[derive(Default)]
pub struct Frame {
    pub function: u32,
    pub items: HashMap<u32, (u32, Item)>,
    /// The blocks here of labels there, and those that something jumps to.
    pub blocks: HashMap<u32, u32>,
    pub reached: HashSet<u32>,
    /// For each label, the values that its `OpPhi` take: the result and what it takes from where.
    pub phis: HashMap<u32, Vec<Phi>>,
    /// Where `OpReturn` goes and what it fills; the entry point has none.
    pub exit: Option<(u32, Value)>,
}

#[derive(Clone)]
pub struct Phi {
    pub regs: Value,
    pub pairs: Vec<u32>,
}

/// The state of lowering.
pub struct Lower<'a> {
    pub module: &'a Module,
    pub consts: &'a Consts,
    pub build: Build,
    pub globals: HashMap<u32, (u32, Item)>,
    pub frames: Vec<Frame>,
    /// Variables whose elements are chosen while running.
    pub indexed: HashSet<u32>,
    /// Kernels: where pointers may lead, where everything lies, and what the launch gives.
    pub origins: Origins,
    pub homes: Homes,
    pub layout: &'a params::Layout,
    /// Variables that only hold a constant, and which.
    pub tables: HashMap<u32, u32>,
    /// What memory barriers since the last access have ordered.
    pub ordered: (bool, bool),
    /// The instruction that an error is about.
    pub line: u32,
    pub name: String,
}

/// Why an entry point is refused, and where.
#[derive(Debug)]
pub struct Refused {
    pub line: u32,
    pub error: RunError,
}

impl Deref for Lower<'_> {
    type Target = Build;

    fn deref(&self) -> &Build {
        &self.build
    }
}

impl DerefMut for Lower<'_> {
    fn deref_mut(&mut self) -> &mut Build {
        &mut self.build
    }
}

/// Lowers an entry point with these values of its constants.
pub fn lower(
    module: &Module,
    consts: &Consts,
    entry: &Entry,
    layout: &params::Layout,
    limits: Limits,
) -> Result<Program, Refused> {
    let source = Source { places: vec![0], lines: module.lines.clone() };
    let types = Types { module, consts };
    let (workgroup, rules) = match module.kernel {
        true => (Ok(layout.block), Rules::OPENCL),
        false => (super::workgroup(types, entry), Rules::SPIRV),
    };
    let workgroup = workgroup.map_err(|error| Refused { line: 0, error })?;
    let prog = Program { workgroup, source, rules, ..Program::default() };
    let mut lower = Lower {
        module,
        consts,
        build: Build::new(prog, limits),
        globals: HashMap::new(),
        frames: Vec::new(),
        indexed: HashSet::new(),
        origins: if module.kernel { Origins::new(module, entry.function) } else { Origins::default() },
        homes: Homes::default(),
        layout,
        tables: HashMap::new(),
        ordered: (false, false),
        line: 0,
        name: String::new(),
    };
    if let Err(error) = lower.entry(entry) {
        return Err(Refused { line: lower.line, error: named(error, &lower.name) });
    }
    let order = std::mem::take(&mut lower.build.order);
    let mut prog = lower.build.prog;
    prog.mark_written();
    order::finish(prog, &order, Order::Source)
        .map_err(|text| Refused { line: 0, error: RunError::Unsupported(text) })
}

/// An error with the instruction that it is about.
fn named(error: RunError, name: &str) -> RunError {
    let add =
        |text: String| if name.is_empty() || text.contains(name) { text } else { format!("{name}: {text}") };
    match error {
        RunError::Unsupported(text) => RunError::Unsupported(add(text)),
        RunError::Launch(text) => RunError::Launch(add(text)),
        limit => limit,
    }
}

impl<'a> Lower<'a> {
    pub fn types(&self) -> Types<'a> {
        Types { module: self.module, consts: self.consts }
    }

    fn entry(&mut self, entry: &Entry) -> Res<()> {
        let first = self.block();
        self.open(first);
        let function = self.function_of(entry.function)?;
        self.declare(entry)?;
        let args = if self.module.kernel { self.parameters(entry, function)? } else { Vec::new() };
        self.run_function(function, args, None)
    }

    pub fn function_of(&self, id: u32) -> Res<&'a Function> {
        let found = self.module.functions.get(&id);
        found.ok_or_else(|| broken(format!("%{id} is not a function")))
    }

    /// The frame of the function being lowered.
    pub fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// A value or a pointer, and its type.
    pub fn item(&mut self, id: u32) -> Res<(u32, Item)> {
        if let Some(found) = self.frames.last().and_then(|frame| frame.items.get(&id)) {
            return Ok(found.clone());
        }
        if let Some(found) = self.globals.get(&id) {
            return Ok(found.clone());
        }
        let (Some(ty), Some(bits)) = (self.consts.ty(id), self.consts.get(id)) else {
            return Err(broken(format!("%{id} is used where it is not defined")));
        };
        let scalars = self.types().scalars(ty)?;
        let value = scalars.iter().zip(bits).map(|(s, &bits)| self.constant(s.ty(), bits)).collect();
        Ok((ty, Item::Value(value)))
    }

    pub fn value(&mut self, id: u32) -> Res<Value> {
        match self.item(id)?.1 {
            Item::Value(value) => Ok(value),
            Item::Place(Place::Mem { .. }, _) if self.module.kernel => Ok(vec![self.address(id)?]),
            Item::Place(..) => Err(RunError::Unsupported(format!("a pointer (%{id}) is used as a value"))),
        }
    }

    /// The type of a value.
    pub fn type_of(&mut self, id: u32) -> Res<u32> {
        Ok(self.item(id)?.0)
    }

    /// A value and what its scalars are.
    pub fn vector(&mut self, id: u32) -> Res<(Value, Scalar)> {
        let ty = self.type_of(id)?;
        Ok((self.value(id)?, self.types().scalar(ty)?))
    }

    /// The one scalar of a value.
    pub fn one(&mut self, id: u32) -> Res<Reg> {
        let value = self.value(id)?;
        value.first().copied().ok_or_else(|| broken(format!("%{id} has no scalars")))
    }

    /// Gives an instruction its result.
    pub fn set(&mut self, inst: &Inst, value: Value) -> Res<()> {
        let width = self.types().width(inst.ty)?;
        if value.len() != width {
            let text =
                format!("the result %{} has {width} scalars, the operands give {}", inst.id, value.len());
            return Err(broken(text));
        }
        self.frame().items.insert(inst.id, (inst.ty, Item::Value(value)));
        Ok(())
    }

    pub fn unsupported<T>(&self, text: &str) -> Res<T> {
        Err(RunError::Unsupported(format!("{}: {text}", self.name)))
    }
}
