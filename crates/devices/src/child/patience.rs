//! How much longer a launch may take that has much to do.

use std::time::Duration;

use crate::limits::Limits;

/// Points that a plain loop walks in a second on a slow machine.
const POINTS_A_SECOND: u64 = 1 << 27;

impl Limits {
    /// These limits, with the time that plain loops over so many points take.
    pub(crate) fn with_points(self, points: u64) -> Limits {
        let more = Duration::from_secs(points / POINTS_A_SECOND);
        Limits { time: self.time.saturating_add(more), ..self }
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
