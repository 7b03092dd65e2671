//! Whether the number that an input has at an element's place says if that element is wrong: one beyond a limit, or one
//! number alone.

use ktwin_lang::TensorInfo;
use ktwin_num::{DType, math};

use crate::compare::indices;
use crate::folded;
use crate::formula::More;
use crate::pattern::{Relation, What};
use crate::trial::Trial;

/// Wrong and right elements at least, and different numbers among the wrong ones: fewer may be parted by chance.
pub(crate) const WRONG: usize = 4;
pub(crate) const RIGHT: usize = 16;
const NUMBERS: usize = 3;
/// What is below this is right because bars are wider: a limit there says that all is wrong.
const NOTHING: f64 = 1e-3;
/// Elements that are looked at.
pub(crate) const MOST: usize = 1 << 20;

/// Integers below are numbers of f64, and are written in full where the short form is longer than this.
const EXACT: f64 = (1u64 << 53) as f64;
const SHORT: usize = 8;

/// An element: the number at its place, whether it is wrong, and the trial that it is of.
pub(crate) struct Element<'t> {
    pub number: f64,
    pub wrong: bool,
    pub trial: &'t Trial<'t>,
}

/// What numbers of one input all wrong elements of these trials have, and no right one; or of these and more.
pub fn told<'a>(trials: &[&Trial<'a>], more: More<'_, 'a>) -> Option<What> {
    of_all(trials).or_else(|| {
        let more = more();
        let all: Vec<&Trial> = trials.iter().copied().chain(&more).collect();
        of_all(&all)
    })
}

fn of_all(trials: &[&Trial]) -> Option<What> {
    let op = &trials.first()?.prepared.kernel.op;
    let mut pairs =
        (0..op.inputs.len()).flat_map(|input| (0..op.outputs.len()).map(move |output| (input, output)));
    let by_input = pairs.find_map(|(input, output)| {
        let info = &op.inputs[input];
        let axes = axes(info, &op.outputs[output]).filter(|axes| !axes.is_empty())?;
        let seen = elements(trials, (input, &axes), output);
        let (wrong, right): (Vec<&Element>, Vec<&Element>) = seen.iter().partition(|e| e.wrong);
        if wrong.len() < WRONG || right.len() < RIGHT {
            return None;
        }
        let read = format!("{}[{}]", info.name, info.axes.join(", ").to_lowercase());
        let stored = trials[0].prepared.kernel.dtype(&info.name);
        let whole = matches!(stored, DType::Int { .. });
        let told =
            one(&wrong, &right).or_else(|| scalar(&wrong, &right)).or_else(|| limit(&wrong, &right, whole));
        if let Some((relation, limit)) = told {
            return Some(What::WhereRead { read, relation, limit, part: false });
        }
        // what comes out of zero may well be right
        by_size(&wrong, &right, whole).map(|(relation, limit)| {
            let read = format!("abs({read})");
            What::WhereRead { read, relation, limit, part: false }
        })
    });
    let by_row = || (0..op.outputs.len()).find_map(|output| folded::told(trials, output));
    by_input.or_else(by_row).or_else(|| (0..op.outputs.len()).find_map(|o| of_what_is_due(trials, o)))
}

/// A limit on what is due, of either sign, that all wrong elements of an output are beyond, and no right one.
fn of_what_is_due(trials: &[&Trial], output: usize) -> Option<What> {
    let info = &trials[0].prepared.kernel.op.outputs[output];
    let (mut seen, mut both) = (Vec::new(), false);
    for trial in trials.iter().filter(|t| !t.prepared.case.regime.is_special()) {
        let (Some(expected), Some(got)) = (trial.expected.get(output), trial.got.get(output)) else {
            continue;
        };
        let judged = |at: &usize| !expected.is_free(*at) && expected.values[*at].is_finite();
        let wrong = |at: usize| expected.judge(at, got[at]).fails();
        let number = |at: usize| Element { number: expected.values[at], wrong: wrong(at), trial };
        let own: Vec<Element> = (0..got.len()).filter(judged).map(number).collect();
        // cases of other data are parted by their sizes as well
        both |= [true, false].iter().all(|kind| own.iter().filter(|e| e.wrong == *kind).count() >= WRONG);
        seen.extend(own);
        if seen.len() > MOST {
            return None;
        }
    }
    let (wrong, right): (Vec<&Element>, Vec<&Element>) = seen.iter().partition(|e| e.wrong);
    if !both || right.len() < RIGHT {
        return None;
    }
    let whole = matches!(trials[0].prepared.kernel.dtype(&info.name), DType::Int { .. });
    let (relation, limit) = by_size(&wrong, &right, whole)?;
    Some(What::WhereDue { due: info.name.clone(), relation, limit })
}

/// A limit that parts the sizes of numbers; zeros say nothing.
fn by_size(wrong: &[&Element], right: &[&Element], whole: bool) -> Option<(Relation, String)> {
    let (wrong, mut right) = (magnitudes(wrong), magnitudes(right));
    right.retain(|e| e.number > 0.0);
    let (wrong, right): (Vec<&Element>, Vec<&Element>) = (wrong.iter().collect(), right.iter().collect());
    let nearly_all = |told: &(Relation, String)| {
        told.0 == Relation::AtLeast && told.1.parse::<f64>().is_ok_and(|limit| limit < NOTHING)
    };
    (right.len() >= RIGHT).then(|| limit(&wrong, &right, whole)).flatten().filter(|told| !nearly_all(told))
}

/// The same without the signs of the numbers.
fn magnitudes<'t>(elements: &[&Element<'t>]) -> Vec<Element<'t>> {
    elements.iter().map(|e| Element { number: e.number.abs(), wrong: e.wrong, trial: e.trial }).collect()
}

