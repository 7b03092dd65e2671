//! Kernels that remember: many launches in one process, as nobody makes them in a test and everybody does in use, and
//! then launches with the same buffers, sizes and ends, and one inner element, the order of all, a scalar or the sizes
//! changed.

use ktwin_lang::{Case as OpCase, Elements, Meaning, Value};
use ktwin_num::{Language, Tensor};

use crate::accept;
use crate::altered::{changed, with_changes, with_nan, with_one_changed};
use crate::case::Case;
use crate::device::{Failure, Launch, Program, Ran};
use crate::finding::{Finding, Kind};
use crate::inputs::{Prepared, prepare, reals};
use crate::kernel::Kernel;
use crate::scalars;
use crate::trial::{self, Begun};
use crate::verdict::{CaseReport, Verdict};

/// Launches of the same case in one process: usually, and where hardware is to be tried hard.
pub const LAUNCHES: [usize; 2] = [40, 1000];
/// Launches in a row whose buffers lie in the same places.
const ROW: usize = 5;
/// Cases of the same sizes with other inputs, which follow.
const OTHERS: u64 = 4;
/// The most elements that a case may have for that, and so many at least where there is such a case.
const MOST: usize = 1 << 16;
const ENOUGH: usize = 256;
/// The fewest elements of a case that is smaller.
const FEWEST: usize = 24;
/// Cases that are tried for one in which a change of an element shows.
const TRIED: usize = 16;
/// Pairs of dimensions whose sizes are exchanged.
const EXCHANGED: usize = 6;

/// The case to do it with, among those that passed: the smallest with enough elements, and inner ones everywhere. Of
/// few elements, a kernel that looks at some looks at all.
pub fn chosen<'c>(kernel: &Kernel, passed: impl Iterator<Item = &'c Case>) -> Option<&'c Case> {
    let sized = passed.filter_map(|case| {
        let prepared = prepare_small(kernel, case)?;
        let elements: usize = prepared.inputs.iter().map(Tensor::len).sum();
        let inner = reals(&kernel.op).iter().filter(|i| changed(&prepared.inputs[**i], 0).is_some()).count();
        (inner > 0).then_some((inner, elements, case))
    });
    // of few elements, the most
    let few =
        |elements: usize| (elements < ENOUGH, if elements < ENOUGH { MOST - elements } else { elements });
    let mut sized: Vec<(usize, usize, &Case)> = sized.collect();
    sized.sort_by_key(|(inner, elements, _)| (usize::MAX - inner, few(*elements)));
    let tells = |case: &Case| prepare_small(kernel, case).is_some_and(|prepared| shows(&prepared));
    let first = sized.first().map(|(_, _, case)| *case);
    sized.iter().take(TRIED).map(|(_, _, case)| *case).find(|case| tells(case)).or(first)
}

/// Whether the op tells a change of some inner element: what is multiplied by 0 is the same whatever is remembered.
fn shows(whole: &Prepared) -> bool {
    let values = |inputs: &[Tensor]| {
        let all = whole.at.evaluate(inputs, &Meaning::Exact, Elements::All).ok()?;
        Some(all.into_iter().map(|output| output.values).collect::<Vec<_>>())
    };
    let own = values(&whole.inputs);
    reals(&whole.kernel.op).into_iter().any(|number| {
        let mut inputs = whole.inputs.clone();
        let Some(other) = changed(&inputs[number], 0) else { return false };
        inputs[number] = other;
        values(&inputs) != own
    })
}

/// A larger case, among those that passed: the one with most elements.
pub fn larger<'c>(kernel: &Kernel, case: &Case, passed: impl Iterator<Item = &'c Case>) -> Option<&'c Case> {
    let all = |case: &Case| Some(elements(&case.bind(&kernel.op).ok()?));
    let least = all(case)?;
    let sized = passed.filter_map(|case| Some((all(case)?, case)));
    let larger =
        sized.filter(|(elements, case)| (least + 1..=MOST).contains(elements) && case.regime.rounds());
    larger.max_by_key(|(elements, _)| *elements).map(|(_, case)| case)
}

