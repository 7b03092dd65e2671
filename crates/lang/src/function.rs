//! The functions of one real: a row each, with all that ktwin knows of it. How each language spells it is in
//! `ktwin new`'s drafts, how accurate it is there in the tables of `ktwin_num::accuracy`.

use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, LOG2_E, LOG10_E};

use ktwin_num::{Dd, Function, math};

use crate::func::{Func, Named, Takes};

/// A function of one real.
pub struct Row {
    /// What it is called, and as what.
    pub named: Named,
    /// Its name in the tables of accuracies.
    pub table: Function,
    /// Whether WGSL has it; where not, a kernel brings its own, which no device makes better.
    pub everywhere: bool,
    /// Its value.
    pub value: fn(f64) -> f64,
    /// Its value in double-double.
    pub double: fn(Dd) -> Dd,
    /// What an error of at most `b` in the argument `x` may do to the value `v`: from x, v and b.
    pub spread: fn(f64, f64, f64) -> f64,
}

const fn row(
    name: &'static str,
    (func, table): (Func, Function),
    value: fn(f64) -> f64,
    double: fn(Dd) -> Dd,
    spread: fn(f64, f64, f64) -> f64,
) -> Row {
    Row {
        named: Named { name, func, arity: 1, takes: Takes::Reals },
        table,
        everywhere: true,
        value,
        double,
        spread,
    }
}

/// The same of a function that WGSL lacks.
const fn lacking(
    name: &'static str,
    of: (Func, Function),
    value: fn(f64) -> f64,
    double: fn(Dd) -> Dd,
    spread: fn(f64, f64, f64) -> f64,
) -> Row {
    Row { everywhere: false, ..row(name, of, value, double, spread) }
}

/// Every one of them, sorted by name.
pub const ROWS: &[Row] = &[
    row("acos", (Func::Acos, Function::Acos), math::acos, |x| half_pi() - arc_sine(x), near_one),
    row("acosh", (Func::Acosh, Function::Acosh), math::acosh, arc_cosine_h, |x, _, b| {
        let low = x - b;
        if low > 1.0 { b / (low * low - 1.0).sqrt() } else { f64::INFINITY }
    }),
    row("asin", (Func::Asin, Function::Asin), math::asin, arc_sine, near_one),
    row("asinh", (Func::Asinh, Function::Asinh), math::asinh, arc_sine_h, |x, _, b| {
        let nearest = (x.abs() - b).max(0.0);
        b / (1.0 + nearest * nearest).sqrt()
    }),
    row("atan", (Func::Atan, Function::Atan), math::atan, Dd::atan, |_, _, b| b),
    row("atanh", (Func::Atanh, Function::Atanh), math::atanh, arc_tangent_h, |x, _, b| {
        let far = x.abs() + b;
        if far < 1.0 { b / ((1.0 - far) * (1.0 + far)) } else { f64::INFINITY }
    }),
    lacking("cbrt", (Func::Cbrt, Function::Cbrt), math::cbrt, cube_root, |x, v, b| {
        let low = x.abs() - b;
        let root = math::cbrt(low);
        if low > 0.0 { b / (3.0 * root * root) } else { v.abs() + math::cbrt(x.abs() + b) }
    }),
    row("cos", (Func::Cos, Function::Cos), math::cos, Dd::cos, wave),
    row("cosh", (Func::Cosh, Function::Cosh), math::cosh, Dd::cosh, |x, _, b| b * math::cosh(x.abs() + b)),
    lacking("erf", (Func::Erf, Function::Erf), math::erf, Dd::erf, |x, _, b| {
        let nearest = (x.abs() - b).max(0.0);
        b * FRAC_2_SQRT_PI * math::exp(-nearest * nearest)
    }),
    row("exp", (Func::Exp, Function::Exp), math::exp, Dd::exp, |_, v, b| grown(v, b)),
    row("exp2", (Func::Exp2, Function::Exp2), math::exp2, Dd::exp2, |_, v, b| grown(v, b * LN_2)),
    lacking("expm1", (Func::Expm1, Function::Expm1), math::expm1, Dd::expm1, |_, v, b| grown(v + 1.0, b)),
    row("log", (Func::Log, Function::Log), math::log, Dd::log, |x, _, b| logarithm(x, b)),
    lacking("log10", (Func::Log10, Function::Log10), math::log10, Dd::log10, |x, _, b| {
        logarithm(x, b) * LOG10_E
    }),
    lacking("log1p", (Func::Log1p, Function::Log1p), math::log1p, Dd::log1p, |x, _, b| logarithm(1.0 + x, b)),
    row("log2", (Func::Log2, Function::Log2), math::log2, Dd::log2, |x, _, b| logarithm(x, b) * LOG2_E),
    row("rsqrt", (Func::Rsqrt, Function::Rsqrt), math::rsqrt, Dd::rsqrt, |x, v, b| {
        let low = x - b;
        if low > 0.0 { 1.0 / low.sqrt() - v } else { f64::INFINITY }
    }),
    row("sigmoid", (Func::Sigmoid, Function::Sigmoid), math::sigmoid, Dd::sigmoid, bent),
    row("sin", (Func::Sin, Function::Sin), math::sin, Dd::sin, wave),
    row("sinh", (Func::Sinh, Function::Sinh), math::sinh, Dd::sinh, |x, _, b| b * math::cosh(x.abs() + b)),
    row("sqrt", (Func::Sqrt, Function::Sqrt), math::sqrt, Dd::sqrt, root),
    row("tan", (Func::Tan, Function::Tan), math::tan, Dd::tan, |_, v, b| {
        let far = (v.abs() + b * (1.0 + v * v)) * 1.1;
        if b * (1.0 + v * v) < 0.1 { b * (1.0 + far * far) } else { f64::INFINITY }
    }),
    row("tanh", (Func::Tanh, Function::Tanh), math::tanh, Dd::tanh, flat),
];

