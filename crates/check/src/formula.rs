//! Whether a kernel computes its op with one thing changed: the neighbourhood of the formula, held against what the
//! kernel returned. A change is told only if it explains every element of every case at hand, right ones too.

use std::cell::OnceCell;
use std::iter::Sum;
use std::ops::Add;

use ktwin_lang::{Op, Open};

use crate::compare::Expected;
use crate::inputs::Prepared;
use crate::literals;
use crate::pattern::What;
use crate::setup::Setup;
use crate::trial::Trial;

/// How much is looked for a formula, in points of the twin: about a second. Time would make it depend on the machine.
const WORK: f64 = 3e7;
/// A case of more points than this is left out.
const LARGE: f64 = 2e6;
/// Wrong elements that a change must explain: one may be chance.
const LEAST: usize = 2;
/// The same where cases that pass say nothing of it.
const FEW: usize = 4;
/// Wrong elements that a change must explain where no more of them come of numbers that lie outside of inputs; and
/// where any number of them do.
const MANY: [usize; 2] = [8, 64];
/// A case with more results than this is left out: a running reduction may have become one that is followed step by
/// step, in time that grows with their square.
const MOST: usize = 150_000;
/// What a changed op costs before its first point is evaluated: it is parsed, checked and bound.
const START: f64 = 5e3;

/// Makes more trials to hold a change against.
pub type More<'m, 'a> = &'m dyn Fn() -> Vec<Trial<'a>>;

/// The change of the op that explains all of these trials, at least one of which fails, and more of them, which are
/// made when one is found; else, where `failing` are asked for, the first that explains those that fail alone.
pub fn change<'a>(trials: &[&Trial<'a>], more: More<'_, 'a>, failing: Option<More<'_, 'a>>) -> Option<What> {
    let (others, more_failing) = (OnceCell::new(), OnceCell::new());
    let mut trials = trials.to_vec();
    trials.retain(|t| is_handy(t));
    trials.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
    let (wrong, right): (Vec<_>, Vec<_>) = trials.iter().partition(|t| t.report.has_wrong_values());
    let mut failing = failing.filter(|_| several_numbers(&wrong));
    let kernel = trials.first()?.prepared.kernel;
    let op = kernel.plain.as_ref().unwrap_or(&kernel.op);
    let tiles = kernel.contract.tile.iter().map(|(dim, tile)| (dim.text.as_str(), *tile));
    let (mut left, mut in_part) = (WORK, None);
    for change in op.nearby(&tiles.collect::<Vec<_>>(), &literals::reals(kernel)) {
        let Some(op) = change.op() else { continue };
        let explains = |trial: &Trial| explained(trial, &op, change.open);
        let mut within = |trial: &Trial| {
            let points = trial.prepared.case.bind(&op).ok()?.points();
            left -= START + if too_dear(trial, points) { 0.0 } else { points };
            (left >= 0.0).then(|| explains(trial))?
        };
        let Some(part) = wrong.iter().map(|trial| within(trial)).sum::<Option<Explained>>() else { continue };
        let rest: Option<Explained> = right.iter().map(|trial| within(trial)).sum();
        let rest = rest.and_then(|rest| {
            let more: Explained = others.get_or_init(more).iter().map(explains).sum::<Option<_>>()?;
            Some(rest + more)
        });
        if rest.is_some_and(|rest| (part + rest).is_evidence(LEAST)) {
            let cancels = change.open == Open::Cancelled;
            return Some(What::Formula { was: change.was, now: change.now, cancels });
        }
        let Some(make) = failing else { continue };
        let more: Option<Explained> = more_failing.get_or_init(make).iter().map(explains).sum();
        if more.is_some_and(|more| (part + more).is_evidence(FEW)) {
            (failing, in_part) = (None, Some(What::FormulaOfFailing { was: change.was, now: change.now }));
        }
    }
    in_part
}

