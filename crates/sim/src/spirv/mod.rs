//! The front end for SPIR-V: a binary to tables, and an entry point with its constants set to the register code.
//! Control flow need not be structured. What the simulator does not have is refused before anything runs, with the
//! instruction and its line.

mod clstd;
mod consts;
mod decode;
mod fold;
mod held;
mod kernel;
mod kind;
mod lower;
mod module;
mod origin;
mod parts;
mod set;
mod subgroups;
mod types;
mod uses;
mod words;

use crate::api::error::{CompileError, RunError};
use crate::api::launch::Launch;
use crate::api::module::{BindingInfo, BindingKind, EntryPoint, OverrideInfo};
use crate::api::options::{Limits, Options};
use crate::front::Front;
use crate::ir::Program;
use crate::params;
use consts::{Consts, numbered};
use module::{Entry, Module, Type};
pub use set::specialised;
use spirv::{BuiltIn, Decoration, StorageClass};
use std::collections::HashMap;
use types::{Layout, Types};
use uses::used;
pub use words::readable;

/// A SPIR-V module that can be run.
#[derive(Debug)]
pub struct Spirv {
    module: Module,
    defaults: Consts,
    len: usize,
}

impl Spirv {
    /// Reads a binary and lowers every entry point once, so that what is wrong is refused now, and what is not
    /// supported where all entry points need it. `source` has the lines that findings show where the module does not
    /// bring its own.
    pub fn new(bytes: &[u8], source: Option<&str>) -> Result<Spirv, CompileError> {
        let insts = decode::decode(bytes).map_err(|no| refuse(&[], 0, no.text, no.unsupported))?;
        let mut module = Module::new(insts).map_err(|text| refuse(&[], 0, text, false))?;
        if let Some(source) = source {
            module.lines = source.lines().map(str::to_owned).collect();
        }
        let evaluated = Consts::new(&module, &HashMap::new());
        let defaults = evaluated.map_err(|error| refuse(&module.lines, 0, error.to_string(), false))?;
        if module.entries.is_empty() {
            return Err(refuse(
                &[],
                0,
                "the module has no entry point of a compute shader or a kernel".into(),
                false,
            ));
        }
        let types = Types { module: &module, consts: &defaults };
        let refused = |entry: &Entry| {
            let layout = params::Layout::assumed(&describe(types, entry));
            let lowered = lower::lower(&module, &defaults, entry, &layout, Limits::default());
            // what is too large may be smaller with other values of constants
            lowered.err().filter(|refused| !matches!(refused.error, RunError::Limit(_)))
        };
        let refusals: Vec<_> = module.entries.iter().filter_map(refused).collect();
        // what is not supported may be what nobody runs: that is said where it is launched
        let idle = |no: &lower::Refused| {
            matches!(no.error, RunError::Unsupported(_)) && refusals.len() < module.entries.len()
        };
        if let Some(lower::Refused { line, error }) = refusals.iter().find(|no| !idle(no)) {
            let unsupported = matches!(error, RunError::Unsupported(_));
            return Err(refuse(&module.lines, *line, error.to_string(), unsupported));
        }
        Ok(Spirv { module, defaults, len: bytes.len() })
    }

    /// Bytes of push constants that an entry point reads; 0 where it reads none.
    fn push_size(&self, entry: &Entry, consts: &Consts) -> u32 {
        let types = Types { module: &self.module, consts };
        let used = used(&self.module, entry.function);
        let sizes = self.module.variables.iter().filter(|v| used.contains(&v.id)).filter_map(|v| {
            let push = v.arg(0) == StorageClass::PushConstant as u32;
            push.then(|| types.size(types.pointee(v.ty).ok()?, Layout::default()).ok()).flatten()
        });
        sizes.max().unwrap_or(0)
    }
}

impl Front for Spirv {
    fn entry_points(&self) -> Vec<EntryPoint> {
        let types = Types { module: &self.module, consts: &self.defaults };
        self.module.entries.iter().map(|entry| describe(types, entry)).collect()
    }

    /// The lanes of a workgroup with these values of constants.
    fn workgroup(&self, name: &str, values: &[(String, f64)]) -> Option<[u32; 3]> {
        let entry = self.module.entries.iter().find(|e| e.name == name)?;
        let consts = Consts::new(&self.module, &numbered(&self.module, values).ok()?).ok()?;
        workgroup(Types { module: &self.module, consts: &consts }, entry).ok()
    }

    /// The specialisation constants, each number once, with its name where it has one.
    fn overrides(&self) -> Vec<OverrideInfo> {
        let mut out: Vec<OverrideInfo> = Vec::new();
        for inst in &self.module.constants {
            let Some(id) = self.module.number(inst.id, Decoration::SpecId) else { continue };
            let name = self.module.names.get(&inst.id).cloned().unwrap_or_default();
            let id = u16::try_from(id).ok();
            match out.iter_mut().find(|o| o.id == id) {
                Some(known) if known.name.is_empty() => known.name = name,
                Some(_) => {}
                None => out.push(OverrideInfo { name, id, required: false }),
            }
        }
        out
    }

