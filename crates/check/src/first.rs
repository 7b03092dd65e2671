//! Whether a kernel is right if what counts most comes first: then what it summed before a larger maximum came is not
//! scaled to that.

use ktwin_num::Tensor;

use crate::compare::indices;
use crate::inputs::{Prepared, reals};
use crate::pattern::Shows;
use crate::probe::{self, Runs, exact, results};
use crate::trial::Trial;

/// Places along a dimension that are tried, at least and at most.
const LEAST: usize = 6;
const MOST: usize = 640;
/// Work of the op, in its points, that all of them together may be.
const WORK: f64 = (1 << 24) as f64;
/// By how much of itself a number is changed to see what it counts for.
const STEP: f64 = 1.0 / 64.0;

/// The dimension along which the order decides whether the kernel is right.
pub fn told(trial: &Trial, runs: Runs) -> Option<Shows> {
    let prepared = &trial.prepared;
    let op = &prepared.kernel.op;
    // an order of integers, such as indices, is another case
    if !probe::is_fit(trial) || !prepared.at.is_exponential() || reals(op).len() != op.inputs.len() {
        return None;
    }
    op.dims.iter().find_map(|dim| along(trial, &dim.name, runs))
}

fn along(trial: &Trial, dim: &str, runs: Runs) -> Option<Shows> {
    let prepared = &trial.prepared;
    let size = usize::try_from(prepared.case.dims.iter().find(|(name, _)| name == dim)?.1).ok()?;
    if !(LEAST..=MOST).contains(&size) || prepared.at.points() * (2 * size) as f64 > WORK {
        return None;
    }
    // one wrong element: another may have its largest elsewhere
    let mut failing = trial.report.outputs.iter().enumerate();
    let (output, at) = failing.find_map(|(number, output)| Some((number, *output.failing.first()?)))?;
    let orders: Vec<Prepared> = (0..size).map(|place| with_first(prepared, dim, place)).collect();
    let due = trial.expected.get(output)?;
    let right = |place: usize, got: &[Vec<f64>]| {
        let to = moved(at, (&due.shape, &prepared.kernel.op.outputs[output].axes), (dim, place));
        got.get(output).and_then(|got| got.get(to)).is_some_and(|got| !due.judge(at, *got).fails())
    };
    let is_same =
        |(place, order): (usize, &Prepared)| exact(order).is_some_and(|values| right(place, &values));
    if !orders.iter().enumerate().all(is_same) {
        return None;
    }
    let mut got = Vec::new();
    for some in orders.chunks(probe::TOGETHER) {
        got.extend(results(some, runs)?);
    }
    let firsts: Vec<usize> = (0..size).filter(|place| right(*place, &got[*place])).collect();
    // an element that is right in another place is another mistake
    let axes = prepared.kernel.op.outputs[output].axes.iter();
    let own = indices(&due.shape, at);
    if axes.zip(&own).any(|(axis, index)| axis == dim && (*index == 0 || firsts.contains(index))) {
        return None;
    }
    if firsts.len() != 1 {
        let own = exact(prepared)?[output][at];
        let weight = |place: usize| Some((exact(&with_more(prepared, dim, place))?[output][at] - own).abs());
        let weights = (0..size).map(weight).collect::<Option<Vec<f64>>>()?;
        let heaviest = (0..size).max_by(|a, b| weights[*a].total_cmp(&weights[*b]))?;
        // hardly another is
        if firsts.len() * 2 >= size || !firsts.contains(&heaviest) {
            return None;
        }
    }
    Some(Shows::RightWhenFirst { index: dim.to_lowercase() })
}

/// Where an element of an output is once a place along a dimension is exchanged with the first.
fn moved(at: usize, (shape, axes): (&[usize], &[String]), (dim, place): (&str, usize)) -> usize {
    let mut own = indices(shape, at);
    for (index, _) in own.iter_mut().zip(axes).filter(|(_, axis)| *axis == dim) {
        *index = if *index == place {
            0
        } else if *index == 0 {
            place
        } else {
            *index
        };
    }
    own.iter().zip(shape).fold(0, |at, (index, size)| at * size + index)
}

/// The case with this place along a dimension exchanged with the first, in all inputs.
fn with_first<'a>(prepared: &Prepared<'a>, dim: &str, place: usize) -> Prepared<'a> {
    each(prepared, dim, |tensor, axis| {
        let (inner, size) = (tensor.shape[axis + 1..].iter().product::<usize>(), tensor.shape[axis]);
        let mut values = tensor.to_f64();
        for block in values.chunks_exact_mut((inner * size).max(1)) {
            (0..inner).for_each(|at| block.swap(at, place * inner + at));
        }
        values
    })
}

/// The case with all numbers changed a little that lie at a place along a dimension.
fn with_more<'a>(prepared: &Prepared<'a>, dim: &str, place: usize) -> Prepared<'a> {
    each(prepared, dim, |tensor, axis| {
        let (inner, size) = (tensor.shape[axis + 1..].iter().product::<usize>(), tensor.shape[axis]);
        let mut values = tensor.to_f64();
        for block in values.chunks_exact_mut((inner * size).max(1)) {
            block[place * inner..(place + 1) * inner].iter_mut().for_each(|v| *v += STEP * (1.0 + v.abs()));
        }
        values
    })
}

/// The case with all inputs changed that have a dimension.
fn each<'a>(prepared: &Prepared<'a>, dim: &str, change: impl Fn(&Tensor, usize) -> Vec<f64>) -> Prepared<'a> {
    let mut out = prepared.clone();
    for (info, tensor) in prepared.kernel.op.inputs.iter().zip(&mut out.inputs) {
        if let Some(axis) = info.axes.iter().position(|axis| axis == dim) {
            *tensor = Tensor::from_f64(tensor.dtype, &tensor.shape.clone(), &change(tensor, axis));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_moves_with_its_own_dimension() {
        let axes = ["R".to_owned(), "D".to_owned()];
        let to = |at, dim, place| moved(at, (&[3, 4], &axes), (dim, place));
        // x[1, 2] and x[1, 0] change places, and so do whole rows
        assert_eq!((to(6, "D", 2), to(4, "D", 2), to(7, "D", 2)), (4, 6, 7));
        assert_eq!((to(6, "R", 1), to(2, "R", 1), to(6, "T", 1)), (2, 6, 6));
    }
}
