//! The double-double lane: about 100 bits, for references of f64 kernels. The low halves are kept in the
//! second plane.

use std::cmp::Ordering;

use ktwin_num::Dd;

use super::lane::{Joiner, Lane};
use super::value::{Reals, Truth};
use crate::fold::compare;
use crate::func::Func;
use crate::function;
use crate::node::Fold;
use crate::scalar;

/// Values in double-double.
pub struct Double;

fn unary(func: Func, x: Dd) -> Dd {
    match func {
        Func::Neg => -x,
        Func::Abs => x.abs(),
        Func::Floor => x.floor(),
        Func::Ceil => x.ceil(),
        Func::Trunc => x.trunc(),
        Func::Round => x.round(),
        Func::Sign => Dd::from(scalar::sign(x.hi())),
        _ => function::of(func).map_or(x, |row| (row.double)(x)),
    }
}

fn binary(func: Func, a: Dd, b: Dd) -> Dd {
    match func {
        Func::Add => a + b,
        Func::Sub => a - b,
        Func::Mul => a * b,
        Func::Div => a / b,
        Func::Pow => a.pow(b),
        Func::Min => a.min(b),
        Func::Max => a.max(b),
        Func::Atan2 => atan2(a, b),
        _ => a,
    }
}

/// The angle of the point (x, y), by the quadrant that f64 already tells.
fn atan2(y: Dd, x: Dd) -> Dd {
    let zero = Dd::from(0.0);
    if x.hi() == 0.0 || !x.is_finite() || !y.is_finite() {
        return Dd::from(scalar::binary(Func::Atan2, y.hi(), x.hi()));
    }
    let turn = Dd::PI;
    let base = (y / x).atan();
    match (x.partial_cmp(&zero), y.hi().is_sign_negative()) {
        (Some(Ordering::Less), true) => base - turn,
        (Some(Ordering::Less), false) => base + turn,
        _ => base,
    }
}

fn lane(values: &Reals, at: usize) -> Dd {
    let v = values.v[at];
    if v.is_finite() { Dd::new(v, values.b[at]) } else { Dd::from(v) }
}

fn put(values: &mut Reals, at: usize, x: Dd) {
    values.v[at] = x.hi();
    values.b[at] = if x.hi().is_finite() { x.lo() } else { 0.0 };
}

impl Lane for Double {
    const SECOND: bool = true;
    type Joiner = DoubleFold;

    fn constant(&self, x: f64) -> (f64, f64) {
        (x, 0.0)
    }

    fn input(&self, _tensor: usize, _values: &mut Reals) {}

    fn stage(&self, _stage: usize, _values: &mut Reals) {}

    fn output(&self, _output: usize, _values: &mut Reals) {}

    fn unary(&self, func: Func, mut a: Reals) -> Reals {
        for at in 0..a.len() {
            let x = unary(func, lane(&a, at));
            put(&mut a, at, x);
        }
        a
    }

    fn binary(&self, func: Func, mut a: Reals, b: &Reals) -> Reals {
        for at in 0..a.len() {
            let x = binary(func, lane(&a, at), lane(b, at));
            put(&mut a, at, x);
        }
        a
    }

    fn compare(&self, func: Func, a: &Reals, b: &Reals) -> Vec<Truth> {
        let truth = |at: usize| Truth::from(compare(func, lane(a, at), lane(b, at)) == Some(true));
        (0..a.len()).map(truth).collect()
    }

    fn select(&self, condition: &[Truth], mut a: Reals, b: &Reals) -> Reals {
        for (at, c) in condition.iter().enumerate() {
            if c & 1 == 0 {
                (a.v[at], a.b[at]) = (b.v[at], b.b[at]);
            }
        }
        a
    }

    fn join(&self, fold: Fold, _n: usize, _plain: bool) -> DoubleFold {
        let start = match fold {
            Fold::Prod => 1.0,
            Fold::Max | Fold::ArgMax => f64::NEG_INFINITY,
            Fold::Min | Fold::ArgMin => f64::INFINITY,
            _ => 0.0,
        };
        DoubleFold { fold, count: 0, value: Dd::from(start), at: -1 }
    }
}

/// Joins terms in double-double, in sequence.
#[derive(Clone)]
pub struct DoubleFold {
    fold: Fold,
    count: usize,
    value: Dd,
    at: i64,
}

impl Joiner for DoubleFold {
    fn add(&mut self, v: &[f64], b: &[f64], first: i64) {
        for (i, (v, b)) in v.iter().zip(b).enumerate() {
            let x = if v.is_finite() { Dd::new(*v, *b) } else { Dd::from(*v) };
            self.count += 1;
            match self.fold {
                Fold::Sum | Fold::Mean => self.value += x,
                Fold::Prod => self.value *= x,
                Fold::Any => self.value = if v != &0.0 { Dd::from(1.0) } else { self.value },
                Fold::Max => self.value = if x.is_nan() || x > self.value { x } else { self.value },
                Fold::Min => self.value = if x.is_nan() || x < self.value { x } else { self.value },
                Fold::ArgMax | Fold::ArgMin => {
                    let max = self.fold == Fold::ArgMax;
                    let better = if max { x > self.value } else { x < self.value };
                    if better || self.at < 0 {
                        (self.value, self.at) = (x, first + i as i64);
                    }
                }
            }
        }
    }

    fn maybe(&mut self, v: f64, b: f64, at: i64) {
        self.add(&[v], &[b], at);
    }

    fn finish(self) -> (f64, f64) {
        let value = match self.fold {
            Fold::Mean => self.value / Dd::from(self.count as f64),
            Fold::ArgMax | Fold::ArgMin => Dd::from(self.at as f64),
            _ => self.value,
        };
        (value.hi(), if value.hi().is_finite() { value.lo() } else { 0.0 })
    }
}
