//! Whole numbers: the kernel gives as many different ones as each draw of the law does. A generator with too few
//! numbers of its own chooses among too few, each of which comes about as often as it should.

use std::collections::HashMap;

use ktwin_num::math::{exp, log};

use super::sample::{DRAWN, Sample};
use super::tested::{RANKS, Tested};

/// Outcomes that are looked at.
const MOST: u64 = 1 << 16;
/// Exponents at which the bound is looked for: powers of 1.3 from here on.
const FIRST: f64 = 0.02;
const EXPONENTS: usize = 24;

/// What came out so far.
#[derive(Default)]
pub struct Variety {
    outcomes: u64,
    /// Of each number whether the kernel gave it, and the logarithm of the probability that it does not give it
    /// although draws did.
    numbers: HashMap<i64, (bool, f64)>,
}

impl Variety {
    /// Adds an outcome, the kernel's first. A draw that rounding may turn into another is left out: its number may be
    /// one that the kernel never gives.
    pub fn add(&mut self, outcome: &[i64; DRAWN as usize + 1], open: impl Fn(usize) -> bool) {
        if self.outcomes == MOST {
            return;
        }
        self.outcomes += 1;
        let [own, draws @ ..] = outcome;
        let of_own = self.numbers.entry(*own).or_default();
        if !of_own.0 {
            // the kernel's own may be one of those that are left out, unless it came by itself
            *of_own = (true, of_own.1 + log(1.0 - 1.0 / RANKS as f64));
        }
        let is = |draw: usize, number: i64| draws[draw] == number && !open(draw);
        for draw in 0..draws.len() {
            let number = draws[draw];
            if is(draw, number) && !(0..draw).any(|before| is(before, number)) {
                let times = (draw..draws.len()).filter(|other| is(*other, number)).count();
                self.numbers.entry(number).or_default().1 += log(1.0 - times as f64 / RANKS as f64);
            }
        }
    }

    /// Whether anything came out.
    pub fn tells(&self) -> bool {
        self.outcomes > 0
    }

    /// Whether the numbers of the kernel are too few. Any of the outcomes of a place may be the kernel's, so that it is
    /// known how likely it has a number that came out so often. Whether it has one makes it less likely to have
    /// another, and of such a sum Chernoff's bound holds as if they had nothing to do with each other.
    pub fn tested(&self, sample: &Sample) -> Option<Tested> {
        let own = self.numbers.values().filter(|(own, _)| *own).count() as f64;
        let due: f64 = self.numbers.values().map(|(_, never)| 1.0 - exp(*never)).sum();
        let bound = |exponent: f64| {
            let one = |(_, never): &(bool, f64)| exp(*never) + (1.0 - exp(*never)) * exp(-exponent);
            exponent * own + self.numbers.values().map(|number| log(one(number))).sum::<f64>()
        };
        let exponents = std::iter::successors(Some(FIRST), |exponent| Some(1.3 * exponent)).take(EXPONENTS);
        (own < due).then(|| Tested {
            test: "variety",
            said: format!(
                "{} takes too few different values: {own} in {} outcomes, at least {due:.0} due: it is drawn among \
                 fewer than the law has",
                sample.output, self.outcomes
            ),
            statistic: own,
            due,
            samples: self.outcomes,
            chance: exponents.map(bound).fold(0.0, f64::min),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::sample::Look;
    use ktwin_num::Rng;

    /// One of so many numbers, drawn by the kernel among these many of them.
    fn chance(of: u64, among: u64) -> f64 {
        let (mut variety, mut rng) = (Variety::default(), Rng::new(1, 0));
        for _ in 0..2000 {
            let mut outcome = [0; 8].map(|_| rng.below(of) as i64);
            outcome[0] = (rng.below(among) * of / among) as i64;
            variety.add(&outcome, |_| false);
        }
        let sample = Sample::new("index", Look::Element, vec![("launches".into(), 2000)], true);
        variety.tested(&sample).map_or(0.0, |tested| tested.chance)
    }

    #[test]
    fn too_few_numbers_are_seen() {
        for of in [2, 100, 1000, 10_000, 1 << 30] {
            assert!(chance(of, of) > -5.0, "{of}: {}", chance(of, of));
        }
        assert!(chance(1000, 800) < -33.0, "{}", chance(1000, 800));
        assert!(chance(1 << 30, 1 << 12) < -33.0);
    }
}
