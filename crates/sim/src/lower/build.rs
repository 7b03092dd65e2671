//! The builder: blocks, instructions, constants and memory objects of the program as it grows.

use super::frame::Frame;
use super::types::unsupported;
use crate::api::error::RunError;
use crate::api::options::Limits;
use crate::front::describe::name_of;
use crate::ir::{Block, Ins, MemObject, MemSpace, Op, Program, Reg, Source, Term, Ty};
use naga::proc::Layouter;
use naga::valid::ModuleInfo;
use naga::{AddressSpace, EntryPoint, GlobalVariable, Handle, Module, Span, StorageAccess};
use std::collections::HashMap;

pub type Res<T> = Result<T, RunError>;

/// The state of lowering.
pub struct Lower<'a> {
    pub module: &'a Module,
    pub info: &'a ModuleInfo,
    pub layouter: Layouter,
    pub prog: Program,
    pub limits: Limits,
    /// Blocks in the order in which they were opened: the layout.
    pub order: Vec<u32>,
    pub current: u32,
    /// The place of the instructions that follow.
    pub at: u32,
    pub globals: HashMap<Handle<GlobalVariable>, super::place::Place>,
    pub code: usize,
    consts: HashMap<(Ty, u64), Reg>,
    line_starts: Vec<usize>,
}

/// Lowers one entry point. `text` is the source, for lines; empty for SPIR-V.
pub fn lower(
    module: &Module,
    info: &ModuleInfo,
    entry: usize,
    text: &str,
    zeroed: bool,
    limits: Limits,
) -> Res<Program> {
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx()).map_err(|e| RunError::Unsupported(e.to_string()))?;
    let point = &module.entry_points[entry];
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let prog = Program {
        workgroup: point.workgroup_size,
        defined: !text.is_empty(),
        source: Source { places: vec![0], lines },
        ..Program::default()
    };
    let mut lower = Lower {
        module,
        info,
        layouter,
        prog,
        limits,
        order: Vec::new(),
        current: 0,
        at: 0,
        globals: HashMap::new(),
        code: 0,
        consts: HashMap::new(),
        line_starts: text.match_indices('\n').map(|(i, _)| i + 1).collect(),
    };
    let first = lower.block();
    lower.open(first);
    lower.declare(entry, zeroed)?;
    lower.entry(point, info.get_entry_point(entry))?;
    Ok(super::flow::finish(lower.prog, &lower.order))
}

impl<'a> Lower<'a> {
    fn entry(&mut self, point: &'a EntryPoint, info: &'a naga::valid::FunctionInfo) -> Res<()> {
        let mut frame = Frame {
            function: &point.function,
            info,
            arguments: Vec::new(),
            items: HashMap::new(),
            locals: HashMap::new(),
            exit: None,
            breaks: Vec::new(),
            continues: Vec::new(),
            depth: 0,
        };
        for argument in &point.function.arguments {
            let value = self.builtin_argument(argument)?;
            frame.arguments.push(super::frame::Item::Value(value));
        }
        self.function(&mut frame)
    }

    /// Makes memory objects, or registers, of the global variables that the entry point uses.
    fn declare(&mut self, entry: usize, zeroed: bool) -> Res<()> {
        let module = self.module;
        for (handle, var) in module.global_variables.iter() {
            if self.info.get_entry_point(entry)[handle].is_empty() {
                continue;
            }
            let place = self.global(var, zeroed)?;
            self.globals.insert(handle, place);
        }
        Ok(())
    }

    fn global(&mut self, var: &'a GlobalVariable, zeroed: bool) -> Res<super::place::Place> {
        let inner = &self.module.types[var.ty].inner;
        let (space, writable) = match var.space {
            AddressSpace::Uniform => (MemSpace::Global, false),
            AddressSpace::Storage { access } => {
                (MemSpace::Global, access.intersects(StorageAccess::STORE | StorageAccess::ATOMIC))
            }
            AddressSpace::WorkGroup => (MemSpace::Shared, true),
            AddressSpace::Private => {
                let name = var.name.clone().unwrap_or_default();
                return self.variable(&name, var.ty, var.init.map(super::stmt::Init::Global), true);
            }
            AddressSpace::Handle => return Err(unsupported(inner)),
            other => {
                let text = format!("the simulator has no memory of kind {other:?}");
                return Err(RunError::Unsupported(text));
            }
        };
        let mem = self.prog.mems.len() as u32;
        self.prog.mems.push(MemObject {
            name: name_of(self.module, var),
            space,
            binding: var.binding.map(|b| (b.group, b.binding)),
            size: self.size_of(var.ty),
            zeroed,
            writable,
            dynamic: false,
            words: Vec::new(),
        });
        Ok(super::place::Place::Mem { mem, addr: None, offset: 0 })
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

    /// The place of the instructions that follow.
    pub fn locate(&mut self, span: Span) {
        let Some(range) = span.to_range() else { return };
        if self.prog.source.lines.is_empty() {
            return;
        }
        let line = self.line_starts.partition_point(|&start| start <= range.start) as u32 + 1;
        if self.prog.source.line(self.at) != line {
            self.prog.source.places.push(line);
            self.at = self.prog.source.places.len() as u32 - 1;
        }
    }
}
