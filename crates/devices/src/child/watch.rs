//! Waits for a child process, with limits on time and memory, and says how it ended. It touches processes
//! only.

use std::fs;
use std::io;
use std::process::{Child, ExitStatus};
use std::thread::sleep;
use std::time::Duration;

use ktwin_check::{Failure, Spent};

use super::pipe::Pipe;
use super::reports::{Heard, Listener};
use super::start::{Started, is_stopping};
use crate::limits::Limits;

/// How the line begins that says which memory was touched.
pub const FAULT: &str = "the kernel touched what it may not: ";

/// What stands before the place of the instruction that was interrupted, in the kernel's library.
pub const PLACE: &str = " @";

/// How a child ended, and what it had said until then.
pub struct Stopped {
    of_device: bool,
    ends_with: u8,
    end: End,
    words: String,
    /// What it had said.
    pub heard: Heard,
}

enum End {
    ByItself(ExitStatus),
    Late(Duration),
    Full(u64),
    Odd,
    Stopped,
}

impl Stopped {
    /// Whether it came to its own end, with nothing to complain of.
    pub fn is_clean(&self) -> bool {
        matches!(self.end, End::ByItself(status) if status.code() == Some(i32::from(self.ends_with)))
    }

    /// What that means for the launch that was under way. What the child printed is shown, never believed.
    pub fn failure(&self) -> Failure {
        let words = match self.words.strip_prefix(FAULT) {
            Some(place) => format!(": {place}"),
            None if self.words.is_empty() => String::new(),
            None => format!("; it printed: {}", self.words),
        };
        if let Some(why) = &self.heard.cannot {
            return Failure::Broken(format!("cannot run a child process: {why}"));
        }
        let began = self.heard.missing.is_some();
        let (child, process) = match self.of_device {
            true => ("the device's program", "the device's program"),
            false => ("a child process", "the kernel's process"),
        };
        match &self.end {
            End::Late(limit) if !began => {
                Failure::Broken(format!("{child} did not start within {} s", limit.as_secs_f64()))
            }
            End::Late(limit) => {
                let place = self.words.strip_prefix(FAULT).and_then(|words| words.split_once(PLACE));
                Failure::Hang { limit: *limit, place: place.map_or("", |(_, at)| at).to_owned() }
            }
            End::Full(limit) => Failure::OutOfMemory(format!("more than {} MiB{words}", limit >> 20)),
            End::Odd => {
                let why = self.heard.odd.as_deref().unwrap_or_default();
                Failure::Crash(format!("{process} broke the protocol: {why}{words}"))
            }
            End::Stopped => Failure::Broken("stopped".into()),
            End::ByItself(status) if !began => {
                // nothing of the kernel's has run
                Failure::Broken(format!("{child} did not start ({status}){words}"))
            }
            End::ByItself(status) => of_status(*status, &words),
        }
    }
}

/// What a loader says of a name that nothing defines.
pub fn undefined(words: &str) -> Option<String> {
    let (_, rest) = words.split_once("undefined symbol: ")?;
    let symbol = rest.split_whitespace().next()?;
    Some(format!(
        "it does not link, since `{symbol}` is not defined: define it in this file, or include the file that does"
    ))
}

#[cfg(unix)]
fn of_status(status: ExitStatus, words: &str) -> Failure {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(signal) => Failure::Crash(format!("{}{words}", signal_name(signal))),
        None => match undefined(words).filter(|_| status.code() == Some(UNLINKED)) {
            Some(message) => Failure::Compile { message, line: None },
            None => Failure::Crash(format!("the process ended early ({status}){words}")),
        },
    }
}

/// How a process ends that calls what nothing defines.
#[cfg(unix)]
const UNLINKED: i32 = 127;

#[cfg(not(unix))]
fn of_status(status: ExitStatus, words: &str) -> Failure {
    Failure::Crash(format!("the process ended early ({status}){words}"))
}

#[cfg(unix)]
fn signal_name(signal: i32) -> String {
    let known = [
        (4, "SIGILL, a trap, or an instruction that this processor lacks"),
        (6, "SIGABRT, the kernel or a library aborted"),
        (7, "SIGBUS, memory that does not exist, or a place that is not aligned"),
        (8, "SIGFPE, an integer division by zero, or an exception that is not masked"),
        (9, "SIGKILL, by itself, or by the system for want of memory"),
        (11, "SIGSEGV, memory that the kernel may not touch"),
        (24, "SIGXCPU, too much processor time"),
        (25, "SIGXFSZ, a write to a file"),
        (31, "SIGSYS, a system call of another processor's kind"),
    ];
    let name = known.iter().find(|(number, _)| *number == signal).map(|(_, name)| *name);
    name.map_or_else(|| format!("signal {signal}"), |name| format!("signal {signal} ({name})"))
}

/// Waits until the child has stopped; kills it and all it started where no launch ended within the limit.
pub fn until_stopped(started: &mut Started, limits: Limits) -> io::Result<Stopped> {
    let Started { child, listener, loads, of_device, ends_with } = started;
    let mut words = Pipe::of_errors(child.stderr.take())?;
    let end = wait(child, listener, &mut words, (limits, *loads));
    #[cfg(target_os = "linux")]
    if matches!(end, Ok(End::Late(_))) && listener.heard.missing.is_some() && !*of_device {
        ask_where(child.id(), &mut words);
    }
    end_all(child)?;
    words.rest();
    let end = end?;
    while listener.listen() {}
    let heard = std::mem::take(&mut listener.heard);
    let end = if heard.odd.is_some() { End::Odd } else { end };
    Ok(Stopped { of_device: *of_device, ends_with: *ends_with, end, words: words.last_line(), heard })
}