/// The row of a function, where it is one of these.
pub fn of(func: Func) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.named.func == func)
}

/// What a bar `b` of the exponent does to `v`: at least `v (e^b - 1)`.
#[inline(always)]
pub fn grown(v: f64, b: f64) -> f64 {
    // b (1 + b) is above e^b - 1 up to 1.79; a bar beyond that bounds nothing worth knowing
    let factor = if b < 1.5 { b * (1.0 + b) } else { f64::INFINITY };
    v.abs() * factor
}

/// What a bar does to a square root.
#[inline(always)]
pub fn root(x: f64, v: f64, b: f64) -> f64 {
    let low = x - b;
    if low > 0.0 { b / (v + low.sqrt()) } else { (x + b).max(0.0).sqrt() }
}

/// What a bar does to the sigmoid, which is steepest in the middle, and falls off as e^-t.
#[inline(always)]
pub fn bent(x: f64, v: f64, b: f64) -> f64 {
    let t = (x.abs() - b).max(0.0);
    grown(v * (1.0 - v), b).min(0.25 * b).min(b / (1.0 + t * (1.0 + 0.5 * t)))
}

/// What a bar does to the hyperbolic tangent. Its slope is 1 less its square, and at most 1 / (1 + t^2 + t^4 / 3) at t.
#[inline(always)]
pub fn flat(x: f64, v: f64, b: f64) -> f64 {
    let nearest = (v.abs() - b).max(0.0);
    let t = (x.abs() - b).max(0.0);
    let far = 1.0 / (1.0 + t * t * (1.0 + t * t / 3.0));
    b * (1.0 - nearest * nearest).min(far)
}

fn logarithm(x: f64, b: f64) -> f64 {
    if b < x { b / (x - b) } else { f64::INFINITY }
}

fn wave(_: f64, _: f64, b: f64) -> f64 {
    // where the argument may overflow, there is no value
    if b == f64::INFINITY { b } else { b.min(2.0) }
}

fn near_one(x: f64, _: f64, b: f64) -> f64 {
    let edge = 1.0 - (x.abs() + b).min(1.0);
    if x.abs() + b < 1.0 { b / (edge * (2.0 - edge)).sqrt() } else { (2.0 * b).sqrt() * 2.0 }
}

