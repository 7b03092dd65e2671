//! How much the roundings of a sum may add: one rule for single sums and for matrix products.

use super::rung::Rung;

/// The rungs of a sum and how its terms were made.
#[derive(Clone, Copy, Debug)]
pub struct SumRule {
    pub compute: Rung,
    pub accumulate: Rung,
    /// Whether roundings may conspire.
    pub structured: bool,
}

impl SumRule {
    /// Whether the worst case decides a sum of `n` terms: always where data are structured; for short sums
    /// it is sharper.
    pub fn worst_case(&self, n: usize) -> bool {
        self.structured || n <= 36
    }

    /// Whether a sum of multiples of `quantum`, magnitudes adding up to `magnitude`, is exact in any order.
    pub fn is_exact(&self, magnitude: f64, quantum: f64) -> bool {
        // no partial sum of multiples of `quantum` is smaller than it: where that is normal, nothing is flushed
        let whole =
            |rung: &Rung| magnitude * rung.unit <= quantum && magnitude <= rung.max && quantum >= rung.tiny;
        magnitude == 0.0 || (quantum > 0.0 && whole(&self.accumulate) && whole(&self.compute))
    }

    /// What underflow may change a sum of `n` terms by, where the magnitudes of its terms add up to `size`.
    pub fn underflow(&self, n: usize, value: f64, size: f64) -> f64 {
        let rung = &self.accumulate;
        let near = rung.underflow(value.abs().min(size)) > 0.0;
        // partial sums that are flushed show where roundings are smaller than what is flushed
        let flushed = size > 0.0 && size * rung.unit < rung.tiny;
        if near || flushed { n as f64 * rung.tiny } else { 0.0 }
    }

    /// A sum's bar: unbounded where some order of the terms, or a term, may overflow.
    pub fn bounded(&self, magnitude: f64, bar: f64) -> f64 {
        let over = magnitude > self.accumulate.max || magnitude > self.compute.max;
        if over && magnitude.is_finite() { f64::INFINITY } else { bar }
    }

    /// What the roundings of a sum of `n` terms may add. `size` is the sum of magnitudes in the worst case;
    /// otherwise the
    /// larger of the largest partial sum and the 2-norm of the terms.
    pub fn roundings(&self, n: usize, size: f64) -> f64 {
        let (worst, n) = (self.worst_case(n), n as f64);
        let unit = self.accumulate.unit;
        // terms of a finer compute rung are rounded to the accumulator's first
        let entering = if self.accumulate.float == self.compute.float { 0.0 } else { unit * size };
        match worst {
            true => (n - 1.0).max(0.0) * unit * size + entering,
            false => 6.0 * n.sqrt() * unit * size + entering * n.sqrt(),
        }
    }
}
