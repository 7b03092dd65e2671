//! From a failing case to the smallest that fails like it: sizes down, layouts and scalars back to the usual.

use std::time::{Duration, Instant};

use crate::accept::accepts;
use crate::case::Case;
use crate::finding::Kind;
use crate::trial::Trial;

/// How long shrinking may take, and how many cases it may run.
const PATIENCE: Duration = Duration::from_secs(2);
const MOST: usize = 160;
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

/// The smallest case found that is wrong in the way that is wanted.
pub fn shrink<'a>(
    first: Trial<'a>,
    wanted: &dyn Fn(&Trial) -> bool,
    run: &dyn Fn(&Case) -> Option<Trial<'a>>,
) -> Trial<'a> {
    let started = Instant::now();
    let kernel = first.prepared.kernel;
    let tiles: Vec<i64> = kernel.contract.tile.iter().map(|(_, tile)| *tile).collect();
    let mut best = first;
    let mut tried: Vec<Case> = Vec::new();
    while let Some(smaller) = steps(&best.prepared.case, &tiles).into_iter().find_map(|case| {
        let spent = tried.len() >= MOST || started.elapsed() > PATIENCE;
        if spent || tried.contains(&case) || accepts(kernel, &case).is_err() {
            return None;
        }
        tried.push(case.clone());
        run(&case).filter(|trial| wanted(trial))
    }) {
        best = smaller;
    }
    best
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
