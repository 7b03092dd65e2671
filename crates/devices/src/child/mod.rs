//! Kernels in a child process: started, watched, killed when they take too long or too much, their results
//! read when they have stopped. The parent's side; it touches processes and temporary files only.

mod watch;
pub mod wire;
mod worker;

pub use worker::Runner;

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

#[cfg(feature = "gpu")]
use ktwin_check::Description;
use ktwin_check::{Failure, Finding, Kind, Launch, Ran};
use serde::Serialize;

#[cfg(feature = "gpu")]
use wire::Described;
use wire::{Done, Trouble, Work};

/// The variables by which a process knows that it is a child: the folder of its work, the first launch to
/// run.
const FOLDER: &str = "KTWIN_CHILD_FOLDER";
const FIRST: &str = "KTWIN_CHILD_FIRST";

/// What a kernel in a child process may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time for one launch, the start of the process and the driver included.
    pub time: Duration,
    /// Bytes of memory of the process, beside three times the buffers. Watched on Linux only.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { time: Duration::from_secs(10), memory: 2 << 30 }
    }
}

/// Launches that a child is best given together: starting it, and its driver, costs as much as many small kernels.
pub const TOGETHER: usize = 16;

/// Runs launches in as few child processes as can be: one, and another after each launch that ended its
/// process. After one that did not end in time the rest is not tried.
pub fn run(work: &Work, launches: &[Launch], limits: Limits) -> Vec<Result<Ran, Failure>> {
    let mut results = Vec::new();
    if let Err(error) = try_run(work, launches, limits, &mut results) {
        // what is known already stays known
        let failure = Failure::Broken(format!("cannot run a child process: {error}"));
        results.resize(launches.len(), Err(failure));
    }
    results
}

fn try_run(
    work: &Work,
    launches: &[Launch],
    limits: Limits,
    results: &mut Vec<Result<Ran, Failure>>,
) -> io::Result<()> {
    let dir = folder(work)?;
    for (number, launch) in launches.iter().enumerate() {
        wire::write(&wire::launch_file(dir.path(), number), &wire::launch(launch))?;
    }
    let largest = launches.iter().map(bytes_of).max().unwrap_or(0);
    let limits = Limits { memory: limits.memory.saturating_add(3 * largest), ..limits };
    while results.len() < launches.len() {
        let stopped = started(dir.path(), results.len(), limits)?;
        for (number, launch) in launches.iter().enumerate().skip(results.len()) {
            if !wire::result_file(dir.path(), number).exists() {
                break;
            }
            results.push(result(dir.path(), number, launch).map_err(|failure| believed(failure, work)));
        }
        if results.len() < launches.len() {
            let failure = stopped.failure();
            let endless = matches!(failure, Failure::Hang(_));
            results.push(Err(failure));
            if endless {
                let rest = launches.len() - results.len();
                let untried = || Err(Failure::Unsupported("not tried: an earlier launch did not end".into()));
                results.extend((0..rest).map(|_| untried()));
            }
        } else if !stopped.is_clean() && results.last().is_some_and(Result::is_ok) {
            // what it broke showed only at its end
            let last = results.len() - 1;
            results[last] = Err(stopped.failure());
        }
    }
    Ok(())
}

// Of a processor, nothing is absent or unsupported once the kernel is there: only the kernel itself can have said so.
fn believed(failure: Failure, work: &Work) -> Failure {
    match (work, failure) {
        (Work::Native { .. }, Failure::Absent { .. } | Failure::Unsupported(_) | Failure::Broken(_)) => {
            Failure::Crash("the kernel's process left a result that is not ktwin's".into())
        }
        (_, failure) => failure,
    }
}

#[cfg(feature = "gpu")]
/// Asks a child what a device is, so that a driver that crashes does so there.
pub fn describe(device: &str, limits: Limits) -> Result<Description, Failure> {
    let odd = |e: io::Error| Failure::Broken(format!("cannot ask a child process: {e}"));
    let dir = folder(&Work::Describe { device: device.into() }).map_err(odd)?;
    let stopped = started(dir.path(), 0, limits).map_err(odd)?;
    let file = wire::result_file(dir.path(), 0);
    if !file.exists() {
        return Err(stopped.failure());
    }
    let said: Result<Described, Trouble> = wire::read_foreign(&file, 0).map_err(odd)?;
    let Described { detail, features } = said?;
    Ok(Description { name: device.into(), detail, features })
}

fn folder<T: Serialize>(work: &T) -> io::Result<tempfile::TempDir> {
    let dir = tempfile::Builder::new().prefix("ktwin-").tempdir()?;
    wire::write(&wire::work_file(dir.path()), work)?;
    Ok(dir)
}

fn bytes_of(launch: &Launch) -> u64 {
    launch.buffers.iter().map(|b| b.bytes.len() as u64).sum()
}

fn started(dir: &Path, first: usize, limits: Limits) -> io::Result<watch::Stopped> {
    let mut command = Command::new(std::env::current_exe()?);
    command.env(FOLDER, dir).env(FIRST, first.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut next = first;
    watch::until_stopped(command.spawn()?, limits, || {
        let before = next;
        while wire::result_file(dir, next).exists() {
            next += 1;
        }
        next > before
    })
}

// The child may have written anything: as many buffers of the same sizes, or there is no result.
fn result(dir: &Path, number: usize, launch: &Launch) -> Result<Ran, Failure> {
    let file = wire::result_file(dir, number);
    let odd = || Failure::Crash("the kernel's process left no readable result".into());
    let Done { buffers, elapsed, mode } =
        wire::read_foreign::<Result<Done, Trouble>>(&file, bytes_of(launch)).map_err(|_| odd())??;
    let fits = buffers.len() == launch.buffers.len()
        && buffers.iter().zip(&launch.buffers).all(|(now, then)| now.len() == then.bytes.len());
    if !fits {
        return Err(odd());
    }
    let buffers = buffers.into_iter().map(serde_bytes::ByteBuf::into_vec).collect();
    let findings = mode.map(|how| Finding::new(Kind::ModeChanged, how)).into_iter().collect();
    Ok(Ran { buffers, findings, elapsed })
}
