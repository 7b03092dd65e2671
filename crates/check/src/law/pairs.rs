//! Pairs of ranks that should tell nothing of each other.

use super::chance;
use super::sample::{DRAWN, Sample};
use super::tested::{INDEPENDENCE, RANKS, Tested};

/// Pairs of ranks: how many, how many fall in the same half, and how many are both the lowest or both the highest.
#[derive(Default)]
pub struct Pairs {
    all: u64,
    agree: u64,
    lowest: u64,
    highest: u64,
}

/// The size of an axis, the elements from one index of it to the next, and how far apart pairs lie along it.
type Apart = (usize, usize, usize);

/// Each pair so far apart along an axis, with what belongs to it in turn. Nothing is in two pairs.
pub fn apart(all: &[u8], (size, stride, lag): Apart, mut add: impl FnMut(u8, u8)) {
    for whole in all.chunks_exact(size * stride) {
        for first in (0..size - lag).step_by(2 * lag) {
            let end = (first + lag).min(size - lag);
            let of = |from: usize, to: usize| &whole[from * stride..to * stride];
            let both = of(first, end).iter().zip(of(first + lag, end + lag));
            both.for_each(|(one, other)| add(*one, *other));
        }
    }
}

/// Pairs of reals that are both zero, which ranks blur where few are: as often the kernel's as those of each draw.
pub fn zeros(sample: &Sample, pairs: Apart, where_: &str) -> Option<Tested> {
    let (mut own, mut all) = (0, 0);
    apart(&sample.zeros, pairs, |one, other| {
        own += u64::from(one & other & 1);
        all += u64::from((one & other).count_ones());
    });
    let due = all as f64 / RANKS as f64;
    (all > 0).then(|| Tested {
        test: INDEPENDENCE,
        said: format!("{where_} are not independent: both are zero {own} times, about {due:.0} due"),
        statistic: own as f64,
        due,
        samples: all,
        chance: chance::count(own, all, 1.0 / RANKS as f64),
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::sample::Look;
    use ktwin_num::Rng;

    /// One outcome in 64 is zero; where `joined`, the kernel's second of two is so one time in four where the first is.
    fn dropped(joined: bool) -> Tested {
        let mut sample = Sample::new("y", Look::Element, vec![("N".into(), 1 << 16)], false);
        let mut rng = Rng::new(3, 0);
        let rare = |rng: &mut Rng| u8::from(rng.below(64) == 0);
        for at in 0..1usize << 16 {
            let mut bits = (0..8).fold(0, |bits, _| bits << 1 | rare(&mut rng));
            let before = sample.zeros.last().is_some_and(|last| last & 1 == 1);
            if joined && at % 2 == 1 && before {
                bits = bits & !1 | u8::from(rng.below(4) == 0);
            }
            sample.zeros.push(bits);
        }
        zeros(&sample, (1 << 16, 1, 1), "outcomes").unwrap()
    }

    #[test]
    fn zeros_that_come_together_are_seen() {
        let (fair, joined) = (dropped(false), dropped(true));
        assert!(fair.chance > -5.0 && joined.chance < -33.0, "{fair:?} {joined:?}");
        assert!(joined.statistic > 4.0 * joined.due, "{joined:?}");
    }
}
