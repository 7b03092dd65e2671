//! What ends a run before its end: Ctrl-C, SIGTERM, and the time that it may take. First everybody is asked to stop,
//! then children are ended, then this process; no file is left in any case.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use crate::outcome::INTERRUPTED;

/// After an interrupt: what is under way may end by itself for so long.
const PATIENCE: Duration = Duration::from_millis(600);
/// After the time is up: cases may end for so long, then their processes are ended, and all else follows.
const LAST_CASE: Duration = Duration::from_secs(1);
const LAST_WORD: Duration = Duration::from_secs(2);

/// What is done before a process leaves in the middle of a run, and the exit code that follows from it.
type LastWords = Box<dyn FnOnce() -> Option<u8> + Send>;

/// Whether to stop, and why.
#[derive(Clone, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    late: Arc<AtomicBool>,
    last_words: Arc<Mutex<Option<LastWords>>>,
}

impl Stop {
    /// From here on signals stop the run, and so does the end of its time.
    pub fn watching(time: Option<Duration>) -> Stop {
        let stop = Stop::default();
        let handler = stop.clone();
        // where no handler can be set, a signal ends the process as it always did
        let _ = ctrlc::set_handler(move || {
            ktwin_devices::stop_all();
            if handler.asked.swap(true, Ordering::Relaxed) {
                handler.leave(INTERRUPTED);
            }
            let handler = handler.clone();
            std::thread::spawn(move || {
                sleep(PATIENCE);
                handler.leave(INTERRUPTED);
            });
        });
        if let Some(time) = time {
            let stop = stop.clone();
            std::thread::spawn(move || stop.when_over(time));
        }
        stop
    }

    /// Whether to stop.
    pub fn asked(&self) -> &AtomicBool {
        &self.asked
    }

    /// Whether it was the time.
    pub fn is_late(&self) -> bool {
        self.late.load(Ordering::Relaxed)
    }

    fn when_over(&self, time: Duration) {
        sleep(time);
        self.late.store(true, Ordering::Relaxed);
        self.asked.store(true, Ordering::Relaxed);
        sleep(LAST_CASE);
        ktwin_devices::stop_all();
        sleep(LAST_WORD);
        crate::outcome::tell("ktwin: the time is up, and a case that was running is cut short");
        self.leave(super::NO_EVIDENCE);
    }

    /// What is done where the run does not end by itself.
    pub fn at_the_end(&self, last_words: impl FnOnce() -> Option<u8> + Send + 'static) {
        *self.words() = Some(Box::new(last_words));
    }

    /// The run ended by itself, and says so itself.
    pub fn is_over(&self) {
        *self.words() = None;
    }

    fn words(&self) -> MutexGuard<'_, Option<LastWords>> {
        self.last_words.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leave(&self, code: u8) -> ! {
        let words = self.words().take();
        let own = words.and_then(|words| words());
        ktwin_devices::leave_nothing();
        std::process::exit(i32::from(own.unwrap_or(code)))
    }
}
