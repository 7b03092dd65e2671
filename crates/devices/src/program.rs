//! A device that is somebody's program: it is started for each batch of launches, told what to run in a line of JSON,
//! and says in lines of JSON what came of it (`docs/device-protocol.md`).

use std::path::{Path, PathBuf};

use ktwin_check::{Build, Description, Device, Failure, Launch, Ran, Source, SourceKind};

use crate::child::wire::{Kernel, Task, VERSION};
use crate::child::{self, Entry, Job, Speaks};
use crate::limits::Limits;

/// A program that runs kernels.
pub struct Program {
    path: PathBuf,
    name: String,
    limits: Limits,
    speaks: Speaks,
    there: Result<Description, Failure>,
}

impl Program {
    /// Asks the program at this path what it is.
    pub fn open(path: &Path, limits: Limits) -> Result<Program, Failure> {
        if limits.boxed {
            return Err(Failure::Broken(
                "a sandbox is required, and programs of your own run in none".into(),
            ));
        }
        let odd = |failure| match failure {
            // no kernel is there yet
            Failure::Crash(how) => Failure::Broken(how),
            other => other,
        };
        let (speaks, there) = Job::Device(path, Task::Describe).speaks(limits).map_err(odd)?;
        if speaks.version != VERSION {
            let version = speaks.version;
            return Err(Failure::Broken(format!(
                "it speaks version {version} of the protocol, and this ktwin version {VERSION}"
            )));
        }
        Ok(Program { path: path.into(), name: path.display().to_string(), limits, speaks, there })
    }
}

impl Device for Program {
    fn name(&self) -> &str {
        &self.name
    }

    fn about(&self) -> &str {
        &self.speaks.about
    }

    fn probe(&self) -> Result<Description, Failure> {
        self.there.clone()
    }

    fn accepts(&self, kind: SourceKind) -> bool {
        self.speaks.languages.contains(&kind)
    }

    // A process of its own, but nothing of ktwin's around it.
    fn sandbox(&self) -> Option<String> {
        Some("none (a program of the user's)".into())
    }

    fn remembers(&self) -> bool {
        true
    }

    fn batch(&self) -> usize {
        child::TOGETHER
    }

    fn compile(&self, source: &Source, build: &Build) -> Result<Box<dyn ktwin_check::Program>, Failure> {
        self.there.clone()?;
        let binary = source.kind.is_binary();
        let kernel = Kernel {
            language: source.kind,
            path: source.path.clone(),
            text: if binary { String::new() } else { source.text() },
            bytes: if binary { source.bytes.clone() } else { Vec::new() },
            build: build.clone(),
        };
        let entries = Job::Device(&self.path, Task::Compile(kernel.clone())).compile(self.limits)?;
        Ok(Box::new(Loaded { path: self.path.clone(), kernel, entries, limits: self.limits }))
    }
}

struct Loaded {
    path: PathBuf,
    kernel: Kernel,
    entries: Vec<Entry>,
    limits: Limits,
}

impl ktwin_check::Program for Loaded {
    fn block(&self, entry: &str) -> Option<[u32; 3]> {
        self.entries.iter().find(|e| entry.is_empty() || e.name == entry)?.block
    }

    fn run(&self, launches: Vec<Launch>) -> Vec<Result<Ran, Failure>> {
        Job::Device(&self.path, Task::Run(self.kernel.clone())).run(&launches, self.limits)
    }
}