/// Another op of the catalogue that explains all of these trials, and more of them.
pub fn other<'a>(trials: &[&Trial<'a>], more: More<'_, 'a>) -> Option<What> {
    let mut trials: Vec<&Trial> = trials.iter().filter(|t| is_handy(t)).copied().collect();
    trials.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
    let others = OnceCell::new();
    let explains = |(name, text): &(String, String)| {
        let op = Op::parse(&format!("{name}.op"), text).ok()?;
        let of = |trial: &Trial| explained(trial, &op, Open::Nothing);
        let all = trials.iter().map(|trial| of(trial)).sum::<Option<Explained>>()?;
        let more = others.get_or_init(more).iter().map(of).sum::<Option<Explained>>()?;
        (all + more)
            .is_evidence(LEAST)
            .then(|| What::OtherOp { op: name.clone(), title: op.summary().to_owned() })
    };
    trials.first()?.prepared.kernel.kin.iter().find_map(explains)
}

/// Whether the wrong elements of some trials are not all one number, which many changes would explain.
fn several_numbers(wrong: &[&Trial]) -> bool {
    let outputs = wrong.iter().flat_map(|t| t.report.outputs.iter().zip(&t.got));
    let mut numbers = outputs.flat_map(|(output, got)| output.failing.iter().map(|at| got[*at].to_bits()));
    let first = numbers.next();
    numbers.any(|number| Some(number) != first)
}

/// Whether a trial is small enough to hold changes against.
fn is_handy(trial: &Trial) -> bool {
    let results: usize = trial.expected.iter().map(|output| output.values.len()).sum();
    cost(trial) < LARGE && results <= MOST
}

/// What evaluating a trial costs.
fn cost(trial: &Trial) -> f64 {
    trial.prepared.at.points()
}

/// Whether a changed op of so many points is left alone on a trial.
fn too_dear(trial: &Trial, points: f64) -> bool {
    points > LARGE.max(2.0 * cost(trial))
}

/// Wrong elements that a change explains.
#[derive(Default, Clone, Copy)]
pub(crate) struct Explained {
    pub(crate) wrong: usize,
    /// Those that would be made of what lies outside of inputs, which explains whatever came.
    nowhere: usize,
    /// Those of which nothing may be left where numbers cancel.
    cancelled: usize,
}

impl Explained {
    /// Whether these are at least so many, and more than a few where any element would come of no number.
    fn is_evidence(self, least: usize) -> bool {
        let needed = match self.nowhere {
            0 => least,
            nowhere => MANY[usize::from(nowhere > self.wrong)],
        };
        let enough = self.cancelled == 0 || self.wrong + self.cancelled >= MANY[0];
        self.wrong >= needed && enough
    }
}

impl Add for Explained {
    type Output = Explained;
    fn add(self, other: Explained) -> Explained {
        Explained {
            wrong: self.wrong + other.wrong,
            nowhere: self.nowhere + other.nowhere,
            cancelled: self.cancelled + other.cancelled,
        }
    }
}

impl Sum for Explained {
    fn sum<I: Iterator<Item = Explained>>(each: I) -> Explained {
        each.fold(Explained::default(), Explained::add)
    }
}

/// The wrong elements that another op explains, which says nothing of some; none where it leaves any other element
/// unexplained. Nothing is said of a case that takes too long: a running reduction may have become one that
/// starts afresh for each of its results.
fn explained(trial: &Trial, op: &Op, open: Open) -> Option<Explained> {
    let own = &trial.prepared;
    let at = own.case.bind(op).ok()?;
    if too_dear(trial, at.points()) || !is_handy(trial) {
        return Some(Explained::default());
    }
    let setup = Setup { functions: own.setup.functions, ..Setup::of(own.kernel, at.op) };
    explained_by(trial, &Prepared { setup, at, ..own.clone() }, open)
}

/// The same of another application.
pub(crate) fn explained_by(trial: &Trial, other: &Prepared, open: Open) -> Option<Explained> {
    explained_at(trial, other, open, &|_, at| at)
}

