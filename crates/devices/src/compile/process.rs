//! Compilers as processes, each in a box: with a deadline, a limit of memory and a bound on what they may print, since
//! what they compile is not trusted. They read the system and what they are shown, and write to one folder.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::Duration;

use ktwin_check::Spent;

use crate::child::pipe::Pipe;
use crate::child::shared::Shared;
use crate::child::start::{self, Ends, Started};
use crate::child::watch;
use crate::child::wire::Work;
pub use crate::compile::allowed::{Allowed, COMPILER};
use crate::compile::allowed::{ROOM, TooMuch, is_too_full};
use crate::sandbox::{Policy, Who};

/// Variables that compilers are told of: where they find themselves, their parts and what is included.
pub const TOLD: &[&str] = &[
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "CARGO_HOME",
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "LD_LIBRARY_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
];
/// Those of them that name folders to read.
const FOLDERS: &[&str] = &[
    "RUSTUP_HOME",
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "LD_LIBRARY_PATH",
    "COMPILER_PATH",
];
/// Bytes of one file that a compiler may write.
const FILE: u64 = 1 << 30;

/// How a process ended, and the beginning of what it printed.
#[derive(Debug)]
pub struct Said {
    /// Or what it took too much of, so that it was killed.
    pub status: Result<ExitStatus, TooMuch>,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

/// The files that a compiler may open beside the system's.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// Files and folders to read.
    pub read: Vec<PathBuf>,
    /// The folder to write to, temporary files included.
    pub write: Option<PathBuf>,
}

/// All variables of a command: a few of this process, and what it was given itself.
pub fn variables(command: &Command, reach: &Reach) -> Vec<(String, String)> {
    let ours = TOLD.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
    let mut all: Vec<(String, String)> = ours.collect();
    if let Some(room) = &reach.write {
        all.push(("TMPDIR".into(), room.display().to_string()));
    }
    // a cache of the compiler's own would lie outside
    all.push(("CCACHE_DISABLE".into(), "1".into()));
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            all.push((name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()));
        }
    }
    all
}

/// Runs a command to its end, or until it has taken too long.
pub fn run(command: &Command, input: &[u8], allowed: Allowed, reach: &Reach) -> io::Result<Said> {
    let stdin = if input.is_empty() { Stdio::null() } else { Shared::stdin(input)? };
    let said = watched(started(command, stdin, allowed, reach)?, allowed, reach)?;
    let failed = said.status.is_ok_and(|status| !status.success());
    match hindered(&said, reach).filter(|_| failed) {
        Some(why) => Err(io::Error::other(why)),
        None => Ok(said),
    }
}

/// What compilers say where the machine, and not the text, keeps them from working.
const HINDERED: &[&str] = &[
    "No space left on device",
    "Disk quota exceeded",
    "File size limit exceeded",
    "File too large",
    "Read-only file system",
    "Cannot allocate memory",
    "cannot execute '",
];

/// What a compiler says that took all the memory it may, and one that wrote a file as large as it may.
const EXHAUSTED: &str = "virtual memory exhausted";
const FULL: [&str; 2] = ["File size limit exceeded", "File too large"];

/// What kept a compiler from working. A text that says so itself, by `#error`, is to blame all the same, and so is one
/// that takes more memory, or writes a larger file, than compilers may.
fn hindered(said: &Said, reach: &Reach) -> Option<String> {
    let gone = reach.write.as_ref().filter(|room| !room.exists());
    let lines = said.err.lines().chain(said.out.lines());
    let of_the_machine = |line: &&str| HINDERED.iter().any(|words| line.contains(words));
    let of_the_text = |line: &&str| {
        line.contains("#error")
            || line.contains(EXHAUSTED) && has_its_memory()
            || FULL.iter().any(|words| line.contains(words)) && may_write()
    };
    let line = lines.filter(|line| !of_the_text(line)).find(of_the_machine).map(str::to_owned);
    line.or(gone.map(|room| format!("{} is gone", room.display())))
}

/// Whether nobody has limited this process further than it limits compilers.
fn has_its_memory() -> bool {
    use rustix::process::Resource;
    is_allowed(Resource::Data, COMPILER.memory) && is_allowed(Resource::As, COMPILER.memory)
}

/// The same of the largest file.
fn may_write() -> bool {
    is_allowed(rustix::process::Resource::Fsize, FILE)
}

