//! What the failing elements of a case have in common.

use ktwin_num::Regime;

use crate::compare::{Compared, Expected, Judgement};
use crate::pattern::{Neighbour, Pattern, What};
use crate::strayed::strayed;
use crate::trial::Trial;
use crate::verdict::CaseReport;
use crate::wraps::wraps;
use crate::{held, packing, reordered, ties};

mod places;

/// One output of a trial with the names of its dimensions.
struct View<'a> {
    expected: &'a Expected,
    got: &'a [f64],
    compared: &'a Compared,
    /// The same output in other cases that are wrong.
    others: Vec<&'a Compared>,
    names: Vec<String>,
    tiles: Vec<Vec<usize>>,
}

/// A factor or a difference is constant if it varies by less than this of itself, and by less than that of what is
/// wrong with it.
const STEADY: f64 = 5e-3;
const OFF: f64 = 0.1;

/// So many times the largest right value, a constant or a constant difference is not a mistake in a formula.
const FAR: f64 = 1e6;

/// What the smallest case does not show, and a larger one does.
pub fn more_patterns(small: &Trial, larger: &Trial, others: &[CaseReport]) -> Vec<Pattern> {
    let known = patterns(small, others);
    // what fails everywhere says little of where, and a number that differs in digits nobody is shown is the same
    let said = |p: &Pattern| {
        known.iter().any(|other| other.to_string() == p.to_string() || is_same_end(&other.what, &p.what))
    };
    let tells = |p: &Pattern| p.what != What::EveryElement && !said(p);
    let told = patterns(larger, others).into_iter().filter(tells);
    told.map(|p| Pattern { case: Some(larger.prepared.case.clone()), ..p }).collect()
}

// The last of two sizes is one place.
fn is_same_end(a: &What, b: &What) -> bool {
    let (What::Where { index, place }, What::Where { index: other, place: at }) = (a, b) else {
        return false;
    };
    index == other && place.is_end() && std::mem::discriminant(place) == std::mem::discriminant(at)
}

/// Whether what is said of the wrong elements of a small case may be an accident: it is one where a larger case looks
/// otherwise.
pub fn by_accident(pattern: &Pattern, larger: &Trial) -> bool {
    let telling = matches!(
        pattern.what,
        What::WrongSign
            | What::OtherOrder
            | What::EqualTo { .. }
            | What::EqualToInput { .. }
            | What::EveryElement
            | What::Transposed
            | What::Factor { .. }
            | What::Offset { .. }
            | What::KeptIn { .. }
            | What::IndexWraps { .. }
            | What::Saturates { .. }
    );
    telling && !shows(pattern, larger)
}

/// What is true of all wrong values of a small case, and said of that case alone where it is not of another.
pub fn of_its_case(pattern: Pattern, small: &Trial, others: &[&Trial]) -> Pattern {
    let of_values = matches!(
        pattern.what,
        What::NeverWritten | What::AllNan | What::AllZero | What::AllOne { .. } | What::WrongSign
    );
    let alone =
        of_values && others.iter().any(|other| other.report.has_wrong_values() && !shows(&pattern, other));
    Pattern { case: alone.then(|| small.prepared.case.clone()), ..pattern }
}

/// Whether a case shows a pattern of this kind.
fn shows(pattern: &Pattern, trial: &Trial) -> bool {
    let kind = std::mem::discriminant(&pattern.what);
    patterns(trial, &[]).iter().any(|p| std::mem::discriminant(&p.what) == kind)
}

/// What can be said of every output that fails, in the light of other cases: what one of them contradicts was chance.
pub fn patterns(trial: &Trial, others: &[CaseReport]) -> Vec<Pattern> {
    let mut out = Vec::new();
    for (number, compared) in trial.report.outputs.iter().enumerate() {
        if compared.failing.is_empty() || number >= trial.got.len() {
            continue;
        }
        let view = View::new(trial, number, others);
        let never = compared.failing.iter().all(|at| trial.unwritten[number][*at]);
        let values = strayed(trial, number);
        let values =
            values.or_else(|| if never { Some(What::NeverWritten) } else { view.values(trial, number) });
        let output = (trial.expected.len() > 1).then(|| trial.expected[number].name.clone());
        let said = values.into_iter().chain(view.places());
        out.extend(said.map(|what| Pattern { output: output.clone(), what, case: None }));
    }
    out.dedup();
    out
}

