//! Functions that inherit their accuracy from an expression: it is evaluated in f64 with the smallest and the largest
//! number beside each value that the language's own operations may give. Errors are not symmetric: near a pole, or
//! where a large number is cancelled, one side is far longer than the other.

use super::{Accuracy, Function, Language, accuracy};
use crate::float::{Float, exponent, pow2};
use crate::math;

/// What is known of the arguments of a calculation.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Given {
    /// They are the numbers that the kernel has: an operation that is exact for them adds nothing.
    Exactly,
    /// They are only near those that the kernel has: that an operation happens to be exact says nothing.
    Nearly,
}

/// Where a calculation takes place.
#[derive(Copy, Clone)]
pub struct Place {
    pub language: Language,
    pub fmt: Float,
    pub given: Given,
}

/// A number, and the smallest and largest that a calculation may have in its place.
#[derive(Copy, Clone)]
pub struct Range {
    pub low: f64,
    pub value: f64,
    pub high: f64,
}

impl Range {
    fn exact(value: f64) -> Range {
        Range { low: value, value, high: value }
    }

    fn any(value: f64) -> Range {
        Range { low: f64::NEG_INFINITY, value, high: f64::INFINITY }
    }

    fn minus(self) -> Range {
        Range { low: -self.high, value: -self.value, high: -self.low }
    }

    /// The number with all that lies between the ends, in any order; NaN among them leaves nothing known.
    fn between(value: f64, ends: impl IntoIterator<Item = (f64, f64)>) -> Range {
        let mut range = Range { low: f64::INFINITY, value, high: f64::NEG_INFINITY };
        for (low, high) in ends {
            if low.is_nan() || high.is_nan() {
                return Range::any(value);
            }
            range.low = range.low.min(low);
            range.high = range.high.max(high);
        }
        range
    }

    fn is_bounded(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }
}

/// An error in units, towards zero from a number: those past a power of two are half as large.
fn towards_zero(value: f64, error: f64) -> f64 {
    let room = value.abs() - pow2(exponent(value));
    if room > 0.0 && error > room { room + 0.5 * (error - room) } else { error }
}

impl Place {
    /// The results that the language accepts of one operation at numbers that give `value`.
    pub fn around(self, function: Function, x: f64, y: f64, value: f64) -> (f64, f64) {
        let entry = accuracy(self.language, function, self.fmt);
        if self.given == Given::Nearly {
            let error = entry.error_in(self.near_unit(function, value), self.fmt, x, y, value);
            return (value - error, value + error);
        }
        if entry == Accuracy::CorrectlyRounded && !self.fmt.same_format(Float::F64) {
            let rounded = self.fmt.round(value);
            return (rounded, rounded);
        }
        let error = entry.error_in(self.unit(value), self.fmt, x, y, value);
        let inward = if entry.is_in_ulps() { towards_zero(value, error) } else { error };
        let (below, above) = if value < 0.0 { (error, inward) } else { (inward, error) };
        self.inside(value - below, value, value + above)
    }

    /// The distance that the language counts in at a number.
    fn unit(self, value: f64) -> f64 {
        match self.language {
            Language::Wgsl | Language::OpenCl => self.fmt.nearer_ulp(value),
            _ => self.fmt.ulp(value),
        }
    }

    /// The unit of a result that is only nearly known. A factor may be in a quotient's numerator, as the x of x times a
    /// sigmoid is, and then units are as large as they can be for a number of that size.
    fn near_unit(self, function: Function, value: f64) -> f64 {
        let unit = self.fmt.ulp(value);
        if function == Function::Div { unit.max(2.0 * self.fmt.unit_roundoff() * value.abs()) } else { unit }
    }

    /// The outermost numbers of the format that are not outside.
    pub fn inside(self, low: f64, value: f64, high: f64) -> (f64, f64) {
        let (mut up, mut down) = (self.fmt.round(low), self.fmt.round(high));
        if up < low {
            up += self.fmt.ulp(low);
        }
        if down > high {
            down -= self.fmt.ulp(high);
        }
        if up <= down { (up, down) } else { (self.fmt.round(value), self.fmt.round(value)) }
    }