fn is_allowed(resource: rustix::process::Resource, least: u64) -> bool {
    rustix::process::getrlimit(resource).current.is_none_or(|most| most >= least)
}

/// The same for a compiler that is a library, which a worker calls.
#[cfg(feature = "compilers")]
pub fn run_library(work: Work, allowed: Allowed, reach: &Reach) -> io::Result<Said> {
    let ends = Ends { stdin: Stdio::null(), stdout: Stdio::piped() };
    let policy = policy(allowed, reach.read.clone(), reach.write.clone());
    watched(start::worker(policy, work, Vec::new(), &[], ends)?, allowed, reach)
}

fn watched(mut started: Started, allowed: Allowed, reach: &Reach) -> io::Result<Said> {
    let mut out = Pipe::of_output(started.child.stdout.take())?;
    let mut err = Pipe::of_errors(started.child.stderr.take())?;
    let full = |room: &Path, process| watch::unlinked(process) > ROOM || is_too_full(room);
    let status = ended(&mut started, &mut out, &mut err, |took, process| match &reach.write {
        _ if took > allowed.time => Some(TooMuch::Time),
        _ if watch::memory_of(process) > allowed.memory => Some(TooMuch::Memory),
        Some(room) if full(room, process) => Some(TooMuch::Files),
        _ => None,
    });
    watch::end_all(&mut started.child)?;
    out.rest();
    err.rest();
    started.listener.listen();
    if let Some(why) = started.listener.heard.cannot {
        return Err(io::Error::other(why));
    }
    Ok(Said { status: status?, out: out.text(), err: err.text() })
}

fn ended(
    started: &mut Started,
    out: &mut Pipe,
    err: &mut Pipe,
    is_over: impl Fn(Duration, u32) -> Option<TooMuch>,
) -> io::Result<Result<ExitStatus, TooMuch>> {
    let mut spent = Spent::in_turns_of(watch::LONGEST);
    let mut pause = Duration::from_micros(500);
    loop {
        let (more, also) = (out.read(), err.read());
        if let Some(status) = started.child.try_wait()? {
            return Ok(Ok(status));
        }
        if let Some(what) = is_over(spent.so_far(), started.child.id()) {
            return Ok(Err(what));
        }
        if start::is_stopping() {
            return Err(io::Error::other("stopped"));
        }
        if !(more || also) {
            sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
    }
}

#[cfg(target_os = "linux")]
fn started(command: &Command, stdin: Stdio, allowed: Allowed, reach: &Reach) -> io::Result<Started> {
    let word = |w: &std::ffi::OsStr| w.to_string_lossy().into_owned();
    let mut words = vec![word(command.get_program())];
    words.extend(command.get_args().map(word));
    let mut read = reach.read.clone();
    read.extend(home_of(&words[0]));
    read.extend(named(&words));
    let folder = command.get_current_dir().map(Path::to_path_buf);
    let work = Work::Program { words, variables: variables(command, reach), folder, runs: false };
    let policy = policy(allowed, read, reach.write.clone());
    start::worker(policy, work, Vec::new(), &[], Ends { stdin, stdout: Stdio::piped() })
}

// The box of a compiler.
fn policy(allowed: Allowed, read: Vec<PathBuf>, write: Option<PathBuf>) -> Policy {
    let seconds = (allowed.time.as_secs() + 1).saturating_mul(64);
    let (who, required) = (Who::Compiler, false);
    Policy { who, read, write, memory: allowed.memory, file: FILE, seconds, required }
}

/// Elsewhere a compiler is started by itself.
#[cfg(not(target_os = "linux"))]
fn started(command: &Command, stdin: Stdio, _allowed: Allowed, reach: &Reach) -> io::Result<Started> {
    start::plain(command, variables(command, reach), Ends { stdin, stdout: Stdio::piped() })
}

// Where a program and what belongs to it are, and where the parts of Rust's lie.
fn home_of(program: &str) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = if program.contains('/') {
        Some(PathBuf::from(program))
    } else {
        std::env::split_paths(&path).map(|folder| folder.join(program)).find(|p| p.is_file())
    };
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    // beside programs it holds what lets people publish
    let cargo = std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let private = [home.clone(), home.join(".cargo"), cargo.clone()];
    let private: Vec<PathBuf> =
        private.into_iter().flat_map(|path| [path.canonicalize().ok(), Some(path)]).flatten().collect();
    let mut all = vec![home.join(".rustup"), cargo.join("bin")];
    for file in found.iter().flat_map(|p| [Some(p.clone()), p.canonicalize().ok()]).flatten() {
        let Some(folder) = file.parent() else { continue };
        all.push(folder.to_path_buf());
        // PREFIX/bin has its parts in PREFIX/lib
        let prefix = folder.parent().filter(|_| folder.ends_with("bin"));
        all.extend(
            prefix
                .filter(|p| !private.contains(&p.to_path_buf()) && *p != Path::new("/"))
                .map(Path::to_path_buf),
        );
    }
    all
}

