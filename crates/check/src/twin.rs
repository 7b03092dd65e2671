//! The twin of a prepared case: expected values with bars, and what kernels of other rungs would return.

use std::collections::BTreeMap;

use ktwin_lang::{Case as OpCase, Held, Meaning, Order, Output, Rounding};
use ktwin_num::{DType, Float, Regime, Rng, Tensor};

use crate::compare::Expected;
use crate::contract::Nan;
use crate::huge::{Places, evaluate};
use crate::inputs::Prepared;
use crate::policy;
use crate::setup::Setup;

/// What replaces a NaN or an infinity, to see what it touches: ordinary numbers, and some that are the
/// largest or the smallest of any row.
const TAME: [Tame; 12] = [
    Tame::Number(1.5),
    Tame::Number(-2.25),
    Tame::Number(240.0),
    Tame::Number(-240.0),
    Tame::Largest(1.0),
    Tame::Largest(-1.0),
    Tame::Rising(2.0),
    Tame::Rising(-2.0),
    Tame::Drawn(1),
    Tame::Drawn(2),
    Tame::Drawn(3),
    Tame::Drawn(4),
];

/// What replaces what is not finite.
#[derive(Clone, Copy)]
enum Tame {
    /// One number.
    Number(f64),
    /// The largest number of the type, of this sign: what weighs little still counts then.
    Largest(f64),
    /// A NaN by another number each, so far from that before: which of several is chosen depends on what they were.
    Rising(f64),
    /// Each by a number of its own, drawn with this seed: choices among several are made otherwise.
    Drawn(u64),
}

/// So many NaN are replaced by numbers of their own.
const RISE: usize = 64;

impl Setup {
    /// What every output must be for these inputs.
    pub fn expected(
        &self,
        at: &OpCase,
        inputs: &[Tensor],
        structured: bool,
        chosen: Option<&Places>,
    ) -> Result<Vec<Expected>, String> {
        let meaning = Meaning::Bars(self.promise(at, inputs, structured));
        self.precise(evaluate(at, inputs, &meaning, chosen)?, |exact| evaluate(at, inputs, exact, chosen))
    }

    /// The same, with what is `held` computed once for all inputs that differ beside it.
    pub(crate) fn expected_beside(
        &self,
        at: &OpCase,
        inputs: &[Tensor],
        structured: bool,
        held: &Held,
    ) -> Result<Vec<Expected>, String> {
        let meaning = Meaning::Bars(self.promise(at, inputs, structured));
        let made = at.evaluate_beside(inputs, &meaning, held).map_err(|e| e.to_string())?;
        self.precise(made, |exact| evaluate(at, inputs, exact, None))
    }

    /// What outputs must be, by values with bars; values that f64 does not hold are evaluated again.
    fn precise(
        &self,
        made: Vec<Output>,
        evaluate: impl Fn(&Meaning) -> Result<Vec<Output>, String>,
    ) -> Result<Vec<Expected>, String> {
        let outputs = made.into_iter().zip(&self.outputs);
        let mut out: Vec<Expected> = outputs.map(|(output, dtype)| expected(output, *dtype)).collect();
        let precise = |e: &Expected| match e.dtype {
            DType::F64 => self.compute == Float::F64,
            // f64 does not hold all of these
            DType::Int { bits: 64, .. } => e.values.iter().any(|v| v.abs() > ktwin_num::pow2(53)),
            _ => false,
        };
        if out.iter().any(precise) {
            let exact = evaluate(&Meaning::Double)?;
            for (expected, exact) in out.iter_mut().zip(exact).filter(|(e, _)| precise(e)) {
                expected.values = exact.values;
                expected.low = exact.bars;
            }
        }
        Ok(out)
    }
}

fn expected(output: Output, dtype: Option<DType>) -> Expected {
    let own = if output.integer { DType::I64 } else { DType::F64 };
    let Output { name, shape, values, bars, .. } = output;
    let (dtype, low, any) = (dtype.unwrap_or(own), Vec::new(), BTreeMap::new());
    Expected { name, shape, dtype, values, low, bars, any, policy: None }
}

