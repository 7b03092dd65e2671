//! Namespaces: a process that sees no other processes, no network, no shared memory of others, and whose children all
//! die with it. It runs before `main`, in a process of one thread.
#![expect(unsafe_code, reason = "processes are forked here, which has no safe name")]

use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use rustix::thread::{Gid, Uid};

use super::Who;

/// Nobody's number, on every Linux.
const NOBODY: u32 = 65534;

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
    // the first process of the namespace: with it ends whatever is left in there
    let Some(first) = fork()? else { idle() };
    let Some(inner) = fork()? else {
        die_with_parent();
        let _ = rustix::process::setsid();
        drop_capabilities();
        return Ok(());
    };
    // whoever waits for this process may kill it at any time, and the others go with it
    let status = wait(inner);
    let _ = rustix::process::kill_process(first, Signal::KILL);
    wait(first);
    end_as(status)
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

fn idle() -> ! {
    die_with_parent();
    // SAFETY: a disposition without a handler; what is left to this process as a parent needs nobody to wait for it
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
    loop {
        // SAFETY: it waits for a signal
        unsafe { libc::pause() };
    }
}

fn drop_capabilities() {
    let none = rustix::thread::CapabilitySet::empty();
    let sets = rustix::thread::CapabilitySets { effective: none, permitted: none, inheritable: none };
    let _ = rustix::thread::set_capabilities(None, sets);
}

fn wait(child: Pid) -> Option<WaitStatus> {
    loop {
        match rustix::process::waitpid(Some(child), WaitOptions::empty()) {
            Ok(Some((_, status))) => return Some(status),
            Err(rustix::io::Errno::INTR) => {}
            _ => return None,
        }
    }
}

// As the inner process ended, so does the outer one.
fn end_as(status: Option<WaitStatus>) -> ! {
    let signal = status.and_then(|s| s.terminating_signal());
    if let Some(signal) = signal {
        // SAFETY: the default disposition, and a signal to this process alone
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
    let code = status.and_then(|s| s.exit_status()).unwrap_or(1);
    // SAFETY: it ends this process without running anything that belongs to the inner one
    unsafe { libc::_exit(code) }
}