fn half_pi() -> Dd {
    Dd::PI.scaled(-1)
}

fn arc_sine(x: Dd) -> Dd {
    (x / ((Dd::ONE - x) * (Dd::ONE + x)).sqrt()).atan()
}

fn arc_sine_h(x: Dd) -> Dd {
    let (size, one) = (x.abs(), Dd::ONE);
    let square = size * size;
    let y = (size + square / (one + (one + square).sqrt())).log1p();
    if x.hi() < 0.0 { -y } else { y }
}

fn arc_cosine_h(x: Dd) -> Dd {
    let above = x - Dd::ONE;
    (above + (above * (x + Dd::ONE)).sqrt()).log1p()
}

fn arc_tangent_h(x: Dd) -> Dd {
    let (one, two) = (Dd::ONE, Dd::from(2.0));
    (two * x / (one - x)).log1p() / two
}

fn cube_root(x: Dd) -> Dd {
    let first = Dd::from(math::cbrt(x.hi()));
    if x.hi() == 0.0 || !x.hi().is_finite() {
        return first;
    }
    // one step of Newton's from a guess that is right to 53 bits
    let three = Dd::from(3.0);
    first - (first * first * first - x) / (three * first * first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_each_function_has_one() {
        assert!(ROWS.windows(2).all(|pair| pair[0].named.name < pair[1].named.name));
        for row in ROWS {
            assert_eq!(ROWS.iter().filter(|other| other.named.func == row.named.func).count(), 1);
        }
    }

    #[test]
    fn both_values_agree_and_spreads_hold_what_they_bound() {
        let places = [-3.5, -1.0, -0.99, -0.3, -1e-9, 0.0, 1e-12, 0.25, 0.75, 1.0, 1.5, 2.75, 40.0];
        for row in ROWS {
            let name = row.named.name;
            for x in places {
                let (v, double) = ((row.value)(x), (row.double)(Dd::from(x)));
                if !v.is_finite() {
                    continue;
                }
                let apart = (double - Dd::from(v)).abs().hi();
                assert!(apart <= 4.0 * f64::EPSILON * v.abs(), "{name}({x}): {v} and {}", double.hi());
                for b in [1e-9, 1e-3, 0.2] {
                    // x - b is itself rounded
                    let most = (row.spread)(x, v, b) * (1.0 + 1e-6) + 8.0 * f64::EPSILON * v.abs();
                    for near in [x - b, x - 0.5 * b, x + 0.5 * b, x + b] {
                        let moved = ((row.value)(near) - v).abs();
                        assert!(moved.is_nan() || moved <= most, "{name}({x} by {b}): {moved} and {most}");
                        // where the argument may leave the domain, nothing is promised
                        assert!(
                            !moved.is_nan()
                                || most == f64::INFINITY
                                || name.starts_with('a')
                                || name == "sqrt"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_saturated_moves_no_more() {
        assert!(flat(1000.0, 1.0, 0.5) < 1e-6 && flat(-1e6, -1.0, 1.0) < 1e-6);
        assert!(bent(-1e9, 0.0, 119.0) < 1e-15 && bent(1e9, 1.0, 119.0) < 1e-15);
        // never less than what an argument within the bar does
        for x in (-400..=400).map(|at| f64::from(at) / 20.0) {
            for b in [1e-7, 1e-3, 0.1, 0.5, 2.0, 10.0] {
                let moved = |f: fn(f64) -> f64| (f(x + b) - f(x)).abs().max((f(x - b) - f(x)).abs());
                let within = |moved: f64, bar: f64| moved <= bar * (1.0 + 1e-6) + 1e-15;
                assert!(within(moved(math::tanh), flat(x, math::tanh(x), b)), "tanh at {x} within {b}");
                assert!(
                    within(moved(math::sigmoid), bent(x, math::sigmoid(x), b)),
                    "sigmoid at {x} within {b}"
                );
            }
        }
    }
}
