//! Whether one kernel is faster than another, from rounds in which both were measured.

use std::fmt;

use super::stats::ends;

/// Differences that are too small to mean anything, whatever the interval.
const NEGLIGIBLE: f64 = 0.01;
/// The interval's width within which two are called the same.
const SAME: f64 = 0.02;
/// The width from which on an interval is too wide for whatever the reason is, and not only for what is asked.
const NOISY: f64 = 0.05;
/// How often a difference may be seen where there is none.
const FALSE_ALARMS: f64 = 0.01;

/// What comes out of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It takes less time.
    Faster,
    /// It takes more time.
    Slower,
    /// It takes as much time, within 2 %.
    Same,
    /// The interval is too wide.
    CannotTell,
}

impl Outcome {
    /// Every outcome in words.
    const ALL: [(&str, Outcome); 4] = [
        ("faster", Outcome::Faster),
        ("slower", Outcome::Slower),
        ("same", Outcome::Same),
        ("cannot tell", Outcome::CannotTell),
    ];

    /// The outcome in these words.
    pub fn parse(words: &str) -> Option<Outcome> {
        Self::ALL.iter().find(|(name, _)| *name == words).map(|(_, outcome)| *outcome)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Self::ALL.iter().find(|(_, outcome)| outcome == self).map_or("", |(name, _)| *name))
    }
}

/// Why a comparison cannot tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doubt {
    /// So few rounds that the interval is from the least ratio to the largest.
    FewRounds(usize),
    /// So few samples in one of the runs that it has no interval.
    FewSamples(usize),
    /// So few processes in one of the runs that it does not show how far these differ.
    FewProcesses(usize),
    /// A step of the clock is this share of the time.
    Clock(f64),
    /// Times of one kernel differ by this share.
    Noise(f64),
    /// A difference of as much as this share can be neither shown nor excluded.
    Limit(f64),
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        match self {
            Doubt::FewRounds(rounds) => write!(
                f,
                "too few rounds: the interval of {rounds} is from the least ratio to the largest; take more `--rounds`"
            ),
            Doubt::FewSamples(samples) => {
                write!(f, "too few samples: {samples} give no interval; take more `--time`")
            }
            Doubt::FewProcesses(count) => write!(
                f,
                "too few processes: a run had {count}, and where each has its code changes times; take more `--time`, \
                 and keep the baseline again"
            ),
            Doubt::Clock(share) => write!(f, "a step of the clock is {} of the time", percent(*share)),
            Doubt::Noise(share) => {
                write!(
                    f,
                    "noise: times of the same kernel differ by {}; take a quieter machine",
                    percent(*share)
                )
            }
            Doubt::Limit(share) => {
                write!(f, "the interval spans the limit: it may be equal, or differ by {}", percent(*share))
            }
        }
    }
}

/// A ratio of times, and what it means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The ratio: below 1 is faster. Of rounds it is the median of theirs.
    pub ratio: f64,
    /// Where its 99 % interval begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
    /// What that means.
    pub outcome: Outcome,
    /// Why it cannot tell, where it cannot.
    pub doubt: Option<Doubt>,
}

impl Comparison {
    /// Whether it is slower than allowed, beyond doubt: the whole interval lies above.
    pub fn is_slower_than(&self, allowed: f64) -> bool {
        self.low > 1.0 + allowed
    }
}

/// Compares by pairs of times, (this, other), each measured in one round. None where there are too few for any
/// interval, or a time is no time.
pub fn compare(rounds: &[(f64, f64)]) -> Option<Comparison> {
    let is_time = |t: f64| t.is_finite() && t > 0.0;
    if rounds.len() < 8 || rounds.iter().any(|(a, b)| !is_time(*a) || !is_time(*b)) {
        return None;
    }
    let mut ratios: Vec<f64> = rounds.iter().map(|(this, other)| this / other).collect();
    ratios.sort_by(f64::total_cmp);
    let (first, last) = ends(ratios.len(), FALSE_ALARMS);
    let (ratio, low, high) = (super::median(&ratios), ratios[first], ratios[last]);
    let within = |by: f64| low >= 1.0 - by && high <= 1.0 + by;
    let outcome = match () {
        _ if within(NEGLIGIBLE) => Outcome::Same,
        _ if high < 1.0 => Outcome::Faster,
        _ if low > 1.0 => Outcome::Slower,
        _ if within(SAME) => Outcome::Same,
        _ => Outcome::CannotTell,
    };
    let doubt = (outcome == Outcome::CannotTell).then_some(match () {
        _ if high / low <= 1.0 + NOISY => Doubt::Limit(farthest(low, high)),
        _ if first == 0 => Doubt::FewRounds(ratios.len()),
        _ => Doubt::Noise(high / low - 1.0),
    });
    Some(Comparison { ratio, low, high, outcome, doubt })
}

