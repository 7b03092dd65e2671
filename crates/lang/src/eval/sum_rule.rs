//! How much the roundings of a sum may add: one rule for single sums and for matrix products.

use super::rung::Rung;

/// The rungs of a sum and how its terms were made.
#[derive(Clone, Copy, Debug)]
pub struct SumRule {
    pub compute: Rung,
    pub accumulate: Rung,
    /// Whether roundings may conspire.
    pub structured: bool,
    /// What of the magnitude of its terms a sum may be off by, whatever its roundings: see `Slack`.
    pub slack: f64,
}

impl SumRule {
    /// Whether the worst case decides a sum of `n` terms: always where data are structured; for short sums
    /// it is sharper.
    #[inline(always)]
    pub fn worst_case(&self, n: usize) -> bool {
        self.structured || n <= 36
    }

    /// What underflow may change a sum of `n` terms by, where the magnitudes of its terms add up to `size`.
    #[inline(always)]
    pub fn underflow(&self, n: usize, value: f64, size: f64) -> f64 {
        let rung = &self.accumulate;
        let near = rung.underflow(value.abs().min(size), 0.0) > 0.0;
        // partial sums that are flushed show where roundings are smaller than what is flushed
        let flushed = (size > 0.0) & (size * rung.unit < rung.tiny);
        if near | flushed { n as f64 * rung.tiny } else { 0.0 }
    }

    /// What the roundings of a sum of terms that are all much the same may add: each goes the same way as the one
    /// before, as long as the sum stays in the same octave. `squares` is the sum of the terms' squares.
    #[inline(always)]
    pub fn steady(&self, n: usize, value: f64, squares: f64, partial: f64) -> f64 {
        let (n, unit) = (n as f64, self.accumulate.unit);
        let (mean, spread) = (value / n, 8.0 * unit * partial);
        let alike = squares / n - mean * mean <= spread * spread;
        if alike & (partial > 0.0) { n * unit * partial } else { 0.0 }
    }

    /// What each unit of a number may be off by where the `n` terms of a sum are added onto it one by one.
    pub fn onto(&self, n: usize) -> f64 {
        let n = n as f64;
        self.accumulate.unit * if self.structured { n } else { n.min(6.0 * n.sqrt()) }
    }

    /// What scaling the terms one by one, rather than their sum, may add: a factor moved into a sum or out of it.
    #[inline(always)]
    pub fn scaling(&self, magnitude: f64) -> f64 {
        self.slack * magnitude
    }

    /// What bringing a sum from a finer accumulator to the compute rung may change.
    #[inline(always)]
    pub fn returned(&self, value: f64) -> f64 {
        if self.accumulate.unit < self.compute.unit { self.compute.unit * value.abs() } else { 0.0 }
    }

    /// The bar of a sum of `n` terms: unbounded where some order of the terms, a term, or the sum of terms that are
    /// scaled down afterwards, may overflow. What is added up in an accumulator comes to the compute rung as a whole.
    #[inline(always)]
    pub fn bounded(&self, n: usize, magnitude: f64, bar: f64) -> f64 {
        let scaled = if self.slack > 0.0 { magnitude * n as f64 } else { magnitude };
        let over = (scaled > self.accumulate.max) | (magnitude > self.compute.max);
        if over & magnitude.is_finite() { f64::INFINITY } else { bar }
    }

    /// What the roundings of a sum of `n` terms may add. `size` is the sum of magnitudes in the worst case;
    /// otherwise the
    /// larger of the largest partial sum and the 2-norm of the terms.
    #[inline(always)]
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

/// What rounding may take of a term in the same direction each time, where half a unit of the sum is `half`.
#[inline(always)]
pub fn lost(v: f64, half: f64) -> f64 {
    let size = v.abs();
    let least = if size < half { size } else { half };
    if size < 4.0 * half { least } else { 0.0 }
}

/// Whether the first of many terms are a few numbers again and again.
pub fn repeats(v: &[f64]) -> bool {
    const SEEN: usize = 32;
    const SAME: usize = 6;
    let seen = &v[..v.len().min(SEEN)];
    let first = &seen[..seen.len().min(4)];
    let same = seen.iter().skip(4).filter(|x| **x != 0.0 && first.contains(x)).count();
    same >= SAME
}
