//! What the failing cases of a kernel have in common that no passing case has: a size, a remainder, a regime, a
//! scalar, a layout, lines that ran.

use ktwin_num::{Regime, math};

use crate::accept::accepts;
use crate::case::Case;
use crate::diagnose;
use crate::finding::{Finding, Kind};
use crate::kernel::Kernel;
use crate::parts::{Parts, spans};
use crate::pattern::{Data, Pattern, Rule, What, elements};
use crate::plan::{allowed, limits};
use crate::remainders::remainders;
use crate::seek::Visited;
use crate::shrink::{Run, Shrunk};
use crate::verdict::{CaseReport, Verdict};

/// Sizes of tiles.
pub(crate) const TILES: [i64; 8] = [2, 4, 8, 16, 32, 64, 128, 256];

/// Fewer cases than this on either side make no rule.
pub(crate) const FEWEST: usize = 2;

/// A rule on the values of a scalar, which are found in the cases, must be so unlikely to hold by chance.
const FOUND: f64 = 1e-3;

/// Of so many failing cases, one may pass that obeys their rule.
const EXCEPTION: usize = 4;
/// The same of a rule on one size or a layout, and how unlikely that must be by chance.
const PLAIN: usize = 2;
pub(crate) const LIKELY: f64 = 1e-2;
/// So many passing cases may obey a rule for each that fails, where it begins at the very size that fails, or is of
/// powers of two, and how unlikely that must be by chance: not all data show what a kernel leaves out.
const SHARP: usize = 3;
const SURE: f64 = 1e-5;
/// From sizes like these on, most kernels do anything at all.
const SMALLEST: i64 = 16;
/// The share of all cases that such a rule may hold for; where it holds for more, only one of so many may pass.
const SHARE: f64 = 0.5;
const RARE: usize = 20;

/// Rules that are tried on sizes beside the smallest failing case, at most.
const TRIED: usize = 4;

/// The simplest rule that holds for every failing case and for no passing one, beside the smallest one too.
pub fn rule<'a>(
    kernel: &Kernel,
    reports: &[CaseReport],
    small: &Shrunk<'a>,
    run: Run<'_, 'a>,
) -> Option<What> {
    let (failing, passing) = sides(reports, small)?;
    let of_all = |rule: &Rule| matches!(rule, Rule::Regime { .. }) && passed(reports).any(|c| rule.holds(c));
    let passes = |rule: &Rule| passing.iter().any(|c| rule.holds(c)) || of_all(rule);
    let holds = |rule: &Rule| failing.iter().all(|c| rule.holds(c)) && !passes(rule);
    let mut held = candidates(kernel, &failing, &passing).into_iter().filter(holds);
    // what does not end would be waited for again
    let endless = small.trial.report.findings.iter().any(Finding::is_endless);
    let case = &small.trial.prepared.case;
    let refuted = |rule: &Rule| !endless && is_refuted(rule, &|case| rule.holds(case), case, kernel, run);
    let mut tried = 0;
    let told = held.find(|rule| {
        tried += usize::from(rule.is_of_rests());
        !rule.is_of_rests() || tried <= TRIED && !refuted(rule)
    });
    told.map(|rule| What::FailsWhen { rule })
}

/// The failing and the passing cases that rules are held against, where there are enough of both.
fn sides<'r>(reports: &'r [CaseReport], small: &'r Shrunk<'_>) -> Option<(Vec<&'r Case>, Vec<&'r Case>)> {
    let mut failing: Vec<&Case> = reports.iter().filter(|r| r.verdict.is_bad()).map(|r| &r.case).collect();
    let mut passing = telling(reports);
    // found by shrinking, outside the plan
    let smallest = &small.trial.prepared.case;
    if !failing.contains(&smallest) {
        failing.push(smallest);
    }
    let enough = failing.len() >= FEWEST && passing.len() >= FEWEST;
    passing.extend(&small.passing);
    enough.then_some((failing, passing))
}

