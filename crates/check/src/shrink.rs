//! From a failing case to the smallest that fails like it: sizes down, layouts and scalars back to the usual.

use std::time::Duration;

use crate::accept::accepts;
use crate::case::Case;
use crate::finding::Kind;
use crate::kernel::Kernel;
use crate::plan::{allowed, limits};
use crate::spent::Spent;
use crate::trial::Trial;
use crate::verdict::Verdict;

/// How many cases shrinking may run, a large one counting for several: the same everywhere, however busy the machine.
const MOST: f64 = 160.0;
const EDGE: f64 = 60.0;
/// Points of the twin that are as much work as running a small case.
const POINTS: f64 = (1 << 17) as f64;
/// Where even that is not enough: kernels and devices that take seconds a case.
const PATIENCE: Duration = Duration::from_secs(30);
/// A case counts for at most so many times what the first took, and for a second where that is more.
const TURN: u32 = 4;
/// Sizes up to this are all tried, one after the other.
const SCANNED: i64 = 64;
/// Failures are bound to remainders by tiles up to this, whatever the contract names.
const TILES: i64 = 256;

/// What kinds of wrong a trial is.
pub fn kinds(trial: &Trial) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = trial.report.errors().map(|f| f.kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

/// Whether a trial is wrong in the way that is wanted.
pub type Wanted<'w> = &'w dyn Fn(&Trial) -> bool;
/// Runs a case of the kernel by itself.
pub type Run<'r, 'a> = &'r dyn Fn(&Case) -> Option<Trial<'a>>;

/// What shrinking a failure found.
pub struct Shrunk<'a> {
    /// The smallest case that is wrong in the way that is wanted.
    pub trial: Trial<'a>,
    /// Cases that were tried, and pass.
    pub passing: Vec<Case>,
}

/// What may still be tried.
struct Budget {
    left: f64,
    spent: Spent,
}

impl Budget {
    fn new(left: f64, first: &Trial) -> Budget {
        let turn = (first.report.took * TURN).max(Duration::from_secs(1));
        Budget { left, spent: Spent::in_turns_of(turn) }
    }

    /// Whether a case may still be run.
    fn allows(&mut self, kernel: &Kernel, case: &Case) -> bool {
        if self.left <= 0.0 || self.spent.so_far() > PATIENCE || accepts(kernel, case).is_err() {
            return false;
        }
        let points = case.bind(&kernel.op).map_or(0.0, |at| at.loops());
        self.left -= 1.0 + points / POINTS;
        true
    }
}

/// Makes a failing case small, as long as it stays wrong in the way that is wanted.
pub fn shrink<'a>(first: Trial<'a>, wanted: Wanted, run: Run<'_, 'a>) -> Shrunk<'a> {
    let kernel = first.prepared.kernel;
    let tiles: Vec<i64> = kernel.contract.tile.iter().map(|(_, tile)| *tile).collect();
    let (mut budget, mut tried, mut passing) = (Budget::new(MOST, &first), Vec::new(), Vec::new());
    let mut smaller = |case: Case| {
        if tried.contains(&case) || !budget.allows(kernel, &case) {
            return None;
        }
        tried.push(case.clone());
        let trial = run(&case)?;
        passing.extend((trial.report.verdict == Verdict::Pass).then_some(case));
        Some(trial).filter(|trial| wanted(trial))
    };
    let mut trial = first;
    while let Some(found) = steps(&trial.prepared.case, &tiles).into_iter().find_map(&mut smaller) {
        trial = found;
    }
    Shrunk { trial, passing }
}

/// Goes down from long sizes that fail to where the failure begins, by halves.
pub fn edge<'a>(mut small: Shrunk<'a>, wanted: Wanted, run: Run<'_, 'a>) -> Shrunk<'a> {
    let (kernel, mut budget) = (small.trial.prepared.kernel, Budget::new(EDGE, &small.trial));
    for at in 0..small.trial.prepared.case.dims.len() {
        let with = |case: &Case, size: i64| {
            let mut case = case.clone();
            case.dims[at].1 = size;
            case
        };
        let limits = limits(kernel, &small.trial.prepared.case.dims[at].0);
        let mut high = small.trial.prepared.case.dims[at].1;
        let passes = small.passing.iter().map(|case| (case, case.dims[at].1));
        let beside =
            passes.filter(|(case, size)| *size < high && with(case, high) == small.trial.prepared.case);
        let Some(mut low) = beside.map(|(_, size)| size).max() else { continue };
        while high > SCANNED {
            let middle = allowed(low + (high - low) / 2, &limits).filter(|n| (low + 1..high).contains(n));
            let Some(middle) = middle else { break };
            let case = with(&small.trial.prepared.case, middle);
            let Some(trial) = Some(()).filter(|_| budget.allows(kernel, &case)).and_then(|_| run(&case))
            else {
                break;
            };
            if wanted(&trial) {
                (high, small.trial) = (middle, trial);
            } else {
                low = middle;
                small.passing.extend((trial.report.verdict == Verdict::Pass).then_some(case));
            }
        }
    }
    small
}

/// Smaller cases, the boldest first: then what is bound to a remainder, then all that are small.
fn steps(case: &Case, tiles: &[i64]) -> Vec<Case> {
    let mut out = Vec::new();
    if !case.layouts.is_empty() {
        out.push(Case { layouts: Vec::new(), ..case.clone() });
    }
    let each: Vec<Vec<i64>> = case.dims.iter().map(|(_, size)| sizes(*size, tiles)).collect();
    for bold in 0..each.iter().map(Vec::len).max().unwrap_or(0) {
        for (at, sizes) in each.iter().enumerate() {
            let Some(smaller) = sizes.get(bold) else { continue };
            let mut next = case.clone();
            next.dims[at].1 = *smaller;
            out.push(next);
        }
    }
    out
}

/// Sizes below one, in the order in which they are tried.
fn sizes(n: i64, tiles: &[i64]) -> Vec<i64> {
    let mut out = vec![1, 2, n / 4, n / 2, n - n / 4, n - 32, n - 2, n - 1];
    let mut bound: Vec<i64> =
        tiles.iter().copied().chain(2..=TILES).flat_map(|t| [n % t, n % t + t]).collect();
    bound.extend(1..=SCANNED);
    bound.sort_unstable();
    out.extend(bound);
    let mut seen = std::collections::HashSet::new();
    out.retain(|size| (1..n).contains(size) && seen.insert(*size));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_num::Regime;

    #[test]
    fn steps_are_smaller_and_end() {
        let case = |n: i64| Case {
            dims: vec![("N".into(), n), ("K".into(), 1)],
            scalars: Vec::new(),
            regime: Regime::Normal,
            chosen: 0,
            seed: 1,
            layouts: Vec::new(),
        };
        assert!(steps(&case(1), &[]).is_empty());
        let sizes: Vec<i64> = steps(&case(64), &[]).iter().map(|c| c.dims[0].1).collect();
        assert_eq!(sizes[..7], [1, 2, 16, 32, 48, 62, 63]);
        assert_eq!(sizes.len(), 63);
    }

    #[test]
    fn what_is_bound_to_a_remainder_is_tried() {
        let from = |n, tiles: &[i64]| sizes(n, tiles);
        // wrong for n % 100 == 37 past the first tile, and for n % 1000 == 7
        assert!(from(1637, &[]).contains(&137) && from(1637, &[]).contains(&37));
        assert!(!from(5007, &[]).contains(&1007) && from(5007, &[1000]).contains(&1007));
    }
}
