//! The lane of an honest kernel: every operation rounded to a rung, sums in a given order. It makes the
//! outputs that bars are
//! proved with, honest ones and too coarse ones.

use ktwin_num::{DType, Float};

use super::exact;
use super::lane::{Joiner, Lane};
use super::plain_fold::PlainFold;
use super::value::{Reals, Truth};
use crate::fold::compare;
use crate::func::Func;
use crate::node::Fold;
use crate::rounds::Rounds;

/// The order in which a sum is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Sequential,
    Reversed,
    /// Halves, down to single terms.
    Pairwise,
    /// So many running sums, each of every so-many-th term, joined in pairs.
    Strided(usize),
    /// So many contiguous parts, each in sequence, then their sums in sequence.
    Split(usize),
}

impl Order {
    /// Every order that bars are proved with.
    pub const ALL: &'static [Order] =
        &[Order::Sequential, Order::Reversed, Order::Pairwise, Order::Strided(32), Order::Split(4)];
}

/// How a kernel of some rung computes.
#[derive(Clone, Debug)]
pub struct Rounding {
    pub compute: Float,
    pub accumulate: Float,
    pub order: Order,
    /// Whether a product and the sum that takes it are rounded once.
    pub fused: bool,
    /// What it rounds further.
    pub rounds: Rounds,
    /// Storage of each output; none where it is not rounded.
    pub outputs: Vec<Option<DType>>,
}

/// Values as that kernel rounds them.
pub struct Rounded(pub Rounding);

impl Lane for Rounded {
    const SECOND: bool = false;
    type Joiner = RoundedFold;

    fn constant(&self, x: f64) -> (f64, f64) {
        (self.0.compute.round(x), 0.0)
    }

    fn input(&self, _tensor: usize, values: &mut Reals) {
        self.0.compute.round_slice(&mut values.v);
    }

    fn stage(&self, stage: usize, values: &mut Reals) {
        if let Some(float) = self.0.rounds.stages[stage] {
            float.round_slice(&mut values.v);
        }
    }

    fn output(&self, output: usize, values: &mut Reals) {
        match self.0.outputs[output] {
            Some(DType::Float(float)) => float.round_slice(&mut values.v),
            Some(DType::Block(_)) | None => {}
            Some(dtype) => values.v.iter_mut().for_each(|x| *x = dtype.round(*x)),
        }
    }

    fn unary(&self, func: Func, mut a: Reals) -> Reals {
        exact::unary(func, &mut a.v);
        self.0.compute.round_slice(&mut a.v);
        a
    }

    fn binary(&self, func: Func, mut a: Reals, b: &Reals) -> Reals {
        exact::binary(func, &mut a.v, &b.v);
        self.0.compute.round_slice(&mut a.v);
        a
    }

    fn fused(&self, a: &Reals, b: &Reals, c: &Reals, minus: bool) -> Option<Reals> {
        if !self.0.fused {
            return None;
        }
        let sign = if minus { -1.0 } else { 1.0 };
        let lanes = a.v.iter().zip(&b.v).zip(&c.v);
        let mut v: Vec<f64> = lanes.map(|((a, b), c)| a.mul_add(*b, sign * c)).collect();
        self.0.compute.round_slice(&mut v);
        Some(Reals { v, b: Vec::new() })
    }

    fn term(&self, mut a: Reals, b: &Reals) -> Reals {
        exact::binary(Func::Mul, &mut a.v, &b.v);
        if !self.0.fused {
            self.0.compute.round_slice(&mut a.v);
        }
        a
    }

    fn compare(&self, func: Func, a: &Reals, b: &Reals) -> Vec<Truth> {
        a.v.iter().zip(&b.v).map(|(x, y)| Truth::from(compare(func, *x, *y) == Some(true))).collect()
    }

    fn select(&self, condition: &[Truth], a: Reals, b: &Reals) -> Reals {
        super::exact::Exact.select(condition, a, b)
    }

    fn join(&self, fold: Fold, n: usize, _plain: bool) -> RoundedFold {
        let Rounding { compute, accumulate, order, .. } = self.0;
        RoundedFold {
            compute,
            accumulate,
            order,
            fold,
            terms: Vec::with_capacity(if order == Order::Sequential { 0 } else { n }),
            count: 0,
            total: if fold == Fold::Prod { 1.0 } else { 0.0 },
            plain: PlainFold::new(fold),
        }
    }
}

/// Adds up in sequence, or keeps the terms of a sum until all are there where its order decides the result.
#[derive(Clone)]
pub struct RoundedFold {
    compute: Float,
    accumulate: Float,
    order: Order,
    fold: Fold,
    terms: Vec<f64>,
    count: usize,
    total: f64,
    plain: PlainFold,
}

impl RoundedFold {
    /// The sum of all terms.
    fn sum(&self) -> f64 {
        if self.order == Order::Sequential {
            self.total
        } else {
            sum(&self.terms, self.order, self.accumulate)
        }
    }
}

impl Joiner for RoundedFold {
    fn add(&mut self, v: &[f64], b: &[f64], first: i64) {
        let (compute, accumulate) = (self.compute, self.accumulate);
        match self.fold {
            Fold::Prod => self.total = v.iter().fold(self.total, |a, x| compute.round(a * x)),
            Fold::Sum | Fold::Mean if self.order == Order::Sequential => {
                let mut rest = v.iter();
                if self.count == 0 {
                    self.total = rest.next().map_or(0.0, |first| accumulate.round(*first));
                }
                self.total = rest.fold(self.total, |a, x| accumulate.round(a + x));
            }
            Fold::Sum | Fold::Mean => self.terms.extend_from_slice(v),
            _ => self.plain.add(v, b, first),
        }
        self.count += v.len();
    }

    fn maybe(&mut self, v: f64, b: f64, at: i64) {
        self.add(&[v], &[b], at);
    }

    fn finish(self) -> (f64, f64) {
        let compute = self.compute;
        let value = match self.fold {
            Fold::Sum => compute.round(self.sum()),
            Fold::Mean => compute.round(self.sum() / compute.round(self.count as f64)),
            Fold::Prod => self.total,
            _ => self.plain.finish().0,
        };
        (value, 0.0)
    }
}

/// The sum of `terms` in an order, every step rounded.
fn sum(terms: &[f64], order: Order, float: Float) -> f64 {
    let running = |terms: &mut dyn Iterator<Item = f64>| match terms.next() {
        Some(first) => terms.fold(float.round(first), |a, x| float.round(a + x)),
        None => 0.0,
    };
    match order {
        Order::Sequential => running(&mut terms.iter().copied()),
        Order::Reversed => running(&mut terms.iter().rev().copied()),
        Order::Pairwise => pairwise(terms, float),
        Order::Strided(by) => {
            let strides = by.min(terms.len());
            let sums: Vec<f64> =
                (0..strides).map(|s| running(&mut terms.iter().skip(s).step_by(by).copied())).collect();
            pairwise(&sums, float)
        }
        Order::Split(parts) => {
            let size = terms.len().div_ceil(parts).max(1);
            let sums: Vec<f64> = terms.chunks(size).map(|c| running(&mut c.iter().copied())).collect();
            running(&mut sums.into_iter())
        }
    }
}

fn pairwise(terms: &[f64], float: Float) -> f64 {
    match terms {
        [] => 0.0,
        [one] => float.round(*one),
        _ => {
            let (a, b) = terms.split_at(terms.len().div_ceil(2));
            float.round(pairwise(a, float) + pairwise(b, float))
        }
    }
}
