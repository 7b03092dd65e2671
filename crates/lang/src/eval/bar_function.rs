//! Error bars of functions of one argument: what the argument's bar does to the result, and the function's own error
//! in the kernel's language.

use ktwin_num::{Accuracy, accuracy};

use super::bar::Bars;
use super::pool;
use super::rung::{CHUNK, Lanes, Rung, padded};
use super::simd::vectorised;
use super::value::Reals;
use crate::func::Func;
use crate::function::{self, Row, bent, flat, grown, root};

/// Value and bar of a function of one argument.
pub fn unary(bars: &Bars, func: Func, mut a: Reals) -> Reals {
    match func {
        Func::Neg => {
            a.v.iter_mut().for_each(|v| *v = -*v);
            return a;
        }
        Func::Abs => {
            a.v.iter_mut().for_each(|v| *v = v.abs());
            return a;
        }
        Func::ToReal => {
            for (v, b) in a.v.iter().zip(&mut a.b) {
                *b += bars.compute.rounding(*v, *b == 0.0);
            }
            return a;
        }
        Func::Floor | Func::Ceil | Func::Trunc | Func::Round | Func::Sign => return stepped(func, a),
        _ => {}
    }
    let arguments = pool::copied(&a.v);
    if matches!(func, Func::Exp | Func::Exp2 | Func::Sigmoid) {
        rewrite_exponent(bars, &mut a);
    }
    Bars::values(func, &mut a.v);
    if let Some(row) = function::of(func) {
        // a function that a language lacks is not better on any device: the kernel brings its own
        let whose = if row.everywhere { bars.promise.functions } else { bars.promise.language };
        let table = accuracy(whose, row.table, bars.promise.compute);
        let units = Units::of(&table);
        carry(bars, row, &arguments, &mut a, units.unwrap_or(Units::NONE));
        if units.is_none() {
            add_own(&table, bars.compute, &arguments, &mut a);
        }
    }
    if matches!(func, Func::Log | Func::Log2 | Func::Log10) {
        // the logarithm to another base, and a product
        let unit = 2.0 * bars.compute.unit;
        a.v.iter().zip(&mut a.b).for_each(|(v, b)| *b += if v.is_finite() { unit * v.abs() } else { 0.0 });
    }
    pool::give(arguments);
    a
}

/// `exp(x)` may be `exp2(x log2 e)`, or the other way round: the roundings of the constant and of the product.
fn rewrite_exponent(bars: &Bars, a: &mut Reals) {
    let (unit, v, b) = (2.0 * bars.compute.unit, a.v.as_slice(), a.b.as_mut_slice());
    vectorised!(v: &'a [f64], b: &'a mut [f64], unit: f64 => {
        for (v, b) in v.iter().zip(b) {
            *b += if v.is_finite() { unit * v.abs() } else { 0.0 };
        }
    });
}

/// A function's own error as `base + slope |x|` units in the last place, as most tables have it.
#[derive(Clone, Copy)]
struct Units {
    base: f64,
    slope: f64,
}

impl Units {
    const NONE: Units = Units { base: 0.0, slope: 0.0 };

    fn of(table: &Accuracy) -> Option<Units> {
        match *table {
            Accuracy::CorrectlyRounded => Some(Units { base: 0.5, slope: 0.0 }),
            Accuracy::Ulp(base) => Some(Units { base, slope: 0.0 }),
            Accuracy::UlpOfArg { base, slope } => Some(Units { base, slope }),
            _ => None,
        }
    }

    /// The error at `x`, where the function is `v`.
    #[inline(always)]
    fn error(self, rung: &Rung, x: f64, v: f64) -> f64 {
        let units = self.base + self.slope * x.abs().min(f64::MAX);
        // a unit in the last place is at most twice the unit roundoff times the value
        let ulp = (2.0 * rung.unit * v.abs()).max(rung.least);
        if v.abs() > 0.0 { units * ulp } else { 0.0 }
    }
}