/// Rules that failing cases may obey, simple ones first.
fn candidates(kernel: &Kernel, failing: &[&Case], passing: &[&Case]) -> Vec<Rule> {
    let mut rules = Vec::new();
    failing[0].dims.iter().for_each(|(dim, _)| rules.extend(sizes(kernel, dim, failing, passing)));
    rules.extend(tensors(kernel, failing, passing));
    rules.extend(Regime::ALL.iter().map(|is| Rule::Regime { is: *is }));
    let scalars = || failing[0].scalars.iter();
    rules.extend(scalars().map(|(name, is)| Rule::Scalar { name: name.clone(), is: *is }));
    rules.extend(scalars().map(|(name, _)| Rule::Negative { name: name.clone() }));
    // what compares two numbers of a case is found in any data, where cases are few
    if accident(failing.len(), [failing.len(), passing.len()]) < FOUND {
        rules.extend(pairs(failing[0]));
        scalars().for_each(|(name, _)| rules.extend(values(name, failing, passing)));
    }
    let layouts = failing[0].layouts.iter();
    rules.extend(layouts.map(|(tensor, is)| Rule::Layout { tensor: tensor.clone(), is: *is }));
    rules
}

/// Whether it is a rule that kernels break for a reason that is easily found: a path for one size, a layout.
fn is_plain(rule: &Rule) -> bool {
    matches!(rule, Rule::Size { .. } | Rule::Layout { .. })
}

/// Whether nothing lies between the sizes that obey a rule and others that pass.
fn is_sharp(rule: &Rule) -> bool {
    match rule {
        Rule::AtLeast { size, below, .. } => size - below == 1 && *size > SMALLEST,
        Rule::PowerOfTwo { .. } => true,
        _ => false,
    }
}

/// The rule that all failing cases obey, and few of those that pass: what is wrong does not show in any data.
pub fn mostly(kernel: &Kernel, reports: &[CaseReport], small: &Shrunk) -> Option<What> {
    let (failing, passing) = sides(reports, small)?;
    let told = |rule: Rule| {
        let obey = passing.iter().filter(|case| rule.holds(case)).count();
        let of = failing.len() + obey;
        let share = of as f64 / (failing.len() + passing.len()) as f64;
        // without exceptions it would be told, were it not for what sizes beside them show
        let sound = obey > 0 || !rule.is_of_rests();
        // what holds of most cases says little, unless nearly all of those fail
        let most = share > SHARE && obey * RARE > failing.len();
        let (exception, chance) = if is_plain(&rule) { (PLAIN, LIKELY) } else { (EXCEPTION, FOUND) };
        let by_chance = math::pow(share, failing.len() as f64);
        let few = sound && !most && obey * exception <= failing.len() && by_chance < chance;
        let sharp = is_sharp(&rule) && obey <= SHARP * failing.len() && by_chance < SURE;
        ((few || sharp) && failing.iter().all(|case| rule.holds(case))).then_some((of, rule))
    };
    // what data do is told with others of their kind
    let rules = candidates(kernel, &failing, &passing).into_iter();
    let all = rules.filter(|rule| !matches!(rule, Rule::Regime { .. })).filter_map(told);
    let (of, rule) = all.min_by_key(|(of, _)| *of)?;
    // cases of the plan are counted, as in all that is said of a kernel
    let planned = reports.iter().filter(|report| report.verdict.is_bad()).count();
    let more = failing.len().saturating_sub(planned);
    Some(What::FailsOnlyWhen { rule, failing: failing.len() - more, of: of - more })
}

/// The kind of data in which alone the kernel fails, where that is too unlikely by chance: of several, the rarest.
pub fn data(reports: &[CaseReport]) -> Option<What> {
    let failing: Vec<&Case> = reports.iter().filter(|r| r.verdict.is_bad()).map(|r| &r.case).collect();
    let all = || passed(reports).chain(failing.iter().copied());
    let share = |data: &Data| {
        let of = all().filter(|case| data.regimes().contains(&case.regime)).count();
        of as f64 / all().count().max(1) as f64
    };
    let alone = |data: &Data| failing.iter().all(|case| data.regimes().contains(&case.regime));
    let found = Data::ALL.into_iter().filter(alone).map(|data| (share(&data), data));
    let (share, data) = found.min_by(|a, b| a.0.total_cmp(&b.0))?;
    (math::pow(share, failing.len() as f64) < FOUND).then_some(What::FailsOnlyOn { data })
}

