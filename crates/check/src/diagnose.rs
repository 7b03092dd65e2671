//! What the failing elements of a case have in common.

use ktwin_num::Regime;

use crate::compare::{Compared, Expected, Judgement, indices};
use crate::pattern::{At, Neighbour, Pattern, Place, What};
use crate::strayed::strayed;
use crate::trial::Trial;
use crate::verdict::CaseReport;
use crate::wraps::wraps;
use crate::{border, reordered, ties};

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

/// An axis of the output, and values of its index.
type Rule = (usize, Place);

/// The largest divisor whose remainders are looked at, and lanes of warps and workgroups.
const MODULO: usize = 64;
const LANES: [usize; 4] = [32, 64, 128, 256];

/// A factor or a difference is constant if it varies by less than this of itself, and by less than that of what is
/// wrong with it.
const STEADY: f64 = 5e-3;
const OFF: f64 = 0.1;

/// One in so many indices of a dimension, at most, are a place that is told beside another.
const SMALL: usize = 4;

/// Other sizes that are wrong at the same end.
const ENDS: usize = 2;

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
        let pairs: Vec<(f64, f64)> = pairs.filter(|(_, e)| *e != 0.0).collect();
        // one number for another has a factor and a difference by itself
        let several = pairs.iter().any(|(_, e)| *e != pairs[0].1);
        if pairs.len() < 3 || !several {
            return None;
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
        let told = difference.filter(|d| *d != 0.0 && self.is_near(*d));
        told.map(|offset| What::Offset { offset })
    }

    /// Whether a number is of the size of those that are due where the output is wrong. One that is far larger was
    /// there before the launch.
    fn is_near(&self, number: f64) -> bool {
        let due = self.compared.failing.iter().map(|at| self.expected.values[*at].abs());
        number.abs() < FAR * due.fold(0.0, f64::max)
    }

    /// Where the wrong elements are.
    fn places(&self) -> Option<What> {
        let judged = |at: &usize| self.expected.bars[*at] != f64::INFINITY;
        let all: Vec<usize> = (0..self.got.len()).filter(judged).collect();
        let failing = &self.compared.failing;
        if failing.len() == 1 {
            return self.end(failing[0]);
        }
        if failing.len() == all.len() {
            // where some are free, most of what is drawn is not wrong
            return (all.len() > 1 && all.len() == self.got.len()).then_some(What::EveryElement);
        }
        // true of every wrong element and of no right one
        let right: Vec<usize> = all.into_iter().filter(|at| failing.binary_search(at).is_err()).collect();
        let sound = |failing: &[usize]| -> Vec<Rule> {
            let mut rules = self.rules(failing);
            rules.retain(|rule| !right.iter().any(|at| self.holds(rule, *at)));
            rules
        };
        let rest = |rule: &Rule| -> Vec<usize> {
            failing.iter().copied().filter(|at| !self.holds(rule, *at)).collect()
        };
        let rules = sound(failing);
        let told = |rule: &Rule| !self.contradicted(&[*rule]);
        if let Some(one) = rules.iter().find(|rule| rest(rule).is_empty() && told(rule)) {
            let (index, place) = (self.index(one.0), one.1);
            return Some(What::Where { index, place });
        }
        // two mistakes, each in a place of its own
        let pair = |one: &Rule| {
            let rest = Some(rest(one)).filter(|rest| rest.len() > 1 && rest.len() + 1 < failing.len())?;
            let both = |other: &Rule| rest.iter().all(|at| self.holds(other, *at));
            let other =
                |other: &Rule| self.is_small(other) && both(other) && !self.contradicted(&[*one, *other]);
            Some([*one, sound(&rest).into_iter().find(other)?])
        };
        let plain = |rule: &&Rule| rule.1.is_plain() && self.is_small(rule);
        let Some(pair) = rules.iter().filter(plain).find_map(pair) else { return self.border(&right) };
        Some(What::WhereEither { places: pair.map(|(axis, place)| At { index: self.index(axis), place }) })
    }

    /// The border of the last two dimensions, if that is where this case and all others are wrong.
    fn border(&self, right: &[usize]) -> Option<What> {
        let others = self.others.iter().map(|other| (other.shape.as_slice(), other.failing.as_slice()));
        border::is_where_wrong(&self.expected.shape, &self.compared.failing, right, others).then(|| {
            What::Border { indices: [2, 1].map(|back| self.index(self.expected.shape.len() - back)) }
        })
    }

    /// The first or the last of a dimension, where one element is wrong: by itself that says nothing, but cases of
    /// other sizes are wrong there as well, and nowhere else.
    fn end(&self, at: usize) -> Option<What> {
        let is_end = |rule: &Rule| rule.1.is_end() && self.holds(rule, at) && !self.contradicted(&[*rule]);
        let (axis, place) = self.rules(&[at]).into_iter().find(is_end)?;
        let mut sizes: Vec<usize> = vec![self.expected.shape[axis]];
        for other in self.others.iter().filter(|other| !other.failing.is_empty()) {
            let size = other.shape[axis];
            if size > 1 && !sizes.contains(&size) {
                sizes.push(size);
            }
        }
        (sizes.len() > ENDS).then(|| What::Where { index: self.index(axis), place })
    }

    /// Whether a place is a small part of its dimension, by a rule of all sizes or at an end: no accident.
    fn is_small(&self, (axis, place): &Rule) -> bool {
        let size = self.expected.shape[*axis];
        let part = (0..size).filter(|index| place.holds(*index)).count();
        let open = matches!(place, Place::From(_) | Place::UpTo(_) | Place::Only(_) | Place::NotFirst);
        !open && part * SMALL <= size
    }

    /// Whether an element is in a place.
    fn holds(&self, (axis, place): &Rule, at: usize) -> bool {
        place.holds(indices(&self.expected.shape, at)[*axis])
    }

    /// The name of an index.
    fn index(&self, axis: usize) -> String {
        // a size that is a number has no name
        let named = self.names.get(axis).filter(|name| name.parse::<u64>().is_err());
        named.map_or("i".into(), |name| name.to_lowercase())
    }

    /// Whether another case is wrong in other places than rules name that say the same of all sizes.
    fn contradicted(&self, rules: &[Rule]) -> bool {
        let there = |o: &Compared| -> Option<Vec<Rule>> {
            rules.iter().map(|(axis, place)| Some((*axis, place.of(o.shape[*axis])?))).collect()
        };
        let outside = |o: &Compared, rules: Vec<Rule>| {
            let known = |at: usize| rules.iter().any(|(axis, p)| p.holds(indices(&o.shape, at)[*axis]));
            o.failing.iter().any(|at| !known(*at))
        };
        self.others.iter().any(|other| there(other).is_some_and(|rules| outside(other, rules)))
    }

    /// Rules that the places of some wrong elements may follow, simple ones first.
    fn rules(&self, failing: &[usize]) -> Vec<Rule> {
        let mut out: Vec<Place> = Vec::new();
        let mut rules = Vec::new();
        for (axis, size) in self.expected.shape.iter().copied().enumerate().filter(|(_, s)| *s > 1) {
            let last = size - 1;
            let is_column = axis + 1 == self.expected.shape.len() && self.expected.shape.len() > 1;
            out.extend(match is_column {
                true => [Place::LastColumn(last), Place::FirstColumn, Place::NotFirst],
                false => [Place::LastRow(last), Place::FirstRow, Place::NotFirst],
            });
            for tile in self.tiles[axis].iter().copied().filter(|t| *t < size) {
                let from = size / tile * tile;
                out.extend((from < size).then_some(Place::PartialTile { from, tile }));
                out.extend([Place::PastFirstTile(tile), Place::FirstTile(tile), Place::EndOfTile(tile)]);
            }
            let failing = || failing.iter().map(|at| indices(&self.expected.shape, *at)[axis]);
            let (first, end) = (failing().min().unwrap_or(0), failing().max().unwrap_or(0));
            out.extend((first == end).then_some(Place::Only(first)));
            // what holds of all but the first, or of the first alone, is said above
            out.extend((first > 1 && first < last).then_some(Place::From(first)));
            out.extend((end > 0 && end < last).then_some(Place::UpTo(end)));
            out.extend(
                (2..=MODULO.min(size / 2)).map(|modulo| Place::Residue { modulo, rest: first % modulo }),
            );
            for tile in self.tiles[axis].iter().copied().chain(LANES).filter(|t| *t < size) {
                let part = || failing().map(|index| index % tile);
                let (from, to) = (part().min().unwrap_or(0), part().max().unwrap_or(0) + 1);
                out.push(Place::PartOfTile { tile, from, to });
            }
            rules.extend(out.drain(..).map(|place| (axis, place)));
        }
        rules
    }
}
