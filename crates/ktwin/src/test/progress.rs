//! The progress bar: one line on standard error, where that is a terminal, wiped away before anything is
//! printed.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// Nothing is shown before this.
const QUIET: Duration = Duration::from_millis(400);
const EVERY: Duration = Duration::from_millis(80);
const WIDTH: usize = 24;

/// How far a run is.
pub struct Bar {
    on: bool,
    started: Instant,
    last: Option<Instant>,
    kernels: usize,
    done: usize,
    cases: usize,
}

impl Bar {
    /// A bar that shows itself on terminals only.
    pub fn new() -> Bar {
        let on = stderr().is_terminal();
        Bar { on, started: Instant::now(), last: None, kernels: 0, done: 0, cases: 0 }
    }

    /// So many kernels are to come.
    pub fn begin(&mut self, kernels: usize) {
        self.kernels = kernels;
    }

    /// A kernel ended.
    pub fn kernel(&mut self) {
        self.done += 1;
    }

    /// A case of a kernel ended.
    pub fn case(&mut self, kernel: &str) {
        self.cases(kernel, 1);
    }

    /// So many of them ended.
    pub fn cases(&mut self, kernel: &str, count: usize) {
        self.cases += count;
        let due = self.last.is_none_or(|last| last.elapsed() >= EVERY);
        if !self.on || self.started.elapsed() < QUIET || !due {
            return;
        }
        self.last = Some(Instant::now());
        let filled = WIDTH * self.done / self.kernels.max(1);
        let bar = format!("{}{}", "=".repeat(filled), " ".repeat(WIDTH - filled));
        let name: String = ktwin::explain::visible(kernel)
            .chars()
            .rev()
            .take(40)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect();
        let text = format!(
            "\r\x1b[K[{bar}] {} of {} kernels, {} cases  {name}",
            self.done, self.kernels, self.cases
        );
        let _ = stderr().write_all(text.as_bytes());
    }

    /// Wipes the line.
    pub fn clear(&mut self) {
        if self.last.take().is_some() {
            let _ = stderr().write_all(b"\r\x1b[K");
        }
    }
}
