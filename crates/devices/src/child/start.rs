//! Starts child processes: workers with an order in memory that they inherit, an empty environment, and nothing open
//! but what they were handed; and programs of devices, which are asked on their standard input.
#![cfg_attr(unix, expect(unsafe_code, reason = "what a child inherits is said between fork and exec"))]

use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ktwin_num::reason;

use super::program;
use super::reports::{Listener, Spoken};
use super::shared::{Name, Seal, Shared};
use super::wire::{Envelope, LaunchOrder, Order, Task, VERSION, Work};
use crate::sandbox::Policy;

/// Set when everything is to end.
static STOP: AtomicBool = AtomicBool::new(false);

/// Ends every child that runs, and lets no other start.
pub fn stop_all() {
    STOP.store(true, Ordering::SeqCst);
}

/// Whether everything is to end.
pub fn is_stopping() -> bool {
    STOP.load(Ordering::SeqCst)
}

/// What a child reads and where its words go.
pub struct Ends {
    pub stdin: Stdio,
    pub stdout: Stdio,
}

impl Ends {
    /// Nothing to read, nobody to write to; what it prints as errors is always kept.
    pub fn silent() -> Ends {
        Ends { stdin: Stdio::null(), stdout: Stdio::null() }
    }
}

/// A child that runs.
pub struct Started {
    /// The process.
    pub child: Child,
    /// What it says.
    pub listener: Listener,
    /// Whether it is the program of a device, and none of ktwin's own.
    pub of_device: bool,
    /// What its status is if nothing went wrong to its very end.
    pub ends_with: u8,
    /// How long it may load what is ours, beside the time of a launch, before it says that it has.
    pub loads: Duration,
}

/// Folders in which a kernel's libraries may lie, beside the system's: those that the loader is told of.
pub fn libraries() -> Vec<PathBuf> {
    let path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|p| p.is_absolute()).collect()
}

/// Starts a worker with these orders. It inherits what it is `passed`, and the pipe it reports through.
pub fn worker(
    policy: Policy,
    work: Work,
    launches: Vec<LaunchOrder>,
    passed: &[&Shared],
    ends: Ends,
) -> io::Result<Started> {
    let most = launches.len();
    let (from, to) = ready()?;
    let (child, ends_with) = ordered(policy, (work, launches), passed, (&to, Spoken::Frames), ends)?;
    let listener = Listener::new(from, Spoken::Frames, most);
    Ok(Started { child, listener, of_device: false, ends_with, loads: Duration::ZERO })
}

/// What loading Python and its packages may take on a busy machine.
#[cfg(feature = "compilers")]
const LOADS: Duration = Duration::from_secs(60);

/// Starts a program of ktwin's own in a box, which speaks as the program of a device does. It is handed memory by its
/// descriptors.
#[cfg(feature = "compilers")]
pub fn boxed(
    policy: Policy,
    program: Work,
    work: Task,
    launches: Vec<LaunchOrder>,
    passed: &[&Shared],
) -> io::Result<Started> {
    let most = launches.len();
    let (from, to) = ready()?;
    let stdin = Shared::stdin(&line(&Order { version: VERSION, work, launches })?)?;
    let ends = Ends { stdin, stdout: to.again()? };
    let (child, ends_with) = ordered(policy, (program, Vec::new()), passed, (&to, Spoken::Lines), ends)?;
    let listener = Listener::new(from, Spoken::Lines, most);
    Ok(Started { child, listener, of_device: false, ends_with, loads: LOADS })
}

fn ordered(
    policy: Policy,
    (work, launches): (Work, Vec<LaunchOrder>),
    passed: &[&Shared],
    (to, spoken): (&Outlet, Spoken),
    ends: Ends,
) -> io::Result<(Child, u8)> {
    let (who, parent, report) = (policy.who, std::process::id(), to.name());
    let ends_with = match work {
        #[cfg(feature = "native")]
        Work::Native(_) => nobodys_guess(),
        _ => 0,
    };
    let ktwin = env!("CARGO_PKG_VERSION").into();
    let envelope = Envelope { ktwin, parent, policy, report, spoken, ends_with };
    let mut order = postcard::to_stdvec(&envelope).map_err(io::Error::other)?;
    let rest = postcard::to_stdvec(&Order { version: VERSION, work, launches }).map_err(io::Error::other)?;
    order.extend(rest);
    let order = Shared::new(&order, Seal::Contents)?;
    let variable = order.name().text().into();
    let mut command = program::command(who, variable)?;
    command.stdin(ends.stdin).stdout(ends.stdout).stderr(Stdio::piped());
    let mut names: Vec<Name> = passed.iter().map(|shared| shared.name()).collect();
    names.extend([order.name(), to.name()]);
    inherit(&mut command, &names);
    Ok((command.spawn()?, ends_with))
}

// A status that means nothing else: 127 is a name that nothing defines.
#[cfg(feature = "native")]
fn nobodys_guess() -> u8 {
    (RandomState::new().build_hasher().finish() % 100) as u8 + 3
}

/// Starts a device's program with these orders: a line on its standard input. It reports in lines on its standard
/// output, and inherits what it is `passed`.
pub fn device(
    program: &Path,
    work: Task,
    launches: Vec<LaunchOrder>,
    passed: &[&Shared],
) -> io::Result<Started> {
    let (from, to) = ready()?;
    let most = launches.len();
    let mut order = Order { version: VERSION, work, launches };
    for buffer in order.launches.iter_mut().flat_map(|launch| &mut launch.buffers) {
        buffer.memory = Name::Path(buffer.memory.path());
    }
    let mut command = Command::new(program);
    command.stdin(Shared::stdin(&line(&order)?)?).stdout(to.stdio()?).stderr(Stdio::piped());
    let names: Vec<Name> = passed.iter().map(|shared| shared.name()).collect();
    inherit(&mut command, &names);
    let child = command.spawn()?;
    let listener = Listener::new(from, Spoken::Lines, most);
    Ok(Started { child, listener, of_device: true, ends_with: 0, loads: Duration::ZERO })
}

