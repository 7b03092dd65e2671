//! Two mistakes that fail different cases: a rule for each, where no single one holds for all failing cases and for no
//! passing one.

use ktwin_num::Regime;

use crate::case::Case;
use crate::common::{FEWEST, accident, is_refuted, sizes_of, telling, tiles};
use crate::kernel::Kernel;
use crate::pattern::Rule;
use crate::shrink::{self, Run, Shrunk};
use crate::trial::Trial;
use crate::verdict::CaseReport;

/// Pairs of rules that are tried on sizes beside those of failing cases, at most.
const TRIED: usize = 4;

/// A rule that no passing case obeys with so large a probability, were cases dealt out by chance, says nothing.
const ACCIDENT: f64 = 0.05;

/// Two mistakes.
pub struct Apart<'a> {
    /// When each shows: that of the smallest failing case first.
    pub rules: [Rule; 2],
    /// The smallest case that shows the second one alone.
    pub there: Shrunk<'a>,
}

/// Two rules that hold for no passing case, the first for the smallest failing case, and for all failing ones together.
pub fn apart<'a>(
    kernel: &Kernel,
    reports: &[CaseReport],
    small: &Shrunk<'a>,
    run: Run<'_, 'a>,
) -> Option<Apart<'a>> {
    let smallest = &small.trial.prepared.case;
    let wrong: Vec<&CaseReport> = reports.iter().filter(|r| r.has_wrong_values()).collect();
    // what fails in another way is told by its finding
    if wrong.iter().any(|r| r.errors().any(|f| !f.kind.is_of_values())) {
        return None;
    }
    let failing: Vec<&Case> = wrong.iter().map(|r| &r.case).chain([smallest]).collect();
    let passing: Vec<&Case> = telling(reports).into_iter().chain(&small.passing).collect();
    let rules = sound(kernel, &failing, &passing);
    let of = |rule: &Rule| failing.iter().filter(|case| rule.holds(case)).count();
    let by_accident = |rule: &Rule| accident(of(rule), [failing.len(), passing.len()]) > ACCIDENT;
    let told = |rule: &&Rule| rule.holds(smallest) && !by_accident(rule);
    let mut first: Vec<&Rule> = rules.iter().filter(told).collect();
    first.sort_by_key(|rule| std::cmp::Reverse(of(rule)));
    let pairs = first.into_iter().filter_map(|here| {
        let rest: Vec<&Case> = failing.iter().copied().filter(|case| !here.holds(case)).collect();
        let other = |rule: &&Rule| {
            here.subject() != rule.subject() && !by_accident(rule) && rest.iter().all(|case| rule.holds(case))
        };
        if rest.len() < FEWEST { None } else { rules.iter().find(other).map(|there| [here, there]) }
    });
    pairs.take(TRIED).find_map(|pair| confirmed(kernel, &wrong, pair, small, run))
}

/// The pair with the smallest case of the second rule, unless a case beside one of them says otherwise.
fn confirmed<'a>(
    kernel: &Kernel,
    wrong: &[&CaseReport],
    [here, there]: [&Rule; 2],
    small: &Shrunk<'a>,
    run: Run<'_, 'a>,
) -> Option<Apart<'a>> {
    let points = |case: &Case| case.points(&kernel.op);
    let other = wrong.iter().map(|r| &r.case).filter(|case| !here.holds(case));
    let other = other.min_by(|a, b| points(a).total_cmp(&points(b)))?;
    let wanted = |t: &Trial| t.report.has_wrong_values() && !here.holds(&t.prepared.case);
    let trial = run(other).filter(wanted)?;
    let found = shrink::edge(shrink::shrink(trial, &wanted, run), &wanted, run);
    let case = &found.trial.prepared.case;
    let there = at_edge(there, case);
    let any = |case: &Case| here.holds(case) || there.holds(case);
    let contradicted = !there.holds(case)
        || found.passing.iter().any(|case| there.holds(case))
        || is_refuted(here, &any, &small.trial.prepared.case, kernel, run)
        || is_refuted(&there, &any, case, kernel, run);
    (!contradicted).then(|| Apart { rules: [here.clone(), there], there: found })
}

/// A rule on the least or the largest size with the size that shrinking found.
fn at_edge(rule: &Rule, case: &Case) -> Rule {
    let mut rule = rule.clone();
    if let Rule::AtLeast { dim, size, .. } = &mut rule {
        let found = case.dims.iter().find(|(name, _)| name == dim).map_or(*size, |(_, found)| *found);
        *size = found.min(*size);
    }
    rule
}

/// Rules that hold for several failing cases and for no passing one, simple ones first.
fn sound(kernel: &Kernel, failing: &[&Case], passing: &[&Case]) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut add = |rule: Rule| {
        let several = || failing.iter().filter(|case| rule.holds(case)).count() >= FEWEST;
        if !rules.contains(&rule) && !passing.iter().any(|case| rule.holds(case)) && several() {
            rules.push(rule);
        }
    };
    for (dim, _) in failing.iter().take(1).flat_map(|case| &case.dims) {
        let (sizes, passing) = (sizes_of(dim, failing), sizes_of(dim, passing));
        let tiles: Vec<i64> = tiles(kernel, dim).collect();
        for of in tiles.iter().copied() {
            add(Rule::NotMultiple { dim: dim.clone(), of });
            add(Rule::Multiple { dim: dim.clone(), of });
        }
        for size in sizes {
            for of in tiles.iter().copied() {
                let rest = size % of;
                for past in [false, true] {
                    add(Rule::Remainder { dim: dim.clone(), of, rest, past });
                }
            }
            add(Rule::Size { dim: dim.clone(), is: size });
            let below = passing.iter().copied().filter(|other| *other < size).max();
            below.into_iter().for_each(|below| add(Rule::AtLeast { dim: dim.clone(), size, below }));
            let above = passing.iter().copied().filter(|other| *other > size).min();
            above.into_iter().for_each(|above| add(Rule::AtMost { dim: dim.clone(), size, above }));
        }
    }
    Regime::ALL.iter().for_each(|is| add(Rule::Regime { is: *is }));
    for case in failing {
        case.scalars.iter().for_each(|(name, is)| {
            add(Rule::Negative { name: name.clone() });
            add(Rule::Scalar { name: name.clone(), is: *is });
        });
        case.layouts.iter().for_each(|(tensor, is)| {
            add(Rule::Layout { tensor: tensor.clone(), is: *is });
        });
    }
    rules
}