    // A function that rises or falls all the way.
    fn apply(self, function: Function, x: Range, f: fn(f64) -> f64) -> Range {
        let at = |x: f64| self.around(function, x, 0.0, f(x));
        let first = at(x.low);
        let last = if x.low == x.high { first } else { at(x.high) };
        Range::between(f(x.value), [first, last])
    }

    fn corners(self, function: Function, a: Range, b: Range, f: fn(f64, f64) -> f64) -> Range {
        let at = |x: f64, y: f64| self.around(function, x, y, f(x, y));
        let value = f(a.value, b.value);
        if !a.is_bounded() || !b.is_bounded() {
            return Range::any(value);
        }
        let single = |r: Range| r.low == r.high;
        match (single(a), single(b)) {
            (true, true) => Range::between(value, [at(a.low, b.low)]),
            (true, false) => Range::between(value, [at(a.low, b.low), at(a.low, b.high)]),
            (false, true) => Range::between(value, [at(a.low, b.low), at(a.high, b.low)]),
            _ => {
                let all = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
                Range::between(value, all.map(|(x, y)| at(x, y)))
            }
        }
    }

    fn add(self, a: Range, b: Range) -> Range {
        let at = |x: f64, y: f64| self.around(Function::Add, x, y, x + y);
        Range::between(a.value + b.value, [at(a.low, b.low), at(a.high, b.high)])
    }

    fn sub(self, a: Range, b: Range) -> Range {
        self.add(a, b.minus())
    }

    fn mul(self, a: Range, b: Range) -> Range {
        self.corners(Function::Mul, a, b, |x, y| x * y)
    }

    fn div(self, a: Range, b: Range) -> Range {
        if b.low <= 0.0 && b.high >= 0.0 {
            return Range::any(a.value / b.value);
        }
        self.corners(Function::Div, a, b, |x, y| x / y)
    }

    fn sqrt(self, x: Range) -> Range {
        if self.given == Given::Exactly && self.language == Language::Wgsl {
            let inverse = self.apply(Function::Rsqrt, x, math::rsqrt);
            return Range { value: libm::sqrt(x.value), ..self.div(Range::exact(1.0), inverse) };
        }
        let x = if self.given == Given::Nearly { Range { low: x.low.max(0.0), ..x } } else { x };
        let root = self.apply(Function::Sqrt, x, libm::sqrt);
        Range { low: root.low.max(0.0), ..root }
    }

    fn exp(self, x: Range) -> Range {
        self.apply(Function::Exp, x, libm::exp)
    }

    fn exp2(self, x: Range) -> Range {
        self.apply(Function::Exp2, x, libm::exp2)
    }

    fn log(self, x: Range) -> Range {
        self.apply(Function::Log, x, libm::log)
    }

    fn log2(self, x: Range) -> Range {
        self.apply(Function::Log2, x, libm::log2)
    }

    fn atan2(self, y: Range, x: Range) -> Range {
        self.corners(Function::Atan2, y, x, libm::atan2)
    }

    fn hyperbolic(self, x: Range, join: fn(Place, Range, Range) -> Range) -> Range {
        self.mul(join(self, self.exp(x), self.exp(x.minus())), Range::exact(0.5))
    }

    // log of a sum with a root in it: asinh and acosh.
    fn log_root(self, x: Range, one: f64) -> Range {
        self.log(self.add(x, self.sqrt(self.add(self.mul(x, x), Range::exact(one)))))
    }

    // The quotient may be off enough to be cut at another whole number: then by one whole y.
    fn rem(self, x: f64, y: f64) -> Range {
        let q = self.div(Range::exact(x), Range::exact(y));
        let whole = Range { low: q.low.trunc(), value: q.value.trunc(), high: q.high.trunc() };
        self.sub(Range::exact(x), self.mul(Range::exact(y), whole))
    }