impl Prepared<'_> {
    /// What every output must be, by the promise of the contract.
    pub fn expected(&self) -> Result<Vec<Expected>, String> {
        let contract = &self.kernel.contract;
        let mut all = self.expected_at(contract.compute, contract.accumulate)?;
        if contract.promises.nan != Nan::Propagate && matches!(self.case.regime, Regime::Nan | Regime::Inf) {
            self.free_what_is_touched(&mut all)?;
        }
        if let Some(policy) = &contract.policy {
            policy::attach(self, policy, &mut all)?;
        }
        Ok(all)
    }

    /// What every output must be of a kernel of these rungs.
    pub fn expected_at(&self, compute: Float, accumulate: Float) -> Result<Vec<Expected>, String> {
        let setup = self.setup.at(compute, accumulate);
        setup.expected(&self.at, &self.inputs, self.structured, self.chosen.as_ref())
    }

    /// The numbers that come out where nothing is rounded, nor stored.
    pub(crate) fn exact(&self) -> Result<Vec<Vec<f64>>, String> {
        let outputs = evaluate(&self.at, &self.inputs, &Meaning::Exact, self.chosen.as_ref())?;
        Ok(outputs.into_iter().map(|o| o.values).collect())
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
        self.rounded_by(Rounding { order, ..self.setup.at(compute, accumulate).rounding(&self.at) })
    }

    /// What a kernel would return that casts its real inputs to a narrow rung and computes in another, as matrix units
    /// do.
    pub(crate) fn cast_down(
        &self,
        narrow: Float,
        wide: Float,
        order: Order,
    ) -> Result<Vec<Vec<f64>>, String> {
        let mut rounding = Rounding { order, ..self.setup.at(wide, wide).rounding(&self.at) };
        for (info, rounds) in self.kernel.op.inputs.iter().zip(&mut rounding.rounds.inputs) {
            *rounds = (!info.integer).then_some(DType::Float(narrow));
        }
        self.rounded_by(rounding)
    }

    fn rounded_by(&self, rounding: Rounding) -> Result<Vec<Vec<f64>>, String> {
        let outputs = evaluate(&self.at, &self.inputs, &Meaning::Rounded(rounding), self.chosen.as_ref())?;
        Ok(outputs.into_iter().map(|o| o.values).collect())
    }

    /// What a NaN or an infinity touches is free: what changes when another number replaces it.
    pub(crate) fn free_what_is_touched(&self, all: &mut [Expected]) -> Result<(), String> {
        for tame in TAME {
            let tamed = evaluate(&self.at, &self.tamed(tame), &Meaning::Exact, self.chosen.as_ref())?;
            for (expected, tamed) in all.iter_mut().zip(tamed) {
                for at in 0..expected.values.len() {
                    // rounding on storing does not count as a change
                    let change = (tamed.values[at] - expected.values[at]).abs();
                    if change.is_nan() || change > expected.bars[at] {
                        expected.bars[at] = f64::INFINITY;
                    }
                }
            }
        }
        // nothing compares with NaN: where there is nothing else, some kernels choose no place at all
        for ties in self.at.op.ties.iter().filter(|_| self.chosen.is_none()) {
            let promise = self.setup.promise(&self.at, &self.inputs, self.structured);
            let nan = self.at.chooses_nan(ties, &self.inputs, &promise).map_err(|e| e.to_string())?;
            for (bar, _) in all[ties.output].bars.iter_mut().zip(nan).filter(|(_, nan)| *nan) {
                *bar = f64::INFINITY;
            }
        }
        Ok(())
    }

    /// The inputs with what is not finite replaced.
    fn tamed(&self, how: Tame) -> Vec<Tensor> {
        let tame = |(i, tensor): (usize, &Tensor)| {
            let Some(float) = tensor.dtype.float() else {
                return tensor.clone();
            };
            let mut values = tensor.to_f64();
            let domain = self.at.input_domain(i);
            let inside = |number: f64| if domain.contains(number) { number } else { domain.fold(number) };
            let mut all =
                |number| values.iter_mut().filter(|v| !v.is_finite()).for_each(|v| *v = inside(number));
            match how {
                Tame::Number(number) => all(number),
                Tame::Largest(sign) => all(sign * float.max_finite()),
                Tame::Drawn(seed) => {
                    let mut rng = Rng::new(seed, i as u64);
                    values.iter_mut().filter(|v| !v.is_finite()).for_each(|v| *v = inside(rng.normal()));
                }
                Tame::Rising(step) => {
                    let nans = values.iter_mut().filter(|v| v.is_nan()).enumerate();
                    nans.for_each(|(at, v)| *v = inside(step * (at % RISE) as f64 - step));
                }
            }
            Tensor::from_f64(tensor.dtype, &tensor.shape, &values)
        };
        self.inputs.iter().enumerate().map(tame).collect()
    }
}
