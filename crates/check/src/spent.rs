//! How long something takes, where the machine may stand still: what is decided by it must not depend on that.

use std::time::{Duration, Instant};

/// A part of the real time that counts in any case.
const LEAST: u32 = 4;

/// Time that goes by in turns, none of which counts for more than the longest that is believed; a quarter of it all
/// counts whatever it went by in.
pub struct Spent {
    turn: Duration,
    begun: Instant,
    last: Instant,
    sum: Duration,
}

impl Spent {
    /// Begins now; no turn counts for more than this.
    pub fn in_turns_of(turn: Duration) -> Spent {
        let now = Instant::now();
        Spent { turn, begun: now, last: now, sum: Duration::ZERO }
    }

    /// Ends a turn: what all of them took.
    pub fn so_far(&mut self) -> Duration {
        let now = Instant::now();
        self.sum += (now - self.last).min(self.turn);
        self.last = now;
        self.sum.max((now - self.begun) / LEAST)
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
        let (turn, begun) = (Duration::from_millis(2), Instant::now());
        let mut spent = Spent::in_turns_of(turn);
        std::thread::sleep(Duration::from_millis(40));
        let counted = spent.so_far();
        assert!(counted >= Duration::from_millis(10) && counted <= begun.elapsed() / LEAST);
        let mut spent = Spent::in_turns_of(Duration::from_secs(9));
        std::thread::sleep(turn);
        assert!(spent.so_far() >= turn);
        let again = Instant::now();
        spent.again();
        assert!(spent.so_far() <= again.elapsed());
    }
}