/// Which axes of an output an input's are; none where it has another one, or the output one of them twice.
fn axes(input: &TensorInfo, output: &TensorInfo) -> Option<Vec<usize>> {
    let place = |axis: &String| {
        let mut own = (0..output.axes.len()).filter(|at| output.axes[*at] == *axis);
        own.next().filter(|_| own.next().is_none() && axis.parse::<u64>().is_err())
    };
    input.axes.iter().map(place).collect()
}

/// The judged elements of an output, with the numbers of an input.
fn elements<'t>(
    trials: &[&'t Trial<'t>],
    (input, axes): (usize, &[usize]),
    output: usize,
) -> Vec<Element<'t>> {
    let mut out = Vec::new();
    for trial in trials.iter().filter(|t| !t.prepared.case.regime.is_special() && t.prepared.chosen.is_none())
    {
        let (Some(expected), Some(got)) = (trial.expected.get(output), trial.got.get(output)) else {
            continue;
        };
        if out.len() + got.len() > MOST {
            continue;
        }
        let shape = &trial.prepared.at.input_shapes[input];
        let numbers = trial.prepared.inputs[input].to_f64();
        for (at, got) in got.iter().enumerate().filter(|(at, _)| !expected.is_free(*at)) {
            let place = indices(&expected.shape, at);
            let from = axes.iter().zip(shape).fold(0, |from, (axis, size)| from * size + place[*axis]);
            let Some(number) = numbers.get(from).copied().filter(|n| n.is_finite()) else { continue };
            out.push(Element { number, wrong: expected.judge(at, *got).fails(), trial });
        }
    }
    out
}

/// One number that all wrong elements have.
fn one(wrong: &[&Element], right: &[&Element]) -> Option<(Relation, String)> {
    let number = wrong[0].number;
    // a number like any other is that of one element, whose place says more
    if number.fract() != 0.0 {
        return None;
    }
    let alone = wrong.iter().all(|e| e.number == number) && right.iter().all(|e| e.number != number);
    alone.then(|| (Relation::Equal, shown(number)))
}

/// A scalar that parts wrong from right elements in every case.
fn scalar(wrong: &[&Element], right: &[&Element]) -> Option<(Relation, String)> {
    let scalars = &wrong[0].trial.prepared.kernel.op.scalars;
    scalars.iter().enumerate().find_map(|(at, info)| {
        let holds = |relation: Relation, e: &Element| {
            relation.holds(e.number, e.trial.prepared.at.scalars[at].to_f64())
        };
        let parts = |relation: &Relation| {
            wrong.iter().all(|e| holds(*relation, e)) && !right.iter().any(|e| holds(*relation, e))
        };
        Some((Relation::ORDERS.into_iter().find(parts)?, info.name.clone()))
    })
}

/// A number that parts them, with as few digits as there are.
pub(crate) fn limit(wrong: &[&Element], right: &[&Element], whole: bool) -> Option<(Relation, String)> {
    let mut numbers: Vec<u64> = wrong.iter().map(|e| e.number.to_bits()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let ends = |all: &[&Element]| {
        all.iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), e| (lo.min(e.number), hi.max(e.number)))
    };
    let ((first, last), (lowest, highest)) = (ends(wrong), ends(right));
    if numbers.len() < NUMBERS {
        return None;
    }
    if first > highest {
        return Some((Relation::AtLeast, shown(simplest(highest, first, whole))));
    }
    (last < lowest).then(|| match last {
        0.0 => (Relation::AtMost, shown(0.0)),
        last => (Relation::Less, shown(simplest(last, lowest, whole))),
    })
}

/// The number above `low`, and not above `high`, that has the fewest digits; of whole numbers, a power of two if one is
/// there.
fn simplest(low: f64, high: f64, whole: bool) -> f64 {
    if low < 0.0 && high >= 0.0 {
        return 0.0;
    }
    let size = low.abs().max(high.abs());
    let power = (0..63).map(|n| (1u64 << n) as f64).find(|power| low < *power && *power <= high);
    if let Some(power) = power.filter(|_| whole) {
        return power;
    }
    let first = math::log10(size).ceil() as i32;
    let rounded = |digit: i32| -> Option<f64> {
        let power = first - digit;
        let count = (high / math::exp10(f64::from(power))).floor();
        format!("{count}e{power}").parse().ok()
    };
    (0..18).filter_map(rounded).find(|number| low < *number && *number <= high).unwrap_or(high)
}

/// As a person writes it.
fn shown(number: f64) -> String {
    match number.abs() {
        size if size == 0.0 || (1e-3..1e7).contains(&size) => {
            format!("{number:.6}").trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        // a round number of many digits is read more easily than its power of ten
        size if number.fract() == 0.0 && size < EXACT && format!("{size:e}").len() > SHORT => {
            format!("{number}")
        }
        _ => format!("{number:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_few_digits() {
        for (low, high, whole, due) in [
            (-0.1, 0.3, false, "0"),
            (86.81, 87.3, false, "87"),
            (-87.3, -86.81, false, "-87"),
            (201.0, 261.0, true, "256"),
            (201.0, 230.0, true, "230"),
            (0.00098, 0.00104, false, "0.001"),
            (-1.2e-20, -0.7e-20, false, "-1e-20"),
            (2e9, 2.2e9, true, "2147483648"),
            (2e9, 3.2e9, false, "3e9"),
        ] {
            assert_eq!(shown(simplest(low, high, whole)), due, "{low} {high}");
        }
    }
}
