//! Double-double: a number as the unevaluated sum of two f64, about 106 bits. The reference where f64
//! kernels are checked and f64 itself is not enough. Arithmetic here, functions in `functions`.

mod functions;

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, Sub, SubAssign};

/// A number `hi + lo`, `lo` at most half a unit in the last place of `hi`. The exponent range is f64's; below
/// about 1e-290 the lower half begins to be lost. What is not finite is in `hi` alone.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Dd {
    hi: f64,
    lo: f64,
}

// Knuth's sum: s + e == a + b exactly.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

// The same where |a| >= |b|.
#[inline(always)]
fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

// Halves of 26 bits each. Very large numbers are scaled, so that the splitting does not overflow.
#[inline(always)]
fn split(a: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0;
    const BIG: f64 = 6.7e299;
    const DOWN: f64 = 1.0 / 268_435_456.0;
    let scale = if a.abs() > BIG { DOWN } else { 1.0 };
    let b = a * scale;
    let t = SPLITTER * b;
    let high = t - (t - b);
    (high / scale, (b - high) / scale)
}

// Dekker's product: p + e == a b exactly, without the fused operation that not every machine has.
#[inline(always)]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    let ((ah, al), (bh, bl)) = (split(a), split(b));
    (p, ((ah * bh - p) + ah * bl + al * bh) + al * bl)
}

impl Dd {
    /// 0.
    pub const ZERO: Dd = Dd { hi: 0.0, lo: 0.0 };
    /// 1.
    pub const ONE: Dd = Dd { hi: 1.0, lo: 0.0 };
    /// The circle's.
    pub const PI: Dd = Dd { hi: std::f64::consts::PI, lo: 1.2246467991473532e-16 };
    /// The natural logarithm of 2.
    pub const LN_2: Dd = Dd { hi: std::f64::consts::LN_2, lo: 2.3190468138462996e-17 };
    /// NaN.
    pub const NAN: Dd = Dd { hi: f64::NAN, lo: 0.0 };

    /// The sum of two numbers, exactly where both are finite.
    pub fn new(a: f64, b: f64) -> Dd {
        let (hi, lo) = two_sum(a, b);
        Dd::tidy(hi, lo)
    }

    /// The product of two numbers, exactly where it does not underflow.
    pub fn product(a: f64, b: f64) -> Dd {
        let (hi, lo) = two_product(a, b);
        Dd::tidy(hi, lo)
    }

    // What is not finite has no lower part.
    #[inline(always)]
    fn tidy(hi: f64, lo: f64) -> Dd {
        Dd { hi, lo: if hi.is_finite() && lo.is_finite() { lo } else { 0.0 } }
    }

    #[inline(always)]
    fn renormalised(a: f64, b: f64) -> Dd {
        let (hi, lo) = quick_two_sum(a, b);
        Dd::tidy(hi, lo)
    }

    /// The nearest f64.
    pub fn to_f64(self) -> f64 {
        self.hi
    }

    /// The upper part: the nearest f64.
    pub fn hi(self) -> f64 {
        self.hi
    }

    /// The lower part: what the upper leaves.
    pub fn lo(self) -> f64 {
        self.lo
    }

    /// Whether it is NaN.
    pub fn is_nan(self) -> bool {
        self.hi.is_nan()
    }

    /// Whether it is neither NaN nor infinite.
    pub fn is_finite(self) -> bool {
        self.hi.is_finite()
    }

    /// The magnitude.
    pub fn abs(self) -> Dd {
        if self.hi.is_sign_negative() { -self } else { self }
    }

    /// Times a power of two: exact, except for overflow and underflow.
    pub fn scaled(self, power: i32) -> Dd {
        // In two factors: one alone may not be a number of f64's.
        let (a, b) = (crate::pow2(power / 2), crate::pow2(power - power / 2));
        Dd::tidy(self.hi * a * b, self.lo * a * b)
    }

    /// The square.
    pub fn square(self) -> Dd {
        self * self
    }

    /// The square root.
    pub fn sqrt(self) -> Dd {
        if self.hi <= 0.0 || !self.is_finite() {
            return Dd::from(self.hi.sqrt());
        }
        // Near 1, where no lower half is lost; there one step of Newton's from the double's root.
        let e = crate::exponent(self.hi) & !1;
        let x = self.scaled(-e);
        let root = x.hi.sqrt();
        let rest = (x - Dd::product(root, root)).hi;
        Dd::renormalised(root, rest / (2.0 * root)).scaled(e / 2)
    }

    /// The largest whole number not above.
    pub fn floor(self) -> Dd {
        let hi = self.hi.floor();
        if hi == self.hi { Dd::renormalised(hi, self.lo.floor()) } else { Dd::from(hi) }
    }

