//! What ends a run before its end: Ctrl-C, SIGTERM, and the time that it may take. First everybody is asked to stop,
//! then children are ended, then this process; no file is left in any case.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use crate::outcome::INTERRUPTED;

/// After an interrupt: what is under way may end by itself for so long.
const PATIENCE: Duration = Duration::from_millis(600);
/// After the time is up: cases may end for so long, then their processes are ended, and all else follows.
const LAST_CASE: Duration = Duration::from_secs(1);
const LAST_WORD: Duration = Duration::from_secs(4);

/// Whether to stop, and why.
#[derive(Clone, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    late: Arc<AtomicBool>,
}

impl Stop {
    /// From here on signals stop the run, and so does the end of its time.
    pub fn watching(time: Option<Duration>) -> Stop {
        let stop = Stop::default();
        let asked = Arc::clone(&stop.asked);
        // where no handler can be set, a signal ends the process as it always did
        let _ = ctrlc::set_handler(move || {
            ktwin_devices::stop_all();
            if asked.swap(true, Ordering::Relaxed) {
                leave(INTERRUPTED);
            }
            std::thread::spawn(|| {
                sleep(PATIENCE);
                leave(INTERRUPTED);
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
        eprintln!("ktwin: the time was up, and what was under way did not end");
        leave(super::NO_EVIDENCE);
    }
}

fn leave(code: u8) -> ! {
    ktwin_devices::leave_nothing();
    std::process::exit(i32::from(code))
}
