//! The exact lane: the value in f64, nothing beside it.

use super::lane::{Lane, Products, Sums};
use super::plain_fold::PlainFold;
use super::simd::vectorised;
use super::value::{Reals, Truth};
use crate::fold::compare;
use crate::func::Func;
use crate::function;
use crate::node::Fold;
use crate::scalar;

/// The value alone, in f64.
pub struct Exact;

/// A function of one argument on every lane, the common ones vectorised.
pub fn unary(func: Func, v: &mut [f64]) {
    use ktwin_num::math;
    match func {
        Func::Exp => math::exp_slice(v),
        Func::Tanh => math::tanh_slice(v),
        Func::Sigmoid => math::sigmoid_slice(v),
        Func::Log => math::log_slice(v),
        _ => match function::of(func) {
            Some(row) => v.iter_mut().for_each(|x| *x = (row.value)(*x)),
            None => v.iter_mut().for_each(|x| *x = scalar::unary(func, *x)),
        },
    }
}

/// A function of two arguments on every lane.
pub fn binary(func: Func, a: &mut [f64], b: &[f64]) {
    match func {
        Func::Add => vectorised!(a: &'a mut [f64], b: &'a [f64] => { zip(a, b, |x, y| x + y) }),
        Func::Sub => vectorised!(a: &'a mut [f64], b: &'a [f64] => { zip(a, b, |x, y| x - y) }),
        Func::Mul => vectorised!(a: &'a mut [f64], b: &'a [f64] => { zip(a, b, |x, y| x * y) }),
        Func::Div => vectorised!(a: &'a mut [f64], b: &'a [f64] => { zip(a, b, |x, y| x / y) }),
        _ => zip(a, b, |x, y| scalar::binary(func, x, y)),
    }
}

#[inline(always)]
fn zip(a: &mut [f64], b: &[f64], f: impl Fn(f64, f64) -> f64) {
    for (x, y) in a.iter_mut().zip(b) {
        *x = f(*x, *y);
    }
}

impl Lane for Exact {
    const SECOND: bool = false;
    type Joiner = PlainFold;

    fn constant(&self, x: f64) -> (f64, f64) {
        (x, 0.0)
    }

    fn input(&self, _tensor: usize, _values: &mut Reals) {}

    fn stage(&self, _stage: usize, _values: &mut Reals) {}

    fn output(&self, _output: usize, _values: &mut Reals) {}

    fn unary(&self, func: Func, mut a: Reals) -> Reals {
        unary(func, &mut a.v);
        a
    }

    fn binary(&self, func: Func, mut a: Reals, b: &Reals) -> Reals {
        binary(func, &mut a.v, &b.v);
        a
    }

    fn compare(&self, func: Func, a: &Reals, b: &Reals) -> Vec<Truth> {
        a.v.iter().zip(&b.v).map(|(x, y)| Truth::from(compare(func, *x, *y) == Some(true))).collect()
    }

    fn select(&self, condition: &[Truth], mut a: Reals, b: &Reals) -> Reals {
        for ((x, y), c) in a.v.iter_mut().zip(&b.v).zip(condition) {
            if c & 1 == 0 {
                *x = *y;
            }
        }
        a
    }

    fn join(&self, fold: Fold, _n: usize, _plain: bool) -> PlainFold {
        PlainFold::new(fold)
    }

    fn products(&self) -> Option<&dyn Products> {
        Some(self)
    }
}

impl Products for Exact {
    fn bars(&self) -> bool {
        false
    }

    fn worst_case(&self, _n: usize) -> bool {
        false
    }

    fn of_sums(&self, _n: usize, _sums: &Sums, _carried: &mut [f64]) {}
}
