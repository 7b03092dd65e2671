//! The host's processor as a device: C, C++ and Rust compiled by the system's compilers, and shared
//! libraries, called through the C ABI in a child process.

mod build;
pub mod cache;
mod call;
mod fence;
mod mode;
pub mod process;
mod shim;
mod symbols;
mod tools;
#[cfg(target_os = "linux")]
mod writes;

use ktwin_check::{Build, Description, Device, Failure, Launch, Program, Ran, Source, SourceKind};

use crate::child::shared::Shared;
use crate::child::wire::Work;
use crate::child::{self, Limits};
use crate::sandbox::{self, Who};

pub use cache::leave_nothing;
pub use call::load;

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

/// What the host has, or how to get a compiler.
pub fn probe() -> Result<Description, Failure> {
    let compiler = tools::Tool::find(SourceKind::C)?;
    let features =
        [SourceKind::Cpp, SourceKind::Rust].into_iter().filter(|kind| tools::Tool::find(*kind).is_ok());
    Ok(Description {
        name: "native".into(),
        detail: format!("{}, {}", std::env::consts::ARCH, compiler.version),
        features: features.map(|kind| if kind == SourceKind::Cpp { "C++" } else { "Rust" }.into()).collect(),
    })
}

impl Device for Native {
    fn describe(&self) -> Description {
        probe().unwrap_or_else(|missing| Description {
            name: "native".into(),
            detail: missing.to_string(),
            features: Vec::new(),
        })
    }

    fn accepts(&self, kind: SourceKind) -> bool {
        matches!(kind, SourceKind::C | SourceKind::Cpp | SourceKind::Rust | SourceKind::Library)
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
        let build::Built { kernel, shim, calls } = &self.built;
        let work = Work::Native { kernel: kernel.path(), shim: shim.path(), calls: calls.clone() };
        let handed: Vec<&Shared> = [kernel, shim].into_iter().filter_map(build::Library::memory).collect();
        child::run(&work, &handed, &launches, self.limits)
    }
}