/// A smaller case, among those that passed: the one with the fewest elements that are several, and an inner one that
/// can be changed.
pub fn smaller<'c>(kernel: &Kernel, case: &Case, passed: impl Iterator<Item = &'c Case>) -> Option<&'c Case> {
    let all = |case: &Case| Some(elements(&case.bind(&kernel.op).ok()?));
    let most = all(case)?;
    let mut sized: Vec<(usize, &Case)> = passed.filter_map(|case| Some((all(case)?, case))).collect();
    sized.retain(|(elements, case)| (FEWEST..most).contains(elements) && case.regime.rounds());
    sized.sort_by_key(|(elements, _)| *elements);
    let tells = |case: &Case| prepare_small(kernel, case).is_some_and(|prepared| shows(&prepared));
    sized.into_iter().take(TRIED).map(|(_, case)| case).find(|case| tells(case))
}

// All elements of all tensors.
fn elements(at: &OpCase) -> usize {
    let shapes = at.input_shapes.iter().chain(&at.output_shapes);
    shapes.fold(0usize, |sum, shape| sum.saturating_add(shape.iter().product()))
}

// The inputs of a case that is small by its sizes alone: others are not made only to be thrown away.
fn prepare_small<'a>(kernel: &'a Kernel, case: &Case) -> Option<Prepared<'a>> {
    let at = case.bind(&kernel.op).ok()?;
    if elements(&at) > MOST || !case.regime.rounds() {
        return None;
    }
    prepare(kernel, case).ok()
}

/// The case with the sizes of two dimensions exchanged: as many elements, and others at each place.
fn with_sizes_exchanged(kernel: &Kernel, case: &Case) -> Vec<(String, Case)> {
    let count = case.dims.len();
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    let exchanged = pairs.filter_map(|(a, b)| {
        let mut tried = case.clone();
        (tried.dims[a].1, tried.dims[b].1) = (case.dims[b].1, case.dims[a].1);
        let said = format!("with the sizes of {} and {} exchanged", case.dims[a].0, case.dims[b].0);
        let small = || tried.bind(&kernel.op).is_ok_and(|at| elements(&at) <= MOST);
        (tried.dims != case.dims && accept::fits(kernel, &tried) && small()).then_some((said, tried))
    });
    exchanged.take(EXCHANGED).collect()
}

/// A case with another value of each scalar, by name.
fn with_other_scalars(kernel: &Kernel, case: &Case, same: &dyn Fn(&Case) -> bool) -> Vec<(String, Case)> {
    let other = |number: usize| {
        let (info, at) = (&kernel.op.scalars[number], case.bind(&kernel.op));
        let at = at.ok()?;
        let values = scalars::candidates(kernel, number, at.scalar_domain(number));
        let with = |value: Value| {
            let mut tried = case.clone();
            let slot = tried.scalars.iter_mut().find(|(name, _)| *name == info.name)?;
            let old = std::mem::replace(&mut slot.1, value);
            let fits = old != value && accept::fits(kernel, &tried) && same(&tried);
            fits.then_some((info.name.clone(), tried))
        };
        values.into_iter().find_map(with)
    };
    (0..kernel.op.scalars.len()).filter_map(other).collect()
}

/// The cases that follow, and what those before them were: a kernel that remembers may have forgotten by the last.
fn other_cases(
    kernel: &Kernel,
    (case, larger): (&Case, Option<&Case>),
    same: &dyn Fn(&Case) -> bool,
) -> Vec<(String, Case)> {
    let mut out = with_other_scalars(kernel, case, same);
    out.iter_mut().for_each(|(name, _)| *name = format!("with another {name}"));
    out.extend(with_sizes_exchanged(kernel, case).into_iter().filter(|(_, case)| same(case)));
    let smaller = "of smaller sizes, which only the whole plan repeats";
    out.extend(larger.map(|larger| (smaller.to_string(), larger.clone())));
    out.extend((1..=OTHERS).map(|other| {
        ("on other inputs of the same sizes".to_string(), Case { seed: case.seed ^ other, ..case.clone() })
    }));
    out
}

/// The cases that a kernel is called with again.
#[derive(Clone, Copy)]
pub struct Cases<'c> {
    /// The one that it is called with many times.
    pub case: &'c Case,
    /// One with more elements, and one with few: it may remember from some size on alone, or up to one.
    pub larger: Option<&'c Case>,
    pub smaller: Option<&'c Case>,
}

