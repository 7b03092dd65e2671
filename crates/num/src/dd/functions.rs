//! Elementary functions of double-doubles: argument reduction and series, about 100 bits.

use super::Dd;

// π/2 and ln 2 in three parts, for exact reduction. Made by scripts/math_vectors.py, as the constants below.
const HALF_PI: [f64; 3] = [std::f64::consts::FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591698e-33];
const LN_2: [f64; 3] = [std::f64::consts::LN_2, 2.3190468138462996e-17, 5.707708438416212e-34];
const LN_10: Dd = Dd { hi: std::f64::consts::LN_10, lo: -2.1707562233822494e-16 };
const TWO_BY_ROOT_PI: Dd = Dd { hi: std::f64::consts::FRAC_2_SQRT_PI, lo: 1.533545961316588e-17 };

/// Terms smaller than this, relative to the sum, no longer count.
const NEGLIGIBLE: f64 = 1e-34;

fn int(n: u32) -> Dd {
    Dd::from(f64::from(n))
}

// first + first * factor / divisor(1) + first * factor² / (divisor(1) divisor(2)) + …
fn series(first: Dd, factor: Dd, divisor: impl Fn(u32) -> u32) -> Dd {
    let (mut term, mut sum) = (first, first);
    for n in 1..400 {
        term = term * factor / int(divisor(n));
        sum += term;
        if term.hi().abs() <= NEGLIGIBLE * sum.hi().abs() {
            break;
        }
    }
    sum
}

// x - k * (a + b + c), the parts one after another.
fn reduced(x: Dd, k: f64, parts: [f64; 3]) -> Dd {
    parts.into_iter().fold(x, |r, part| r - Dd::product(k, part))
}

// sin r and cos r for |r| <= π/4.
fn sine_series(r: Dd) -> Dd {
    series(r, -r.square(), |n| 2 * n * (2 * n + 1))
}

fn cosine_series(r: Dd) -> Dd {
    series(Dd::ONE, -r.square(), |n| (2 * n - 1) * 2 * n)
}

impl Dd {
    // The quarter turn and the rest within it. Beyond 2^50 quarters not even the whole part is known.
    fn quarters(self) -> Option<(i64, Dd)> {
        let k = (self.hi() / HALF_PI[0]).round_ties_even();
        (k.abs() < 1.1e15).then(|| (k as i64 & 3, reduced(self, k, HALF_PI)))
    }

    /// The sine. Beyond 1e15 it is f64's own.
    pub fn sin(self) -> Dd {
        match self.quarters() {
            None => Dd::from(crate::math::sin(self.hi())),
            Some((0, r)) => sine_series(r),
            Some((1, r)) => cosine_series(r),
            Some((2, r)) => -sine_series(r),
            Some((_, r)) => -cosine_series(r),
        }
    }

    /// The cosine. Beyond 1e15 it is f64's own.
    pub fn cos(self) -> Dd {
        match self.quarters() {
            None => Dd::from(crate::math::cos(self.hi())),
            Some((0, r)) => cosine_series(r),
            Some((1, r)) => -sine_series(r),
            Some((2, r)) => -cosine_series(r),
            Some((_, r)) => sine_series(r),
        }
    }

    /// The tangent.
    pub fn tan(self) -> Dd {
        self.sin() / self.cos()
    }

    // e^r - 1 for |r| <= ln 2 / 2: the series at r / 256, then (e^r - 1)(e^r + 1) eight times.
    fn expm1_small(self) -> Dd {
        let r = self.scaled(-8);
        let mut m = series(r, r, |n| n + 1);
        for _ in 0..8 {
            m = m.scaled(1) + m.square();
        }
        m
    }

    /// e^x.
    pub fn exp(self) -> Dd {
        if self.hi() > 709.8 || self.hi() < -745.2 || self.is_nan() {
            return Dd::from(crate::math::exp(self.hi()));
        }
        let k = (self.hi() / LN_2[0]).round_ties_even();
        (Dd::ONE + reduced(self, k, LN_2).expm1_small()).scaled(k as i32)
    }

    /// e^x - 1, accurate near 0.
    pub fn expm1(self) -> Dd {
        if self.hi().abs() < 0.34 { self.expm1_small() } else { self.exp() - Dd::ONE }
    }

    /// 2^x.
    pub fn exp2(self) -> Dd {
        if self.hi() > 1024.0 || self.hi() < -1075.0 || self.is_nan() {
            return Dd::from(crate::math::exp2(self.hi()));
        }
        let k = self.hi().round_ties_even();
        (Dd::ONE + ((self - Dd::from(k)) * Dd::LN_2).expm1_small()).scaled(k as i32)
    }

    /// The natural logarithm.
    pub fn log(self) -> Dd {
        if self.hi() <= 0.0 || !self.is_finite() {
            return Dd::from(crate::math::log(self.hi()));
        }
        let away = self - Dd::ONE;
        if away.hi().abs() < 0.05 {
            return away.log1p_small();
        }
        // Out of f64's ends first, where the exponential below would lose its lower half.
        let e = crate::exponent(self.hi());
        let m = self.scaled(-e);
        let y = Dd::from(crate::math::log(m.hi()));
        let near = y + (m * (-y).exp() - Dd::ONE);
        near + Dd::product(f64::from(e), LN_2[0]) + Dd::product(f64::from(e), LN_2[1])
    }

