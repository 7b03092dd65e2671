//! OpenCL C on devices whose drivers compile it, through OpenCL's loader, which is found at run time. The parent's side
//! says what is to be done; the driver is loaded in a child only.

mod device;
mod library;
mod run;
mod words;

use std::path::PathBuf;
use std::sync::OnceLock;

use ktwin_check::languages::Code;
use ktwin_check::{Build, Description, Device, Failure, Launch, Program, Ran, Source, SourceKind};
use serde::{Deserialize, Serialize};

use crate::child::{self, Entry, Job, wire};
use crate::compile;
use crate::compile::cache::Room;
use crate::kernels;
use crate::limits::Limits;
use crate::sandbox::{self, Who};

pub use run::{describe, entries, load};

/// How to get a device.
const GET: &str = "install the device's driver, or PoCL, which computes on the processor (Debian: apt-get install \
                   pocl-opencl-icd)";

/// A text and what it is compiled with, as a worker is told of it.
#[derive(Clone, Serialize, Deserialize)]
pub struct Work {
    /// What is asked for.
    pub ask: Ask,
    /// Which of the devices, counted from 0.
    pub number: usize,
    /// OpenCL C.
    pub text: String,
    /// The compiler's options.
    pub options: Vec<String>,
    /// Lanes that a subgroup may have; any number where it is empty.
    pub subgroup: Vec<i64>,
    /// The one folder that the driver may write to.
    pub room: PathBuf,
}

impl Work {
    /// What drivers are told by variables: where to write, and to keep nothing elsewhere.
    fn variables(&self) -> Vec<(&'static str, PathBuf)> {
        ["POCL_CACHE_DIR", "TMPDIR"].map(|name| (name, self.room.clone())).into()
    }
}

/// What is asked of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ask {
    /// What the device is.
    Describe,
    /// Which kernels a text has.
    Entries,
    /// To run launches.
    Run,
}

/// One of OpenCL's devices.
pub struct OpenCl {
    name: String,
    number: usize,
    limits: Limits,
    there: OnceLock<Result<Description, Failure>>,
}

impl OpenCl {
    /// The device that is called `opencl`, the first, or `opencl:1` and so on; none for other names.
    pub fn named(name: &str, limits: Limits) -> Option<OpenCl> {
        let number = match name.strip_prefix("opencl")? {
            "" => 0,
            rest => rest.strip_prefix(':')?.parse().ok()?,
        };
        Some(OpenCl { name: name.into(), number, limits, there: OnceLock::new() })
    }

    fn work(&self, ask: Ask) -> Result<(Work, Room), Failure> {
        let room = Room::new().map_err(|e| Failure::Broken(format!("cannot make a folder: {e}")))?;
        let (text, options, subgroup) = (String::new(), Vec::new(), Vec::new());
        let path = room.path().to_path_buf();
        Ok((Work { ask, number: self.number, text, options, subgroup, room: path }, room))
    }
}

fn job(work: &Work, ask: Ask) -> Job<'static> {
    Job::Worker(wire::Work::OpenCl(Work { ask, ..work.clone() }), Vec::new())
}

impl Device for OpenCl {
    fn name(&self) -> &str {
        &self.name
    }

    fn about(&self) -> &str {
        "OpenCL's devices, for OpenCL C; opencl:1 is the second"
    }

    fn probe(&self) -> Result<Description, Failure> {
        let ask = || {
            let (work, _room) = self.work(Ask::Describe)?;
            job(&work, Ask::Describe).describe(Limits::default())
        };
        self.there.get_or_init(ask).clone()
    }

    fn accepts(&self, kind: SourceKind) -> bool {
        kind.code() == Code::OpenCl
    }

    fn sandbox(&self) -> Option<String> {
        sandbox::seen(Who::Driver).map(|standing| standing.to_string())
    }

    // A program's variables outlive a launch, and on a processor a kernel is machine code.
    fn remembers(&self) -> bool {
        true
    }

    fn batch(&self) -> usize {
        child::TOGETHER
    }

    fn compile(&self, source: &Source, build: &Build) -> Result<Box<dyn Program>, Failure> {
        let (work, room) = self.work(Ask::Entries)?;
        let defines = build.defines.iter().map(|(name, value)| format!("-D{name}={value}"));
        let folders = compile::folders(source, build);
        let folders = folders.iter().map(|folder| format!("-I{}", folder.display()));
        let own = std::iter::once("-cl-kernel-arg-info".to_owned());
        let options = own.chain(defines).chain(folders).collect();
        let work = Work { text: source.text(), options, subgroup: build.subgroup.clone(), ..work };
        let entries = job(&work, Ask::Entries).compile(self.limits)?;
        let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        kernels::known(&names, build)?;
        Ok(Box::new(Loaded { work, entries, limits: self.limits, _room: room }))
    }
}

struct Loaded {
    work: Work,
    entries: Vec<Entry>,
    limits: Limits,
    _room: Room,
}

impl Program for Loaded {
    fn block(&self, entry: &str) -> Option<[u32; 3]> {
        self.entries.iter().find(|e| entry.is_empty() || e.name == entry)?.block
    }

    fn run(&self, launches: Vec<Launch>) -> Vec<Result<Ran, Failure>> {
        job(&self.work, Ask::Run).run(&launches, self.limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_numbered() {
        let number = |name| OpenCl::named(name, Limits::default()).map(|device| device.number);
        assert_eq!([number("opencl"), number("opencl:0"), number("opencl:12")], [Some(0), Some(0), Some(12)]);
        assert_eq!([number("opencl:"), number("opencl1"), number("opencl:-1"), number("sim")], [None; 4]);
    }
}