/// What of the kernel shows only when it is called again. None where nothing does. The program is that of all cases
/// that are the `same` to it: others have other constants.
pub fn test(
    kernel: &Kernel,
    (program, same): (&dyn Program, &dyn Fn(&Case) -> bool),
    Cases { case, larger, smaller }: Cases<'_>,
    functions: Language,
    count: usize,
) -> Result<Option<Box<CaseReport>>, Failure> {
    let wrong = |e: Box<CaseReport>| Failure::Broken(e.reason);
    let (begun, two) = trial::begin(kernel, case, functions).map_err(wrong)?;
    let mut calls = Calls::default();
    for at in 0..count {
        calls.launches.push((Role::Own(run_of(count, at)), two[run_of(count, at)].clone()));
    }
    let whole = prepare(kernel, case).map_err(Failure::Broken)?.with_functions(functions);
    for (said, prepared) in with_changes(&whole) {
        let said = format!("after {count} launches on the same buffers, with {said}");
        calls.change(said, trial::begin_with(prepared).map_err(wrong)?, &two, Role::Own);
    }
    for (said, case) in other_cases(kernel, (case, larger), same) {
        let said = format!("after {count} launches {said}");
        calls.change(said, trial::begin(kernel, &case, functions).map_err(wrong)?, &two, Role::Own);
    }
    for case in [case].into_iter().chain(larger) {
        calls
            .after_nan(prepare(kernel, case).map_err(Failure::Broken)?.with_functions(functions))
            .map_err(wrong)?;
    }
    // what is remembered from some size on alone, or up to one
    for case in larger.into_iter().chain(smaller) {
        let (_, own) = trial::begin(kernel, case, functions).map_err(wrong)?;
        for (said, prepared) in with_one_changed(kernel, case, functions)? {
            let said = format!("after launches on the same buffers, with {said}");
            calls.change(said, trial::begin_with(prepared).map_err(wrong)?, &own, |_| Role::Before);
        }
    }
    let Calls { launches, changes } = calls;
    let (roles, launches): (Vec<Role>, Vec<Launch>) = launches.into_iter().unzip();
    let ran = program.run(launches);
    let failed = ran.iter().position(Result::is_err).unwrap_or(ran.len());
    // a failure of a launch of the case itself, or one that is not the kernel's, is what there is to say
    if let Some(Err(failure)) = ran.get(failed)
        && (roles[failed] != Role::Changed || !trial::verdict_of(failure).is_bad())
    {
        return Err(failure.clone());
    }
    let (mut own, mut changed) = ([Vec::new(), Vec::new()], Vec::new());
    for (at, (one, role)) in ran.into_iter().zip(roles).enumerate() {
        match (role, one) {
            (Role::Own(run), Ok(one)) => own[run].extend((at < failed).then_some((at + 1, one))),
            (Role::Changed, one) => changed.push(one),
            _ => {}
        }
    }
    if let Some(report) = of_many(kernel, begun, own) {
        return Ok(Some(report));
    }
    Ok(of_changes(program, changes, changed))
}

/// What a launch is there for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// One of the two of the case, to be compared with others of it.
    Own(usize),
    /// To be remembered.
    Before,
    /// To be told from the one before it.
    Changed,
}

/// Launches in one process.
#[derive(Default)]
struct Calls<'a> {
    launches: Vec<(Role, Launch)>,
    /// What is said of each change, two launches of it each.
    changes: Vec<(String, Begun<'a>)>,
}

