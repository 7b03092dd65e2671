//! The sizes that no case has, between those that run and beyond them: a kernel that is wrong at one of them alone
//! passes, so they are gaps with names.

use super::large::LARGE;
use super::sizes;
use super::solve::{Dim, Solver};
use crate::case::Case;
use crate::contract::Limit;
use crate::kernel::Kernel;

/// A gap for each dimension of which accepted sizes are far beyond all that run; `further` says what goes further.
pub fn beyond(kernel: &Kernel, solver: &Solver, cases: &[Case], further: &str) -> Vec<String> {
    let gap = |Dim { name, .. }: &Dim| {
        let run = sizes_of(name, cases).max()?;
        match sizes::largest(kernel, name) {
            Some(most) => {
                (run < most / 2).then(|| format!("{name} is accepted up to {most}, but run only up to {run}"))
            }
            None => (run < LARGE).then(|| {
                format!(
                    "{name} is accepted at any size, but run only up to {run}: {further}`dims` can limit it"
                )
            }),
        }
    };
    solver.dims.iter().filter_map(gap).collect()
}

/// The sizes of a dimension in all cases.
fn sizes_of<'c>(dim: &'c str, cases: &'c [Case]) -> impl Iterator<Item = i64> + 'c {
    cases.iter().flat_map(|case| &case.dims).filter(move |(name, _)| name == dim).map(|(_, size)| *size)
}

/// A gap for each dimension of which sizes are left out between the smallest and the largest that run.
pub fn gaps(solver: &Solver, cases: &[Case]) -> Vec<String> {
    let gap = |dim: &Dim| {
        let mut run: Vec<i64> = sizes_of(&dim.name, cases).collect();
        run.sort_unstable();
        run.dedup();
        let left: Vec<String> = run.windows(2).filter_map(|w| left_out(w[0], w[1], &dim.limits)).collect();
        let (name, count, largest) = (&dim.name, run.len(), run.last()?);
        let ranges = left.join(", ");
        (!left.is_empty())
            .then(|| format!("{name} is run at {count} sizes up to {largest}, and not at {ranges}"))
    };
    solver.dims.iter().filter_map(gap).collect()
}

/// The sizes between two that run, where limits allow any.
fn left_out(below: i64, above: i64, limits: &[Limit]) -> Option<String> {
    if limits.iter().any(|limit| matches!(limit, Limit::OneOf(_) | Limit::PowerOfTwo)) {
        // few enough to be named one by one
        let next = |size: &i64| sizes::allowed(size + 1, limits).filter(|next| next > size && *next < above);
        let each = std::iter::successors(next(&below), next).map(|size| size.to_string());
        return Some(each.collect::<Vec<_>>().join(", ")).filter(|sizes| !sizes.is_empty());
    }
    let step = sizes::step(limits);
    let (first, last) = ((below / step + 1) * step, (above - 1) / step * step);
    match first.cmp(&last) {
        std::cmp::Ordering::Less => Some(format!("{first} to {last}")),
        std::cmp::Ordering::Equal => Some(first.to_string()),
        std::cmp::Ordering::Greater => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_between_is_named_by_its_ends() {
        assert_eq!(left_out(3, 7, &[]), Some("4 to 6".into()));
        assert_eq!(left_out(31, 33, &[]), Some("32".into()));
        assert_eq!(left_out(1, 2, &[]), None);
        let blocks = [Limit::Multiple(32)];
        assert_eq!(left_out(64, 192, &blocks), Some("96 to 160".into()));
        assert_eq!(left_out(64, 96, &blocks), None);
        assert_eq!(left_out(2, 16, &[Limit::PowerOfTwo]), Some("4, 8".into()));
        assert_eq!(left_out(64, 200, &[Limit::OneOf([64, 200, 200, 200, 200, 200, 200, 200])]), None);
    }
}
