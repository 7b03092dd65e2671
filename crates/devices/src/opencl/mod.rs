//! OpenCL C on devices whose drivers compile it, through OpenCL's loader, which is found at run time. The parent's side
//! says what is to be done; the driver is loaded in a child only.

mod device;
mod library;
mod oclgrind;
mod roof;
mod run;
mod status;
mod time;
mod words;

use std::path::PathBuf;
use std::sync::OnceLock;

use ktwin_check::bench::{Answer, Factor, Roof, Timing};
use ktwin_check::languages::Code;
use ktwin_check::{Build, Constant, Description, Device, Failure, Launch, Program, Ran, Source, SourceKind};
use serde::{Deserialize, Serialize};

use crate::child::{self, Entry, Job, wire};
use crate::compile;
use crate::compile::cache::Room;
use crate::kernels;
use crate::limits::Limits;
use crate::sandbox::{self, Who};

pub use roof::roof;
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
    /// The file, for messages.
    pub file: String,
    /// OpenCL C.
    pub text: String,
    /// The compiler's options.
    pub options: Vec<String>,
    /// Lanes that a subgroup may have; any number where it is empty.
    pub subgroup: Vec<i64>,
    /// The one folder that the driver may write to.
    pub room: PathBuf,
    /// Variables that are set before the driver is loaded.
    pub variables: Vec<(String, PathBuf)>,
    /// Whether it must be Oclgrind, which checks accesses itself: buffers are then given to it without canaries.
    pub checker: bool,
}

/// What is asked of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// What the device is.
    Describe,
    /// Which kernels a text has.
    Entries,
    /// To run launches.
    Run,
    /// To time launches.
    Time(Timing),
    /// What the device does at most, with so many bytes and in multiply-adds of this.
    Roof(usize, Factor),
}

/// One of OpenCL's devices, or Oclgrind.
pub struct OpenCl {
    name: String,
    number: usize,
    checker: bool,
    limits: Limits,
    there: OnceLock<Result<Description, Failure>>,
}

impl OpenCl {
    /// The device that is called `opencl`, the first, or `opencl:1` and so on; none for other names.
    pub fn named(name: &str, limits: Limits) -> Option<OpenCl> {
        let number = child::numbered(name, "opencl")?;
        Some(OpenCl { name: name.into(), number, checker: false, limits, there: OnceLock::new() })
    }

    /// The first device, and Oclgrind.
    pub fn all(limits: Limits) -> [OpenCl; 2] {
        let one = |name: &str, checker| OpenCl {
            name: name.into(),
            number: 0,
            checker,
            limits,
            there: OnceLock::new(),
        };
        [one("opencl", false), one("oclgrind", true)]
    }

    fn work(&self, ask: Ask) -> Result<(Work, Room), Failure> {
        let broken = |e: std::io::Error| Failure::Broken(format!("cannot make a folder: {e}"));
        let room = Room::new().map_err(broken)?;
        let path = room.path().to_path_buf();
        // drivers keep nothing elsewhere
        let mut variables = vec![("POCL_CACHE_DIR", path.clone()), ("TMPDIR", path.clone())];
        if self.checker {
            let absent = || Failure::Absent { why: "no Oclgrind".into(), get: oclgrind::GET.into() };
            let library = oclgrind::library().ok_or_else(absent)?;
            variables.extend(oclgrind::variables(&library, &path).map_err(broken)?);
        }
        let variables = variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let (text, options, subgroup) = (String::new(), Vec::new(), Vec::new());
        let (number, checker) = (self.number, self.checker);
        let file = String::new();
        Ok((Work { ask, number, file, text, options, subgroup, room: path, variables, checker }, room))
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
        match self.checker {
            true => "Oclgrind, which checks OpenCL C as it runs it, as sim does",
            false => "OpenCL's devices, for OpenCL C; opencl:1 is the second",
        }
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
        !self.checker
    }

    fn batch(&self) -> usize {
        child::TOGETHER
    }

    fn roof(&self, bytes: usize, factor: Factor) -> Option<Roof> {
        let (work, _room) = self.work(Ask::Roof(bytes, factor)).ok().filter(|_| !self.checker)?;
        job(&work, Ask::Roof(bytes, factor)).roof(self.limits).ok()
    }

    fn compile(&self, source: &Source, build: &Build) -> Result<Box<dyn Program>, Failure> {
        let (work, room) = self.work(Ask::Entries)?;
        let (text, defines) = defined(source, build);
        let folders = compile::folders(source, build);
        let folders = folders.iter().map(|folder| format!("-I{}", folder.display()));
        let own = std::iter::once("-cl-kernel-arg-info".to_owned());
        let options = own.chain(defines).chain(folders).collect();
        let file = source.path.display().to_string();
        let work = Work { file, text, options, subgroup: build.subgroup.clone(), ..work };
        let entries = job(&work, Ask::Entries).compile(self.limits)?;
        let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        kernels::known(&names, build)?;
        Ok(Box::new(Loaded { work, entries, limits: self.limits, _room: room }))
    }
}

/// The source and the options for its constants. Drivers split options at blanks, which text may have: it goes before
/// the source, whose lines keep their numbers.
fn defined(source: &Source, build: &Build) -> (String, Vec<String>) {
    let (mut text, mut options) = (String::new(), Vec::new());
    for (name, value) in &build.defines {
        match value {
            Constant::Number(number) => options.push(format!("-D{name}={number}")),
            Constant::Text(value) => text.push_str(&format!("#define {name} {value}\n")),
        }
    }
    if !text.is_empty() {
        text.push_str("#line 1\n");
    }
    (text + &source.text(), options)
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
        let job = job(&self.work, Ask::Run);
        if !self.work.checker {
            return job.run(&launches, self.limits);
        }
        // a log a launch
        let each = |launch| {
            let mut ran = job.run(std::slice::from_ref(launch), self.limits).pop();
            if let Some(Ok(ran)) = &mut ran {
                ran.findings.extend(oclgrind::take(&self.work.room));
            }
            ran.unwrap_or_else(|| Err(Failure::Broken("a launch without a result".into())))
        };
        launches.iter().map(each).collect()
    }

    fn measure(&self, launches: Vec<Launch>, timing: &Timing) -> Result<Answer, Failure> {
        if self.work.checker {
            return Err(Failure::Unsupported("Oclgrind simulates a device: it has no speed".into()));
        }
        job(&self.work, Ask::Time(*timing)).timed(&launches, timing, self.limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_before_the_source() {
        let source = Source {
            kind: ktwin_check::SourceKind::OpenCl,
            path: "k.cl".into(),
            bytes: b"__kernel void k() {}".to_vec(),
        };
        let constants = [
            ("N", Constant::Number(ktwin_check::Number::Int(3))),
            ("T", Constant::Text("unsigned int".into())),
        ];
        let of = |all: &[(&str, Constant)]| {
            let defines = all.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            defined(&source, &Build { defines, ..Build::default() })
        };
        assert_eq!(of(&constants[..1]), ("__kernel void k() {}".into(), vec!["-DN=3".into()]));
        let (text, options) = of(&constants);
        assert_eq!(options, ["-DN=3"]);
        assert_eq!(text, "#define T unsigned int\n#line 1\n__kernel void k() {}");
    }

    #[test]
    fn devices_are_numbered() {
        let number = |name| OpenCl::named(name, Limits::default()).map(|device| device.number);
        assert_eq!([number("opencl"), number("opencl:0"), number("opencl:12")], [Some(0), Some(0), Some(12)]);
        assert_eq!([number("opencl:"), number("opencl1"), number("opencl:-1"), number("sim")], [None; 4]);
    }
}
