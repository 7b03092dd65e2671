//! The statistics of one series of times: medians, and intervals that assume nothing of how times are distributed.

use ktwin_num::math;

/// The fewest samples whose first and last bound the median in 95 of 100 cases.
pub const LEAST: usize = 6;
/// Processes in which a run measures: the least and the largest of so many medians bound the median of all in 97 of 100
/// cases, and where those of two runs come in no order that says which run they are of, all of one are above all of the
/// other in 2 of 924.
pub const PROCESSES: usize = 6;
/// Fewest processes whose medians say how far processes differ.
const FEW: usize = 5;

/// What a series of times says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The median.
    pub median: f64,
    /// Where the 95 % interval of the median begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
    /// The least.
    pub min: f64,
    /// What 95 % of them do not exceed.
    pub p95: f64,
    /// How many there are.
    pub samples: usize,
    /// In how many processes they were taken.
    pub processes: usize,
    /// How far apart two times are that the clock can tell apart.
    pub step: f64,
    /// How many are more than three interquartile ranges above the upper quartile. They count like all others.
    pub outliers: usize,
}

impl Summary {
    /// Whether there are enough of them for an interval.
    pub fn is_bounded(&self) -> bool {
        self.samples >= LEAST
    }

    /// Half the width of the interval, relative to the median.
    pub fn spread(&self) -> f64 {
        (self.high - self.median).max(self.median - self.low) / self.median
    }

    /// Whether the interval says how far processes differ, and not only single calls.
    pub fn is_of_processes(&self) -> bool {
        self.processes >= FEW
    }

    /// The interval, and what its clock leaves open beside it: what another run is compared with.
    pub fn range(&self) -> (f64, f64) {
        // no clock shows that a call took no time
        ((self.low - 0.5 * self.step).max(0.1 * self.median), self.high + 0.5 * self.step)
    }
}

/// Sums up a series that several processes took one after the other, each so many times, by a clock with such steps;
/// none where it is empty, or holds what no time can be. Where a process has its code and its data decides how long a
/// call takes, so the interval is that of the processes' medians, where these are enough.
pub fn summary(times: &[f64], processes: &[usize], step: f64) -> Option<Summary> {
    let sorted = sorted(times)?;
    let last = sorted.len() - 1;
    let place = |share: f64| sorted[((last as f64 * share).ceil() as usize).min(last)];
    let medians = medians(times, processes);
    let bounds = if medians.len() >= FEW { &medians } else { &sorted };
    let (low, high) = ends(bounds.len(), 0.05);
    let fence = place(0.75) + 3.0 * (place(0.75) - place(0.25));
    let median = middle(&sorted);
    Some(Summary {
        median,
        low: bounds[low].min(median) - 0.5 * step,
        high: bounds[high].max(median) + 0.5 * step,
        min: sorted[0],
        p95: place(0.95),
        samples: sorted.len(),
        processes: medians.len(),
        step,
        outliers: sorted.iter().filter(|t| **t > fence).count(),
    })
}

/// The median of each process, in order of size.
fn medians(times: &[f64], processes: &[usize]) -> Vec<f64> {
    let mut rest = times;
    let mut medians: Vec<f64> = Vec::new();
    for count in processes {
        let (own, others) = rest.split_at((*count).min(rest.len()));
        medians.extend(sorted(own).map(|own| middle(&own)));
        rest = others;
    }
    medians.sort_by(f64::total_cmp);
    medians
}

/// The median of a series; NaN where it is empty.
pub fn median(times: &[f64]) -> f64 {
    sorted(times).map_or(f64::NAN, |sorted| middle(&sorted))
}

/// Whether the interval of the median is as narrow as wanted.
pub fn is_precise(times: &[f64], precision: f64) -> bool {
    summary(times, &[], 0.0).is_some_and(|s| s.is_bounded() && s.spread() <= precision)
}

