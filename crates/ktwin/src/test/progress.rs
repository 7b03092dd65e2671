//! The progress bar: one line on standard error, where that is a terminal, as wide as the terminal at most and gone
//! before anything is printed.

use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ktwin::explain::visible;
use ktwin_num::plural;

use crate::outcome::say_painted;

/// Nothing is shown before this.
const QUIET: Duration = Duration::from_millis(400);
/// Redrawn so many times a second at most.
const RATE: u8 = 12;
/// The name of the kernel takes what the terminal leaves.
const LINE: &str = "[{bar:20}] {pos} of {len} kernels, {prefix}  {wide_msg}";

/// How far a run is.
pub struct Bar {
    bar: ProgressBar,
    started: Instant,
    cases: usize,
}

impl Bar {
    /// A bar that shows itself on terminals only.
    pub fn new() -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(LINE).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("=> "));
        Bar { bar, started: Instant::now(), cases: 0 }
    }

    /// So many kernels are to come.
    pub fn begin(&mut self, kernels: usize) {
        self.bar.set_length(kernels as u64);
    }

    /// A kernel ended.
    pub fn kernel(&mut self) {
        self.bar.inc(1);
    }

    /// A case of a kernel ended.
    pub fn case(&mut self, kernel: &str) {
        self.cases(kernel, 1);
    }

    /// So many of them ended.
    pub fn cases(&mut self, kernel: &str, count: usize) {
        self.cases += count;
        if self.started.elapsed() < QUIET {
            return;
        }
        if self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(RATE));
        }
        let name = Path::new(kernel).file_name().map_or(kernel.into(), |name| name.to_string_lossy());
        self.bar.set_prefix(plural(self.cases, "case"));
        self.bar.set_message(visible(&name));
    }

    /// Prints to standard output, past the bar.
    pub fn say(&self, text: &str) {
        self.bar.suspend(|| say_painted(text));
    }

    /// Wipes the line, for good.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