/// Adds the function's own errors where a table has a form of its own.
fn add_own(table: &Accuracy, rung: Rung, x: &[f64], a: &mut Reals) {
    let mut own = pool::filled(a.v.len(), 0.0);
    table.error_slice(rung.float, x, &[0.0], &a.v, &mut own);
    for i in 0..own.len() {
        let known = a.b[i] < f64::INFINITY && (a.v[i].is_nan() | x[i].is_infinite());
        a.b[i] = rung.settle(a.v[i], a.b[i] + own[i], known);
    }
    pool::give(own);
}

fn carry(bars: &Bars, row: &Row, x: &[f64], a: &mut Reals, own: Units) {
    // an exponential is far from nothing that cancels: it overflows where it does
    let exponential = matches!(row.named.func, Func::Exp | Func::Exp2);
    let rung = if exponential { Rung { room: 1.0, ..bars.compute } } else { bars.compute };
    let n = a.v.len();
    let (v, b, x) = (&a.v[..n], &mut a.b[..n], &x[..n]);
    match row.named.func {
        // the common ones in loops of their own, so that they vectorise
        Func::Exp => {
            vectorised!(rung: Rung, v: &'a [f64], b: &'a mut [f64], x: &'a [f64], own: Units => {
                lanes(rung, v, b, x, own, |_, v, b| grown(v, b))
            })
        }
        Func::Sigmoid => {
            vectorised!(rung: Rung, v: &'a [f64], b: &'a mut [f64], x: &'a [f64], own: Units => {
                lanes(rung, v, b, x, own, bent)
            })
        }
        Func::Sqrt => {
            vectorised!(rung: Rung, v: &'a [f64], b: &'a mut [f64], x: &'a [f64], own: Units => {
                lanes(rung, v, b, x, own, root)
            })
        }
        Func::Tanh => {
            vectorised!(rung: Rung, v: &'a [f64], b: &'a mut [f64], x: &'a [f64], own: Units => {
                lanes(rung, v, b, x, own, flat)
            })
        }
        _ => lanes(rung, v, b, x, own, |x, v, b| {
            let bar = (row.spread)(x, v, b);
            if bar.is_nan() { f64::INFINITY } else { bar }
        }),
    }
}

#[inline(always)]
fn lanes(rung: Rung, v: &[f64], b: &mut [f64], x: &[f64], own: Units, f: impl Fn(f64, f64, f64) -> f64) {
    let (vs, v_rest) = v.as_chunks();
    let (bars, b_rest) = b.as_chunks_mut();
    let (xs, x_rest) = x.as_chunks();
    for ((v, b), x) in vs.iter().zip(bars).zip(xs) {
        chunk(&rung, v, b, x, own, &f);
    }
    if !b_rest.is_empty() {
        let (v, mut b, x) = (padded(v_rest, 1.0), padded(b_rest, 0.0), padded(x_rest, 1.0));
        chunk(&rung, &v, &mut b, &x, own, &f);
        b_rest.copy_from_slice(&b[..b_rest.len()]);
    }
}

#[inline(always)]
fn chunk(rung: &Rung, v: &Lanes, b: &mut Lanes, x: &Lanes, own: Units, f: &impl Fn(f64, f64, f64) -> f64) {
    let given = *b;
    for i in 0..CHUNK {
        let reached = f(x[i], v[i], b[i]);
        let carried = if b[i] == 0.0 { 0.0 } else { reached };
        b[i] = carried + own.error(rung, x[i], v[i]);
    }
    let known = |i: usize| (given[i] < f64::INFINITY) & (v[i].is_nan() | x[i].is_infinite());
    rung.settle_lanes(v, b, 1.0, known);
}

/// Functions that step: the bar is what the steps within the argument's bar make.
fn stepped(func: Func, mut a: Reals) -> Reals {
    for (v, b) in a.v.iter_mut().zip(&mut a.b) {
        let (x, reach) = (*v, *b);
        *v = crate::scalar::unary(func, x);
        if reach > 0.0 && x.is_finite() {
            let (low, high) = (crate::scalar::unary(func, x - reach), crate::scalar::unary(func, x + reach));
            *b = (*v - low).abs().max((high - *v).abs());
        }
    }
    a
}
