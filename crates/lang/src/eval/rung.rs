//! What one rounding may do to a value, and a bar made whole.

use ktwin_num::{Float, Language, flushes_subnormals, math};

/// Lanes that are settled together.
pub const CHUNK: usize = 64;

pub type Lanes = [f64; CHUNK];

/// The few, and one number beside them.
#[inline(always)]
pub fn padded(few: &[f64], with: f64) -> Lanes {
    let mut lanes = [with; CHUNK];
    lanes[..few.len()].copy_from_slice(few);
    lanes
}

/// What one rounding of a rung may do.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    pub float: Float,
    pub unit: f64,
    /// The bits of an f64 that are zero in every number of the rung.
    pub below: u64,
    pub max: f64,
    pub min_normal: f64,
    /// The smallest number above zero.
    pub least: f64,
    /// The most that underflow changes: the smallest normal number where the language may flush.
    pub tiny: f64,
    /// The most that underflow changes in a formula of several operations: another way of writing it may
    /// underflow where this one does not, so nothing below the smallest normal number is promised.
    pub under: f64,
    /// How many bars a value must be away from overflow: one; or as many as there are in the magnitude that another
    /// way of writing the formula may reach before it cancels.
    pub room: f64,
}

impl Rung {
    pub fn new(float: Float, language: Language) -> Rung {
        let flushes = flushes_subnormals(language);
        let precision = math::log2(1.0 / float.unit_roundoff()).round() as u32;
        // half of the least number of f64 is none
        let half = if precision >= 53 { float.min_subnormal() } else { 0.5 * float.min_subnormal() };
        let tiny = if flushes { float.min_normal() } else { half };
        Rung {
            float,
            // the twin is evaluated in f64 itself: there each operation is rounded twice, by it and by the kernel
            unit: if precision >= 53 { 2.0 * float.unit_roundoff() } else { float.unit_roundoff() },
            below: (1u64 << (53 - precision.min(53))) - 1,
            max: float.max_finite(),
            min_normal: float.min_normal(),
            least: float.min_subnormal(),
            tiny,
            room: 1.0,
            under: tiny,
        }
    }

    /// The rung for a formula of several operations, where bars are at least `slack` times the magnitude.
    pub fn of_several(self, slack: f64) -> Rung {
        Rung { under: self.min_normal, room: 1.0 / slack, ..self }
    }

    /// Whether a value has no more digits than the rung holds. Of f64 this cannot be told by an f64.
    #[inline(always)]
    pub fn holds(&self, v: f64) -> bool {
        (v.to_bits() & self.below == 0) & (self.below != 0)
    }

    /// What underflow may change a result of this size by. Nothing changes a zero that is sure; of f64 none is, since
    /// the twin underflows there itself.
    #[inline(always)]
    pub fn underflow(&self, v: f64, bar: f64) -> f64 {
        let m = v.abs();
        let sure = (m == 0.0) & (bar == 0.0) & (self.below != 0);
        if m < 2.0 * self.min_normal && !sure { self.under } else { 0.0 }
    }

    /// What bringing a number into the rung may change, `sure` where it is known exactly.
    #[inline(always)]
    pub fn rounding(&self, v: f64, sure: bool) -> f64 {
        self.inexact(v, sure) + self.underflow(v, 0.0)
    }

    /// The same of a number that does not underflow.
    #[inline(always)]
    pub fn inexact(&self, v: f64, sure: bool) -> f64 {
        if sure & self.holds(v) { 0.0 } else { self.unit * v.abs() }
    }

    /// A bar made whole: unbounded where the rung may overflow. A value that is not finite is `known` where it comes
    /// of operands that are what they are, and not of an overflow that another kernel may not have.
    #[inline(always)]
    pub fn settle(&self, v: f64, bar: f64, known: bool) -> f64 {
        let finite = v.abs() < f64::INFINITY;
        // a bar that is NaN is not within either
        let within = v.abs() + self.room * bar <= self.max;
        let bounded = if within { bar } else { f64::INFINITY };
        let special = if known { 0.0 } else { f64::INFINITY };
        if finite { bounded } else { special }
    }

    /// Bars of a few lanes made whole, and what `own` underflows do added. Nearly always all values lie in the
    /// middle of the range, and nothing is to be done.
    #[inline(always)]
    pub fn settle_lanes(&self, v: &Lanes, bar: &mut Lanes, own: f64, known: impl Fn(usize) -> bool) {
        let mut plain = true;
        for i in 0..CHUNK {
            plain &= (v[i].abs() + self.room * bar[i] <= self.max) & (v[i].abs() >= 2.0 * self.min_normal);
        }
        if !plain {
            for i in 0..CHUNK {
                bar[i] = self.settle(v[i], bar[i] + own * self.underflow(v[i], bar[i]), known(i));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_gets_the_bar_that_it_gets_alone() {
        for language in [Language::Wgsl, Language::C] {
            let rung = Rung::new(Float::F32, language);
            let odd = [0.0, -0.0, 1e-45, 1e-38, 2.5, -3.4e38, 1e39, f64::INFINITY, f64::NAN];
            let bars = [0.0, 1e-9, 1e-46, 1e30, f64::INFINITY, f64::NAN];
            let pairs: Vec<(f64, f64)> = odd.iter().flat_map(|v| bars.map(|b| (*v, b))).collect();
            for (place, (v, b)) in pairs.iter().enumerate() {
                let (mut many, mut alone) = ([1.0; CHUNK], [1e-7; CHUNK]);
                (many[place % CHUNK], alone[place % CHUNK]) = (*v, *b);
                let mut together = alone;
                rung.settle_lanes(&many, &mut together, 2.0, |i| many[i].is_infinite());
                for i in 0..CHUNK {
                    let own = 2.0 * rung.underflow(many[i], alone[i]);
                    alone[i] = rung.settle(many[i], alone[i] + own, many[i].is_infinite());
                    assert_eq!(together[i].to_bits(), alone[i].to_bits(), "{v} with {b}, lane {i}");
                }
            }
        }
    }
}