/// Whether the kernel passes at a size near that of a failing case where a rule says that it fails, or fails where no
/// rule says so.
pub(crate) fn is_refuted<'a>(
    rule: &Rule,
    any: &dyn Fn(&Case) -> bool,
    case: &Case,
    kernel: &Kernel,
    run: Run<'_, 'a>,
) -> bool {
    let (Rule::Multiple { dim, of } | Rule::NotMultiple { dim, of } | Rule::Remainder { dim, of, .. }) = rule
    else {
        return false;
    };
    let Some(at) = case.dims.iter().position(|(name, _)| name == dim) else { return false };
    let size = case.dims[at].1;
    let near = [1, *of, of - size % of].map(|more| size.saturating_add(more));
    near.into_iter().filter(|other| *other != size).any(|other| {
        let mut beside = case.clone();
        beside.dims[at].1 = other;
        let ran = Some(&beside).filter(|beside| accepts(kernel, beside).is_ok()).and_then(run);
        ran.is_some_and(|trial| match trial.report.verdict {
            verdict if verdict.is_bad() => !any(&beside),
            Verdict::Pass => rule.holds(&beside) && tells(&beside),
            _ => false,
        })
    })
}

/// Whether a case would fail if a rule that holds for it were why others do. What NaN touches is free, of zeros much is
/// zero, and far from zero on one side bars may be wide: such a case may pass whatever the kernel does.
fn tells(case: &Case) -> bool {
    use Regime::{Above, Below, Inf, Nan, Zeros};
    !matches!(case.regime, Nan | Inf | Zeros | Below | Above)
}

/// The passing cases that would fail if a rule that holds for them were why others do.
pub(crate) fn telling(reports: &[CaseReport]) -> Vec<&Case> {
    passed(reports).filter(|case| tells(case)).collect()
}

fn passed(reports: &[CaseReport]) -> impl Iterator<Item = &Case> {
    reports.iter().filter(|report| report.verdict == Verdict::Pass).map(|report| &report.case)
}

/// What relates the wrong numbers of an output of one number to the right ones, in all cases: a factor, a difference,
/// or that they are the same one.
pub fn of_one_number(reports: &[CaseReport]) -> Option<Pattern> {
    let bad = || reports.iter().filter(|r| r.verdict.is_bad() && !r.case.regime.is_special());
    let outputs = bad().next().map_or(0, |report| report.outputs.len());
    let found = (0..outputs).find_map(|number| {
        let pairs: Option<Vec<(f64, f64)>> = bad()
            .filter_map(|report| report.outputs.get(number))
            .filter(|output| !output.failing.is_empty())
            .map(|output| match &output.worst[..] {
                [one] if output.total == 1 && one.got.is_finite() => Some((one.got, one.expected)),
                _ => None,
            })
            .collect();
        let name = bad().find_map(|report| report.outputs.get(number)).map(|output| output.output.clone());
        Some((diagnose::related(&pairs?)?, name, outputs))
    });
    let (what, name, outputs) = found?;
    Some(Pattern { output: name.filter(|_| outputs > 1), what, case: None })
}

/// Whether the kernel only fails where subgroups do not have the 32 lanes that it may take for granted. One case in
/// which it does is no evidence.
pub fn subgroups(reports: &[CaseReport]) -> Option<What> {
    let other = |r: &CaseReport| r.findings.iter().any(|f| f.kind == Kind::SubgroupSize);
    let bad: Vec<&CaseReport> = reports.iter().filter(|r| r.verdict.is_bad()).collect();
    let usual = reports.iter().any(|r| r.verdict == Verdict::Pass && !other(r));
    (usual && bad.len() > 1 && bad.into_iter().all(other)).then_some(What::Subgroups)
}