impl<'a> Calls<'a> {
    /// Adds two launches of a change, each right after one whose buffers lie where its own will.
    fn change(
        &mut self,
        said: String,
        (begun, changed): (Begun<'a>, Vec<Launch>),
        before: &[Launch],
        role: fn(usize) -> Role,
    ) {
        for (run, (before, changed)) in before.iter().zip(changed).enumerate() {
            self.launches.extend([(role(run), before.clone()), (Role::Changed, changed)]);
        }
        self.changes.push((said, begun));
    }

    /// Adds launches of a case after others whose inputs were NaN: what is multiplied by zero is not cleared.
    fn after_nan(&mut self, whole: Prepared<'a>) -> Result<(), Box<CaseReport>> {
        let Some(nan) = with_nan(&whole) else { return Ok(()) };
        let (_, before) = trial::begin_with(nan)?;
        let said = "after a launch whose inputs were NaN".to_string();
        self.change(said, trial::begin_with(whole)?, &before, |_| Role::Before);
        Ok(())
    }
}

/// The first of the changed launches that went wrong; whether it does so by itself is tried.
fn of_changes(
    program: &dyn Program,
    changes: Vec<(String, Begun)>,
    ran: Vec<Result<Ran, Failure>>,
) -> Option<Box<CaseReport>> {
    let mut ran = ran.into_iter();
    changes.into_iter().find_map(|(said, begun)| {
        let alone = begun.clone();
        let report = bad(begun.finish(ran.by_ref().take(2).collect(), false).map(|t| t.report), &said)?;
        let fine = alone.runs_alone(program).is_some_and(|report| report.verdict == Verdict::Pass);
        let said = ": by itself it is right, so that something kept from earlier launches decides";
        if fine { bad(Err(report), said) } else { Some(report) }
    })
}

// Which of the two launches of a case comes at a place: in turns, then several of each in a row, whose buffers lie in
// the same places.
fn run_of(count: usize, at: usize) -> usize {
    at.checked_sub(count / 2).map_or(at, |at| at / ROW) % 2
}

// The pair of launches that is judged is the first that is not like the first pair, or else the last.
fn of_many(kernel: &Kernel, begun: Begun, own: [Vec<(usize, Ran)>; 2]) -> Option<Box<CaseReport>> {
    let [firsts, seconds] = own;
    let pairs: Vec<[(usize, Ran); 2]> = firsts.into_iter().zip(seconds).map(|(a, b)| [a, b]).collect();
    let first = pairs.first()?;
    let like = |pair: &[(usize, Ran); 2], number: usize| pair[number].1.buffers == first[number].1.buffers;
    let differs = |pair: &[(usize, Ran); 2]| !like(pair, 0) || !like(pair, 1);
    let at = pairs.iter().position(differs).unwrap_or(pairs.len() - 1);
    // past what is valid, an output may hold anything
    let promised = kernel.contract.promises.deterministic && kernel.op.valid.is_empty();
    let repeatable = promised && pairs.get(at).is_some_and(differs);
    let two = pairs[at].iter().map(|(_, ran)| Ok(ran.clone())).collect();
    let said = format!("in launches {} and {} of one process", pairs[at][0].0, pairs[at][1].0);
    let report = begun.finish(two, false).map(|t| t.report);
    let found = bad(report.clone(), &said);
    if found.is_some() || !repeatable {
        return found;
    }
    // right by its bars, and still not what it was
    let mut report = report.ok()?;
    report.verdict = Verdict::Fail;
    let message = format!("the same launch gives different bits {said} than in the first two");
    report.findings.push(Finding::new(Kind::NotRepeatable, message));
    Some(Box::new(report))
}

/// The report of a launch that went wrong, with what was special about it.
pub fn bad(report: Result<CaseReport, Box<CaseReport>>, said: &str) -> Option<Box<CaseReport>> {
    let mut report = report.unwrap_or_else(|without| *without);
    if !report.verdict.is_bad() {
        return None;
    }
    for finding in &mut report.findings {
        finding.message = said_of(&finding.message, said);
    }
    report.reason = said_of(&report.reason, said);
    Some(Box::new(report))
}

fn said_of(text: &str, more: &str) -> String {
    let gap = if text.is_empty() || more.starts_with(':') { "" } else { " " };
    format!("{text}{gap}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN: &[(&str, &str)] = &[("turn", "op turn(x[A, B, C]) -> y[B, A, C]\ny[b, a, c] = x[a, b, c]\n")];

    #[test]
    fn launches_of_one_kind_follow_each_other_too() {
        for count in LAUNCHES {
            let runs: Vec<usize> = (0..count).map(|at| run_of(count, at)).collect();
            assert_eq!(runs[..4], [0, 1, 0, 1]);
            assert_eq!(runs[count / 2..][..2 * ROW], [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
            assert_eq!(runs.iter().sum::<usize>(), count / 2, "as many of each");
        }
    }

    #[test]
    fn sizes_that_the_contract_fixes_are_not_exchanged() {
        let said = |more: &str| {
            let kernel = Kernel::of_contract("k", &format!("op = 'turn'\nargs = ['x', 'y']\n{more}"), TURN);
            let kernel = kernel.unwrap();
            let case = Case::parse(&kernel, "A=3,B=4,C=5").unwrap();
            let all = with_sizes_exchanged(&kernel, &case);
            all.into_iter().map(|(said, _)| said).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(said("").matches("exchanged").count(), 3);
        assert_eq!(said("fix = { B = 4 }"), "with the sizes of A and C exchanged");
    }
}