    // log(1 + x) for small x: 2 artanh(s), s = x / (2 + x).
    fn log1p_small(self) -> Dd {
        let s = self / (Dd::from(2.0) + self);
        let square = s.square();
        let (mut power, mut sum) = (s, s);
        for n in 1..60 {
            power *= square;
            let term = power / int(2 * n + 1);
            sum += term;
            if term.hi().abs() <= NEGLIGIBLE * sum.hi().abs() {
                break;
            }
        }
        sum.scaled(1)
    }

    /// log(1 + x), accurate near 0.
    pub fn log1p(self) -> Dd {
        if self.hi().abs() < 0.05 { self.log1p_small() } else { (Dd::ONE + self).log() }
    }

    /// The logarithm to base 2, exact for powers of two.
    pub fn log2(self) -> Dd {
        if self.hi() <= 0.0 || !self.is_finite() {
            return self.log();
        }
        if (self.hi() - 1.0).abs() < 0.3 {
            return self.log() / Dd::LN_2;
        }
        let e = crate::exponent(self.hi());
        Dd::from(f64::from(e)) + self.scaled(-e).log() / Dd::LN_2
    }

    /// The logarithm to base 10.
    pub fn log10(self) -> Dd {
        self.log() / LN_10
    }

    /// x to the power y; whole powers by multiplication.
    pub fn pow(self, y: Dd) -> Dd {
        if y.lo() == 0.0 && y.hi() == y.hi().trunc() && y.hi().abs() <= 64.0 {
            let whole = self.whole_power(y.hi().abs() as u32);
            return if y.hi() < 0.0 { Dd::ONE / whole } else { whole };
        }
        if self.hi() <= 0.0 || !self.is_finite() || !y.is_finite() {
            return Dd::from(crate::math::pow(self.hi(), y.hi()));
        }
        (y * self.log()).exp()
    }

    fn whole_power(self, mut n: u32) -> Dd {
        let (mut base, mut result) = (self, Dd::ONE);
        while n > 0 {
            if n & 1 == 1 {
                result *= base;
            }
            n >>= 1;
            if n > 0 {
                base = base.square();
            }
        }
        result
    }

    /// The hyperbolic sine.
    pub fn sinh(self) -> Dd {
        if self.hi().abs() < 0.5 {
            return series(self, self.square(), |n| 2 * n * (2 * n + 1));
        }
        // Half first: e^x may overflow where the result does not.
        let e = (self.abs() - Dd::LN_2).exp();
        let s = e - Dd::from(0.25) / e;
        if self.hi() < 0.0 { -s } else { s }
    }

    /// The hyperbolic cosine.
    pub fn cosh(self) -> Dd {
        let e = (self.abs() - Dd::LN_2).exp();
        e + Dd::from(0.25) / e
    }

    /// The hyperbolic tangent.
    pub fn tanh(self) -> Dd {
        if self.hi().abs() > 40.0 {
            return Dd::from(1f64.copysign(self.hi()));
        }
        let m = self.abs().scaled(1).expm1();
        let t = m / (m + Dd::from(2.0));
        if self.hi() < 0.0 { -t } else { t }
    }

    /// The arc tangent.
    pub fn atan(self) -> Dd {
        if self.is_nan() || self.hi() == 0.0 {
            return self;
        }
        if self.hi().abs() > 1.0 {
            let quarter = Dd::PI.scaled(-1);
            let rest = (Dd::ONE / self.abs()).atan();
            return if self.hi() < 0.0 { rest - quarter } else { quarter - rest };
        }
        // From f64's answer y: atan x = y + atan((x - tan y) / (1 + x tan y)), and that rest is tiny.
        let y = Dd::from(crate::math::atan(self.hi()));
        let t = y.tan();
        y + (self - t) / (Dd::ONE + self * t)
    }

    /// The error function.
    pub fn erf(self) -> Dd {
        if self.is_nan() || self.hi().abs() > 8.6 {
            return if self.is_nan() { self } else { Dd::from(1f64.copysign(self.hi())) };
        }
        // Terms of one sign: 2/√π e^(-x²) (x + 2 x³/3 + 4 x⁵/15 + …).
        let square = self.square();
        TWO_BY_ROOT_PI * (-square).exp() * series(self, square.scaled(1), |n| 2 * n + 1)
    }

    /// 1 / (1 + e^-x).
    pub fn sigmoid(self) -> Dd {
        let e = (-self.abs()).exp();
        (if self.hi() >= 0.0 { Dd::ONE } else { e }) / (Dd::ONE + e)
    }

    /// 1 / sqrt(x).
    pub fn rsqrt(self) -> Dd {
        Dd::ONE / self.sqrt()
    }
}