/// How far the farther end of an interval is from equal.
pub fn farthest(low: f64, high: f64) -> f64 {
    (1.0 - low).max(high - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_num::Rng;

    // Times as a noisy machine shows them: a level that drifts, small jitter, now and then a long pause.
    fn rounds(rng: &mut Rng, slower: f64, jitter: f64) -> Vec<(f64, f64)> {
        let mut level = 1000.0;
        let one = |rng: &mut Rng, level: f64| {
            let pause = if rng.uniform() < 0.05 { 1.0 + rng.uniform() } else { 1.0 };
            level * pause * (1.0 + jitter * (rng.uniform() - 0.5))
        };
        (0..20)
            .map(|_| {
                level *= 1.0 + 0.05 * (rng.uniform() - 0.5);
                (one(rng, level) * slower, one(rng, level))
            })
            .collect()
    }

    fn outcomes(slower: f64, jitter: f64) -> [usize; 4] {
        let mut rng = Rng::new(11, 3);
        let mut seen = [0; 4];
        for _ in 0..1000 {
            let found = compare(&rounds(&mut rng, slower, jitter)).map(|c| c.outcome);
            seen[found.map_or(3, |o| o as usize)] += 1;
        }
        seen
    }

    #[test]
    fn the_same_kernel_is_hardly_ever_called_another() {
        for jitter in [0.005, 0.02, 0.1] {
            let [faster, slower, ..] = outcomes(1.0, jitter);
            assert!(faster + slower <= 10, "jitter {jitter}: {faster} faster and {slower} slower of 1000");
        }
        let [_, _, same, _] = outcomes(1.0, 0.01);
        assert!(same >= 950, "{same}");
    }

    #[test]
    fn slowdowns_are_found_or_too_small_to_tell() {
        for slower in [1.02, 1.05, 1.10] {
            for jitter in [0.01, 0.1] {
                assert_eq!(outcomes(slower, jitter)[0], 0, "{slower} with jitter {jitter} is called faster");
            }
        }
        // four pauses of the other among 20 rounds hide it, which happens in 1.6 % of these
        assert!(outcomes(1.05, 0.02)[1] >= 970);
        assert!(outcomes(1.10, 0.1)[1] >= 900);
        assert!(outcomes(0.90, 0.02)[0] >= 970);
    }

    #[test]
    fn who_cannot_tell_says_why() {
        let rounds = |count: usize, width: f64, middle: f64| -> Vec<(f64, f64)> {
            let ratio = |n: usize| middle + width * (n as f64 / (count - 1) as f64 - 0.5);
            (0..count).map(|n| (ratio(n), 1.0)).collect()
        };
        let doubt = |rounds: &[(f64, f64)]| compare(rounds).and_then(|c| c.doubt).map(|d| d.to_string());
        for (count, width, middle, says) in [
            (8, 0.5, 1.0, "too few rounds: the interval of 8"),
            (100, 0.5, 1.0, "noise: times of the same kernel differ by"),
            (100, 0.12, 1.012, "the interval spans the limit: it may be equal, or differ by"),
        ] {
            let why = doubt(&rounds(count, width, middle)).unwrap_or_default();
            assert!(why.starts_with(says), "{count} {width}: {why}");
        }
        assert_eq!(doubt(&rounds(100, 0.01, 1.0)), None);
        assert_eq!(doubt(&rounds(100, 0.01, 1.5)), None);
    }

    #[test]
    fn too_few_rounds_say_nothing() {
        assert_eq!(compare(&[(1.0, 2.0); 7]), None);
        assert_eq!(compare(&[(1.0, 0.0); 9]), None);
        let Some(clear) = compare(&[(1.3, 1.0); 9]) else { unreachable!() };
        assert!(clear.is_slower_than(0.1) && !clear.is_slower_than(0.4));
    }
}
