//! Watches a long run: says on a terminal how far it is, and lets Ctrl-C stop it in good order.

use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ktwin_lang::Progress;

/// Nothing is said before this.
const QUIET: Duration = Duration::from_secs(1);
const EVERY: Duration = Duration::from_millis(200);

/// A run being watched; what it said is wiped away at its end.
pub struct Watch {
    progress: Arc<Progress>,
    doing: Arc<Mutex<String>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// From here on Ctrl-C stops the run, and a terminal is told of its progress.
    pub fn start() -> Watch {
        let progress = Arc::new(Progress::default());
        let stop = Arc::clone(&progress);
        // where no handler can be set, Ctrl-C ends the process as it always did
        let _ = ctrlc::set_handler(move || stop.stop.store(true, Ordering::Relaxed));
        let (doing, over) = (Arc::new(Mutex::new(String::new())), Arc::new(AtomicBool::new(false)));
        let speaker = Speaker { progress: progress.clone(), doing: doing.clone(), over: over.clone() };
        let thread = stderr().is_terminal().then(|| thread::spawn(move || speaker.run()));
        Watch { progress, doing, over, thread }
    }

    /// What the evaluator tells of itself.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// What is being done now.
    pub fn say(&self, what: &str) {
        *self.doing.lock().unwrap_or_else(PoisonError::into_inner) = what.to_string();
        self.progress.done.store(0, Ordering::Relaxed);
        self.progress.total.store(0, Ordering::Relaxed);
    }

    /// Whether Ctrl-C was pressed.
    pub fn stopped(&self) -> bool {
        self.progress.stop.load(Ordering::Relaxed)
    }

    /// An error where Ctrl-C was pressed.
    pub fn check(&self) -> Result<(), String> {
        if self.stopped() { Err("interrupted".into()) } else { Ok(()) }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

struct Speaker {
    progress: Arc<Progress>,
    doing: Arc<Mutex<String>>,
    over: Arc<AtomicBool>,
}

impl Speaker {
    fn run(self) {
        let start = Instant::now();
        let mut spoke = false;
        while !self.over.load(Ordering::Relaxed) {
            thread::park_timeout(EVERY);
            if start.elapsed() >= QUIET && !self.over.load(Ordering::Relaxed) {
                let _ = write!(stderr(), "\r\x1b[K{}", self.line(start.elapsed()));
                let _ = stderr().flush();
                spoke = true;
            }
        }
        if spoke {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }

    fn line(&self, elapsed: Duration) -> String {
        let doing = self.doing.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (done, total) =
            (self.progress.done.load(Ordering::Relaxed), self.progress.total.load(Ordering::Relaxed));
        let stopping = if self.progress.stop.load(Ordering::Relaxed) { ", stopping" } else { "" };
        line(&doing, done, total, elapsed.as_secs()) + stopping
    }
}

fn line(doing: &str, done: u64, total: u64, seconds: u64) -> String {
    match done.min(total).checked_mul(100).and_then(|n| n.checked_div(total)) {
        Some(percent) => format!("{doing}: {percent} %, {seconds} s"),
        None => format!("{doing}: {seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        assert_eq!(line("evaluating", 30, 120, 4), "evaluating: 25 %, 4 s");
        assert_eq!(line("reading x.npy", 0, 0, 2), "reading x.npy: 2 s");
    }
}
