//! GPUs through wgpu: Vulkan, Metal and DirectX 12. The parent's side looks into the shader and sends it to a
//! child; the driver is loaded there only, so that one that crashes takes nothing with it.

mod raw;
mod run;

use std::sync::OnceLock;

use ktwin_check::{Build, Description, Device, Failure, Launch, Program, Ran, Source, SourceKind};
use ktwin_sim::{BindingKind, EntryPoint, Module};

use crate::child::wire::{Binding, GpuWork, Work};
use crate::child::{self, Limits};
use crate::sandbox::{self, Who};
use crate::{glsl, sim};

pub use run::{describe, load};

/// A GPU by the name of its interface.
pub struct Gpu {
    name: &'static str,
    limits: Limits,
}

impl Gpu {
    /// The first adapter of this interface, with these limits for every launch.
    pub fn new(name: &'static str, limits: Limits) -> Gpu {
        Gpu { name, limits }
    }
}

/// What adapter there is, asked once, or how to get one.
pub fn probe(name: &'static str) -> Result<Description, Failure> {
    static VULKAN: OnceLock<Result<Description, Failure>> = OnceLock::new();
    static OTHER: OnceLock<Result<Description, Failure>> = OnceLock::new();
    let known = if name == "vulkan" { &VULKAN } else { &OTHER };
    known.get_or_init(|| child::describe(name, Limits::default())).clone()
}

impl Device for Gpu {
    fn describe(&self) -> Description {
        probe(self.name).unwrap_or_else(|missing| Description {
            name: self.name.into(),
            detail: missing.to_string(),
            features: Vec::new(),
        })
    }

    fn accepts(&self, kind: SourceKind) -> bool {
        matches!(kind, SourceKind::Wgsl | SourceKind::Glsl | SourceKind::SpirV)
    }

    fn sandbox(&self) -> Option<String> {
        sandbox::seen(Who::Driver).map(|standing| standing.to_string())
    }

    fn batch(&self) -> usize {
        child::TOGETHER
    }

    fn compile(&self, source: &Source, build: &Build) -> Result<Box<dyn Program>, Failure> {
        probe(self.name)?;
        let module = sim::module(source, build)?;
        sim::entries(&module, build)?;
        let constants = sim::overrides(&module, source, &build.defines)?;
        let binary = match source.kind {
            SourceKind::SpirV => Some(source.bytes.clone()),
            SourceKind::Glsl => Some(glsl::compile(source, build)?),
            _ => None,
        };
        let spirv = binary.is_some();
        let set = binary.map(|bytes| ktwin_sim::specialised_spirv(&bytes, &constants));
        let work = GpuWork {
            device: self.name.into(),
            subgroup: build.subgroup.clone(),
            source: set.transpose().map_err(Failure::Mismatch)?.unwrap_or_else(|| source.bytes.clone()),
            spirv,
            constants,
            used: module.entry_points().iter().map(used).collect::<Result<_, _>>()?,
            push: module.entry_points().iter().map(|e| e.push).max().unwrap_or(0),
        };
        Ok(Box::new(Loaded { module, work, limits: self.limits }))
    }
}

fn used(entry: &EntryPoint) -> Result<(String, Vec<Binding>), Failure> {
    if let Some(far) = entry.bindings.iter().find(|b| b.group != 0) {
        let (name, group) = (&far.name, far.group);
        return Err(Failure::Unsupported(format!(
            "`{name}` is in @group({group}): this device binds @group(0) alone, the simulator all groups"
        )));
    }
    let bindings = entry.bindings.iter();
    let bindings = bindings.map(|b| Binding {
        number: b.binding,
        uniform: b.kind == BindingKind::Uniform,
        read_only: b.kind == BindingKind::Read,
    });
    Ok((entry.name.clone(), bindings.collect()))
}

struct Loaded {
    module: Module,
    work: GpuWork,
    limits: Limits,
}

impl Program for Loaded {
    fn block(&self, entry: &str) -> Option<[u32; 3]> {
        self.module.workgroup(entry, &self.work.constants)
    }

    fn run(&self, launches: Vec<Launch>) -> Vec<Result<Ran, Failure>> {
        child::run(&Work::Gpu(self.work.clone()), &[], &launches, self.limits)
    }
}
