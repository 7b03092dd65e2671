//! Kernels in a child process: started, watched, killed when they take too long or too much, their results
//! read when they are dead. The parent's side; it touches processes and memory that it hands to them, only.

mod place;
mod reports;
pub mod shared;
pub mod start;
pub mod watch;
pub mod wire;
mod worker;

pub use reports::Ended;
pub use start::stop_all;
pub use worker::{InPlace, Runner};

use std::io;
use std::time::Duration;

#[cfg(feature = "gpu")]
use ktwin_check::Description;
use ktwin_check::{Failure, Finding, Kind, Launch, Ran};

use crate::sandbox::{self, Policy, Standing, Who};
use place::{Layout, Placed};
use reports::shown;
use shared::Shared;
use watch::Stopped;
use wire::{WireOrder, Work};

/// What a kernel in a child process may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time for one launch, the start of the process and the driver included.
    pub time: Duration,
    /// Bytes of memory of the process, beside three times the buffers. Watched on Linux only.
    pub memory: u64,
    /// Whether nothing may run outside a whole box.
    pub boxed: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { time: Duration::from_secs(10), memory: 2 << 30, boxed: false }
    }
}

impl Work {
    fn who(&self) -> Who {
        match self {
            Work::Nothing | Work::Native { .. } => Who::Kernel,
            Work::Program { .. } => Who::Compiler,
            #[cfg(feature = "gpu")]
            Work::Gpu(_) | Work::Describe { .. } => Who::Driver,
        }
    }

    fn layout(&self) -> Layout {
        if self.who() == Who::Kernel { Layout::Fenced } else { Layout::Copied }
    }

    // The box of a kernel: it reads libraries, and writes to no file at all.
    fn policy(&self, limits: Limits, launches: usize) -> Policy {
        let who = self.who();
        Policy {
            who,
            read: if who == Who::Kernel { start::libraries() } else { Vec::new() },
            write: None,
            // what the watcher sees first has the better message
            memory: limits.memory.saturating_mul(2),
            file: if who == Who::Kernel { 0 } else { 64 << 20 },
            seconds: cpu_seconds(limits.time, launches),
            required: limits.boxed,
        }
    }
}

// Each launch may keep all processors busy for its whole time.
fn cpu_seconds(time: Duration, launches: usize) -> u64 {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    (time.as_secs() + 1).saturating_mul((launches.max(1) * processors) as u64)
}

/// Launches that a child is best given together: starting it, and its driver, costs as much as many small kernels.
pub const TOGETHER: usize = 16;

/// Runs launches in as few child processes as can be: one, and another after each launch that ended its
/// process. After one that did not end in time the rest is not tried. `handed` is what the work itself names.
pub fn run(
    work: &Work,
    handed: &[&Shared],
    launches: &[Launch],
    limits: Limits,
) -> Vec<Result<Ran, Failure>> {
    let mut results = Vec::new();
    while results.len() < launches.len() {
        let before = results.len();
        if let Err(error) = some(work, handed, launches, limits, &mut results) {
            // what is known already stays known
            let failure = Failure::Broken(format!("cannot run a child process: {error}"));
            results.resize(launches.len(), Err(failure));
        }
        debug_assert!(results.len() > before, "a child leaves at least one result");
    }
    results
}

// One child, from the first launch that has no result yet.
fn some(
    work: &Work,
    handed: &[&Shared],
    launches: &[Launch],
    limits: Limits,
    results: &mut Vec<Result<Ran, Failure>>,
) -> io::Result<()> {
    let first = results.len();
    let mut memories = Vec::new();
    for launch in &launches[first..] {
        let placed = launch.buffers.iter().map(|b| Placed::new(b, launch, work.layout()));
        memories.push(placed.collect::<io::Result<Vec<Placed>>>()?);
    }
    let largest = launches.iter().map(bytes_of).max().unwrap_or(0);
    let limits = Limits { memory: limits.memory.saturating_add(3 * largest), ..limits };
    let stopped = started(work, handed, &launches[first..], &memories, limits)?;
    let mut left = memories.iter_mut().zip(&launches[first..]);
    for (end, (memory, launch)) in stopped.ended.iter().zip(&mut left) {
        results.push(result(end, memory, launch, work));
    }
    if results.len() < launches.len() {
        let failure = stopped.failure();
        let over = matches!(failure, Failure::Hang(_) | Failure::Broken(_));
        results.push(Err(failure.clone()));
        if over {
            let rest = match failure {
                Failure::Hang(_) => Failure::Unsupported("not tried: an earlier launch did not end".into()),
                broken => broken,
            };
            results.resize(launches.len(), Err(rest));
        }
    } else if !stopped.is_clean() && results.last().is_some_and(Result::is_ok) {
        // what it broke showed only at its end
        let last = results.len() - 1;
        results[last] = Err(stopped.failure());
    }
    Ok(())
}

