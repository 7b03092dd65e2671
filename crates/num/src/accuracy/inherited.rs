//! Errors of functions that inherit them from an expression: the expression is evaluated in f64 with a
//! first-order error beside each value, every operation adding what its own language and format allow.

use super::{Function, Language, accuracy};
use crate::float::Float;
use crate::math;

/// Where a calculation takes place.
#[derive(Copy, Clone)]
struct Place {
    language: Language,
    fmt: Float,
}

/// A number known up to an error.
#[derive(Copy, Clone)]
struct Approx {
    value: f64,
    error: f64,
}

fn exact(value: f64) -> Approx {
    Approx { value, error: 0.0 }
}

impl Place {
    // A value with the error passed on to it and its own. What was passed on may have lifted the value into
    // the next power of two, where units are twice as large.
    fn own(self, function: Function, x: f64, y: f64, value: f64, passed: f64) -> Approx {
        let own = accuracy(self.language, function, self.fmt).error(self.fmt, x, y, value.abs() + passed);
        Approx { value, error: passed + own }
    }

    // A function's value with its own error, and the argument's error times the derivative.
    fn apply(self, function: Function, x: Approx, f: fn(f64) -> f64, derivative: f64) -> Approx {
        let value = f(x.value);
        let passed = if x.error == 0.0 { 0.0 } else { x.error * derivative.abs() };
        self.own(function, x.value, 0.0, value, passed)
    }

    fn add(self, a: Approx, b: Approx) -> Approx {
        let value = a.value + b.value;
        self.own(Function::Add, a.value, b.value, value, a.error + b.error)
    }

    fn sub(self, a: Approx, b: Approx) -> Approx {
        self.add(a, Approx { value: -b.value, ..b })
    }

    fn mul(self, a: Approx, b: Approx) -> Approx {
        let value = a.value * b.value;
        let passed = a.value.abs() * b.error + b.value.abs() * a.error + a.error * b.error;
        self.own(Function::Mul, a.value, b.value, value, passed)
    }

    fn div(self, a: Approx, b: Approx) -> Approx {
        let value = a.value / b.value;
        let room = b.value.abs() - b.error;
        let passed = if room > 0.0 { (a.error + value.abs() * b.error) / room } else { f64::INFINITY };
        self.own(Function::Div, a.value, b.value, value, passed)
    }

    fn sqrt(self, x: Approx) -> Approx {
        if x.value <= x.error {
            let value = libm::sqrt(x.value.max(0.0));
            return Approx { value, error: libm::sqrt(2.0 * x.error.max(0.0)) + self.fmt.ulp(value) };
        }
        self.apply(Function::Sqrt, x, libm::sqrt, 0.5 * math::rsqrt(x.value))
    }

    fn exp(self, x: Approx) -> Approx {
        self.apply(Function::Exp, x, libm::exp, libm::exp(x.value) * libm::exp(x.error.min(1.0)))
    }

    fn exp2(self, x: Approx) -> Approx {
        let slope = std::f64::consts::LN_2 * libm::exp2(x.value + x.error.min(1.0));
        self.apply(Function::Exp2, x, libm::exp2, slope)
    }

    fn log(self, x: Approx) -> Approx {
        self.apply(Function::Log, x, libm::log, 1.0 / (x.value - x.error).max(0.0))
    }

    fn log2(self, x: Approx) -> Approx {
        self.apply(Function::Log2, x, libm::log2, std::f64::consts::LOG2_E / (x.value - x.error).max(0.0))
    }

    fn atan2(self, y: Approx, x: Approx) -> Approx {
        let value = libm::atan2(y.value, x.value);
        let square = x.value * x.value + y.value * y.value;
        let passed = (x.value.abs() * y.error + y.value.abs() * x.error) / square;
        self.own(Function::Atan2, y.value, x.value, value, passed)
    }

    fn hyperbolic(self, x: Approx, join: fn(Place, Approx, Approx) -> Approx) -> Approx {
        let minus = Approx { value: -x.value, ..x };
        self.mul(join(self, self.exp(x), self.exp(minus)), exact(0.5))
    }

    // log of a sum with a root in it: asinh and acosh.
    fn log_root(self, x: Approx, one: f64) -> Approx {
        self.log(self.add(x, self.sqrt(self.add(self.mul(x, x), exact(one)))))
    }

    // The quotient may be off enough to be cut at another whole number: then by one whole y.
    fn rem(self, x: f64, y: f64) -> Approx {
        let q = self.div(exact(x), exact(y));
        let whole = q.value.trunc();
        let slip = (q.value - q.error).trunc() != whole || (q.value + q.error).trunc() != whole;
        let r = self.sub(exact(x), self.mul(exact(y), exact(whole)));
        Approx { error: r.error + if slip { y.abs() } else { 0.0 }, ..r }
    }

    fn evaluate(self, function: Function, x: f64, y: f64) -> Approx {
        use Function::*;
        let (a, one) = (exact(x), exact(1.0));
        match function {
            Rem => self.rem(x, y),
            Fract => self.sub(a, exact(x.floor())),
            Cbrt => self.pow(Approx { value: x.abs(), error: 0.0 }, exact(1.0 / 3.0)),
            Hypot => self.sqrt(self.add(self.mul(a, a), self.mul(exact(y), exact(y)))),
            Exp10 => self.exp2(self.mul(a, exact(std::f64::consts::LOG2_10))),
            Expm1 => self.sub(self.exp(a), one),
            Log10 => self.mul(self.log2(a), exact(std::f64::consts::LOG10_2)),
            Log1p => self.log(self.add(one, a)),
            Pow => self.pow(a, exact(y)),
            Tan => self.div(self.apply(Sin, a, libm::sin, 0.0), self.apply(Cos, a, libm::cos, 0.0)),
            Asin => self.atan2(a, self.sqrt(self.sub(one, self.mul(a, a)))),
            Acos => self.atan2(self.sqrt(self.sub(one, self.mul(a, a))), a),
            Sinh => self.hyperbolic(a, Place::sub),
            Cosh => self.hyperbolic(a, Place::add),
            Tanh => self.div(self.hyperbolic(a, Place::sub), self.hyperbolic(a, Place::add)),
            Asinh => self.log_root(a, 1.0),
            Acosh => self.log_root(a, -1.0),
            Atanh => self.mul(self.log(self.div(self.add(one, a), self.sub(one, a))), exact(0.5)),
            Sigmoid => self.div(one, self.add(one, self.exp(exact(-x)))),
            Degrees => self.scale(a, 180.0 / std::f64::consts::PI),
            Radians => self.scale(a, std::f64::consts::PI / 180.0),
            _ => Approx { value: x, error: f64::INFINITY },
        }
    }

    fn scale(self, x: Approx, by: f64) -> Approx {
        self.mul(x, Approx { value: by, error: by * self.fmt.unit_roundoff() })
    }

    fn pow(self, x: Approx, y: Approx) -> Approx {
        self.exp2(self.mul(y, self.log2(x)))
    }
}

/// The error that evaluating the function's expression may make.
pub fn error(language: Language, function: Function, fmt: Float, x: f64, y: f64) -> f64 {
    let error = Place { language, fmt }.evaluate(function, x, y).error;
    if error.is_nan() { f64::INFINITY } else { error }
}