/// The same where elements of another application explain what came out in other places: of an output and an element of
/// it, which one.
pub(crate) fn explained_at(
    trial: &Trial,
    other: &Prepared,
    open: Open,
    place: &dyn Fn(usize, usize) -> usize,
) -> Option<Explained> {
    let own = &trial.prepared;
    let (compute, accumulate) = (own.kernel.contract.compute, own.kernel.contract.accumulate);
    let expected = other.expected().ok()?;
    // where the changed formula promises nothing, whether it overflows must agree
    let unbounded = expected.iter().any(|e| e.bars.contains(&f64::INFINITY));
    let all_rounded = OnceCell::new();
    let rounded = || all_rounded.get_or_init(|| other.rounded(compute, accumulate).ok());
    let models = if unbounded && open != Open::Cancelled { rounded().as_deref()? } else { &[] };
    let mut all = Explained::default();
    for (number, (expected, got)) in expected.iter().zip(&trial.got).enumerate() {
        let was = &trial.expected[number];
        for (at, got) in got.iter().enumerate() {
            let (wrong, from) = (was.judge(at, *got).fails(), place(number, at));
            let model = models.get(number).map(|values| values[from]);
            if open == Open::Outside && expected.values[from].is_nan() {
                all.nowhere += usize::from(wrong);
                continue;
            }
            if open == Open::Cancelled && expected.is_free(from) {
                all.cancelled += usize::from(wrong);
                continue;
            }
            if was.is_free(at) || trial.unwritten[number].get(at) == Some(&true) && !wrong {
                continue;
            }
            // what is nearly right is not explained by a formula that is off as well, and nearly the same
            let nearer = |model: f64| (got - model).abs() <= 0.5 * (got - was.values[at]).abs();
            let is_farther = |model: f64| {
                let numbers = got.is_finite() && was.values[at].is_finite() && model.is_finite();
                numbers && !nearer(model)
            };
            if !agrees(expected, from, *got, model)
                || wrong
                    && expected.is_free(from)
                    && !model.is_none_or(|model| !model.is_finite() || nearer(model))
                // nor by one that is the same here, and of which less is known
                || wrong && open == Open::Outside && is_farther(expected.values[from])
            {
                return None;
            }
            // what leaves room for the right number as well explains only what it comes nearer to
            let room = || !expected.is_free(from) && !expected.judge(from, was.values[at]).fails();
            let near = || rounded().as_ref().is_some_and(|all| nearer(all[number][from]));
            let tells = open == Open::Cancelled || !wrong || !room() || near();
            all.wrong += usize::from(wrong && tells);
        }
    }
    Some(all)
}

/// Whether an element is what a changed formula makes of it.
fn agrees(expected: &Expected, at: usize, got: f64, model: Option<f64>) -> bool {
    match model {
        Some(model) if expected.is_free(at) => match (model.is_finite(), got.is_finite()) {
            (true, true) => (got - model).abs() <= 1e-2 * model.abs(),
            (false, false) => model.is_nan() == got.is_nan(),
            _ => false,
        },
        _ => !expected.judge(at, got).fails(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_element_explains_nothing() {
        let of = |wrong, nowhere| Explained { wrong, nowhere, cancelled: 0 };
        assert!(of(2, 0).is_evidence(LEAST) && !of(1, 0).is_evidence(LEAST) && !of(3, 0).is_evidence(FEW));
        assert!((of(5, 0) + of(4, 9)).is_evidence(LEAST) && !of(5, 2).is_evidence(LEAST));
        let cancelled = |wrong, cancelled| Explained { wrong, nowhere: 0, cancelled };
        assert!(cancelled(2, 6).is_evidence(LEAST) && !cancelled(1, 60).is_evidence(LEAST));
        assert!(!cancelled(2, 5).is_evidence(LEAST));
        assert!(of(64, 9000).is_evidence(LEAST) && !of(63, 9000).is_evidence(LEAST));
    }
}
