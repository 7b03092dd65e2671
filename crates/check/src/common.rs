//! What the failing cases of a kernel have in common that no passing case has: a size, a remainder, a regime, a
//! scalar, a layout.

use ktwin_num::{Layout, Regime};

use crate::case::Case;
use crate::finding::Kind;
use crate::kernel::Kernel;
use crate::verdict::{CaseReport, Verdict};

/// A rule on a case, in words and as a test.
type Rule = (String, Box<dyn Fn(&Case) -> bool>);

/// Fewer cases than this on either side make no rule.
const FEWEST: usize = 2;

/// The simplest rule that holds for every failing case and for no passing one.
pub fn sentence(kernel: &Kernel, reports: &[CaseReport], smallest: &Case) -> Option<String> {
    let mut failing: Vec<&Case> = reports.iter().filter(|r| r.verdict.is_bad()).map(|r| &r.case).collect();
    // what NaN touches is free: such a case may pass whatever the kernel does
    let fine =
        |r: &&CaseReport| r.verdict == Verdict::Pass && !matches!(r.case.regime, Regime::Nan | Regime::Inf);
    let passing: Vec<&Case> = reports.iter().filter(fine).map(|r| &r.case).collect();
    if failing.len() < FEWEST || passing.len() < FEWEST {
        return None;
    }
    // found by shrinking, outside the plan
    failing.push(smallest);
    let mut rules = Vec::new();
    for (at, (name, _)) in failing[0].dims.iter().enumerate() {
        sizes(kernel, at, name, &failing, &mut rules);
    }
    rules.extend(Regime::ALL.iter().map(|r| regime(*r)));
    for (at, (name, value)) in failing[0].scalars.iter().enumerate() {
        let (shown, value) = (format!("{name} = {value}"), *value);
        rules.push((shown, Box::new(move |c: &Case| c.scalars.get(at).is_some_and(|(_, v)| *v == value))));
    }
    rules.extend(failing[0].layouts.iter().map(|(tensor, layout)| laid_out(tensor, *layout)));
    let holds = |rule: &Rule| failing.iter().all(|c| rule.1(c)) && !passing.iter().any(|c| rule.1(c));
    rules.iter().find(|r| holds(r)).map(|(words, _)| format!("fails exactly when {words}"))
}

/// Whether the kernel only fails where subgroups do not have the 32 lanes that it may take for granted.
pub fn subgroups(reports: &[CaseReport]) -> Option<String> {
    let other = |r: &CaseReport| r.findings.iter().any(|f| f.kind == Kind::SubgroupSize);
    let mut bad = reports.iter().filter(|r| r.verdict.is_bad()).peekable();
    bad.peek()?;
    let usual = reports.iter().any(|r| r.verdict == Verdict::Pass && !other(r));
    let message =
        "fails only where a subgroup does not have 32 lanes: if it needs them, promise subgroup = 32";
    (usual && bad.all(other)).then(|| message.to_string())
}

/// Rules on one dimension, remainders of its tiles first.
fn sizes(kernel: &Kernel, at: usize, name: &str, failing: &[&Case], rules: &mut Vec<Rule>) {
    let tiles = kernel.contract.tile.iter().filter(|(n, _)| **n == *name).map(|(_, tile)| *tile);
    let size = move |c: &Case| c.dims.get(at).map_or(0, |(_, n)| *n);
    for step in tiles.chain([2, 4, 8, 16, 32, 64, 128, 256]).filter(|s| *s > 1) {
        rules.push((format!("{name} is not a multiple of {step}"), Box::new(move |c| size(c) % step != 0)));
        rules.push((format!("{name} is a multiple of {step}"), Box::new(move |c| size(c) % step == 0)));
    }
    let (least, most) = failing.iter().map(|c| size(c)).fold((i64::MAX, 0), |(l, m), n| (l.min(n), m.max(n)));
    rules.push((format!("{name} = {least}"), Box::new(move |c| size(c) == least)));
    rules.push((format!("{name} >= {least}"), Box::new(move |c| size(c) >= least)));
    rules.push((format!("{name} <= {most}"), Box::new(move |c| size(c) <= most)));
}

fn regime(regime: Regime) -> Rule {
    (format!("the regime is {regime}"), Box::new(move |c| c.regime == regime))
}

fn laid_out(tensor: &str, layout: Layout) -> Rule {
    let tensor = tensor.to_string();
    (format!("{tensor} is {layout}"), Box::new(move |c| c.layout(&tensor) == layout))
}