impl<'a> View<'a> {
    fn new(trial: &'a Trial, number: usize, others: &'a [CaseReport]) -> View<'a> {
        let kernel = trial.prepared.kernel;
        let info = &kernel.op.outputs[number];
        let names = info.axes.clone();
        let of = |name: &String| {
            let own = kernel.contract.tile.iter().filter(|(n, _)| **n == **name);
            own.map(|(_, tile)| *tile as usize).collect()
        };
        let tiles = names.iter().map(of).collect();
        let (expected, compared) = (&trial.expected[number], &trial.report.outputs[number]);
        // what NaN and Inf reach is wrong in other places
        let ordinary = others.iter().filter(|r| !matches!(r.case.regime, Regime::Nan | Regime::Inf));
        let others = ordinary.filter_map(|report| report.outputs.get(number)).collect();
        View { expected, got: &trial.got[number], compared, others, names, tiles }
    }

    /// How the wrong values relate to the right ones.
    fn values(&self, trial: &Trial, number: usize) -> Option<What> {
        let all = |f: &dyn Fn(usize) -> bool| self.compared.failing.iter().all(|at| f(*at));
        let (got, values) = (self.got, &self.expected.values);
        let row = self.expected.shape.last().copied().unwrap_or(1).max(1);
        let near = |a: f64, b: f64| a == b || b.is_finite() && (a - b).abs() <= 2e-3 * b.abs();
        let is = |at: usize, from: Option<usize>| {
            from.is_some_and(|f| {
                f < values.len() && matches!(self.expected.judge(f, got[at]), Judgement::Inside(_))
            })
        };
        if ties::others_of_equals(&trial.prepared, number, got, &self.compared.failing) {
            return Some(What::OthersOfEquals);
        }
        if reordered::is_reordered(self.expected, got, &self.compared.failing) {
            return Some(What::OtherOrder);
        }
        if all(&|at| got[at].is_nan()) {
            return Some(What::AllNan);
        }
        let failing = &self.compared.failing;
        let held = held::told(self.expected, got, failing);
        if let Some(held) =
            held.or_else(|| packing::told(self.expected, trial.packed[number].as_ref(), got, failing))
        {
            return Some(held);
        }
        if all(&|at| got[at] == 0.0) {
            return Some(What::AllZero);
        }
        if all(&|at| near(got[at], -values[at])) {
            return Some(What::WrongSign);
        }
        // a number that comes again and again is equal to its neighbours by itself
        let first = self.compared.failing[0];
        let one = all(&|at| got[at] == got[first]);
        if one && self.is_near(got[first]) && self.due_numbers() >= 3 {
            return Some(What::AllOne { number: got[first] });
        }
        if self.compared.failing.len() >= 3 && !one {
            if all(&|at| is(at, at.checked_sub(row))) {
                return Some(What::EqualTo { element: Neighbour::PreviousRow });
            }
            if all(&|at| is(at, Some(at + row))) {
                return Some(What::EqualTo { element: Neighbour::NextRow });
            }
            if all(&|at| is(at, at.checked_sub(1))) {
                return Some(What::EqualTo { element: Neighbour::Before });
            }
            if all(&|at| is(at, Some(at + 1))) {
                return Some(What::EqualTo { element: Neighbour::After });
            }
            if all(&|at| is(at, self.swapped(at))) {
                return Some(What::Transposed);
            }
            if let Some(found) = self.copied(trial) {
                return Some(found);
            }
        }
        wraps(self.expected, got, &self.compared.failing).or_else(|| self.arithmetic())
    }

    /// How many numbers are due where the output is wrong; more than a few are not counted.
    fn due_numbers(&self) -> usize {
        let mut due: Vec<f64> = Vec::new();
        for value in self.compared.failing.iter().map(|at| self.expected.values[*at]) {
            if due.len() < 3 && !due.contains(&value) {
                due.push(value);
            }
        }
        due.len()
    }

    /// The place of an element with its last two indices swapped.
    fn swapped(&self, at: usize) -> Option<usize> {
        let shape = &self.expected.shape;
        let n = shape.len();
        if n < 2 || shape[n - 1] < 2 || shape[n - 2] < 2 {
            return None;
        }
        let (rows, columns) = (shape[n - 2], shape[n - 1]);
        let (outer, inner) = (at / (rows * columns), at % (rows * columns));
        Some(outer * rows * columns + inner % rows * columns + inner / rows)
    }

    /// Whether an input was handed through.
    fn copied(&self, trial: &Trial) -> Option<What> {
        for (info, tensor) in trial.prepared.kernel.op.inputs.iter().zip(&trial.prepared.inputs) {
            if tensor.len() != self.got.len() {
                continue;
            }
            let input = tensor.to_f64();
            if self.compared.failing.iter().all(|at| self.got[*at] == input[*at]) {
                return Some(What::EqualToInput { input: info.name.clone() });
            }
        }
        None
    }

    /// A constant factor, or a constant difference.
    fn arithmetic(&self) -> Option<What> {
        let pairs = self.compared.failing.iter().map(|at| (self.got[*at], self.expected.values[*at]));
        related(&pairs.collect::<Vec<_>>())
            .filter(|what| matches!(what, What::Factor { .. } | What::Offset { .. }))
    }

    /// Whether a number is of the size of those that are due where the output is wrong.
    fn is_near(&self, number: f64) -> bool {
        is_near(number, self.compared.failing.iter().map(|at| self.expected.values[*at]))
    }
}