fn wait(
    child: &mut Child,
    listener: &mut Listener,
    words: &mut Pipe,
    (limits, loads): (Limits, Duration),
) -> io::Result<End> {
    let mut spent = Spent::in_turns_of(LONGEST);
    let mut before = Duration::ZERO;
    let mut pause = Duration::from_micros(200);
    loop {
        words.rest();
        if let Some(status) = child.try_wait()? {
            return Ok(End::ByItself(status));
        }
        if listener.listen() {
            spent.again();
            before = waited(child.id());
        }
        if listener.heard.odd.is_some() {
            return Ok(End::Odd);
        }
        let so_far = spent.so_far();
        let time = limits.time + if listener.heard.marks.is_empty() { loads } else { Duration::ZERO };
        if so_far > time {
            let others = waited(child.id()).saturating_sub(before).min(time * PATIENCE);
            if so_far > time + others {
                return Ok(End::Late(limits.time));
            }
        }
        if memory_of(child.id()) > limits.memory {
            return Ok(End::Full(limits.memory));
        }
        if is_stopping() {
            return Ok(End::Stopped);
        }
        pause = (pause * 2).min(TURN);
        if !woken(child, listener) {
            sleep(pause);
        }
    }
}

/// A longer time between two looks counts as this: mostly it was this process, and so the machine, that stood still.
pub const LONGEST: Duration = Duration::from_millis(100);
/// The longest pause between two looks.
const TURN: Duration = Duration::from_millis(5);

/// How many times the limit the processors may be busy with others before a child is late all the same.
const PATIENCE: u32 = 3;

/// Time in which a process and all that it started could have gone on, and no processor was free.
fn waited(process: u32) -> Duration {
    Duration::from_nanos(summed(process, |about| {
        // time on a processor, time without one, turns
        let schedstat = fs::read_to_string(format!("{about}/schedstat")).unwrap_or_default();
        schedstat.split(' ').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0)
    }))
}

// Waits for a turn, or until the child has ended or said something; false where the system cannot tell.
#[cfg(target_os = "linux")]
fn woken(child: &Child, listener: &Listener) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let Some(process) = rustix::process::Pid::from_raw(child.id().cast_signed()) else { return false };
    let flags = rustix::process::PidfdFlags::empty();
    let Ok(handle) = rustix::process::pidfd_open(process, flags) else { return false };
    let mut both =
        [PollFd::new(&handle, PollFlags::IN), PollFd::from_borrowed_fd(listener.pipe(), PollFlags::IN)];
    let turn = Timespec { tv_sec: 0, tv_nsec: TURN.subsec_nanos().into() };
    let came = poll(&mut both, Some(&turn)).is_ok();
    // a pipe that was closed would wake at once, for ever
    came && !(both[1].revents().contains(PollFlags::HUP) && both[0].revents().is_empty())
}

#[cfg(not(target_os = "linux"))]
fn woken(_child: &Child, _listener: &Listener) -> bool {
    false
}

/// Kills the whole process group; with the child goes its namespace, and all in it.
pub fn end_all(child: &mut Child) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    child.wait().map(drop)
}

/// How long a process that is asked where it is has to answer.
#[cfg(target_os = "linux")]
const ANSWER: Duration = Duration::from_millis(50);

/// Asks the innermost process of a child that does not end where it is: the signal ends it, and its handler says so.
#[cfg(target_os = "linux")]
fn ask_where(process: u32, words: &mut Pipe) {
    let innermost = family(process).and_then(|all| all.last().copied()).unwrap_or(process);
    if let Some(innermost) = rustix::process::Pid::from_raw(innermost.cast_signed()) {
        let _ = rustix::process::kill_process(innermost, rustix::process::Signal::SEGV);
    }
    sleep(ANSWER);
    words.rest();
}

/// Processes that are counted, at most.
const COUNTED: usize = 256;

/// A process and all that it started, outer ones first, where the system says; nothing where there are too many.
fn family(process: u32) -> Option<Vec<u32>> {
    let (mut all, mut next) = (vec![process], 0);
    while next < all.len() {
        if next == COUNTED {
            return None;
        }
        // each thread has children of its own
        for thread in fs::read_dir(format!("/proc/{}/task", all[next])).into_iter().flatten().flatten() {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            all.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
        next += 1;
    }
    Some(all)
}

/// Sums something up of a process and all that it started. More processes than can be counted are more than any limit.
fn summed(process: u32, of: impl Fn(&str) -> u64) -> u64 {
    let each = |process: &u32| of(&format!("/proc/{process}"));
    family(process).map_or(u64::MAX, |all| all.iter().map(each).fold(0, u64::saturating_add))
}

/// Resident bytes of a process and all that it started; elsewhere than on Linux nothing is watched.
pub fn memory_of(process: u32) -> u64 {
    summed(process, |about| {
        let statm = fs::read_to_string(format!("{about}/statm")).unwrap_or_default();
        let pages: u64 = statm.split(' ').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
        pages * page_size()
    })
}

/// Bytes of the files that they have open and no folder names any more.
#[cfg(target_os = "linux")]
pub fn unlinked(process: u32) -> u64 {
    use std::os::unix::fs::MetadataExt;
    summed(process, |about| {
        let open = fs::read_dir(format!("{about}/fd")).into_iter().flatten().flatten();
        let files = open.filter_map(|entry| fs::metadata(entry.path()).ok());
        files.filter(|file| file.is_file() && file.nlink() == 0).map(|file| file.len()).sum()
    })
}

/// Elsewhere nothing is watched.
#[cfg(not(target_os = "linux"))]
pub fn unlinked(_process: u32) -> u64 {
    0
}

#[cfg(unix)]
fn page_size() -> u64 {
    rustix::param::page_size() as u64
}

#[cfg(not(unix))]
fn page_size() -> u64 {
    4096
}
