//! The builder: blocks, instructions, constants and memory objects of the program as it grows.

use super::frame::Frame;
use super::types::unsupported;
use crate::api::error::RunError;
use crate::api::options::Limits;
use crate::emit::Build;
use crate::emit::place::Place;
use crate::ir::{MemObject, MemSpace, Program, Rules, Source};
use crate::pass::order::{self, Order};
use crate::wgsl::describe::name_of;
use naga::proc::Layouter;
use naga::valid::ModuleInfo;
use naga::{AddressSpace, EntryPoint, GlobalVariable, Handle, Module, Span, StorageAccess};
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

pub use crate::emit::Res;

/// The state of lowering.
pub struct Lower<'a> {
    pub module: &'a Module,
    pub info: &'a ModuleInfo,
    pub layouter: Layouter,
    pub build: Build,
    pub globals: HashMap<Handle<GlobalVariable>, Place>,
    line_starts: Vec<usize>,
}

/// Lowers one entry point. `text` is the source, for lines.
pub fn lower(module: &Module, info: &ModuleInfo, entry: usize, text: &str, limits: Limits) -> Res<Program> {
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx()).map_err(|e| RunError::Unsupported(e.to_string()))?;
    let point = &module.entry_points[entry];
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let prog = Program {
        workgroup: point.workgroup_size,
        rules: Rules::WGSL,
        source: Source { places: vec![0], lines },
        ..Program::default()
    };
    let mut lower = Lower {
        module,
        info,
        layouter,
        build: Build::new(prog, limits),
        globals: HashMap::new(),
        line_starts: text.match_indices('\n').map(|(i, _)| i + 1).collect(),
    };
    let first = lower.block();
    lower.open(first);
    lower.declare(entry)?;
    lower.entry(point, info.get_entry_point(entry))?;
    order::finish(lower.build.prog, &lower.build.order, Order::Source).map_err(RunError::Limit)
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
    fn declare(&mut self, entry: usize) -> Res<()> {
        let module = self.module;
        for (handle, var) in module.global_variables.iter() {
            if self.info.get_entry_point(entry)[handle].is_empty() {
                continue;
            }
            let place = self.global(var)?;
            self.globals.insert(handle, place);
        }
        Ok(())
    }

    fn global(&mut self, var: &'a GlobalVariable) -> Res<Place> {
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
            AddressSpace::Immediate => {
                self.prog.param_mem = Some(self.prog.mems.len() as u32);
                self.prog.param_starts = vec![0];
                (MemSpace::Constant, false)
            }
            AddressSpace::Handle => return Err(unsupported(inner)),
            other => {
                let text = format!("the simulator has no memory of kind {other:?}");
                return Err(RunError::Unsupported(text));
            }
        };
        let object = MemObject {
            name: name_of(self.module, var),
            space,
            binding: var.binding.map(|b| (b.group, b.binding)),
            size: self.size_of(var.ty),
            zeroed: true,
            writable,
            dynamic: false,
            in_place: false,
            words: Vec::new(),
        };
        Ok(self.memory(object))
    }

    /// The place of the instructions that follow.
    pub fn locate(&mut self, span: Span) {
        let Some(range) = span.to_range() else { return };
        if self.prog.source.lines.is_empty() {
            return;
        }
        let line = self.line_starts.partition_point(|&start| start <= range.start) as u32 + 1;
        self.locate_line(line);
    }
}
