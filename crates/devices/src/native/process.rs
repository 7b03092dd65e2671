//! Compilers as processes: with a deadline, a limit of memory and a bound on what they may print, since what they
//! compile is not trusted.
#![cfg_attr(
    unix,
    expect(unsafe_code, reason = "a limit that only the new process has is set before it starts")
)]

use std::io::{self, Seek, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::pipe::Pipe;

/// What a compiler may take.
#[derive(Clone, Copy, Debug)]
pub struct Allowed {
    /// Time until its end.
    pub time: Duration,
    /// Bytes of data of each of its processes, where the system can limit them.
    pub memory: u64,
}

/// What every compiler may take. The largest sources of kernels need a fraction of it.
pub const COMPILER: Allowed = Allowed { time: Duration::from_secs(60), memory: 4 << 30 };

/// How a process ended, and the beginning of what it printed.
#[derive(Debug)]
pub struct Said {
    /// None where it had to be killed.
    pub status: Option<ExitStatus>,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

/// Runs a command to its end, or until it has taken too long.
pub fn run(command: &mut Command, input: &[u8], allowed: Allowed) -> io::Result<Said> {
    let stdin = if input.is_empty() { Stdio::null() } else { holding(input)? };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    limit(command, allowed.memory);
    let mut child = command.spawn()?;
    let (mut out, mut err) = (Pipe::of_output(child.stdout.take())?, Pipe::of_errors(child.stderr.take())?);
    let since = Instant::now();
    let mut pause = Duration::from_micros(500);
    let status = loop {
        let (more, also) = (out.read(), err.read());
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if since.elapsed() > allowed.time {
            break None;
        }
        if !(more || also) {
            sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
    };
    end(&mut child)?;
    out.rest();
    err.rest();
    Ok(Said { status, out: out.text(), err: err.text() })
}

// A file and no pipe: nobody need wait until it is read.
fn holding(input: &[u8]) -> io::Result<Stdio> {
    let mut text = tempfile::tempfile()?;
    text.write_all(input)?;
    text.rewind()?;
    Ok(text.into())
}

#[cfg(unix)]
fn limit(command: &mut Command, memory: u64) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    use std::os::unix::process::CommandExt;
    command.process_group(0);
    let set = move |resource, most| {
        // a limit that is lower already stays
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
        Ok(())
    };
    // SAFETY: between fork and exec it makes system calls and nothing else: no memory is allocated, no lock taken
    unsafe {
        command.pre_exec(move || set(Resource::Data, memory));
        command.pre_exec(move || set(Resource::Core, 0));
    }
}

#[cfg(not(unix))]
fn limit(_command: &mut Command, _memory: u64) {}

// All that it started, too.
fn end(child: &mut Child) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    child.wait().map(drop)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, input: &[u8], time: u64) -> Said {
        let allowed = Allowed { time: Duration::from_millis(time), memory: 64 << 20 };
        run(Command::new("sh").args(["-c", script]), input, allowed).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn it_reads_and_prints() {
        let said = shell("cat; echo late >&2; exit 3", b"early", 5000);
        assert_eq!((said.out.as_str(), said.err.as_str()), ("early", "late\n"));
        assert_eq!(said.status.and_then(|s| s.code()), Some(3));
    }

    #[test]
    fn what_sleeps_is_killed_with_all_it_started() {
        let started = Instant::now();
        let said = shell("sleep 100 & echo here; sleep 100", b"", 300);
        assert!(said.status.is_none() && started.elapsed().as_secs() < 10);
        assert_eq!(said.out, "here\n");
    }

    #[test]
    fn what_prints_for_ever_is_not_kept() {
        let said = shell("yes", b"", 300);
        assert_eq!((said.status, said.out.len()), (None, crate::pipe::KEPT));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_has_a_limit() {
        let said = shell("head -c 1000000000 /dev/zero | tail -c 900000000 | wc -c", b"", 20_000);
        assert_ne!(said.out.trim(), "900000000");
    }
}
