//! Whether a kernel is faster than it was in another run, of which only figures were kept.

use super::{Outcome, Summary};

/// How far medians of the same kernel may be apart from one run to another, since machines change between them.
const BETWEEN: f64 = 0.05;

/// Compares a run with one that was kept: the ratio of times, and what it means.
pub fn compare_runs(now: &Summary, then: &Summary) -> (f64, Outcome) {
    let ratio = now.median / then.median;
    let (low, high) = (now.low / then.high / (1.0 + BETWEEN), now.high / then.low * (1.0 + BETWEEN));
    let outcome = match () {
        _ if high < 1.0 => Outcome::Faster,
        _ if low > 1.0 => Outcome::Slower,
        // what may differ so far by itself is the same when it hardly does
        _ if low >= 0.9 && high <= 1.1 => Outcome::Same,
        _ => Outcome::CannotTell,
    };
    (ratio, outcome)
}

/// The same of counts, which do not vary: how many more there are now.
pub fn compare_counts(now: f64, then: f64) -> (f64, Outcome) {
    let ratio = if now == then { 1.0 } else { now / then };
    let outcome = match now.total_cmp(&then) {
        std::cmp::Ordering::Less => Outcome::Faster,
        std::cmp::Ordering::Equal => Outcome::Same,
        std::cmp::Ordering::Greater => Outcome::Slower,
    };
    (ratio, outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::summary;

    fn around(time: f64, width: f64) -> Summary {
        let times: Vec<f64> = (0..40).map(|n| time * (1.0 + width * f64::from(n - 20) / 20.0)).collect();
        summary(&times).unwrap()
    }

    #[test]
    fn runs_are_the_same_other_or_too_noisy() {
        let then = around(1000.0, 0.01);
        for (time, width, outcome) in [
            (1000.0, 0.01, Outcome::Same),
            (1030.0, 0.01, Outcome::Same),
            (1300.0, 0.01, Outcome::Slower),
            (700.0, 0.01, Outcome::Faster),
            (1030.0, 0.5, Outcome::CannotTell),
        ] {
            assert_eq!(compare_runs(&around(time, width), &then).1, outcome, "{time} ± {width}");
        }
    }

    #[test]
    fn counts_differ_or_they_do_not() {
        assert_eq!(compare_counts(0.0, 0.0), (1.0, Outcome::Same));
        assert_eq!(compare_counts(11.0, 10.0), (1.1, Outcome::Slower));
        assert_eq!(compare_counts(9.0, 10.0).1, Outcome::Faster);
    }
}
