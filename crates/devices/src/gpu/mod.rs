//! GPUs through wgpu: Vulkan, Metal and DirectX 12. The parent's side looks into the shader and sends it to a
//! child; the driver is loaded there only, so that one that crashes takes nothing with it.

mod raw;
mod roof;
mod run;
mod time;

use std::sync::OnceLock;

use ktwin_check::bench::{Answer, Factor, Roof, Timing};
use ktwin_check::languages::Code;
use ktwin_check::{Build, Description, Device, Failure, Launch, Program, Ran, Source, SourceKind};
use ktwin_sim::{BindingKind, EntryPoint, Module};
use serde::{Deserialize, Serialize};

use crate::child::{self, Job, wire};
use crate::limits::Limits;
use crate::sandbox::{self, Who};
use crate::shader;

pub use roof::roof;
pub use run::{describe, load};

/// A shader and what it is compiled with, as a worker is told of it.
#[derive(Clone, Serialize, Deserialize)]
pub struct Work {
    /// `vulkan`, `metal` or `dx12`.
    pub device: String,
    /// WGSL, where `spirv` is not set, or SPIR-V.
    #[serde(with = "serde_bytes")]
    pub source: Vec<u8>,
    /// Whether the source is SPIR-V.
    pub spirv: bool,
    /// Values of overrides.
    pub constants: Vec<(String, f64)>,
    /// Lanes that a subgroup may have; any number where it is empty.
    pub subgroup: Vec<i64>,
    /// For each entry point its name and the bindings that it uses.
    pub used: Vec<(String, Vec<Binding>)>,
    /// Bytes of push constants that the entry points read at most.
    pub push: u32,
    /// How long to time it before the launches are run, if at all.
    pub timing: Option<Timing>,
}

/// A binding that a shader uses.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Binding {
    /// Its number, which is that of the argument.
    pub number: u32,
    /// Whether it is a uniform buffer.
    pub uniform: bool,
    /// Whether the shader only reads it.
    pub read_only: bool,
}

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

/// The interfaces that this system has.
pub fn devices(limits: Limits) -> Vec<Box<dyn Device>> {
    let names: &[&str] = match () {
        () if cfg!(target_vendor = "apple") => &["metal"],
        () if cfg!(windows) => &["vulkan", "dx12"],
        () => &["vulkan"],
    };
    names.iter().map(|name| Box::new(Gpu::new(name, limits)) as Box<dyn Device>).collect()
}

impl Device for Gpu {
    fn name(&self) -> &str {
        self.name
    }

    fn about(&self) -> &str {
        match self.name {
            "metal" => "GPUs through Metal, for WGSL, GLSL and SPIR-V",
            "dx12" => "GPUs through DirectX 12, for WGSL, GLSL and SPIR-V",
            _ => "GPUs through Vulkan, for WGSL, GLSL and SPIR-V",
        }
    }

    // Asked once: a driver takes its time to load.
    fn probe(&self) -> Result<Description, Failure> {
        static VULKAN: OnceLock<Result<Description, Failure>> = OnceLock::new();
        static OTHER: OnceLock<Result<Description, Failure>> = OnceLock::new();
        let known = if self.name == "vulkan" { &VULKAN } else { &OTHER };
        let job = Job::Worker(wire::Work::Describe(self.name.into()), Vec::new());
        known.get_or_init(|| job.describe(Limits::default())).clone()
    }

    fn accepts(&self, kind: SourceKind) -> bool {
        kind.code() == Code::Shader
    }

    fn sandbox(&self) -> Option<String> {
        sandbox::seen(Who::Driver).map(|standing| standing.to_string())
    }

    fn batch(&self) -> usize {
        child::TOGETHER
    }

    fn roof(&self, bytes: usize, factor: Factor) -> Option<Roof> {
        let work = wire::Work::GpuRoof(self.name.into(), bytes, factor);
        Job::Worker(work, Vec::new()).roof(self.limits).ok()
    }

    fn compile(&self, source: &Source, build: &Build) -> Result<Box<dyn Program>, Failure> {
        self.probe()?;
        let module = shader::module(source, build)?;
        shader::entries(&module, build)?;
        let constants = shader::overrides(&module, source, build)?;
        let binary = shader::spirv(source, build)?;
        let spirv = binary.is_some();
        let set = binary.map(|bytes| ktwin_sim::specialised_spirv(&bytes, &constants));
        let code = match set.transpose().map_err(Failure::Mismatch)? {
            Some(binary) => binary,
            None => shader::wgsl(source, build)?.into_bytes(),
        };
        let work = Work {
            device: self.name.into(),
            subgroup: build.subgroup.clone(),
            source: code,
            spirv,
            constants,
            used: module.entry_points().iter().map(used).collect::<Result<_, _>>()?,
            push: module.entry_points().iter().map(|e| e.push).max().unwrap_or(0),
            timing: None,
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
    work: Work,
    limits: Limits,
}

impl Program for Loaded {
    fn block(&self, entry: &str) -> Option<[u32; 3]> {
        self.module.workgroup(entry, &self.work.constants)
    }

    fn run(&self, launches: Vec<Launch>) -> Vec<Result<Ran, Failure>> {
        self.job(None).run(&launches, self.limits)
    }

    fn measure(&self, launches: Vec<Launch>, timing: &Timing) -> Result<Answer, Failure> {
        self.job(Some(*timing)).timed(&launches, timing, self.limits)
    }
}

impl Loaded {
    fn job(&self, timing: Option<Timing>) -> Job<'static> {
        Job::Worker(wire::Work::Gpu(Work { timing, ..self.work.clone() }), Vec::new())
    }
}
