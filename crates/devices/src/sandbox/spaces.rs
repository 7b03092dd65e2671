//! Namespaces: a process that sees no other processes, no network, no shared memory of others, and whose children all
//! die with it. It runs before `main`, in a process of one thread.
#![expect(unsafe_code, reason = "processes are forked here, which has no safe name")]

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fd::OwnedFd;
use rustix::process::{Pid, Signal};
use rustix::thread::{Gid, Uid};

use super::Who;

/// Nobody's number, on every Linux.
const NOBODY: u32 = 65534;

/// Fewer numbers of processes than this are spent before that of a kernel's own.
const SPENT: u64 = 6;

/// Whether processes are counted for this box alone.
static COUNTED: AtomicBool = AtomicBool::new(false);

/// Whether there is a user namespace of our own.
pub fn counted() -> bool {
    COUNTED.load(Ordering::Relaxed)
}

/// Enters them. What returns is the inner process.
pub fn enter(who: Who) -> Result<(), String> {
    if who == Who::Driver {
        // a driver wants the groups, the devices and the processes that it knows
        let _ = rustix::process::setsid();
        return Ok(());
    }
    if who == Who::Kernel {
        drop_root();
    }
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let wanted = libc::CLONE_NEWUSER
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWNET;
    // SAFETY: this process has one thread, and no memory is touched
    if unsafe { libc::unshare(wanted) } != 0 {
        let why = std::io::Error::last_os_error();
        let _ = rustix::process::setsid();
        return Err(format!("namespaces ({why})"));
    }
    COUNTED.store(true, Ordering::Relaxed);
    // new credentials forget it
    die_with_parent();
    // numbers stay what they are; where that is not allowed they look like nobody's
    let _ = std::fs::write("/proc/self/setgroups", "deny");
    let _ = std::fs::write("/proc/self/uid_map", format!("{0} {0} 1", user.as_raw()));
    let _ = std::fs::write("/proc/self/gid_map", format!("{0} {0} 1", group.as_raw()));
    let lost = |e: rustix::io::Errno| format!("namespaces ({e})");
    let (from, to) = rustix::pipe::pipe().map_err(lost)?;
    // the first process of the namespace: with it ends whatever is left in there
    if let Some(first) = fork()? {
        drop(to);
        end_as(told(from, first));
    }
    die_with_parent();
    drop(from);
    if who == Who::Kernel {
        spend_numbers()?;
    }
    if let Some(inner) = fork()? {
        tell(to, inner);
    }
    drop(to);
    die_with_parent();
    let _ = rustix::process::setsid();
    drop_capabilities();
    Ok(())
}

// The superuser may do too much. Where it cannot be left, the rest of the box has to do.
fn drop_root() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    let _ = rustix::thread::set_thread_groups(&[]);
    let _ = rustix::thread::set_thread_res_gid(group, group, group);
    let _ = rustix::thread::set_thread_res_uid(user, user, user);
    // what became of root is closed to itself, the maps of its namespace included
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::Dumpable);
}

// Processes that end at once, by chance more or fewer of them: a kernel that draws from the number of its own is to get
// another one each time.
fn spend_numbers() -> Result<(), String> {
    for _ in 0..RandomState::new().build_hasher().finish() % SPENT {
        match fork()? {
            Some(spent) => drop(wait(spent)),
            // SAFETY: it ends this process, which has done nothing
            None => unsafe { libc::_exit(0) },
        }
    }
    Ok(())
}

// None in the child.
fn fork() -> Result<Option<Pid>, String> {
    // SAFETY: this process has one thread, so the child's memory is whole
    match unsafe { libc::fork() } {
        0 => Ok(None),
        number => {
            let none = || format!("namespaces ({})", std::io::Error::last_os_error());
            Pid::from_raw(number).filter(|_| number > 0).map(Some).ok_or_else(none)
        }
    }
}

fn die_with_parent() {
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
}

fn drop_capabilities() {
    let none = rustix::thread::CapabilitySet::empty();
    let sets = rustix::thread::CapabilitySets { effective: none, permitted: none, inheritable: none };
    let _ = rustix::thread::set_capabilities(None, sets);
}

// The status of a child, once it has ended; whoever else was left to this process is waited for, too.
fn wait(child: Pid) -> i32 {
    loop {
        let mut status = 0;
        // SAFETY: it writes one number to where there is room for it
        match unsafe { libc::waitpid(-1, &raw mut status, 0) } {
            ended if ended == child.as_raw_nonzero().get() => return status,
            -1 if std::io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) => {
                return libc::SIGKILL;
            }
            _ => {}
        }
    }
}

// The first process hands on how the inner one ended: nobody else can, and nobody in there has this pipe.
fn tell(to: OwnedFd, inner: Pid) -> ! {
    let status = wait(inner);
    let _ = rustix::io::write(&to, &status.to_le_bytes());
    // SAFETY: it ends this process without running anything that belongs to the inner one
    unsafe { libc::_exit(0) }
}

// Whoever waits for this process may kill it at any time: then the first goes with it, and the rest with that.
fn told(from: OwnedFd, first: Pid) -> i32 {
    let mut status = [0; 4];
    let count = rustix::io::retry_on_intr(|| rustix::io::read(&from, &mut status));
    wait(first);
    if count == Ok(4) { i32::from_le_bytes(status) } else { libc::SIGKILL }
}

// As the inner process ended, so does the outer one.
fn end_as(status: i32) -> ! {
    if libc::WIFSIGNALED(status) {
        let signal = libc::WTERMSIG(status);
        // SAFETY: the default disposition, and a signal to this process alone
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
    let code = if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 1 };
    // SAFETY: as above
    unsafe { libc::_exit(code) }
}