/// The folders in variables in which compilers look, whether they are there or not yet.
pub fn searched() -> Vec<PathBuf> {
    let of =
        |name: &&str| std::env::split_paths(&std::env::var_os(name).unwrap_or_default()).collect::<Vec<_>>();
    FOLDERS.iter().flat_map(of).filter(|path| *path != Path::new("")).collect()
}

// Folders and files in flags and variables: `-I/opt/include`, `-isystem include`, `CPATH`.
fn named(words: &[String]) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = Vec::new();
    for word in words.iter().skip(1) {
        let bare = word.strip_prefix("-I").or_else(|| word.strip_prefix("-L")).unwrap_or(word);
        let value = bare.split_once('=').map_or(bare, |(_, value)| value);
        all.push(PathBuf::from(value));
    }
    all.extend(searched());
    all.retain(|path| *path != Path::new("") && *path != Path::new("/") && path.exists());
    all
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Instant;

    use super::*;

    fn shell(script: &str, input: &[u8], time: u64) -> Said {
        let allowed = Allowed { time: Duration::from_millis(time), memory: 64 << 20 };
        let reach = Reach::default();
        run(Command::new("sh").args(["-c", script]), input, allowed, &reach).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn what_keeps_a_compiler_from_working_is_not_the_kernels_fault() {
        let said = |err: &str| Said { status: Err(TooMuch::Time), out: String::new(), err: err.to_owned() };
        let full = "/tmp/ccX.s: fatal error: No space left on device";
        assert_eq!(hindered(&said(full), &Reach::default()).as_deref(), Some(full));
        let own = "k.c:3:2: error: #error No space left on device";
        assert_eq!(hindered(&said(own), &Reach::default()), None);
        assert_eq!(hindered(&said("k.c:3:2: error: expected `;`"), &Reach::default()), None);
        let reach = Reach { write: Some("/nowhere/room".into()), ..Reach::default() };
        assert_eq!(hindered(&said(""), &reach).as_deref(), Some("/nowhere/room is gone"));
    }

    #[test]
    fn it_reads_and_prints() {
        let said = shell("cat; echo late >&2; exit 3", b"early", 5000);
        assert_eq!((said.out.as_str(), said.err.as_str()), ("early", "late\n"));
        assert_eq!(said.status.map(|s| s.code()), Ok(Some(3)));
    }

    #[test]
    fn what_sleeps_is_killed_with_all_it_started() {
        let started = Instant::now();
        let said = shell("sleep 100 & echo here; sleep 100", b"", 300);
        assert!(said.status == Err(TooMuch::Time) && started.elapsed().as_secs() < 10);
        assert_eq!(said.out, "here\n");
    }

    #[test]
    fn what_prints_for_ever_is_not_kept() {
        let said = shell("yes", b"", 2000);
        assert_eq!((said.status, said.out.len()), (Err(TooMuch::Time), crate::child::pipe::KEPT));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn processes_without_number_are_too_many() {
        let said = shell("for i in $(seq 400); do sleep 100 & done; sleep 100", b"", 20_000);
        assert!(said.status.is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_without_a_name_count() {
        let room = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
        let mut command = Command::new("/bin/sh");
        let script =
            "cd $TMPDIR; for i in 4 5 6; do truncate -s 900M f; eval \"exec $i<f\"; rm f; done; sleep 100";
        command.args(["-c", script]);
        let reach = Reach { write: Some(room.path().to_path_buf()), ..Reach::default() };
        let allowed = Allowed { time: Duration::from_secs(20), ..COMPILER };
        let started = Instant::now();
        let said = run(&command, b"", allowed, &reach).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(said.status, Err(TooMuch::Files));
        assert!(started.elapsed().as_secs() < 10, "{said:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_has_a_limit() {
        let said = shell("head -c 1000000000 /dev/zero | tail -c 900000000 | wc -c", b"", 20_000);
        assert_ne!(said.out.trim(), "900000000");
    }
}
