//! Kernels in a child process: started, watched, killed when they take too long or too much, their results read when
//! they are dead. A child is ktwin's own worker in its box, or the program of a device. The parent's side; it touches
//! processes and memory that it hands to them, only.

#[cfg(all(target_os = "linux", any(feature = "harness", feature = "native")))]
mod base;
#[cfg(all(test, unix))]
mod fuzz;
#[cfg(feature = "harness")]
mod harness;
mod patience;
pub mod pipe;
mod place;
mod program;
mod reports;
#[cfg(any(feature = "cuda", feature = "opencl", feature = "vulkan"))]
pub mod roofs;
#[cfg(any(feature = "cuda", feature = "native", feature = "opencl", feature = "vulkan"))]
pub mod sampler;
pub mod shared;
pub mod start;
mod timed;
pub mod watch;
pub mod wire;
mod worker;

pub use program::use_worker;
pub use reports::{Ended, Entry, Speaks};
pub use start::stop_all;
#[cfg(unix)]
pub use worker::too_long_kills;
pub use worker::{Copied, InPlace, Runner, worker};

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ktwin_check::{Description, Failure, Finding, Kind, Launch, Ran};

use crate::limits::Limits;
use crate::sandbox::{self, Policy, Standing, Who};
#[cfg(all(feature = "native", target_os = "linux"))]
pub(crate) use base::base_of;
use place::{Layout, Placed};
use reports::{Heard, shown};
use shared::Shared;
#[cfg(all(feature = "native", target_os = "linux"))]
pub(crate) use watch::FAULT;
use watch::Stopped;
#[cfg(feature = "native")]
pub(crate) use watch::{PLACE, undefined};
use wire::{LaunchOrder, Task, Work};

/// Launches that a child is best given together: starting it, and its driver, costs as much as many small kernels.
pub const TOGETHER: usize = 16;

/// Bytes of a file that a driver or a compiler may write.
const DRIVERS_FILE: u64 = 64 << 20;

