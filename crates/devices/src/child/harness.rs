//! Test binaries as their own workers. `cargo test` gives them a `main` that nobody writes, so a function that runs
//! before it turns the process into a worker where it was started as one. It runs when the loader has done its work and
//! holds no lock, since only a program's own file is ever started so: never a module that a program loads later.

#![expect(unsafe_code, reason = "what runs before `main` answers for that itself")]

use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(target_os = "linux")]
use super::base::base_of;
use super::program::ORDER_BEFORE_MAIN;
use super::worker::{forget, obey};

static THERE: AtomicBool = AtomicBool::new(false);

/// Whether this program can be its own worker.
pub fn is_there() -> bool {
    THERE.load(Ordering::Relaxed)
}

// SAFETY: it runs before `main` but after the C library is ready; it reads a variable and what that names, and where
// the process is not a worker it does no more than say so.
#[ctor::ctor(unsafe)]
fn before_main() {
    if !is_the_program() {
        return;
    }
    THERE.store(true, Ordering::Relaxed);
    if let Ok(order) = std::env::var(ORDER_BEFORE_MAIN) {
        forget(ORDER_BEFORE_MAIN);
        std::process::exit(obey(&order).map_or(1, i32::from));
    }
}

// Whether this function is in the file that the process was started with, not in a module that it loaded.
#[cfg(target_os = "linux")]
fn is_the_program() -> bool {
    // SAFETY: it asks for a number
    let headers = unsafe { libc::getauxval(libc::AT_PHDR) };
    let own = before_main as *const ();
    base_of(headers as *const _).is_some_and(|base| base_of(own.cast()) == Some(base))
}

#[cfg(not(target_os = "linux"))]
fn is_the_program() -> bool {
    true
}
