//! Two kernels side by side: measured in rounds, in random order within each, every time in a process of its own.

use std::time::Duration;

use ktwin_check::Case;
use ktwin_check::bench::{Bench, Measured, Ready, Timing, compare, compare_counts, median};
use ktwin_num::Rng;

use super::row::Against;

/// What one measurement of a round takes at most.
const TURN: Duration = Duration::from_millis(300);
/// Samples of one measurement.
const SAMPLES: usize = 12;

/// Compares two kernels in one case.
pub fn versus(
    name: &str,
    case: &Case,
    both: [&Bench; 2],
    rounds: usize,
    seed: u64,
) -> Result<Vec<Against>, String> {
    let this = both[0].ready(case).map_err(|why| format!("this kernel: {why}"))?;
    let other = both[1].ready(case).map_err(|why| format!("{name}: {why}"))?;
    let (mut cold, mut warm) = (Rounds::default(), Rounds::default());
    let mut rng = Rng::new(seed, 0);
    for _ in 0..rounds {
        let first = rng.below(2) == 0;
        let pair = if first {
            let a = one(&this, "this kernel")?;
            (a, one(&other, name)?)
        } else {
            let b = one(&other, name)?;
            (one(&this, "this kernel")?, b)
        };
        match pair {
            (Measured::Times(a), Measured::Times(b)) => {
                warm.take(&a.warm, &b.warm);
                if !a.cold.is_empty() && !b.cold.is_empty() {
                    cold.take(&a.cold, &b.cold);
                }
            }
            (Measured::Counts(a), Measured::Counts(b)) => return Ok(counts(name, &a, &b)),
            _ => return Err(format!("{name} is not measured in the same way")),
        }
    }
    let both = [("cold", cold), ("warm", warm)].into_iter();
    let found = both.filter_map(|(what, rounds)| {
        let c = compare(&rounds.medians)?;
        Some(Against::of(format!("{what}, against {name}"), &c, rounds.samples))
    });
    Ok(found.collect())
}

/// Rounds of one state of the caches.
#[derive(Default)]
struct Rounds {
    /// The medians of both, which are compared.
    medians: Vec<(f64, f64)>,
    /// All samples of both, to be drawn.
    samples: [Vec<f64>; 2],
}

impl Rounds {
    fn take(&mut self, this: &[f64], other: &[f64]) {
        self.medians.push((median(this), median(other)));
        self.samples[0].extend(this);
        self.samples[1].extend(other);
    }
}

fn one(ready: &Ready, who: &str) -> Result<Measured, String> {
    let (least, precision) = (Duration::ZERO, f64::INFINITY);
    let timing = Timing { samples: SAMPLES, precision, least, most: TURN, calls: None };
    ready.measure_once(&timing).map_err(|why| format!("{who}: {why}"))
}

fn counts(name: &str, this: &[(&'static str, f64)], other: &[(&'static str, f64)]) -> Vec<Against> {
    let both =
        this.iter().zip(other).filter(|((what, _), _)| ["warp instructions", "sectors"].contains(what));
    let each = both.map(|((what, now), (_, then))| {
        Against::plain(format!("{what}, against {name}"), compare_counts(*now, *then))
    });
    each.collect()
}