/// The lines that all failing cases run and no passing one, where that is known of several of both.
pub fn lines(kernel: &Kernel, visited: &Visited, reports: &[CaseReport]) -> Option<What> {
    let of = |wanted: &dyn Fn(Verdict) -> bool| -> Vec<&Parts> {
        let cases = reports.iter().filter(|report| wanted(report.verdict)).map(|report| &report.case);
        cases.filter_map(|case| visited.of(case)).collect()
    };
    let (failing, passing) = (of(&Verdict::is_bad), of(&|verdict| verdict == Verdict::Pass));
    if failing.len() < FEWEST || passing.len() < FEWEST {
        return None;
    }
    let shared = failing[0].ran_lines().into_iter().filter(|line| {
        failing.iter().all(|parts| parts.ran_line(*line))
            && !passing.iter().any(|parts| parts.ran_line(*line))
    });
    let lines: Vec<u32> = shared.collect();
    let text = kernel.line(*lines.first()?).to_string();
    Some(What::Runs { lines: spans(&lines, &|line| failing[0].has_line(line)), text })
}

/// What sizes of a dimension may be multiples of, or leave: the contract's tiles, and those of many kernels.
pub(crate) fn tiles(kernel: &Kernel, dim: &str) -> impl Iterator<Item = i64> {
    let own = kernel.contract.tile.iter().filter(move |(name, _)| **name == *dim).map(|(_, tile)| *tile);
    own.chain(TILES).filter(|tile| *tile > 1)
}

/// The sizes of a dimension in some cases.
pub(crate) fn sizes_of(dim: &str, cases: &[&Case]) -> Vec<i64> {
    cases.iter().flat_map(|c| &c.dims).filter(|(name, _)| name == dim).map(|(_, size)| *size).collect()
}

/// Rules on one dimension, remainders of its tiles first.
fn sizes(kernel: &Kernel, name: &str, failing: &[&Case], passing: &[&Case]) -> Vec<Rule> {
    let dim = || name.to_string();
    let mut rules = Vec::new();
    for of in tiles(kernel, name) {
        rules.extend([Rule::NotMultiple { dim: dim(), of }, Rule::Multiple { dim: dim(), of }]);
    }
    let (failing, passing) = (sizes_of(name, failing), sizes_of(name, passing));
    let least = failing.iter().copied().min().unwrap_or(i64::MAX);
    let most = failing.iter().copied().max().unwrap_or(0);
    let below = passing.iter().copied().filter(|n| *n < least).max();
    let above = passing.iter().copied().filter(|n| *n > most).min();
    rules.extend(remainders(name, &failing, &passing));
    rules.extend([false, true].map(|is| Rule::PowerOfTwo { dim: dim(), is }));
    rules.push(Rule::Size { dim: dim(), is: least });
    // no size that the kernel accepts lies between
    let limits = limits(kernel, name);
    let next = |mut between: std::ops::Range<i64>| !between.any(|n| allowed(n, &limits) == Some(n));
    let below = below.map(|below| if next(below + 1..least) { least - 1 } else { below });
    let above = above.map(|above| if next(most + 1..above) { most + 1 } else { above });
    rules.extend(below.map(|below| Rule::AtLeast { dim: dim(), size: least, below }));
    rules.extend(above.map(|above| Rule::AtMost { dim: dim(), size: most, above }));
    rules
}

/// The least number of elements of each tensor with several dimensions.
fn tensors(kernel: &Kernel, failing: &[&Case], passing: &[&Case]) -> Vec<Rule> {
    let mut seen: Vec<Vec<String>> = Vec::new();
    for info in kernel.op.inputs.iter().chain(&kernel.op.outputs) {
        let named = |axis: &&String| axis.parse::<u64>().is_err();
        let dims: Vec<String> = info.axes.iter().filter(named).cloned().collect();
        if dims.len() > 1 && !seen.contains(&dims) {
            seen.push(dims);
        }
    }
    let rule = |dims: Vec<String>| {
        let least = failing.iter().map(|case| elements(&dims, case)).min()?;
        let below = passing.iter().map(|case| elements(&dims, case)).filter(|n| *n < least).max()?;
        Some(Rule::Elements { dims, least, below })
    };
    seen.into_iter().filter_map(rule).collect()
}

