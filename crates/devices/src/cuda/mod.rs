//! NVIDIA's cards, through the driver's API, which is found at run time. The parent's side compiles to PTX and says
//! what is to be done; the driver is loaded in a child only.

mod library;
mod roof;
mod run;
mod sanitizer;
mod time;
mod words;

use std::sync::OnceLock;

use ktwin_check::bench::{Answer, Factor, Roof, Timing};
use ktwin_check::languages::Code;
use ktwin_check::{
    Build, Description, Device, Failure, Launch, Program, Ran, Resources, Sanitized, Source, SourceKind,
};
use serde::{Deserialize, Serialize};

use crate::child::{self, Job, wire};
use crate::limits::Limits;
use crate::sandbox::{self, Who};
use crate::{compile, kernels};

pub use roof::roof;
pub use run::{describe, entries, load};

/// How to get a card.
const GET: &str = "this takes an NVIDIA GPU with a driver for CUDA 12.4 or newer; --device sim runs the same kernels \
                   without one";

/// A module and a card, as a worker is told of them.
#[derive(Clone, Serialize, Deserialize)]
pub struct Work {
    /// What is asked for.
    pub ask: Ask,
    /// Which of the cards, counted from 0.
    pub number: usize,
    /// The module; empty where only the card is asked about.
    pub ptx: compile::Ptx,
    /// Whether a compiler made the PTX, so that it holds no mistakes of the user's.
    pub compiled: bool,
}

/// What is asked of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// What the card is.
    Describe,
    /// Which kernels a module has.
    Entries,
    /// To run launches.
    Run,
    /// To time launches.
    Time(Timing),
    /// What the card does at most, with so many bytes and in multiply-adds of this.
    Roof(usize, Factor),
}

/// One of NVIDIA's cards.
pub struct Cuda {
    name: String,
    number: usize,
    limits: Limits,
    there: OnceLock<Result<Description, Failure>>,
}

impl Cuda {
    /// The card that is called `cuda`, the first, or `cuda:1` and so on; none for other names.
    pub fn named(name: &str, limits: Limits) -> Option<Cuda> {
        let number = child::numbered(name, "cuda")?;
        Some(Cuda { name: name.into(), number, limits, there: OnceLock::new() })
    }

    fn job(&self, ask: Ask) -> Job<'static> {
        job(&Work { ask, number: self.number, ptx: compile::Ptx::default(), compiled: false }, ask)
    }
}

fn job(work: &Work, ask: Ask) -> Job<'static> {
    Job::Worker(wire::Work::Cuda(Work { ask, ..work.clone() }), Vec::new())
}

impl Device for Cuda {
    fn name(&self) -> &str {
        &self.name
    }

    fn about(&self) -> &str {
        "NVIDIA's cards, for CUDA C++, PTX and Triton; cuda:1 is the second"
    }

    fn probe(&self) -> Result<Description, Failure> {
        self.there.get_or_init(|| self.job(Ask::Describe).describe(Limits::default())).clone()
    }

    fn accepts(&self, kind: SourceKind) -> bool {
        kind.code() == Code::Ptx
    }

    fn sandbox(&self) -> Option<String> {
        sandbox::seen(Who::Driver).map(|standing| standing.to_string())
    }

    // A module's variables outlive a launch, and so does what lies in memory that is given back.
    fn remembers(&self) -> bool {
        true
    }

    // Opening a card takes as long as thousands of small kernels.
    fn batch(&self) -> usize {
        16 * child::TOGETHER
    }

    fn roof(&self, bytes: usize, factor: Factor) -> Option<Roof> {
        self.job(Ask::Roof(bytes, factor)).roof(self.limits).ok()
    }

    fn has_sanitizer(&self) -> bool {
        true
    }

    fn sanitize(&self, source: &Source, command: &str) -> Result<Option<Sanitized>, Failure> {
        sanitizer::run(&source.path, command).map(Some)
    }

    fn compile(&self, source: &Source, build: &Build) -> Result<Box<dyn Program>, Failure> {
        let ptx = compile::ptx(source, build)?;
        let compiled = source.kind != SourceKind::Ptx;
        let work = Work { ask: Ask::Entries, number: self.number, ptx, compiled };
        let found = job(&work, Ask::Entries).compile(self.limits)?;
        let names: Vec<&str> = found.iter().map(|entry| entry.name.as_str()).collect();
        let theirs = build.entries.iter().map(|(own, args)| (work.ptx.entry(own).to_owned(), args.clone()));
        kernels::known(&names, &Build { entries: theirs.collect(), ..Build::default() })?;
        Ok(Box::new(Loaded { work, arch: build.arch.clone(), limits: self.limits }))
    }
}

struct Loaded {
    work: Work,
    arch: Option<String>,
    limits: Limits,
}

impl Program for Loaded {
    fn block(&self, _entry: &str) -> Option<[u32; 3]> {
        None
    }

    fn run(&self, launches: Vec<Launch>) -> Vec<Result<Ran, Failure>> {
        job(&self.work, Ask::Run).run(&launches, self.limits)
    }

    fn measure(&self, launches: Vec<Launch>, timing: &Timing) -> Result<Answer, Failure> {
        job(&self.work, Ask::Time(*timing)).timed(&launches, timing, self.limits)
    }

    fn resources(&self) -> Result<Vec<Resources>, String> {
        self.work.ptx.resources(self.arch.as_deref())
    }
}
