//! Encoders of blocks that choose other scales than the twin's. Some give large numbers more weight, and are further
//! off at a few elements than the bars of the twin's block say. Such a block is as good if every code is the nearest
//! for the scales that it has, or nearly, and the whole block loses little more than the twin's, or than even steps
//! over its range do.

use ktwin_num::{Codes, DType, Tensor};

use crate::compare::{Compared, Expected};

/// How much more of the squared error such a block may have, plain or with the weight of large numbers.
const WORSE: f64 = 1.5;
/// The part of a step that a code may be off the nearest by: it was chosen before the last change of the scale.
const BEFORE: f64 = 0.5;
/// The square that steps of 1 lose of a number in the mean.
const EVEN: f64 = 1.0 / 12.0;

/// Takes the elements of such blocks out of those that fail.
pub fn settle(expected: &Expected, packed: Option<&Tensor>, compared: &mut Compared) {
    let (DType::Block(format), Some(packed)) = (expected.dtype, packed) else { return };
    if compared.failing.is_empty() || compared.wrong_class > 0 || expected.policy.is_some() {
        return;
    }
    let Some(codes) = Codes::of(format) else { return };
    let n = format.elements();
    let mut numbers: Vec<usize> = compared.failing.iter().map(|at| at / n).collect();
    numbers.dedup();
    let as_good = |number: &usize| {
        let block = packed.bytes.chunks_exact(format.bytes()).nth(*number);
        let values = expected.values.chunks_exact(n).nth(*number);
        block.zip(values).is_some_and(|(block, values)| is_as_good(&codes, block, values))
    };
    let good: Vec<usize> = numbers.into_iter().filter(as_good).collect();
    let refused = |at: usize| good.binary_search(&(at / n)).is_err();
    compared.failing.retain(|at| refused(*at));
    compared.worst.retain(|element| refused(element.at));
    if compared.failing.is_empty() {
        compared.ratio = 1.0;
    }
}

/// Whether a block says the numbers as well as the twin's, with scales of its own.
fn is_as_good(codes: &Codes, block: &[u8], values: &[f64]) -> bool {
    let format = codes.format();
    let decoded = |bytes: &[u8]| {
        let mut out = vec![0.0f32; values.len()];
        format.decode(bytes, &mut out);
        out.into_iter().map(f64::from).collect::<Vec<f64>>()
    };
    let given: Vec<f32> = values.iter().map(|v| *v as f32).collect();
    let (got, own) = (decoded(block), decoded(&format.encode(&given)));
    let step = codes.step(values);
    let near =
        |((got, value), distance): ((&f64, &f64), &f64)| (got - value).abs() <= distance + BEFORE * step;
    let weighed = |weight: fn(f64) -> f64| {
        let of = |out: &[f64]| {
            out.iter().zip(values).map(|(v, value)| weight(*value) * (v - value).powi(2)).sum::<f64>()
        };
        let even = EVEN * step * step * values.iter().map(|v| weight(*v)).sum::<f64>();
        of(&got) <= WORSE * of(&own).max(even)
    };
    // every code is tried for the distances: that takes longest
    let all_near = || got.iter().zip(values).zip(&codes.distances(block, values)).all(near);
    (weighed(|_| 1.0) || weighed(|value| value * value)) && all_near()
}
