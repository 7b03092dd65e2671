//! The host's processor as a device: C, C++ and Rust compiled by the system's compilers, and shared
//! libraries, called through the C ABI in a child process.

#[cfg(target_os = "linux")]
mod beyond;
mod build;
mod call;
mod comparisons;
mod fence;
mod forward;
mod kept;
mod lines;
mod mode;
mod named;
mod reach;
mod roof;
mod said;
mod shim;
mod symbols;
mod time;
mod tools;
mod watched;
#[cfg(target_os = "linux")]
mod writes;

#[cfg(target_os = "linux")]
pub(crate) use writes::handle as handle_writes;

use std::path::PathBuf;
use std::sync::OnceLock;

use ktwin_check::bench::{Answer, Factor, Roof, Timing};
use ktwin_check::languages::Code;
use ktwin_check::{
    Access, Buffer, Build, Description, Device, Failure, Launch, Program, Ran, Source, SourceKind, Visit,
};
use ktwin_num::DType;
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
    /// Whether the kernel says which parts of it ran, in the last buffer of each launch.
    pub watched: bool,
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

    fn roof(&self, bytes: usize, factor: Factor) -> Option<Roof> {
        roof::measure(bytes, factor)
    }

    fn compile(&self, source: &Source, build: &Build) -> Result<Box<dyn Program>, Failure> {
        let built = build::library(source, build)?;
        let (source, build) = (source.clone(), build.clone());
        Ok(Box::new(Loaded { built, source, build, watched: OnceLock::new(), limits: self.limits }))
    }
}

struct Loaded {
    built: build::Built,
    /// What it was made of.
    source: Source,
    build: Build,
    /// The same kernel, saying which parts of it ran, once that is asked for.
    watched: OnceLock<Result<Watched, Failure>>,
    limits: Limits,
}

/// A kernel that says which of its blocks ran, and what it compared.
type Watched = (build::Built, watched::Sites);

impl Program for Loaded {
    fn block(&self, _entry: &str) -> Option<[u32; 3]> {
        None
    }

    fn run(&self, launches: Vec<Launch>) -> Vec<Result<Ran, Failure>> {
        let ran = job(&self.built, None, false).run(&launches, self.limits);
        ran.into_iter().map(|one| one.map_err(|failure| self.with_line(failure))).collect()
    }

    fn visit(&self, mut launches: Vec<Launch>) -> Vec<Result<Visit, Failure>> {
        let watched = self.watched.get_or_init(|| build::watched(&self.source, &self.build));
        let (built, sites) = match watched {
            Ok((built, sites)) => (built, sites),
            Err(failure) => return launches.iter().map(|_| Err(failure.clone())).collect(),
        };
        launches.iter_mut().for_each(|launch| launch.buffers.push(table(sites.bytes())));
        let lines = self.source.text().lines().count();
        let told = |ran: Ran| {
            let table = ran.buffers.last().map_or(&[][..], |bytes| &bytes[MARGIN..]);
            watched::told(sites, table, lines)
        };
        let ran = job(built, None, true).run(&launches, self.limits);
        ran.into_iter().map(|one| one.map(told)).collect()
    }

    fn measure(&self, launches: Vec<Launch>, timing: &Timing) -> Result<Answer, Failure> {
        job(&self.built, Some(*timing), false).timed(&launches, timing, self.limits)
    }
}

impl Loaded {
    /// A failure with the line of the source in which it came, in the place of that in the library.
    fn with_line(&self, failure: Failure) -> Failure {
        let line_of = |place: &str| {
            let library = std::fs::read(self.built.kernel.path()).ok()?;
            let lines = lines::lines(&library, place.trim().parse().ok()?, &named::name_of(&self.source))?;
            let shown = |line: &u32| {
                let text = self.source.text().lines().nth(*line as usize - 1).unwrap_or("").trim().to_owned();
                format!("line {line}: `{text}`")
            };
            let (inner, outer) = (lines.first()?, lines.last()?);
            let caller = (inner != outer).then(|| format!(", called from {}", shown(outer)));
            Some(shown(inner) + &caller.unwrap_or_default())
        };
        match failure {
            Failure::Crash(how) => match how.rsplit_once(child::PLACE) {
                Some((how, place)) => {
                    Failure::Crash(line_of(place).map_or(how.to_owned(), |line| format!("{how}, in {line}")))
                }
                None => Failure::Crash(how),
            },
            Failure::Hang { limit, place } => {
                Failure::Hang { limit, place: line_of(&place).unwrap_or_default() }
            }
            other => other,
        }
    }
}

fn job(built: &build::Built, timing: Option<Timing>, watched: bool) -> Job<'_> {
    let build::Built { kernel, shim, calls } = built;
    let work = Work { kernel: kernel.path(), shim: shim.path(), calls: calls.clone(), timing, watched };
    let handed = [kernel, shim].into_iter().filter_map(build::Library::memory);
    Job::Worker(wire::Work::Native(work), handed.collect())
}

/// Bytes around a table.
const MARGIN: usize = 256;

/// Where a kernel that is watched leaves its table.
fn table(len: usize) -> Buffer {
    let (bytes, body) = (vec![0; len + 2 * MARGIN], MARGIN..MARGIN + len);
    Buffer { name: watched::TABLE.into(), dtype: DType::Bool, bytes, body, access: Access::Scratch }
}
