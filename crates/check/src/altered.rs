//! Cases with an input that differs by little from another's: what a kernel that remembers takes for the same.

use ktwin_num::{Language, Tensor};

use crate::case::Case;
use crate::contract::Nan;
use crate::device::Failure;
use crate::guard;
use crate::inputs::{Prepared, prepare, reals};
use crate::kernel::Kernel;

/// Inputs of one case, large or small, of which an element is changed.
const CHANGED: usize = 3;
/// Places at which one element of an input is changed: the middle, and others drawn by the seed.
const PLACES: u64 = 4;
/// Pairs of neighbouring elements that are exchanged.
const EXCHANGED: u64 = 2;
/// By how many times the rounding of its type an element is changed where that is little.
const NUDGE: f64 = 64.0;

/// A tensor with one inner element replaced by another one of it, whose bits differ: the middle one, or one drawn.
pub fn changed(tensor: &Tensor, drawn: u64) -> Option<Tensor> {
    let size = tensor.dtype.bytes_per_block();
    let units = tensor.bytes.len() / size;
    if units < 3 || !tensor.is_contiguous() {
        return None;
    }
    let unit = |at: usize| &tensor.bytes[at * size..(at + 1) * size];
    let middle = if drawn == 0 { units / 2 } else { 1 + (guard::mixed(drawn) % (units as u64 - 2)) as usize };
    let other = (0..units).find(|at| unit(*at) != unit(middle))?;
    let mut out = tensor.clone();
    out.bytes.copy_within(other * size..(other + 1) * size, middle * size);
    Some(out)
}

/// A tensor with its elements in reverse: what adds them all up, or their bits, does not tell the two apart.
fn reversed(tensor: &Tensor) -> Option<Tensor> {
    if !tensor.is_contiguous() {
        return None;
    }
    let mut out = tensor.clone();
    out.bytes = tensor.bytes.chunks_exact(tensor.dtype.bytes_per_block()).rev().flatten().copied().collect();
    (out.bytes.len() == tensor.bytes.len() && out.bytes != tensor.bytes).then_some(out)
}

/// A tensor with two elements exchanged that follow each other: what adds them all up rounds most sums as before.
fn exchanged(tensor: &Tensor, drawn: u64) -> Option<Tensor> {
    let size = tensor.dtype.bytes_per_block();
    let pairs = (tensor.bytes.len() / size).checked_sub(1).filter(|pairs| *pairs > 0)?;
    let first = (guard::mixed(drawn) % pairs as u64) as usize * size;
    let mut out = tensor.clone();
    out.bytes[first..first + 2 * size].rotate_left(size);
    (tensor.is_contiguous() && out.bytes != tensor.bytes).then_some(out)
}

/// The case with an input changed, and how: one inner element, at several places or by
/// little, or the order of all or of two.
pub fn with_changes<'a>(whole: &Prepared<'a>) -> Vec<(String, Prepared<'a>)> {
    let mut out = Vec::new();
    for number in reals(&whole.kernel.op) {
        let places = (0..PLACES).map(|place| if place == 0 { 0 } else { whole.case.seed ^ place << 32 });
        out.extend(places.filter_map(|drawn| with_changed(whole, number, drawn)));
        out.extend(nudged(whole, number));
        if let Some(other) = reversed(&whole.inputs[number]) {
            let name = &whole.kernel.op.inputs[number].name;
            out.push((format!("{name} in reverse"), with_input(whole, number, other)));
        }
        for drawn in (1..=EXCHANGED).map(|number| whole.case.seed ^ number << 40) {
            let Some(other) = exchanged(&whole.inputs[number], drawn) else { continue };
            let name = &whole.kernel.op.inputs[number].name;
            let said = format!("two neighbouring elements of {name} exchanged");
            out.push((said, with_input(whole, number, other)));
        }
    }
    out
}

/// The case with one inner element of an input changed, and what is said of it.
fn with_changed<'a>(whole: &Prepared<'a>, number: usize, drawn: u64) -> Option<(String, Prepared<'a>)> {
    let other = changed(&whole.inputs[number], drawn)?;
    let said = format!("one inner element of {} changed", whole.kernel.op.inputs[number].name);
    Some((said, with_input(whole, number, other)))
}

