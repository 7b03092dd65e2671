//! Pairs of ranks that should tell nothing of each other.

use super::chance;
use super::sample::DRAWN;
use super::tested::{INDEPENDENCE, RANKS, Tested};

/// Pairs of ranks: how many, how many fall in the same half, and how many are both the lowest or both the highest.
#[derive(Default)]
pub struct Pairs {
    all: u64,
    agree: u64,
    lowest: u64,
    highest: u64,
}

/// Whether a rank lies in the lower half of its law.
pub fn is_low(rank: u8) -> bool {
    u64::from(rank) < RANKS / 2
}

impl Pairs {
    /// Adds a pair.
    pub fn add(&mut self, a: u8, b: u8) {
        self.all += 1;
        self.agree += u64::from(is_low(a) == is_low(b));
        self.lowest += u64::from(a == 0 && b == 0);
        self.highest += u64::from(a == DRAWN && b == DRAWN);
    }

    /// The three tests of ranks that have nothing to do with each other. No rank stands in two pairs.
    pub fn tested(&self, where_: &str) -> [Tested; 3] {
        let both = 1.0 / (RANKS * RANKS) as f64;
        let kinds = [
            (self.agree, 0.5, "lie in the same half of their laws"),
            (self.lowest, both, "are both among the lowest of their laws"),
            (self.highest, both, "are both among the highest of their laws"),
        ];
        kinds.map(|(seen, p, what)| {
            let (all, due) = (self.all, p * self.all as f64);
            Tested {
                test: INDEPENDENCE,
                said: format!("{where_} are not independent: {seen} of {all} pairs {what}, {due:.0} due"),
                statistic: seen as f64,
                due,
                samples: all,
                chance: chance::count(seen, all, p),
            }
        })
    }
}