    /// The smallest whole number not below.
    pub fn ceil(self) -> Dd {
        -(-self).floor()
    }

    /// Without the fraction.
    pub fn trunc(self) -> Dd {
        if self.hi < 0.0 { self.ceil() } else { self.floor() }
    }

    /// The nearest whole number, the even one of two as near.
    pub fn round(self) -> Dd {
        let low = self.floor();
        let rest = self - low;
        match rest.partial_cmp(&Dd::from(0.5)) {
            Some(Ordering::Less) => low,
            Some(Ordering::Greater) => low + Dd::ONE,
            Some(Ordering::Equal) if low == (low.scaled(-1)).floor().scaled(1) => low,
            Some(Ordering::Equal) => low + Dd::ONE,
            None => self,
        }
    }

    /// The smaller; of a number and NaN the number.
    pub fn min(self, other: Dd) -> Dd {
        if other < self || self.is_nan() { other } else { self }
    }

    /// The larger; of a number and NaN the number.
    pub fn max(self, other: Dd) -> Dd {
        if other > self || self.is_nan() { other } else { self }
    }
}

impl From<f64> for Dd {
    fn from(x: f64) -> Dd {
        Dd { hi: x, lo: 0.0 }
    }
}

impl From<i64> for Dd {
    fn from(n: i64) -> Dd {
        // Both halves of 32 bits are exact.
        Dd::new((n >> 32) as f64 * 4_294_967_296.0, (n & 0xffff_ffff) as f64)
    }
}

impl From<Dd> for f64 {
    fn from(x: Dd) -> f64 {
        x.hi
    }
}

impl PartialOrd for Dd {
    fn partial_cmp(&self, other: &Dd) -> Option<Ordering> {
        let upper = self.hi.partial_cmp(&other.hi)?;
        if upper == Ordering::Equal { self.lo.partial_cmp(&other.lo) } else { Some(upper) }
    }
}

impl Neg for Dd {
    type Output = Dd;
    fn neg(self) -> Dd {
        Dd { hi: -self.hi, lo: -self.lo }
    }
}

impl Add for Dd {
    type Output = Dd;
    #[inline]
    fn add(self, b: Dd) -> Dd {
        let (s, e) = two_sum(self.hi, b.hi);
        if !s.is_finite() {
            return Dd::from(s);
        }
        let (t, f) = two_sum(self.lo, b.lo);
        let (s, e) = quick_two_sum(s, e + t);
        Dd::renormalised(s, e + f)
    }
}

impl Sub for Dd {
    type Output = Dd;
    #[inline]
    fn sub(self, b: Dd) -> Dd {
        self + -b
    }
}

impl Mul for Dd {
    type Output = Dd;
    #[inline]
    fn mul(self, b: Dd) -> Dd {
        let (p, e) = two_product(self.hi, b.hi);
        if !p.is_finite() || p == 0.0 {
            return Dd::from(p);
        }
        Dd::renormalised(p, e + (self.hi * b.lo + self.lo * b.hi))
    }
}

impl Div for Dd {
    type Output = Dd;
    #[inline]
    fn div(self, b: Dd) -> Dd {
        let q = self.hi / b.hi;
        if !q.is_finite() || q == 0.0 || !b.is_finite() {
            return Dd::from(q);
        }
        let rest = self - b * Dd::from(q);
        let q2 = rest.hi / b.hi;
        let q3 = (rest - b * Dd::from(q2)).hi / b.hi;
        let (s, e) = quick_two_sum(q, q2);
        Dd::renormalised(s, e + q3)
    }
}

// With the sign of the dividend, as f64's.
impl Rem for Dd {
    type Output = Dd;
    fn rem(self, b: Dd) -> Dd {
        self - b * (self / b).trunc()
    }
}

impl AddAssign for Dd {
    fn add_assign(&mut self, b: Dd) {
        *self = *self + b;
    }
}

impl SubAssign for Dd {
    fn sub_assign(&mut self, b: Dd) {
        *self = *self - b;
    }
}

impl MulAssign for Dd {
    fn mul_assign(&mut self, b: Dd) {
        *self = *self * b;
    }
}

impl DivAssign for Dd {
    fn div_assign(&mut self, b: Dd) {
        *self = *self / b;
    }
}

impl std::iter::Sum for Dd {
    fn sum<I: Iterator<Item = Dd>>(all: I) -> Dd {
        all.fold(Dd::ZERO, |a, b| a + b)
    }
}

impl fmt::Display for Dd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:e} + {:e}", self.hi, self.lo)
    }
}
