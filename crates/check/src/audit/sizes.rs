//! The question about shapes: which classes of sizes ran, and which of those that could are missing.

use super::{Found, Seen};
use crate::accept;
use crate::case::Case;
use crate::plan::{Plan, coverage, limits, sizes_largest};

/// Sizes that are tried to see whether a class can be at all.
const TRIED: i64 = 2100;
/// Cases that they are tried in.
const BASES: usize = 6;
/// Classes that the checklist does not ask for.
const UNASKED: [&str; 3] = ["2^n", "> 1024", "> 65535"];

/// Which classes of sizes ran.
pub fn shapes(seen: &Seen) -> Found {
    let mut found = Found::default();
    let cases: Vec<Case> = seen.ran().map(|ended| ended.case.clone()).collect();
    if cases.is_empty() {
        return Found::gap("no case ran");
    }
    let plan = Plan { cases, ..Plan::default() };
    for row in coverage::rows(seen.kernel, &plan) {
        let possible = possible(seen, &plan, &row.dim);
        let (mut ran, mut missing) = (Vec::new(), Vec::new());
        for ((class, cases), possible) in coverage::CLASSES.iter().zip(&row.cases).zip(possible) {
            match cases {
                _ if UNASKED.contains(class) => {}
                Some(0) if possible => missing.push(*class),
                Some(0) | None => {}
                Some(cases) => ran.push(format!("{class} ({cases})")),
            }
        }
        found.evidence.push(format!("{}: cases with {}", row.dim, ran.join(", ")));
        found
            .gaps
            .extend((!missing.is_empty()).then(|| format!("{}: none with {}", row.dim, missing.join(", "))));
        found.gaps.extend(limit(seen, &plan, &row.dim));
    }
    if found.evidence.is_empty() {
        found.evidence.push("the op has no size of its own".into());
    }
    found
}

/// Which classes a dimension can have beside the other sizes of some case.
fn possible(seen: &Seen, plan: &Plan, dim: &str) -> Vec<bool> {
    let limits = limits(seen.kernel, dim);
    let fits = |size: &i64| {
        let alone = limits.iter().all(|limit| limit.allows(*size));
        alone && plan.cases.iter().take(BASES).any(|case| accept::fits(seen.kernel, &with(case, dim, *size)))
    };
    let cases =
        (1..=TRIED).filter(fits).map(|size| Case { dims: vec![(dim.to_string(), size)], ..EMPTY.clone() });
    let every = Plan { cases: cases.collect(), ..Plan::default() };
    let row = coverage::rows(seen.kernel, &every).into_iter().find(|row| row.dim == dim);
    row.map_or(Vec::new(), |row| row.cases.iter().map(|cases| cases.unwrap_or(0) > 0).collect())
}

const EMPTY: Case = Case {
    dims: Vec::new(),
    scalars: Vec::new(),
    regime: ktwin_num::Regime::Normal,
    chosen: 0,
    seed: 0,
    layouts: Vec::new(),
};

fn with(case: &Case, dim: &str, size: i64) -> Case {
    let mut case = case.clone();
    case.dims.iter_mut().filter(|(name, _)| name == dim).for_each(|(_, n)| *n = size);
    case
}

/// What the contract accepts at most, where no case has it.
fn limit(seen: &Seen, plan: &Plan, dim: &str) -> Option<String> {
    let largest = sizes_largest(seen.kernel, dim)?;
    let sizes = || plan.cases.iter().flat_map(|case| &case.dims).filter(|(name, _)| name == dim);
    let most = sizes().map(|(_, size)| *size).max()?;
    let short =
        || format!("{dim}: its limit is {largest}, and the largest that ran is {most}; --stress tries it");
    (most < largest).then(short)
}