fn started(
    work: &Work,
    handed: &[&Shared],
    launches: &[Launch],
    memories: &[Vec<Placed>],
    limits: Limits,
) -> io::Result<Stopped> {
    let told = launches.iter().zip(memories).map(|(launch, placed)| WireOrder {
        buffers: launch.buffers.iter().zip(placed).map(|(b, p)| p.wire(b)).collect(),
        steps: wire::steps(launch),
    });
    let mut passed: Vec<&Shared> = handed.to_vec();
    passed.extend(memories.iter().flatten().map(Placed::shared));
    let policy = work.policy(limits, launches.len());
    let mut started = start::start(policy, work.clone(), told.collect(), &passed, start::Ends::silent())?;
    let stopped = watch::until_stopped(&mut started, limits)?;
    if let Some(missing) = &stopped.missing {
        sandbox::saw(Standing { who: work.who(), missing: missing.clone() });
    }
    Ok(stopped)
}

fn result(
    end: &Result<Ended, wire::Trouble>,
    memory: &mut [Placed],
    launch: &Launch,
    work: &Work,
) -> Result<Ran, Failure> {
    let Ended { elapsed, mode, wrote } = match end {
        Ok(ended) => ended,
        Err(trouble) => return Err(believed(trouble.clone().into(), work)),
    };
    let mut findings: Vec<Finding> = Vec::new();
    for (number, place) in wrote {
        if let (Some(placed), Some(buffer)) = (memory.get(*number), launch.buffers.get(*number)) {
            findings.push(reports::written(buffer, placed.in_whole(*place)));
        }
    }
    findings.extend(mode.as_ref().map(|how| Finding::new(Kind::ModeChanged, shown(how))));
    let buffers = memory.iter_mut().zip(&launch.buffers).map(|(placed, buffer)| placed.bytes(buffer));
    Ok(Ran { buffers: buffers.collect::<Result<_, _>>()?, findings, elapsed: *elapsed })
}

// Of a processor, nothing is absent or unsupported once the kernel is there: only the kernel itself can have said so.
fn believed(failure: Failure, work: &Work) -> Failure {
    match (work.who(), failure) {
        (Who::Kernel, Failure::Absent { .. } | Failure::Unsupported(_) | Failure::Broken(_)) => {
            Failure::Crash("the kernel's process left a result that is not ktwin's".into())
        }
        (_, failure) => failure,
    }
}

fn bytes_of(launch: &Launch) -> u64 {
    launch.buffers.iter().map(|b| b.bytes.len() as u64).sum()
}

/// Asks a child what a device is, so that a driver that crashes does so there.
#[cfg(feature = "gpu")]
pub fn describe(device: &str, limits: Limits) -> Result<Description, Failure> {
    let odd = |e: io::Error| Failure::Broken(format!("cannot ask a child process: {e}"));
    let work = Work::Describe { device: device.into() };
    let stopped = started(&work, &[], &[], &[], limits).map_err(odd)?;
    match &stopped.described {
        Some(said) => {
            let wire::Described { detail, features } = said.clone()?;
            Ok(Description { name: device.into(), detail: shown(&detail), features })
        }
        None => Err(stopped.failure()),
    }
}

/// Whether the box of a kernel is whole on this system, found out by a child that enters it and does no more.
pub fn standing() -> Result<Standing, Failure> {
    let odd = |e: io::Error| Failure::Broken(format!("cannot ask a child process: {e}"));
    let stopped = started(&Work::Nothing, &[], &[], &[], Limits::default()).map_err(odd)?;
    match &stopped.missing {
        Some(missing) => Ok(Standing { who: Who::Kernel, missing: missing.clone() }),
        None => Err(stopped.failure()),
    }
}
