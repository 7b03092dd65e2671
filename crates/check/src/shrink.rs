//! From a failing case to the smallest that fails like it: sizes down, layouts and scalars back to the usual.

use std::time::{Duration, Instant};

use crate::accept::accepts;
use crate::case::Case;
use crate::finding::Kind;
use crate::trial::Trial;

/// How long shrinking may take, and how many cases it may run.
const PATIENCE: Duration = Duration::from_secs(6);
const MOST: usize = 80;

/// What kinds of wrong a trial is.
fn kinds(trial: &Trial) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = trial.report.errors().map(|f| f.kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

/// The smallest case found that is wrong in a way in which this one is.
pub fn shrink<'a>(first: Trial<'a>, run: &dyn Fn(&Case) -> Option<Trial<'a>>) -> Trial<'a> {
    let started = Instant::now();
    let wanted = kinds(&first);
    let mut best = first;
    let mut left = MOST;
    loop {
        let mut smaller = None;
        for case in steps(&best.prepared.case) {
            if left == 0 || started.elapsed() > PATIENCE {
                return best;
            }
            if accepts(best.prepared.kernel, &case).is_err() {
                continue;
            }
            left -= 1;
            let tried = run(&case).filter(|t| kinds(t).iter().any(|k| wanted.contains(k)));
            if tried.is_some() {
                smaller = tried;
                break;
            }
        }
        match smaller {
            Some(trial) => best = trial,
            None => return best,
        }
    }
}

/// Cases a step smaller, the boldest first.
fn steps(case: &Case) -> Vec<Case> {
    let mut out = Vec::new();
    if !case.layouts.is_empty() {
        out.push(Case { layouts: Vec::new(), ..case.clone() });
    }
    let sizes = |n: i64| [1, 2, n / 4, n / 2, n - n / 4, n - 32, n - 2, n - 1];
    for bold in 0..sizes(1).len() {
        for (at, (_, size)) in case.dims.iter().enumerate() {
            let smaller = sizes(*size)[bold];
            if smaller >= 1 && smaller < *size && !sizes(*size)[..bold].contains(&smaller) {
                let mut next = case.clone();
                next.dims[at].1 = smaller;
                out.push(next);
            }
        }
    }
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
        assert!(steps(&case(1)).is_empty());
        let sizes: Vec<i64> = steps(&case(64)).iter().map(|c| c.dims[0].1).collect();
        assert_eq!(sizes, [1, 2, 16, 32, 48, 62, 63]);
    }
}