/// Why a program does not start, and what to do about it.
pub fn why_not(program: &Path, error: &io::Error) -> String {
    let shown = program.display();
    match error.kind() {
        io::ErrorKind::NotFound if program.exists() => {
            "the interpreter that its first line names is missing".into()
        }
        io::ErrorKind::PermissionDenied if program.is_file() => {
            format!("it is not executable: `chmod +x {shown}` makes it so")
        }
        io::ErrorKind::PermissionDenied if program.is_dir() => "it is a folder".into(),
        _ => reason(error),
    }
}

/// An order as a line of JSON.
fn line(order: &Order<Task>) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(order).map_err(io::Error::other)?;
    line.push(b'\n');
    Ok(line)
}

// The pipe that the next child reports through, if any is to start at all.
fn ready() -> io::Result<(File, Outlet)> {
    if is_stopping() {
        return Err(io::Error::other("ktwin is stopping"));
    }
    open_many();
    pipe()
}

// Each buffer of each launch is a descriptor, and many kernels run at once: as many as the system allows.
fn open_many() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            let now = getrlimit(Resource::Nofile);
            let _ = setrlimit(Resource::Nofile, Rlimit { current: now.maximum, maximum: now.maximum });
        });
    }
}

/// The end of a pipe that is handed over.
#[cfg(unix)]
struct Outlet(rustix::fd::OwnedFd);

#[cfg(unix)]
impl Outlet {
    fn name(&self) -> Name {
        Name::Descriptor(std::os::fd::AsRawFd::as_raw_fd(&self.0))
    }

    fn stdio(self) -> io::Result<Stdio> {
        Ok(self.0.into())
    }

    #[cfg(feature = "compilers")]
    fn again(&self) -> io::Result<Stdio> {
        Ok(self.0.try_clone()?.into())
    }
}

#[cfg(unix)]
fn pipe() -> io::Result<(File, Outlet)> {
    let (from, to) = std::io::pipe()?;
    rustix::io::ioctl_fionbio(&from, true)?;
    Ok((File::from(rustix::fd::OwnedFd::from(from)), Outlet(to.into())))
}

/// Where descriptors are not inherited, a file takes the place of the pipe.
#[cfg(not(unix))]
struct Outlet(Shared);

#[cfg(not(unix))]
impl Outlet {
    fn name(&self) -> Name {
        self.0.name()
    }

    fn stdio(self) -> io::Result<Stdio> {
        // the file lives as long as the program that writes to it
        let file = self.0.name().open()?;
        std::mem::forget(self.0);
        Ok(file.into())
    }

    #[cfg(feature = "compilers")]
    fn again(&self) -> io::Result<Stdio> {
        Ok(self.0.name().open()?.into())
    }
}

#[cfg(not(unix))]
fn pipe() -> io::Result<(File, Outlet)> {
    let shared = Shared::new(&[], Seal::Length)?;
    Ok((shared.name().open()?, Outlet(shared)))
}

// Descriptors close at exec unless the new process says otherwise, so that no other child gets them.
#[cfg(unix)]
fn inherit(command: &mut Command, names: &[Name]) {
    use std::os::unix::process::CommandExt;
    let numbers: Vec<i32> = names
        .iter()
        .filter_map(|name| match name {
            Name::Descriptor(number) => Some(*number),
            Name::Path(_) => None,
        })
        .collect();
    let keep = move || {
        close_others();
        for number in &numbers {
            // SAFETY: it is open in the parent until the child runs, and so in the child
            let open = unsafe { rustix::fd::BorrowedFd::borrow_raw(*number) };
            rustix::io::fcntl_setfd(open, rustix::io::FdFlags::empty())?;
        }
        Ok(())
    };
    command.process_group(0);
    // SAFETY: between fork and exec it makes system calls and nothing else: no memory is allocated, no lock taken
    unsafe { command.pre_exec(keep) };
}

// What this process was itself started with may be open for all that it starts: a file of results, a pipe, a secret.
#[cfg(target_os = "linux")]
fn close_others() {
    /// Where the system cannot do it at once, as many are closed one by one.
    const ONE_BY_ONE: i32 = 4096;
    let (first, last) = (3u32, u32::MAX);
    // SAFETY: it marks descriptors to be closed at exec, and touches nothing else
    if unsafe { libc::syscall(libc::SYS_close_range, first, last, libc::CLOSE_RANGE_CLOEXEC) } == 0 {
        return;
    }
    for number in 3..ONE_BY_ONE {
        // SAFETY: the same, for one number, which need not be open
        unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
fn close_others() {}

#[cfg(not(unix))]
fn inherit(_command: &mut Command, _names: &[Name]) {}

/// A program started by itself, outside any box.
#[cfg(not(target_os = "linux"))]
pub fn plain(command: &Command, variables: Vec<(String, String)>, ends: Ends) -> io::Result<Started> {
    let (from, _) = pipe()?;
    let mut same = Command::new(command.get_program());
    same.args(command.get_args()).envs(variables);
    if let Some(folder) = command.get_current_dir() {
        same.current_dir(folder);
    }
    same.stdin(ends.stdin).stdout(ends.stdout).stderr(Stdio::piped());
    inherit(&mut same, &[]);
    let listener = Listener::new(from, Spoken::Frames, 0);
    Ok(Started { child: same.spawn()?, listener, of_device: false, ends_with: 0, loads: Duration::ZERO })
}
