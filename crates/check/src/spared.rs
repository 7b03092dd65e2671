//! Whether a kernel is right if an input holds no minus zeros, no two equal elements, or no large integers.

use ktwin_num::{DType, Tensor};

use crate::inputs::{Prepared, reals};
use crate::pattern::{Odd, Shows};
use crate::probe::{self, Runs};
use crate::trial::{self, Trial};
use crate::verdict::Verdict;

/// Elements of an input that are made to differ, at most: more would move far away.
const MOST: usize = 1 << 12;
/// By how much of itself, and by how much alone, equal elements are set apart: little, and not lost in 8 bits.
const STEP: f64 = 1.0 / 16.0;
/// By how much integers are made smaller.
const SMALLER: f64 = 4.0;

/// The input that must hold none, and of which kind.
pub fn told(trial: &Trial, runs: Runs) -> Option<Shows> {
    if !probe::is_fit(trial) {
        return large(trial, runs);
    }
    let prepared = &trial.prepared;
    // where nothing is chosen, other numbers are right by chance
    let kinds = [Some(Odd::MinusZero), (!prepared.kernel.op.ties.is_empty()).then_some(Odd::Equal)];
    let tried = kinds.into_iter().flatten().flat_map(|of| {
        let inputs = reals(&prepared.kernel.op).into_iter();
        inputs.filter_map(move |at| Some((at, of, without(prepared, at, of)?)))
    });
    let is_right = |changed: &Prepared| verdict(changed, runs) == Some(Verdict::Pass);
    let (at, of, _) = tried.into_iter().find(|(_, _, changed)| is_right(changed))?;
    // other numbers, of which as many are equal, must not be right as well
    if of == Odd::Equal && moved(prepared, at).is_some_and(|moved| is_right(&moved)) {
        return None;
    }
    // what comes out right by chance, or after others, hangs on something else
    if verdict(prepared, runs) != Some(Verdict::Fail) {
        return None;
    }
    Some(Shows::RightWithout { read: prepared.kernel.op.inputs[at].name.clone(), of })
}

/// What is said of the kernel on such inputs.
fn verdict(prepared: &Prepared, runs: Runs) -> Option<Verdict> {
    let (begun, launches) = trial::begin_with(prepared.clone()).ok()?;
    let report = begun.finish(runs(launches)?, false).map_or_else(|report| *report, |trial| trial.report);
    Some(report.verdict)
}

/// The case with an input that holds none of a kind, where it held some.
fn without<'a>(prepared: &Prepared<'a>, at: usize, of: Odd) -> Option<Prepared<'a>> {
    let mut values = prepared.inputs[at].to_f64();
    let own = values.clone();
    match of {
        Odd::MinusZero => values.iter_mut().filter(|v| **v == 0.0).for_each(|v| *v = 0.0),
        Odd::Equal if values.len() > MOST => return None,
        Odd::Equal => set_apart(&mut values),
        Odd::Large => return None,
    }
    let is_same = values.iter().zip(&own).all(|(new, old)| new.to_bits() == old.to_bits());
    of_values(prepared, at, &values).filter(|_| !is_same)
}

/// The case with other numbers in an input, of which those are equal that were.
fn moved<'a>(prepared: &Prepared<'a>, at: usize) -> Option<Prepared<'a>> {
    let tensor = &prepared.inputs[at];
    let values: Vec<f64> = tensor.to_f64().iter().map(|value| value + STEP * STEP * value.abs()).collect();
    of_values(prepared, at, &values)
}

/// Whether a kernel of integers is right where they are four times as small.
fn large(trial: &Trial, runs: Runs) -> Option<Shows> {
    let prepared = &trial.prepared;
    let plain = trial.report.has_wrong_values() && trial.report.errors().all(|f| f.kind.is_of_values());
    let fit = plain && prepared.chosen.is_none() && !prepared.case.regime.is_special();
    let (at, smaller) = reals(&prepared.kernel.op).into_iter().filter(|_| fit).find_map(|at| {
        let tensor = &prepared.inputs[at];
        let DType::Int { bits, .. } = tensor.dtype else { return None };
        let values = tensor.to_f64();
        let is_large = |value: &f64| value.abs() >= (1u64 << (bits - 2)) as f64;
        let smaller: Vec<f64> = values.iter().map(|value| (value / SMALLER).floor()).collect();
        let wide = tensor.is_contiguous() && bits < 64 && values.iter().any(is_large);
        Some((at, of_values(prepared, at, &smaller).filter(|_| wide)?))
    })?;
    let right =
        verdict(&smaller, runs) == Some(Verdict::Pass) && verdict(prepared, runs) == Some(Verdict::Fail);
    right.then(|| Shows::RightWithout { read: prepared.kernel.op.inputs[at].name.clone(), of: Odd::Large })
}

/// The case with these numbers in an input, where its domain holds them.
fn of_values<'a>(prepared: &Prepared<'a>, at: usize, values: &[f64]) -> Option<Prepared<'a>> {
    let (tensor, domain) = (&prepared.inputs[at], prepared.at.input_domain(at));
    let mut out = prepared.clone();
    out.inputs[at] = Tensor::from_f64(tensor.dtype, &tensor.shape.clone(), values);
    values.iter().all(|value| domain.contains(*value)).then_some(out)
}

/// Moves each number that was there before by one more step.
fn set_apart(values: &mut [f64]) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let own = values.to_vec();
    let mut times = 0;
    for pair in order.windows(2) {
        times = if own[pair[0]] == own[pair[1]] { times + 1 } else { 0 };
        values[pair[1]] += f64::from(times) * STEP * own[pair[1]].abs().max(STEP);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_are_set_apart_and_others_stay() {
        let mut values = [1.0, -2.0, 1.0, 8.0, 1.0];
        set_apart(&mut values);
        assert_eq!(values, [1.0, -2.0, 1.0625, 8.0, 1.125]);
    }
}
