//! The twin of a prepared case: expected values with bars, and what kernels of other rungs would return.

use ktwin_lang::{Elements, Meaning, Order, Output, Rounding};
use ktwin_num::{DType, Float, Regime, Tensor};

use crate::compare::Expected;
use crate::contract::Nan;
use crate::inputs::Prepared;
use crate::policy;

/// What stands in the place of a NaN or an infinity, to see what it touches: ordinary numbers, and some that are the
/// largest or the smallest of any row.
const TAME: [f64; 4] = [1.5, -2.25, 240.0, -240.0];

impl Prepared<'_> {
    fn evaluate(&self, inputs: &[Tensor], meaning: &Meaning) -> Result<Vec<Output>, String> {
        self.at.evaluate(inputs, meaning, Elements::All).map_err(|e| e.to_string())
    }

    /// What every output must be, by the promise of the contract.
    pub fn expected(&self) -> Result<Vec<Expected>, String> {
        let contract = &self.kernel.contract;
        let mut all = self.expected_at(contract.compute, contract.accumulate)?;
        if contract.promises.nan == Nan::Isolate && matches!(self.case.regime, Regime::Nan | Regime::Inf) {
            self.free_what_is_touched(&mut all)?;
        }
        if let Some(policy) = &contract.policy {
            policy::attach(self, policy, &mut all)?;
        }
        Ok(all)
    }

    /// What every output must be of a kernel of these rungs.
    pub fn expected_at(&self, compute: Float, accumulate: Float) -> Result<Vec<Expected>, String> {
        let meaning = Meaning::Bars(self.promise(compute, accumulate));
        let mut out: Vec<Expected> =
            self.evaluate(&self.inputs, &meaning)?.into_iter().map(|o| self.as_expected(o)).collect();
        if out.iter().any(|e| e.dtype == DType::F64) && compute == Float::F64 {
            for (expected, exact) in out.iter_mut().zip(self.evaluate(&self.inputs, &Meaning::Double)?) {
                expected.values = exact.values;
                expected.low = exact.bars;
            }
        }
        out.iter_mut().for_each(blocks);
        Ok(out)
    }

    fn as_expected(&self, output: Output) -> Expected {
        let dtype = self.kernel.dtype(&output.name);
        let Output { name, shape, values, bars, .. } = output;
        Expected { name, shape, dtype, values, low: Vec::new(), bars, policy: None }
    }

    /// What a kernel of these rungs would return.
    pub fn rounded(&self, compute: Float, accumulate: Float) -> Result<Vec<Vec<f64>>, String> {
        self.rounded_in((compute, accumulate), Order::Sequential)
    }

    /// The same with sums in an order.
    pub(crate) fn rounded_in(
        &self,
        (compute, accumulate): (Float, Float),
        order: Order,
    ) -> Result<Vec<Vec<f64>>, String> {
        self.rounded_by(Rounding { order, ..self.rounding(compute, accumulate) })
    }

    /// What a kernel would return that casts its real inputs to a narrow rung and computes in another, as matrix units
    /// do.
    pub(crate) fn cast_down(
        &self,
        narrow: Float,
        wide: Float,
        order: Order,
    ) -> Result<Vec<Vec<f64>>, String> {
        let mut rounding = Rounding { order, ..self.rounding(wide, wide) };
        for (info, rounds) in self.kernel.op.inputs.iter().zip(&mut rounding.rounds.inputs) {
            *rounds = (!info.integer).then_some(DType::Float(narrow));
        }
        self.rounded_by(rounding)
    }

    fn rounded_by(&self, rounding: Rounding) -> Result<Vec<Vec<f64>>, String> {
        let outputs = self.evaluate(&self.inputs, &Meaning::Rounded(rounding))?;
        Ok(outputs.into_iter().map(|o| o.values).collect())
    }

    /// What a NaN or an infinity touches is free: what changes where another number stands in its place.
    pub(crate) fn free_what_is_touched(&self, all: &mut [Expected]) -> Result<(), String> {
        for number in TAME {
            let tamed = self.evaluate(&self.tamed(number), &Meaning::Exact)?;
            for (expected, tamed) in all.iter_mut().zip(tamed) {
                for at in 0..expected.values.len() {
                    // the storage's rounding is no change
                    let change = (tamed.values[at] - expected.values[at]).abs();
                    if change.is_nan() || change > expected.bars[at] {
                        expected.bars[at] = f64::INFINITY;
                    }
                }
            }
        }
        Ok(())
    }

    /// The inputs with a number in the place of what is not finite.
    fn tamed(&self, number: f64) -> Vec<Tensor> {
        let tame = |(i, tensor): (usize, &Tensor)| {
            if tensor.dtype.float().is_none() {
                return tensor.clone();
            }
            let mut values = tensor.to_f64();
            let domain = self.at.input_domain(i);
            let number = if domain.contains(number) { number } else { domain.fold(number) };
            values.iter_mut().filter(|v| !v.is_finite()).for_each(|v| *v = number);
            Tensor::from_f64(tensor.dtype, &tensor.shape, &values)
        };
        self.inputs.iter().enumerate().map(tame).collect()
    }
}

/// A packed output is judged by its block: each element may differ by what this project's encoder makes of
/// the block at worst, and a quarter of that more, since encoders may choose other scales. A block that has no scale,
/// or whose scale may overflow, is free.
pub(crate) fn blocks(expected: &mut Expected) {
    let DType::Block(format) = expected.dtype else { return };
    let n = format.elements();
    let mut decoded = vec![0.0f32; n];
    let mut stored = |values: &[f64], by: f64| {
        let given: Vec<f32> = values.iter().map(|v| (*v * by) as f32).collect();
        format.decode(&format.encode(&given), &mut decoded);
        decoded.clone()
    };
    for (values, bars) in expected.values.chunks_mut(n).zip(expected.bars.chunks_mut(n)) {
        // what is not finite leaves its block without a scale
        if values.iter().any(|v| !v.is_finite()) || stored(values, 1.25).iter().any(|v| !v.is_finite()) {
            bars.fill(f64::INFINITY);
            continue;
        }
        let errors = values.iter().zip(stored(values, 1.0)).map(|(a, b)| (a - f64::from(b)).abs());
        let worst = errors.fold(0.0, f64::max);
        let largest = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        bars.iter_mut().for_each(|b| *b += 1.25 * worst + largest / 1024.0);
    }
}
