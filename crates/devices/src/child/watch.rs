//! Waits for a child process, with limits on time and memory, and says how it ended. It touches processes
//! only.

use std::fs;
use std::io;
use std::process::{Child, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use ktwin_check::Failure;

use super::Limits;
use crate::pipe::Pipe;

/// How a child ended.
pub struct Stopped {
    end: End,
    words: String,
}

enum End {
    ByItself(ExitStatus),
    Late(Duration),
    Full(u64),
}

impl Stopped {
    /// Whether it came to its own end, with nothing to complain of.
    pub fn is_clean(&self) -> bool {
        matches!(self.end, End::ByItself(status) if status.success())
    }

    /// What that means for the launch that was under way. What the child printed is shown, never believed.
    pub fn failure(&self) -> Failure {
        let words =
            if self.words.is_empty() { String::new() } else { format!("; it printed: {}", self.words) };
        match &self.end {
            End::Late(limit) => Failure::Hang(*limit),
            End::Full(limit) => Failure::OutOfMemory(format!("more than {} MiB{words}", limit >> 20)),
            End::ByItself(status) => of_status(*status, &words),
        }
    }
}

#[cfg(unix)]
fn of_status(status: ExitStatus, words: &str) -> Failure {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(9) => Failure::OutOfMemory(format!("the system killed it{words}")),
        Some(signal) => Failure::Crash(format!("{}{words}", signal_name(signal))),
        None => Failure::Crash(format!("the process ended early ({status}){words}")),
    }
}

#[cfg(not(unix))]
fn of_status(status: ExitStatus, words: &str) -> Failure {
    Failure::Crash(format!("the process ended early ({status}){words}"))
}

#[cfg(unix)]
fn signal_name(signal: i32) -> String {
    let known = [
        (4, "SIGILL, an instruction that this processor does not have"),
        (6, "SIGABRT, the kernel or its library gave up"),
        (7, "SIGBUS, memory that is not there"),
        (8, "SIGFPE, an integer divided by zero"),
        (11, "SIGSEGV, memory that is not the kernel's"),
    ];
    let name = known.iter().find(|(number, _)| *number == signal).map(|(_, name)| *name);
    name.map_or_else(|| format!("signal {signal}"), |name| format!("signal {signal} ({name})"))
}

/// Waits until the child has stopped; kills it and all it started where `progress` was not true within the
/// limit.
pub fn until_stopped(
    mut child: Child,
    limits: Limits,
    mut progress: impl FnMut() -> bool,
) -> io::Result<Stopped> {
    let mut words = Pipe::of_errors(child.stderr.take())?;
    let mut since = Instant::now();
    let mut pause = Duration::from_micros(200);
    let end = loop {
        words.rest();
        if let Some(status) = child.try_wait()? {
            break End::ByItself(status);
        }
        if progress() {
            since = Instant::now();
        }
        if since.elapsed() > limits.time {
            break End::Late(limits.time);
        }
        if memory_of(&child) > limits.memory {
            break End::Full(limits.memory);
        }
        sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    };
    kill_all(&mut child);
    child.wait()?;
    words.rest();
    Ok(Stopped { end, words: words.last_line() })
}

// The whole process group: a kernel may have started processes of its own.
fn kill_all(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}

// Resident bytes, where the system says; elsewhere nothing is watched.
fn memory_of(child: &Child) -> u64 {
    let statm = fs::read_to_string(format!("/proc/{}/statm", child.id())).unwrap_or_default();
    let pages: u64 = statm.split(' ').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    pages * page_size()
}

#[cfg(unix)]
fn page_size() -> u64 {
    rustix::param::page_size() as u64
}

#[cfg(not(unix))]
fn page_size() -> u64 {
    4096
}
