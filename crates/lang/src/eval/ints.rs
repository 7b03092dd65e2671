//! Integer arithmetic over a block, without copying where an index is a run.

use super::run::Trouble;
use super::value::{Ints, Truth, Truths};
use crate::fold::{compare, integer_binary, unary_integer};
use crate::func::Func;
use crate::op::Value;

/// A function of one integer.
pub fn unary(func: Func, a: &Ints, n: usize) -> Result<Ints, Trouble> {
    match (func, a) {
        (Func::Neg, Ints::Run(start, step)) => Ok(Ints::Run(-start, -step)),
        _ => lanes(a, &Ints::Uniform(0), n, |x, _| match unary_integer(func, x) {
            Some(Value::Int(v)) => Some(v),
            _ => None,
        }),
    }
}

/// A function of two integers.
pub fn binary(func: Func, a: &Ints, b: &Ints, n: usize) -> Result<Ints, Trouble> {
    match (func, a, b) {
        (Func::Add, Ints::Run(s, d), Ints::Uniform(u)) | (Func::Add, Ints::Uniform(u), Ints::Run(s, d)) => {
            Ok(Ints::Run(s + u, *d))
        }
        (Func::Sub, Ints::Run(s, d), Ints::Uniform(u)) => Ok(Ints::Run(s - u, *d)),
        (Func::Mul, Ints::Run(s, d), Ints::Uniform(u)) | (Func::Mul, Ints::Uniform(u), Ints::Run(s, d)) => {
            Ok(Ints::Run(s * u, d * u))
        }
        _ => lanes(a, b, n, |x, y| integer_binary(func, x, y)),
    }
}

fn lanes(a: &Ints, b: &Ints, n: usize, f: impl Fn(i64, i64) -> Option<i64>) -> Result<Ints, Trouble> {
    if let (Ints::Uniform(x), Ints::Uniform(y)) = (a, b) {
        return f(*x, *y).map(Ints::Uniform).ok_or(Trouble::Arithmetic);
    }
    let values = (0..n).map(|lane| f(a.at(lane), b.at(lane))).collect::<Option<Vec<_>>>();
    values.map(Ints::Column).ok_or(Trouble::Arithmetic)
}

/// A comparison of integers.
pub fn comparison(func: Func, a: &Ints, b: &Ints, n: usize) -> Truths {
    let truth = |lane: usize| Truth::from(compare(func, a.at(lane), b.at(lane)) == Some(true));
    match (a, b) {
        (Ints::Uniform(_), Ints::Uniform(_)) => Truths::Uniform(truth(0)),
        _ => Truths::Column((0..n).map(truth).collect()),
    }
}