    /// The results that the function's expression may have.
    pub fn evaluate(self, function: Function, x: f64, y: f64) -> Range {
        use Function::*;
        let (a, one) = (Range::exact(x), Range::exact(1.0));
        let exact = Range::exact;
        match function {
            Rem => self.rem(x, y),
            Sqrt => self.sqrt(a),
            Fract => self.sub(a, exact(x.floor())),
            Cbrt => self.pow(exact(x.abs()), exact(1.0 / 3.0)),
            Hypot => self.sqrt(self.add(self.mul(a, a), self.mul(exact(y), exact(y)))),
            Exp10 => self.exp2(self.mul(a, exact(std::f64::consts::LOG2_10))),
            Expm1 => self.sub(self.exp(a), one),
            Log10 => self.mul(self.log2(a), exact(std::f64::consts::LOG10_2)),
            Log1p => self.log(self.add(one, a)),
            Pow => self.pow(a, exact(y)),
            Tan => self.div(self.apply(Sin, a, libm::sin), self.apply(Cos, a, libm::cos)),
            Asin => self.atan2(a, self.sqrt(self.sub(one, self.mul(a, a)))),
            Acos => self.atan2(self.sqrt(self.sub(one, self.mul(a, a))), a),
            Sinh => self.hyperbolic(a, Place::sub),
            Cosh => self.hyperbolic(a, Place::add),
            Tanh => self.div(self.hyperbolic(a, Place::sub), self.hyperbolic(a, Place::add)),
            Asinh => self.log_root(a, 1.0),
            Acosh => self.log_root(a, -1.0),
            Atanh => self.mul(self.log(self.div(self.add(one, a), self.sub(one, a))), exact(0.5)),
            Sigmoid => self.sigmoid(x),
            Degrees => self.scale(a, 180.0 / std::f64::consts::PI),
            Radians => self.scale(a, std::f64::consts::PI / 180.0),
            _ => Range::any(x),
        }
    }

    // Where the exponential overflows, infinity divides to nothing; and what stops short of it, or is flushed, leaves
    // no more than numbers below the normal ones.
    fn sigmoid(self, x: f64) -> Range {
        let one = Range::exact(1.0);
        let range = self.div(one, self.add(one, self.exp(Range::exact(-x))));
        let value = math::sigmoid(x);
        let has_infinity = self.fmt.round(f64::INFINITY).is_infinite();
        if range.is_bounded() || value.is_nan() || !has_infinity {
            return range;
        }
        Range { low: 0.0, value, high: value + 2.0 * self.fmt.min_normal() }
    }

    fn scale(self, x: Range, by: f64) -> Range {
        let off = by * self.fmt.unit_roundoff();
        self.mul(x, Range { low: by - off, value: by, high: by + off })
    }

    fn pow(self, x: Range, y: Range) -> Range {
        self.exp2(self.mul(y, self.log2(x)))
    }
}

/// The error that evaluating the function's expression may make.
pub fn error(language: Language, function: Function, fmt: Float, x: f64, y: f64) -> f64 {
    let range = Place { language, fmt, given: Given::Nearly }.evaluate(function, x, y);
    let error = (range.high - range.value).max(range.value - range.low);
    if error.is_nan() { f64::INFINITY } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sigmoid_is_bounded_where_its_exponential_overflows() {
        for language in [Language::C, Language::Cuda, Language::Wgsl, Language::OpenCl] {
            let error = |fmt, x| error(language, Function::Sigmoid, fmt, x, 0.0);
            for x in [-89.0, -100.0, -1e4, -1e30] {
                assert!(error(Float::F32, x) < 1e-37, "{language:?} at {x}: {}", error(Float::F32, x));
            }
            assert!(error(Float::F16, -30.0) < 2e-4 && error(Float::BF16, -200.0) < 1e-37);
            // as before where nothing overflows
            assert!(error(Float::F32, -80.0) < 1e-38 && error(Float::F32, 2.0) < 1e-5);
        }
    }
}
