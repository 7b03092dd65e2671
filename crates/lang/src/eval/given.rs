//! The inputs as an evaluation reads them: as they are, rounded as a kernel rounds them that quantises its
//! activations itself, or with bars for what that rounding may do.

use std::borrow::Cow;

use ktwin_num::{DType, Float, Tensor};

/// One input: its numbers, a bar for each storage element where it is rounded further, and the minima below its
/// numbers where it is stored with such.
pub struct Given<'a> {
    pub data: Cow<'a, Tensor>,
    pub bars: Vec<f64>,
    pub minima: Option<Tensor>,
}

/// The inputs as they are.
pub fn plain(inputs: &[Tensor]) -> Vec<Given<'_>> {
    inputs.iter().map(|t| Given { data: Cow::Borrowed(t), bars: Vec::new(), minima: None }).collect()
}

/// The inputs with bars for the types that they are rounded to.
pub fn barred<'a>(inputs: &'a [Tensor], rounds: &[Option<DType>], flushes: bool) -> Vec<Given<'a>> {
    let mut given = changed(inputs, rounds, |dtype, row, bars| *bars = dtype.reach(row, flushes));
    given.iter_mut().zip(inputs).for_each(|(given, tensor)| given.minima = tensor.minima());
    given
}

/// The inputs rounded to these types.
pub fn rounded<'a>(inputs: &'a [Tensor], rounds: &[Option<DType>]) -> Vec<Given<'a>> {
    changed(inputs, rounds, |dtype, row, _| dtype.round_row(row))
}

fn changed<'a>(
    inputs: &'a [Tensor],
    rounds: &[Option<DType>],
    change: impl Fn(DType, &mut [f64], &mut Vec<f64>),
) -> Vec<Given<'a>> {
    let mut given = plain(inputs);
    for (given, dtype) in given.iter_mut().zip(rounds) {
        let Some(dtype) = *dtype else { continue };
        let (mut values, shape) = (given.data.to_f64(), given.data.shape.clone());
        for row in values.chunks_mut(shape.last().copied().unwrap_or(1).max(1)) {
            let mut bars = Vec::new();
            change(dtype, row, &mut bars);
            given.bars.extend(bars);
        }
        let mut data = Tensor::zeros(DType::Float(Float::F64), &shape);
        data.store_run(0, 1, &values);
        given.data = Cow::Owned(data);
    }
    given
}
