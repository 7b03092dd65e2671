//! The host's processor as a device: C, C++ and Rust compiled by the system's compilers, and shared
//! libraries, called through the C ABI in a child process.

mod build;
mod call;
mod fence;
mod forward;
mod mode;
mod roof;
mod shim;
mod symbols;
mod time;
mod tools;
#[cfg(target_os = "linux")]
mod writes;

#[cfg(target_os = "linux")]
pub(crate) use writes::handle as handle_writes;

use std::path::PathBuf;

use ktwin_check::bench::{Answer, Roof, Timing};
use ktwin_check::languages::Code;
use ktwin_check::{Build, Description, Device, Failure, Launch, Program, Ran, Source, SourceKind};
use serde::{Deserialize, Serialize};

use crate::child::{self, Job, wire};
use crate::limits::Limits;
use crate::sandbox::{self, Who};

pub use call::load;

/// Functions of a shared library, as a worker is told of them.
#[derive(Clone, Serialize, Deserialize)]
pub struct Work {
    /// The library.
    pub kernel: PathBuf,
    /// The library with functions that call them.
    pub shim: PathBuf,
    /// The entry points.
    pub calls: Vec<Call>,
    /// How long to time them before the launches are run, if at all.
    pub timing: Option<Timing>,
}

/// How an entry point of a library is called.
#[derive(Clone, Serialize, Deserialize)]
pub struct Call {
    /// The entry point as a launch names it.
    pub entry: String,
    /// The kernel's function.
    pub function: String,
    /// The shim's symbol that calls it.
    pub symbol: String,
}

/// The host's processor.
pub struct Native {
    limits: Limits,
}

impl Native {
    /// With these limits for every launch.
    pub fn new(limits: Limits) -> Native {
        Native { limits }
    }
}

impl Device for Native {
    fn name(&self) -> &str {
        "native"
    }

    fn about(&self) -> &str {
        "this machine's processor, for C, C++, Rust and shared libraries"
    }

    fn probe(&self) -> Result<Description, Failure> {
        let compiler = tools::Tool::find(SourceKind::C)?;
        let others = [(SourceKind::Cpp, "C++"), (SourceKind::Rust, "Rust")];
        let features = others.into_iter().filter(|(kind, _)| tools::Tool::find(*kind).is_ok());
        Ok(Description {
            detail: format!("{}, {}", std::env::consts::ARCH, compiler.version),
            features: features.map(|(_, name)| name.into()).collect(),
        })
    }

    fn accepts(&self, kind: SourceKind) -> bool {
        kind.code() == Code::Machine
    }

    fn sandbox(&self) -> Option<String> {
        sandbox::seen(Who::Kernel).map(|standing| standing.to_string())
    }

    fn remembers(&self) -> bool {
        true
    }

    fn batch(&self) -> usize {
        child::TOGETHER
    }

    fn roof(&self, bytes: usize) -> Option<Roof> {
        roof::measure(bytes)
    }

    fn compile(&self, source: &Source, build: &Build) -> Result<Box<dyn Program>, Failure> {
        Ok(Box::new(Loaded { built: build::library(source, build)?, limits: self.limits }))
    }
}

struct Loaded {
    built: build::Built,
    limits: Limits,
}

impl Program for Loaded {
    fn block(&self, _entry: &str) -> Option<[u32; 3]> {
        None
    }

    fn run(&self, launches: Vec<Launch>) -> Vec<Result<Ran, Failure>> {
        self.job(None).run(&launches, self.limits)
    }

    fn measure(&self, launches: Vec<Launch>, timing: &Timing) -> Result<Answer, Failure> {
        self.job(Some(*timing)).timed(&launches, timing, self.limits)
    }
}

impl Loaded {
    fn job(&self, timing: Option<Timing>) -> Job<'_> {
        let build::Built { kernel, shim, calls } = &self.built;
        let work = Work { kernel: kernel.path(), shim: shim.path(), calls: calls.clone(), timing };
        let handed = [kernel, shim].into_iter().filter_map(build::Library::memory);
        Job::Worker(wire::Work::Native(work), handed.collect())
    }
}