fn sorted(times: &[f64]) -> Option<Vec<f64>> {
    if times.is_empty() || times.iter().any(|t| !t.is_finite()) {
        return None;
    }
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(sorted)
}

fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { f64::midpoint(sorted[half - 1], sorted[half]) }
}

/// Which of `count` sorted numbers bound the median, wrong at most as often as `alpha` says: a binomial count of
/// numbers lies on either side of it. Where there are too few for that, the first and the last.
pub fn ends(count: usize, alpha: f64) -> (usize, usize) {
    let last = count.saturating_sub(1);
    // the chance that at most `below` of them lie under the median, in logarithms: 2^-count may be nothing
    let (mut term, mut sum, mut below) = (-(count as f64) * std::f64::consts::LN_2, 0.0, 0);
    while below < last / 2 {
        sum += math::exp(term);
        if 2.0 * sum > alpha {
            break;
        }
        below += 1;
        term += math::log((count - below + 1) as f64 / below as f64);
    }
    let low = below.saturating_sub(1);
    (low, last - low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_num::Rng;

    #[test]
    fn a_series_is_summed_up() {
        let mut times: Vec<f64> = (1..=99).map(f64::from).collect();
        times.push(10_000.0);
        let Some(s) = summary(&times, &[], 0.0) else { unreachable!() };
        assert_eq!((s.median, s.min, s.samples, s.outliers), (50.5, 1.0, 100, 1));
        assert!(s.low < s.median && s.median < s.high && s.high < 65.0, "{s:?}");
        assert!(summary(&[], &[], 0.0).is_none() && summary(&[1.0, f64::INFINITY], &[], 0.0).is_none());
        assert_eq!(summary(&[3.0], &[], 0.0).map(|s| (s.low, s.high)), Some((3.0, 3.0)));
    }

    #[test]
    fn what_processes_differ_by_is_in_the_interval() {
        // each agrees with itself to a hundredth, and one in six is slower by a fifth
        let level = |process: u32| if process == 4 { 120.0 } else { 100.0 + f64::from(process) };
        let times: Vec<f64> = (0..60).map(|n| level(n / 10) + 0.1 * f64::from(n % 10)).collect();
        let Some(s) = summary(&times, &[10; 6], 2.0) else { unreachable!() };
        assert_eq!((s.processes, s.low.round(), s.high.round()), (6, 99.0, 121.0));
        assert_eq!((s.range().0.round(), s.range().1.round()), (98.0, 122.0));
        let Some(alone) = summary(&times[..10], &[10], 0.0) else { unreachable!() };
        assert!(!alone.is_of_processes() && alone.high < 101.0, "{alone:?}");
        assert_eq!(summary(&[5.0; 6], &[1; 6], 10.0).map(|s| s.range()), Some((0.5, 15.0)));
    }

    #[test]
    fn the_ends_are_those_of_the_binomial() {
        // tables of the sign test: at 95 %, ranks 6 and 15 of 20, 40 and 61 of 100, both counted from 1
        assert_eq!(ends(20, 0.05), (5, 14));
        assert_eq!(ends(100, 0.05), (39, 60));
        assert_eq!(ends(5, 0.05), (0, 4));
        let (low, high) = ends(2000, 0.05);
        assert!((950..960).contains(&low) && high == 1999 - low, "{low} {high}");
    }

    #[test]
    fn the_interval_holds_the_median_as_often_as_it_says() {
        let mut rng = Rng::new(1, 2);
        let mut held = 0;
        for _ in 0..1000 {
            // skewed as times are, with a true median of 1 + ln 2
            let times: Vec<f64> = (0..40).map(|_| 1.0 - (1.0 - rng.uniform()).ln()).collect();
            let Some(s) = summary(&times, &[], 0.0) else { unreachable!() };
            held += usize::from((s.low..=s.high).contains(&(1.0 + std::f64::consts::LN_2)));
        }
        assert!((935..=995).contains(&held), "{held} of 1000");
    }
}