/// What relates numbers that came to those that are due: a constant factor, a constant difference, or that one number
/// came for all.
pub(crate) fn related(pairs: &[(f64, f64)]) -> Option<What> {
    let pairs: Vec<(f64, f64)> = pairs.iter().copied().filter(|(_, e)| *e != 0.0).collect();
    // one number for another has a factor and a difference by itself
    let several = pairs.iter().any(|(_, e)| *e != pairs[0].1);
    if pairs.len() < 3 || !several {
        return None;
    }
    let due = || pairs.iter().map(|(_, e)| *e);
    if pairs.iter().all(|(g, _)| *g == pairs[0].0) && is_near(pairs[0].0, due()) {
        return Some(if pairs[0].0 == 0.0 { What::AllZero } else { What::AllOne { number: pairs[0].0 } });
    }
    let steady = |values: Vec<f64>, usual: f64| {
        let mut sorted = values;
        sorted.sort_by(f64::total_cmp);
        let middle = sorted[sorted.len() / 2];
        let slack = (STEADY * middle.abs()).min(OFF * (middle - usual).abs());
        let same = sorted.iter().all(|v| (v - middle).abs() <= slack);
        (same && middle.is_finite()).then_some(middle)
    };
    let factor = steady(pairs.iter().map(|(g, e)| g / e).collect(), 1.0);
    if let Some(factor) = factor.filter(|f| *f != 0.0 && *f != 1.0) {
        return Some(What::Factor { factor });
    }
    let difference = steady(pairs.iter().map(|(g, e)| g - e).collect(), 0.0);
    difference.filter(|d| *d != 0.0 && is_near(*d, due())).map(|offset| What::Offset { offset })
}

/// Whether a number is of the size of those that are due. One that is far larger was there before the launch.
fn is_near(number: f64, due: impl Iterator<Item = f64>) -> bool {
    number.abs() < FAR * due.fold(0.0, |most: f64, due| most.max(due.abs()))
}