/// The case with the middle element of an input changed by little: too little for a number of fewer digits.
fn nudged<'a>(whole: &Prepared<'a>, number: usize) -> Option<(String, Prepared<'a>)> {
    let tensor = &whole.inputs[number];
    let step = NUDGE * tensor.dtype.float()?.unit_roundoff();
    let mut values = tensor.is_contiguous().then(|| tensor.to_f64())?;
    let middle = values.len() / 2;
    let own = values[middle];
    values[middle] = tensor.dtype.round(own + own.abs() * step);
    if values.len() < 3 || values[middle] == own || !whole.at.input_domain(number).contains(values[middle]) {
        return None;
    }
    let other = Tensor::from_f64(tensor.dtype, &tensor.shape.clone(), &values);
    let said = format!("one inner element of {} changed by little", whole.kernel.op.inputs[number].name);
    Some((said, with_input(whole, number, other)))
}

/// The case with nothing but NaN in its inputs of real numbers, where they may hold one.
pub fn with_nan<'a>(whole: &Prepared<'a>) -> Option<Prepared<'a>> {
    let mut prepared = whole.clone();
    let never = whole.kernel.contract.promises.nan == Nan::Never;
    let holds = |tensor: &Tensor| {
        tensor.is_contiguous() && tensor.dtype.float().is_some_and(|f| f.round(f64::NAN).is_nan())
    };
    let reals = reals(&whole.kernel.op);
    for number in &reals {
        let tensor = &mut prepared.inputs[*number];
        if never || !holds(tensor) {
            return None;
        }
        *tensor = Tensor::from_f64(tensor.dtype, &tensor.shape.clone(), &vec![f64::NAN; tensor.len()]);
    }
    (!reals.is_empty()).then_some(prepared)
}

fn with_input<'a>(whole: &Prepared<'a>, number: usize, other: Tensor) -> Prepared<'a> {
    let mut prepared = whole.clone();
    prepared.inputs[number] = other;
    prepared
}

/// A case with one inner element of an input changed: of each of some inputs.
pub fn with_one_changed<'a>(
    kernel: &'a Kernel,
    case: &Case,
    functions: Language,
) -> Result<Vec<(String, Prepared<'a>)>, Failure> {
    let whole = prepare(kernel, case).map_err(Failure::Broken)?.with_functions(functions);
    let inputs = reals(&kernel.op).into_iter();
    Ok(inputs.filter_map(|number| with_changed(&whole, number, case.seed | 1)).take(CHANGED).collect())
}

#[cfg(test)]
mod tests {
    use ktwin_num::DType;

    use super::*;

    #[test]
    fn one_inner_element_changes() {
        let of = |values: &[f64]| changed(&Tensor::from_f64(DType::F32, &[values.len()], values), 0);
        assert_eq!(of(&[1.0, 2.0, 3.0]).map(|t| t.to_f64()), Some(vec![1.0, 1.0, 3.0]));
        assert_eq!(of(&[5.0, 5.0, 5.0, 6.0]).map(|t| t.to_f64()), Some(vec![5.0, 5.0, 6.0, 6.0]));
        assert!(of(&[1.0, 2.0]).is_none() && of(&[4.0; 9]).is_none());
        let back = |values: &[f64]| reversed(&Tensor::from_f64(DType::F32, &[values.len()], values));
        assert_eq!(back(&[1.0, 2.0, 5.0]).map(|t| t.to_f64()), Some(vec![5.0, 2.0, 1.0]));
        assert!(back(&[1.0, 2.0, 1.0]).is_none());
        let pair = |values: &[f64]| exchanged(&Tensor::from_f64(DType::F32, &[values.len()], values), 7);
        assert_eq!(pair(&[1.0, 2.0]).map(|t| t.to_f64()), Some(vec![2.0, 1.0]));
        assert!(pair(&[3.0]).is_none() && pair(&[4.0; 9]).is_none());
    }

    #[test]
    fn an_element_changes_by_little() {
        let text = "op twice(x[N]) -> y[N]\ny[n] = 2 * x[n]\n";
        let kernel = Kernel::of_contract("k", "op = 'twice'\nargs = ['x', 'y']", &[("twice", text)]).unwrap();
        let whole = prepare(&kernel, &Case::parse(&kernel, "N=9,regime=normal,seed=3").unwrap()).unwrap();
        let (said, other) = nudged(&whole, 0).unwrap();
        assert_eq!(said, "one inner element of x changed by little");
        let (own, other) = (whole.inputs[0].to_f64(), other.inputs[0].to_f64());
        let apart: Vec<f64> = own.iter().zip(&other).map(|(a, b)| ((a - b) / a).abs()).collect();
        assert!(apart[4] > 1e-6 && apart[4] < 1e-5 && apart.iter().filter(|by| **by > 0.0).count() == 1);
    }
}