/// Who runs launches, and what is done with them.
pub enum Job<'a> {
    /// ktwin's own worker, which is handed what the work itself names.
    Worker(Work, Vec<&'a Shared>),
    /// The program of a device.
    Device(&'a Path, Task),
    /// A program of ktwin's own that runs what somebody handed in.
    #[cfg(feature = "compilers")]
    Boxed(&'a Boxed, Task),
}

/// A program in a box, and what it may reach.
#[cfg(feature = "compilers")]
pub struct Boxed {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// All of its environment.
    pub variables: Vec<(String, String)>,
    /// What it may read.
    pub read: Vec<PathBuf>,
    /// The one folder that it may write to.
    pub room: PathBuf,
}

#[cfg(feature = "compilers")]
impl Boxed {
    fn work(&self) -> Work {
        let (words, variables) = (self.words.clone(), self.variables.clone());
        Work::Program { words, variables, folder: None, runs: true }
    }

    fn policy(&self, limits: Limits, launches: &[Launch]) -> Policy {
        let policy = self.work().policy(limits, launches);
        Policy { read: self.read.clone(), write: Some(self.room.clone()), ..policy }
    }
}

impl Work {
    fn who(&self) -> Who {
        match self {
            Work::Nothing => Who::Kernel,
            #[cfg(feature = "native")]
            Work::Native(_) => Who::Kernel,
            Work::Program { .. } => Who::Compiler,
            #[cfg(feature = "compilers")]
            Work::Nvrtc(_) => Who::Compiler,
            #[cfg(feature = "vulkan")]
            Work::Gpu(_) | Work::Describe(_) | Work::GpuRoof(..) => Who::Driver,
            #[cfg(feature = "cuda")]
            Work::Cuda(_) => Who::Driver,
            #[cfg(feature = "opencl")]
            Work::OpenCl(_) => Who::Driver,
        }
    }

    // Where drivers that compile leave files.
    fn room(&self) -> Option<PathBuf> {
        match self {
            #[cfg(feature = "opencl")]
            Work::OpenCl(work) => Some(work.room.clone()),
            _ => None,
        }
    }

    // The box of a kernel: it reads libraries, and writes to no file at all.
    fn policy(&self, limits: Limits, launches: &[Launch]) -> Policy {
        let who = self.who();
        // drivers write caches of their own, and what they computed back to where it came from
        let largest = launches.iter().flat_map(|launch| &launch.buffers).map(|b| b.bytes.len()).max();
        let written = DRIVERS_FILE.max(largest.unwrap_or(0) as u64);
        Policy {
            who,
            read: if who == Who::Kernel { start::libraries() } else { Vec::new() },
            write: self.room(),
            // what the watcher sees first has the better message
            memory: limits.memory.saturating_mul(2),
            file: if who == Who::Kernel { 0 } else { written },
            seconds: cpu_seconds(limits.time, launches.len()),
            required: limits.boxed,
        }
    }
}

// Each launch may keep all processors busy for its whole time.
fn cpu_seconds(time: Duration, launches: usize) -> u64 {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    (time.as_secs() + 1).saturating_mul((launches.max(1) * processors) as u64)
}

impl Job<'_> {
    fn layout(&self) -> Layout {
        match self {
            Job::Worker(work, _) if work.who() == Who::Kernel => Layout::Fenced,
            _ => Layout::Copied,
        }
    }

    /// Runs launches in as few child processes as can be: one, and another after each launch that ended its process.
    /// After one that did not end in time the rest is not tried.
    pub fn run(&self, launches: &[Launch], limits: Limits) -> Vec<Result<Ran, Failure>> {
        let mut results = Vec::new();
        while results.len() < launches.len() {
            let before = results.len();
            if let Err(error) = self.some(launches, limits, &mut results) {
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
        &self,
        launches: &[Launch],
        limits: Limits,
        results: &mut Vec<Result<Ran, Failure>>,
    ) -> io::Result<()> {
        let first = results.len();
        let mut memories = self.placed(&launches[first..])?;
        let largest = launches.iter().map(bytes_of).max().unwrap_or(0);
        let points = launches[first..].iter().map(|launch| launch.points).max().unwrap_or(0);
        let limits =
            Limits { memory: limits.memory.saturating_add(3 * largest), ..limits }.with_points(points);
        let stopped = self.started(&launches[first..], &memories, limits)?;
        let mut left = memories.iter_mut().zip(&launches[first..]);
        for (end, (memory, launch)) in stopped.heard.ended.iter().zip(&mut left) {
            results.push(self.result(end, memory, launch));
        }
        let stuck = results.len() > first && results.last().is_some_and(Result::is_err);
        if results.len() < launches.len() && stopped.is_clean() && stuck {
            // its device takes no more of this process: the rest goes to another
            return Ok(());
        }
        if results.len() < launches.len() {
            let failure = stopped.failure();
            let over = matches!(failure, Failure::Hang { .. } | Failure::Broken(_));
            results.push(Err(failure.clone()));
            if over {
                let rest = match failure {
                    Failure::Hang { .. } => {
                        Failure::Unsupported("not tried, since an earlier launch did not end".into())
                    }
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

    // The memory of launches as a child is handed it.
    fn placed(&self, launches: &[Launch]) -> io::Result<Vec<Vec<Placed>>> {
        let one = |launch: &Launch| -> io::Result<Vec<Placed>> {
            launch.buffers.iter().map(|b| Placed::new(b, launch, self.layout())).collect()
        };
        launches.iter().map(one).collect()
    }

    fn started(&self, launches: &[Launch], memories: &[Vec<Placed>], limits: Limits) -> io::Result<Stopped> {
        let told = launches.iter().zip(memories).map(|(launch, placed)| LaunchOrder {
            buffers: launch.buffers.iter().zip(placed).map(|(b, p)| p.handed(b)).collect(),
            steps: launch.steps.clone(),
        });
        let told: Vec<LaunchOrder> = told.collect();
        let memory = memories.iter().flatten().map(Placed::shared);
        match self {
            Job::Worker(work, handed) => {
                let passed: Vec<&Shared> = handed.iter().copied().chain(memory).collect();
                let policy = work.policy(limits, launches);
                let mut started = start::worker(policy, work.clone(), told, &passed, start::Ends::silent())?;
                let stopped = watch::until_stopped(&mut started, limits)?;
                if let Some(missing) = &stopped.heard.missing {
                    sandbox::saw(Standing { who: work.who(), missing: missing.clone() });
                }
                Ok(stopped)
            }
            #[cfg(feature = "compilers")]
            Job::Boxed(program, task) => {
                let (passed, policy) = (memory.collect::<Vec<_>>(), program.policy(limits, launches));
                let who = policy.who;
                let mut started = start::boxed(policy, program.work(), task.clone(), told, &passed)?;
                let stopped = watch::until_stopped(&mut started, limits)?;
                if let Some(missing) = &stopped.heard.missing {
                    sandbox::saw(Standing { who, missing: missing.clone() });
                }
                Ok(stopped)
            }
            Job::Device(program, task) => {
                let passed: Vec<&Shared> = memory.collect();
                watch::until_stopped(&mut start::device(program, task.clone(), told, &passed)?, limits)
            }
        }
    }

    fn result(
        &self,
        end: &Result<Ended, Failure>,
        memory: &mut [Placed],
        launch: &Launch,
    ) -> Result<Ran, Failure> {
        let Ended { nanoseconds, mode, wrote } = match end {
            Ok(ended) => ended,
            Err(failure) => return Err(self.believed(failure.clone())),
        };
        let mut findings: Vec<Finding> = Vec::new();
        for (number, place) in wrote {
            if let (Some(placed), Some(buffer)) = (memory.get(*number), launch.buffers.get(*number)) {
                findings.push(ktwin_check::written(buffer, placed.in_whole(*place)));
            }
        }
        findings.extend(mode.as_ref().map(|how| Finding::new(Kind::ModeChanged, shown(how))));
        let buffers = memory.iter_mut().zip(&launch.buffers).map(|(placed, buffer)| placed.bytes(buffer));
        let elapsed = nanoseconds.map(Duration::from_nanos);
        Ok(Ran { buffers: buffers.collect::<Result<_, _>>()?, findings, elapsed, ..Ran::default() })
    }

    // What only ktwin knows, nobody in a child can have said. And of a processor, nothing is absent or unsupported once
    // the kernel is there: only the kernel itself can have said so.
    fn believed(&self, failure: Failure) -> Failure {
        let who = match self {
            Job::Worker(work, _) => Some(work.who()),
            // what it runs could say so itself
            #[cfg(feature = "compilers")]
            Job::Boxed(..) => Some(Who::Kernel),
            Job::Device(..) => None,
        };
        let true_of_it = match failure {
            Failure::Hang { .. } => false,
            // a device's program may have failed by itself
            Failure::Broken(_) => who.is_none(),
            Failure::Absent { .. } | Failure::Unsupported(_) => who != Some(Who::Kernel),
            _ => true,
        };
        let odd = || Failure::Crash("the kernel's process reported what only ktwin could know".into());
        if true_of_it { failure } else { odd() }
    }

    /// Runs nothing, and returns what the child says, or why it does not say it.
    fn asked<T>(
        &self,
        limits: Limits,
        answer: impl Fn(&mut Heard) -> Option<Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let odd = |e: io::Error| match self {
            Job::Worker(..) => Failure::Broken(format!("cannot ask a child process: {e}")),
            #[cfg(feature = "compilers")]
            Job::Boxed(..) => Failure::Broken(format!("cannot ask a child process: {e}")),
            Job::Device(program, _) => {
                Failure::Broken(format!("cannot start it: {}", start::why_not(program, &e)))
            }
        };
        let mut stopped = self.started(&[], &[], limits).map_err(odd)?;
        match answer(&mut stopped.heard) {
            Some(said) if stopped.is_clean() || said.is_err() => said,
            _ => Err(stopped.failure()),
        }
    }

    /// What a device is, so that a driver that crashes does so there.
    pub fn describe(&self, limits: Limits) -> Result<Description, Failure> {
        self.asked(limits, |heard| heard.described.take())
    }

    /// What a device does at most.
    #[cfg(any(feature = "cuda", feature = "opencl", feature = "vulkan"))]
    pub fn roof(&self, limits: Limits) -> Result<ktwin_check::bench::Roof, Failure> {
        self.asked(limits, |heard| heard.roof.take())
    }

    /// What a device's program speaks, and what there is of its device.
    pub fn speaks(&self, limits: Limits) -> Result<(Speaks, Result<Description, Failure>), Failure> {
        self.asked(limits, |heard| Some(Ok((heard.speaks.take()?, heard.described.take()?))))
    }

    /// The entry points of a kernel that a device's program compiled.
    pub fn compile(&self, limits: Limits) -> Result<Vec<Entry>, Failure> {
        self.asked(limits, |heard| heard.compiled.take())
    }
}

/// The number in the name of a device of several: 0 in `cuda`, 1 in `cuda:1`; none in other names.
#[cfg(any(feature = "cuda", feature = "opencl"))]
pub fn numbered(name: &str, device: &str) -> Option<usize> {
    match name.strip_prefix(device)? {
        "" => Some(0),
        rest => rest.strip_prefix(':')?.parse().ok(),
    }
}

fn bytes_of(launch: &Launch) -> u64 {
    launch.buffers.iter().map(|b| b.bytes.len() as u64).sum()
}

/// Whether the box of a kernel is whole on this system, found out by a child that enters it and does no more.
pub fn standing() -> Result<Standing, Failure> {
    let missing = Job::Worker(Work::Nothing, Vec::new())
        .asked(Limits::default(), |heard| heard.missing.take().map(Ok))?;
    Ok(Standing { who: Who::Kernel, missing })
}
