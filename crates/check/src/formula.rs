//! Whether a kernel computes its op with one thing changed: the neighbourhood of the formula, held against what the
//! kernel returned. A change is told only if it explains every element of every case at hand, right ones too.

use std::cell::OnceCell;

use ktwin_lang::{Change, Op};

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
/// Wrong elements that a change must explain where cases that pass say nothing of it.
const FEW: usize = 4;
/// What a changed op costs before its first point is evaluated: it is parsed, checked and bound.
const START: f64 = 5e3;

/// The change of the op that explains all of these trials, at least one of which fails, and more of them, which are
/// made when one is found.
pub fn change<'a>(trials: &[&Trial<'a>], more: &dyn Fn() -> Vec<Trial<'a>>) -> Option<What> {
    let (was, now) = found(trials, more, 1)?;
    Some(What::Formula { was, now })
}

/// The same of the trials that fail alone, several of which there must be.
pub fn change_of_failing<'a>(trials: &[&Trial<'a>], more: &dyn Fn() -> Vec<Trial<'a>>) -> Option<What> {
    let failing: Vec<&Trial> = trials.iter().copied().filter(|t| t.report.has_wrong_values()).collect();
    // one number, wherever it comes, is explained by many changes
    let wrong = failing.iter().flat_map(|t| t.report.outputs.iter().zip(&t.got));
    let mut numbers = wrong.flat_map(|(output, got)| output.failing.iter().map(|at| got[*at]));
    let first = numbers.next()?;
    if numbers.all(|number| number.to_bits() == first.to_bits()) {
        return None;
    }
    let (was, now) = found(&failing, more, FEW)?;
    Some(What::FormulaOfFailing { was, now })
}

/// The change that explains all of these trials and at least so many wrong elements.
fn found<'a>(
    trials: &[&Trial<'a>],
    more: &dyn Fn() -> Vec<Trial<'a>>,
    least: usize,
) -> Option<(String, String)> {
    let others = OnceCell::new();
    let mut trials = trials.to_vec();
    trials.retain(|t| cost(t) < LARGE);
    trials.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
    let kernel = trials.first()?.prepared.kernel;
    let op = kernel.plain.as_ref().unwrap_or(&kernel.op);
    let tiles = kernel.contract.tile.iter().map(|(dim, tile)| (dim.text.as_str(), *tile));
    let mut left = WORK;
    let mut explains = |change: &Change| {
        let op = change.op()?;
        let mut evidence = 0;
        for trial in &trials {
            // a running reduction may have become one that starts afresh for each of its results
            let points = trial.prepared.case.bind(&op).ok()?.points();
            left -= START + points;
            if left < 0.0 || points > LARGE {
                return None;
            }
            evidence += explained(trial, &op, change.reads_outside)?;
        }
        let others = others.get_or_init(more);
        for trial in others {
            evidence += explained(trial, &op, change.reads_outside)?;
        }
        (evidence >= least).then_some(())
    };
    let numbers = literals::reals(kernel);
    let nearby = op.nearby(&tiles.collect::<Vec<_>>(), &numbers);
    let found = nearby.into_iter().find(|change| explains(change).is_some())?;
    Some((found.was, found.now))
}

/// What evaluating a trial costs.
fn cost(trial: &Trial) -> f64 {
    trial.prepared.at.points()
}

/// How many wrong elements another op explains; none where it leaves any element unexplained. Where its NaN are read
/// `outside` of inputs, they explain whatever came, and are no evidence: most of what is wrong must come of numbers.
fn explained(trial: &Trial, op: &Op, outside: bool) -> Option<usize> {
    let own = &trial.prepared;
    let at = own.case.bind(op).ok()?;
    let setup = Setup { functions: own.setup.functions, ..Setup::of(own.kernel, at.op) };
    explained_by(trial, &Prepared { setup, at, ..own.clone() }, outside)
}

/// The same of another application.
pub(crate) fn explained_by(trial: &Trial, other: &Prepared, outside: bool) -> Option<usize> {
    let own = &trial.prepared;
    let (compute, accumulate) = (own.kernel.contract.compute, own.kernel.contract.accumulate);
    let expected = other.expected().ok()?;
    // where the changed formula promises nothing, whether it overflows must agree
    let open = expected.iter().any(|e| e.bars.contains(&f64::INFINITY));
    let rounded = if open { other.rounded(compute, accumulate).ok()? } else { Vec::new() };
    let (mut evidence, mut nowhere) = (0, 0);
    for (number, (expected, got)) in expected.iter().zip(&trial.got).enumerate() {
        let was = &trial.expected[number];
        for (at, got) in got.iter().enumerate() {
            let wrong = was.judge(at, *got).fails();
            let model = rounded.get(number).map(|values| values[at]);
            if outside && expected.values[at].is_nan() {
                nowhere += usize::from(wrong);
                continue;
            }
            if was.is_free(at) || trial.unwritten[number].get(at) == Some(&true) && !wrong {
                continue;
            }
            if !agrees(expected, at, *got, model) {
                return None;
            }
            evidence += usize::from(wrong);
        }
    }
    (nowhere <= evidence).then_some(evidence)
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
