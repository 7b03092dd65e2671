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

/// Points that a plain loop walks in a second on a slow machine.
const POINTS_A_SECOND: u64 = 1 << 27;

impl Limits {
    /// These limits, with the time that plain loops over so many points take.
    pub(crate) fn with_points(self, points: u64) -> Limits {
        let more = Duration::from_secs(points / POINTS_A_SECOND);
        Limits { time: self.time.saturating_add(more), ..self }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { time: Duration::from_secs(10), memory: 2 << 30, boxed: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_much_work_takes_more_time() {
        let of = |points| Limits::default().with_points(points).time.as_secs();
        assert_eq!((of(0), of(100_000_000)), (10, 10));
        // each of 65,870 places looks at all before it
        assert_eq!(of(65_870 * 65_870 / 2), 26);
    }
}
