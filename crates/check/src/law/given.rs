//! A random op at the sizes of one case, and what it gives for given draws.

use ktwin_lang::{Case as OpCase, Held, Meaning, Op};
use ktwin_num::{DType, Domain, Rng, Tensor};

use crate::compare::Expected;
use crate::inputs::Prepared;
use crate::setup::Setup;

/// Draws of reals are odd multiples of this share of their range: no end of it among them, and f32 holds each.
const GRAIN: f64 = 1.0 / (1 << 24) as f64;

/// A random op at the sizes of a case, with the case's inputs; what is still open is the draws.
pub struct Given<'l> {
    at: OpCase<'l>,
    setup: Setup,
    inputs: Vec<Tensor>,
    structured: bool,
    /// Of each random variable its range and its shape.
    random: Vec<(Domain, Vec<usize>)>,
    /// What draws do not change, with bars and without.
    barred: Held,
    exact: Held,
}

impl<'l> Given<'l> {
    /// `op` takes its draws as inputs, `prepared` is the case of the op that does not.
    pub fn new(op: &'l Op, prepared: &Prepared) -> Result<Given<'l>, String> {
        let at = prepared.case.bind(op).map_err(|e| e.to_string())?;
        let setup = Setup { functions: prepared.setup.functions, ..Setup::of(prepared.kernel, op) };
        let own = prepared.inputs.len();
        let random: Vec<(Domain, Vec<usize>)> =
            (own..op.inputs.len()).map(|n| (at.input_domain(n), at.input_shapes[n].clone())).collect();
        for ((domain, _), info) in random.iter().zip(&op.inputs[own..]) {
            if domain.hi <= domain.lo {
                return Err(format!("op {}: the range of {} is empty here", op.name, info.name));
            }
        }
        let (inputs, structured) = (prepared.inputs.clone(), prepared.structured);
        let (barred, exact) = (Held::beside(own), Held::beside(own));
        Ok(Given { at, setup, inputs, structured, random, barred, exact })
    }

    /// What the op gives for these draws, with what honest kernels may differ from it.
    pub fn expected(&self, draws: Vec<Tensor>) -> Result<Vec<Expected>, String> {
        self.setup.expected_beside(&self.at, &self.with(draws), self.structured, &self.barred)
    }

    /// Its values alone.
    pub fn values(&self, draws: Vec<Tensor>) -> Result<Vec<Vec<f64>>, String> {
        let made = self.at.evaluate_beside(&self.with(draws), &Meaning::Exact, &self.exact);
        Ok(made.map_err(|e| e.to_string())?.into_iter().map(|output| output.values).collect())
    }

    fn with(&self, draws: Vec<Tensor>) -> Vec<Tensor> {
        self.inputs.iter().cloned().chain(draws).collect()
    }

    /// How many draws a random variable is.
    pub fn len(&self, random: usize) -> usize {
        self.random[random].1.iter().product()
    }

    /// The shape of a random variable.
    pub fn shape(&self, random: usize) -> &[usize] {
        &self.random[random].1
    }

    /// Draws of all random variables, by a number.
    pub fn draw(&self, seed: u64) -> Vec<Tensor> {
        let one = |number: usize| {
            let mut rng = Rng::new(seed, number as u64);
            let odd = |rng: &mut Rng| (2 * rng.below(1 << 23) + 1) as f64 * GRAIN;
            let quantiles: Vec<f64> = (0..self.len(number)).map(|_| odd(&mut rng)).collect();
            self.at_quantiles(number, &quantiles, false)
        };
        (0..self.random.len()).map(one).collect()
    }

    /// A random variable with each draw at its own share of the range, in f64 where that is wanted.
    pub fn at_quantiles(&self, random: usize, quantiles: &[f64], fine: bool) -> Tensor {
        let (domain, shape) = &self.random[random];
        let width = domain.hi - domain.lo;
        if domain.integer {
            let whole = |q: &f64| (domain.lo + (q * width).floor().min(width - 1.0)) as i64;
            return Tensor::from_i64(DType::I64, shape, &quantiles.iter().map(whole).collect::<Vec<_>>());
        }
        let real = |q: &f64| domain.lo + q * width;
        let dtype = if fine { DType::F64 } else { DType::F32 };
        Tensor::from_f64(dtype, shape, &quantiles.iter().map(real).collect::<Vec<_>>())
    }
}
