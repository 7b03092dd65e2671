//! The lane that keeps a magnitude beside every value: what the value would be if nothing in it cancelled. Orders in
//! which a linear recurrence may be computed differ by roundings of that size.

use super::exact::{self, Exact};
use super::lane::{Joiner, Lane};
use super::plain_fold::PlainFold;
use super::value::{Reals, Truth};
use crate::func::Func;
use crate::node::Fold;
use crate::scalar;

/// Values with their magnitudes.
pub struct Magnitude {
    /// The least magnitude of a recurrence's value: with 1, what came of it is at least the product of what it was
    /// multiplied by since, which kernels that take steps together compute by itself. So has what a condition chooses,
    /// which is how a recurrence takes up the value it begins with: a small one is multiplied by as much.
    pub floor: f64,
}

/// How near to the chosen number another one must be, in its magnitude, for roundings to matter to the choice.
const NEAR: f64 = 0.25;

/// The magnitude of `a op b`: one sum is taken apart, the product of two never is.
fn joined(func: Func, (a, of_a): (f64, f64), (b, of_b): (f64, f64), v: f64) -> f64 {
    let (size_a, size_b) = (a.abs(), b.abs());
    let magnitude = match func {
        Func::Add | Func::Sub => of_a + of_b,
        Func::Mul => size_a * of_b + (of_a - size_a) * size_b,
        Func::Div => of_a / size_b + v.abs() * (of_b - size_b) / size_b,
        Func::Min | Func::Max => chosen(v, (a, of_a)).max(chosen(v, (b, of_b))),
        _ => v.abs(),
    };
    if magnitude.is_nan() { f64::INFINITY } else { magnitude }
}

/// What the magnitude of one of two numbers counts for where `v` of them is chosen: of the other one only where
/// roundings may choose it instead, which they never do where a maximum begins far below everything.
fn chosen(v: f64, (x, of_x): (f64, f64)) -> f64 {
    if x == v || (v - x).abs() < NEAR * of_x { of_x } else { 0.0 }
}

impl Lane for Magnitude {
    const SECOND: bool = true;
    type Joiner = MagnitudeFold;

    fn floor(&self) -> f64 {
        self.floor
    }

    fn constant(&self, x: f64) -> (f64, f64) {
        (x, x.abs())
    }

    fn input(&self, _tensor: usize, values: &mut Reals) {
        values.b.iter_mut().zip(&values.v).for_each(|(b, v)| *b = v.abs());
    }

    fn stage(&self, _stage: usize, _values: &mut Reals) {}

    fn output(&self, _output: usize, _values: &mut Reals) {}

    fn unary(&self, func: Func, mut a: Reals) -> Reals {
        exact::unary(func, &mut a.v);
        if !matches!(func, Func::Neg | Func::Abs) {
            a.b.iter_mut().zip(&a.v).for_each(|(b, v)| *b = v.abs());
        }
        a
    }

    fn binary(&self, func: Func, mut a: Reals, b: &Reals) -> Reals {
        for i in 0..a.v.len() {
            let (left, right) = ((a.v[i], a.b[i]), (b.v[i], b.b[i]));
            a.v[i] = scalar::binary(func, left.0, right.0);
            a.b[i] = joined(func, left, right, a.v[i]);
        }
        a
    }

    fn compare(&self, func: Func, a: &Reals, b: &Reals) -> Vec<Truth> {
        Exact.compare(func, a, b)
    }

    fn select(&self, condition: &[Truth], mut a: Reals, b: &Reals) -> Reals {
        for (i, c) in condition.iter().enumerate() {
            if c & 1 == 0 {
                (a.v[i], a.b[i]) = (b.v[i], b.b[i]);
            }
            a.b[i] = a.b[i].max(self.floor);
        }
        a
    }

    fn join(&self, fold: Fold, _n: usize, _plain: bool) -> MagnitudeFold {
        MagnitudeFold { fold, values: PlainFold::new(fold), sum: 0.0, most: 0.0 }
    }
}

/// A reduction and its magnitude.
#[derive(Clone)]
pub struct MagnitudeFold {
    fold: Fold,
    values: PlainFold,
    sum: f64,
    most: f64,
}

impl Joiner for MagnitudeFold {
    fn add(&mut self, v: &[f64], b: &[f64], first: i64) {
        self.values.add(v, b, first);
        self.sum += b.iter().sum::<f64>();
        self.most = b.iter().fold(self.most, |most, b| most.max(*b));
    }

    fn maybe(&mut self, v: f64, b: f64, at: i64) {
        self.add(&[v], &[b], at);
    }

    fn finish(self) -> (f64, f64) {
        let value = self.values.finish().0;
        let magnitude = match self.fold {
            Fold::Sum | Fold::Mean => self.sum,
            Fold::Max | Fold::Min => self.most,
            _ => value.abs(),
        };
        (value, magnitude)
    }
}
