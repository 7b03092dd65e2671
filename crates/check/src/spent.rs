//! How long something takes, where the machine may stand still: what is decided by it must not depend on that.

use std::time::{Duration, Instant};

/// Time that goes by in turns, none of which counts for more than the longest that is believed.
pub struct Spent {
    turn: Duration,
    last: Instant,
    sum: Duration,
}

impl Spent {
    /// Begins now; no turn counts for more than this.
    pub fn in_turns_of(turn: Duration) -> Spent {
        Spent { turn, last: Instant::now(), sum: Duration::ZERO }
    }

    /// Ends a turn: what all of them took.
    pub fn so_far(&mut self) -> Duration {
        let now = Instant::now();
        self.sum += (now - self.last).min(self.turn);
        self.last = now;
        self.sum
    }

    /// Begins again at nothing.
    pub fn again(&mut self) {
        *self = Spent::in_turns_of(self.turn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_counts_as_one_turn() {
        let mut spent = Spent::in_turns_of(Duration::from_millis(2));
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!(spent.so_far(), Duration::from_millis(2));
        std::thread::sleep(Duration::from_millis(1));
        assert!(spent.so_far() > Duration::from_millis(2));
        spent.again();
        assert!(spent.so_far() <= Duration::from_millis(2));
    }
}
