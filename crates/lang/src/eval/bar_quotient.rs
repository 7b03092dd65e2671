//! Error bars of quotients.

use ktwin_num::Accuracy;

use super::bar::Bars;
use super::rung::Rung;
use super::simd::vectorised;
use super::value::Reals;

impl Bars {
    /// `a / b` in `a`'s place.
    pub(super) fn quotient(&self, a: &mut Reals, b: &Reals) {
        let rung = self.compute;
        let units = match self.divides {
            // a division, or a product with the reciprocal
            Accuracy::CorrectlyRounded if self.lone() => 1.0,
            Accuracy::CorrectlyRounded => 2.0,
            Accuracy::Ulp(n) | Accuracy::UlpWithin { ulps: n, .. } => 2.0 * n,
            _ => 2.0,
        };
        let (least, most) = match self.divides {
            Accuracy::UlpWithin { lo, hi, .. } => (lo, hi),
            _ => (0.0, f64::INFINITY),
        };
        let rule = Quotients { rung, units, least, most };
        match (&b.v[..], &b.b[..]) {
            // one divisor for all lanes: it is divided by once; its own doubt is far above what that rounds
            ([y], [by]) if *by > 0.0 && (1.0 / y).is_normal() => {
                let (inverse, reach) = (1.0 / y, 1.0 / (y.abs() - by));
                vectorised!(a: &'a mut Reals, b: &'a Reals, rule: Quotients, inverse: f64, reach: f64 => {
                    rule.lanes(a, b, |x, _| x * inverse, |carried, _| carried * reach)
                });
            }
            _ => vectorised!(a: &'a mut Reals, b: &'a Reals, rule: Quotients => {
                rule.lanes(a, b, |x, y| x / y, |carried, room| carried / room)
            }),
        }
    }
}

/// What decides the bar of a quotient: the language's table, and the divisors that it speaks of.
#[derive(Clone, Copy)]
struct Quotients {
    rung: Rung,
    units: f64,
    least: f64,
    most: f64,
}

impl Quotients {
    #[inline(always)]
    fn lanes(
        &self,
        a: &mut Reals,
        b: &Reals,
        divide: impl Fn(f64, f64) -> f64,
        carry: impl Fn(f64, f64) -> f64,
    ) {
        let f = |x: f64, bx: f64, y: f64, by: f64| {
            let v = divide(x, y);
            let room = y.abs() - by;
            let sure = bx + by == 0.0;
            let carried = if room > 0.0 { carry(bx + v.abs() * by, room) } else { f64::INFINITY };
            let known = (y.abs() >= self.least) & (y.abs() <= self.most);
            let own = self.units * self.rung.inexact(v, sure & (self.units == 1.0));
            (v, (if sure { 0.0 } else { carried }) + if known { own } else { f64::INFINITY })
        };
        Bars::zip(&self.rung, (a, b), self.units, f, |x, y| x.is_infinite() | (y == 0.0))
    }
}
