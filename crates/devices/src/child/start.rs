//! Starts child processes: this program's own file again, with an order in memory that it inherits, an empty
//! environment, and nothing open but what it was handed.
#![cfg_attr(unix, expect(unsafe_code, reason = "what a child inherits is said between fork and exec"))]

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use super::reports::Listener;
use super::shared::{Name, Seal, Shared};
use super::wire::{Order, WireOrder, Work};
use crate::sandbox::{Policy, Who};

/// The variable by which a process knows that it is a child: the name of its order.
pub const ORDER: &str = "KTWIN_CHILD_ORDER";

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
}

/// Folders in which a kernel's libraries may lie, beside the system's: those that the loader is told of.
pub fn libraries() -> Vec<PathBuf> {
    let path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|p| p.is_absolute()).collect()
}

/// Starts a child with these orders. It inherits what it is `passed`, and the pipe it reports through.
pub fn start(
    policy: Policy,
    work: Work,
    launches: Vec<WireOrder>,
    passed: &[&Shared],
    ends: Ends,
) -> io::Result<Started> {
    if is_stopping() {
        return Err(io::Error::other("everything is to end"));
    }
    open_many();
    let (from, to) = pipe()?;
    let most = launches.len();
    let mut command = Command::new(std::env::current_exe()?);
    environment(&mut command, policy.who);
    let report = to.name();
    let order = Order { parent: std::process::id(), policy, work, launches, report };
    let order = postcard::to_stdvec(&order).map_err(io::Error::other)?;
    let order = Shared::new(&order, Seal::Contents)?;
    let name = match order.name() {
        Name::Descriptor(number) => number.to_string().into(),
        Name::Path(path) => path.into_os_string(),
    };
    command.env(ORDER, name).stdin(ends.stdin).stdout(ends.stdout).stderr(Stdio::piped());
    let mut names: Vec<Name> = passed.iter().map(|shared| shared.name()).collect();
    names.extend([order.name(), to.name()]);
    inherit(&mut command, &names);
    let child = command.spawn()?;
    Ok(Started { child, listener: Listener::new(from, most) })
}

// None for a kernel but where its libraries are. A driver is told by many variables which one it is.
fn environment(command: &mut Command, who: Who) {
    if who == Who::Driver || cfg!(not(unix)) {
        // drivers keep what they compiled in files that anybody might have changed
        command.env("MESA_SHADER_CACHE_DISABLE", "true").env("__GL_SHADER_DISK_CACHE", "0");
        return;
    }
    command.env_clear();
    if let Some(path) = std::env::var_os("LD_LIBRARY_PATH") {
        command.env("LD_LIBRARY_PATH", path);
    }
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
}

#[cfg(unix)]
fn pipe() -> io::Result<(File, Outlet)> {
    let (from, to) = std::io::pipe()?;
    rustix::io::ioctl_fionbio(&from, true)?;
    Ok((File::from(rustix::fd::OwnedFd::from(from)), Outlet(to.into())))
}

/// Where descriptors are not inherited, a file takes the place of the pipe.
#[cfg(not(unix))]
fn pipe() -> io::Result<(File, Shared)> {
    let shared = Shared::new(&[], Seal::Length)?;
    Ok((shared.name().open()?, shared))
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

#[cfg(not(unix))]
fn inherit(_command: &mut Command, _names: &[Name]) {}

/// A program started by itself, outside any box.
#[cfg(not(target_os = "linux"))]
pub fn plain(command: &Command, variables: Vec<(String, String)>, ends: Ends) -> io::Result<Started> {
    let (from, _) = pipe()?;
    let mut same = Command::new(command.get_program());
    same.args(command.get_args()).envs(variables);
    same.stdin(ends.stdin).stdout(ends.stdout).stderr(Stdio::piped());
    inherit(&mut same, &[]);
    Ok(Started { child: same.spawn()?, listener: Listener::new(from, 0) })
}
