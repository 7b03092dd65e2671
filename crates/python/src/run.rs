//! Work that takes long: without Python's lock, ended by Ctrl-C, and whatever it does, an exception at most.

use std::any::Any;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ktwin_lang::Progress;
use pyo3::prelude::*;

use crate::raised;

/// How often Ctrl-C is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// Runs work in a thread of its own. Ctrl-C tells it to stop, and does not wait for it.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Progress) -> Result<T, String> + Send + 'static,
) -> PyResult<T> {
    let progress = Arc::new(Progress::default());
    let (sender, results) = channel();
    let theirs = progress.clone();
    std::thread::spawn(move || {
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&theirs)));
        // nobody waits any more after Ctrl-C
        let _ = sender.send(done.unwrap_or_else(|panic| Err(broken(&*panic))));
    });
    let results = Mutex::new(results);
    let wait = || results.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK);
    loop {
        match py.detach(wait) {
            Ok(done) => return done.map_err(raised),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(raised("ktwin itself failed")),
        }
        py.check_signals().inspect_err(|_| progress.stop.store(true, Ordering::Relaxed))?;
    }
}

/// What to say of a panic.
pub fn broken(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_string());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    format!("ktwin itself failed, which is a mistake in ktwin: {text}")
}