/// Two sizes that differ, or of which one is below the other.
fn pairs(case: &Case) -> Vec<Rule> {
    let mut rules = Vec::new();
    for (at, (dim, _)) in case.dims.iter().enumerate() {
        for (other, _) in &case.dims[at + 1..] {
            let (a, b) = (|| dim.clone(), || other.clone());
            rules.push(Rule::Apart { dim: a(), other: b() });
            rules.extend([Rule::Below { dim: a(), other: b() }, Rule::Below { dim: b(), other: a() }]);
        }
    }
    rules
}

/// The least and the largest value of a scalar, where cases beyond it pass.
fn values(name: &str, failing: &[&Case], passing: &[&Case]) -> Vec<Rule> {
    let of = |cases: &[&Case]| -> Vec<f64> {
        let scalars = cases.iter().flat_map(|case| &case.scalars).filter(|(own, _)| own == name);
        scalars.map(|(_, value)| value.to_f64()).collect()
    };
    let (failing, passing, name) = (of(failing), of(passing), || name.to_string());
    let least = failing.iter().copied().fold(f64::INFINITY, f64::min);
    let most = failing.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let below = passing.iter().copied().filter(|value| *value < least).fold(f64::NEG_INFINITY, f64::max);
    let above = passing.iter().copied().filter(|value| *value > most).fold(f64::INFINITY, f64::min);
    let from = below.is_finite().then(|| Rule::From { name: name(), least, below });
    from.into_iter().chain(above.is_finite().then(|| Rule::To { name: name(), most, above })).collect()
}

/// How likely it is that no passing case obeys a rule that so many failing ones obey, were cases dealt out by chance.
pub(crate) fn accident(failing: usize, all: [usize; 2]) -> f64 {
    let [wrong, passing] = all;
    math::pow(1.0 - failing as f64 / (wrong + passing).max(1) as f64, passing as f64)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::trial::without_result;

    fn of(dims: Vec<(String, i64)>, regime: Regime) -> Case {
        Case { dims, scalars: Vec::new(), regime, chosen: 0, seed: 0, layouts: Vec::new() }
    }

    #[test]
    fn data_in_which_alone_a_kernel_fails_are_told_where_that_is_no_accident() {
        let of = |regime, verdict| {
            without_result(&of(vec![("D".into(), 7)], regime), verdict, String::new(), Instant::now())
        };
        let told = |failing: &[Regime], passing: usize| {
            let mut reports: Vec<CaseReport> = failing.iter().map(|r| of(*r, Verdict::Fail)).collect();
            reports.extend((0..passing).map(|_| of(Regime::Normal, Verdict::Pass)));
            reports.push(of(Regime::Far, Verdict::Pass));
            data(&reports)
        };
        let far = [Regime::Far, Regime::Above, Regime::Far];
        assert_eq!(told(&far, 60), Some(What::FailsOnlyOn { data: Data::FarFromZero }));
        assert_eq!(told(&far, 6), None);
        assert_eq!(told(&[Regime::Far, Regime::Normal, Regime::Far], 60), None);
        assert_eq!(told(&[Regime::Ties; 3], 60), Some(What::FailsOnlyOn { data: Data::Equal }));
        assert_eq!(told(&[Regime::Ties], 60), None);
    }

    #[test]
    fn what_passes_with_wide_bars_is_held_against_no_rule() {
        let report = |regime, verdict| {
            let case = of(vec![("D".into(), 7)], regime);
            without_result(&case, verdict, String::new(), Instant::now())
        };
        let regimes = [Regime::Normal, Regime::Below, Regime::Above, Regime::Nan, Regime::Far];
        let mut reports: Vec<CaseReport> = regimes.map(|regime| report(regime, Verdict::Pass)).into();
        reports.push(report(Regime::Spread, Verdict::Fail));
        let told: Vec<Regime> = telling(&reports).iter().map(|case| case.regime).collect();
        assert_eq!(told, [Regime::Normal, Regime::Far]);
        assert_eq!(passed(&reports).count(), 5);
    }
}
