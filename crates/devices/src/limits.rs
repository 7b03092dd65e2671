//! What a kernel in a child process may use. Plain data.

use std::time::Duration;

/// What a kernel in a child process may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time for one launch, the start of the process and the driver included. Launches of much work get more.
    pub time: Duration,
    /// Bytes of memory of the process, beside three times the buffers. Watched on Linux only.
    pub memory: u64,
    /// Whether nothing may run outside a whole box.
    pub boxed: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { time: Duration::from_secs(10), memory: 2 << 30, boxed: false }
    }
}