    /// Lowers an entry point with the values of a launch.
    fn lower(&self, name: &str, launch: &Launch, options: &Options) -> Result<Program, RunError> {
        let Some(entry) = self.module.entries.iter().find(|e| e.name == name) else {
            return Err(RunError::Launch(format!("no entry point `{name}`")));
        };
        let consts = Consts::new(&self.module, &numbered(&self.module, &launch.overrides)?)?;
        let types = Types { module: &self.module, consts: &consts };
        let layout = match self.module.kernel {
            true => params::Layout::of(&kernel::describe(types, entry)?, launch)?,
            false => params::Layout::default(),
        };
        let (needs, given) =
            (self.push_size(entry, &consts), launch.params.first().map_or(0, |p| p.bytes.len()));
        if needs as usize > given {
            let text = format!("`{name}` reads {needs} bytes of push constants, the launch gives {given}");
            return Err(RunError::Launch(text));
        }
        lower::lower(&self.module, &consts, entry, &layout, options.limits).map_err(|refused| match refused {
            lower::Refused { line, error: RunError::Unsupported(text) } if line > 0 => {
                RunError::Unsupported(format!("line {line}: {text}"))
            }
            lower::Refused { error, .. } => error,
        })
    }

    fn size(&self) -> usize {
        self.len
    }
}

fn refuse(lines: &[String], line: u32, message: String, unsupported: bool) -> CompileError {
    let text = line.checked_sub(1).and_then(|at| lines.get(at as usize));
    let place = match (line, text) {
        (0, _) => String::new(),
        (line, None) => format!("\n  line {line}"),
        (line, Some(text)) => format!("\n  line {line}: {}", text.trim()),
    };
    let rendered = format!("{message}{place}");
    CompileError { message, line: (line > 0).then_some(line), column: None, rendered, unsupported }
}

/// The lanes of a workgroup.
fn workgroup(types: Types, entry: &Entry) -> Result<[u32; 3], RunError> {
    // a constant of this built-in goes before what the execution mode says
    let built_in =
        |id: u32| types.module.number(id, Decoration::BuiltIn) == Some(BuiltIn::WorkgroupSize as u32);
    let constant = types.module.constants.iter().find(|inst| built_in(inst.id));
    if let Some([x, y, z]) = constant.and_then(|inst| types.consts.get(inst.id)) {
        return Ok([x, y, z].map(|&bits| u32::try_from(bits).unwrap_or(u32::MAX)));
    }
    match (entry.size, entry.size_ids) {
        (_, Some([x, y, z])) => Ok([types.consts.u32(x)?, types.consts.u32(y)?, types.consts.u32(z)?]),
        (Some(size), None) => Ok(size),
        _ => Err(RunError::Launch(format!(
            "`{}` does not say how large its workgroup is (LocalSize)",
            entry.name
        ))),
    }
}

fn describe(types: Types, entry: &Entry) -> EntryPoint {
    if types.module.kernel {
        let bare = |lacks: RunError| EntryPoint {
            name: entry.name.clone(),
            lacks: Some(lacks.to_string()),
            ..EntryPoint::default()
        };
        return kernel::describe(types, entry).unwrap_or_else(bare);
    }
    let used = used(types.module, entry.function);
    let mut out = EntryPoint {
        name: entry.name.clone(),
        workgroup: workgroup(types, entry).unwrap_or([0; 3]),
        subgroups: subgroups::used_by(types, entry.function),
        subgroup: entry.subgroup,
        ..EntryPoint::default()
    };
    for inst in types.module.variables.iter().filter(|v| used.contains(&v.id)) {
        let Ok(to) = types.pointee(inst.ty) else { continue };
        let size = types.size(to, Layout::default()).unwrap_or(0);
        let class = StorageClass::from_u32(inst.arg(0));
        if class == Some(StorageClass::Workgroup) {
            out.shared = out.shared.saturating_add(size);
        }
        if class == Some(StorageClass::PushConstant) {
            out.push = out.push.max(size);
            out.pushed = types.holds(to);
        }
        let Some(kind) = class.and_then(|class| kind(types, inst.id, to, class)) else { continue };
        let group = types.module.number(inst.id, Decoration::DescriptorSet).unwrap_or(0);
        let binding = types.module.number(inst.id, Decoration::Binding).unwrap_or(0);
        if let Some(same) = out.bindings.iter_mut().find(|b| (b.group, b.binding) == (group, binding)) {
            same.min_size = same.min_size.min(u64::from(size));
            if kind == BindingKind::ReadWrite {
                same.kind = kind;
            }
            continue;
        }
        let (name, stride) = (types.module.name(inst), types.open_stride(to));
        let (min_size, holds) = (u64::from(size), types.holds(to));
        out.bindings.push(BindingInfo { name, group, binding, kind, min_size, stride, holds });
    }
    out.bindings.sort_by_key(|b| (b.group, b.binding));
    out
}

/// What a buffer is; nothing for other variables.
fn kind(types: Types, variable: u32, block: u32, class: StorageClass) -> Option<BindingKind> {
    let buffer_block = types.module.decoration(block, Decoration::BufferBlock).is_some();
    match class {
        StorageClass::Uniform if !buffer_block => return Some(BindingKind::Uniform),
        StorageClass::Uniform | StorageClass::StorageBuffer => {}
        _ => return None,
    }
    let members = match types.get(block) {
        Ok(Type::Struct { members }) => members.len() as u32,
        _ => 0,
    };
    let read = |m: u32| types.module.member_has(block, m, Decoration::NonWritable);
    let whole = types.module.decoration(variable, Decoration::NonWritable).is_some();
    let all = members > 0 && (0..members).all(read);
    Some(if whole || all { BindingKind::Read } else { BindingKind::ReadWrite })
}
