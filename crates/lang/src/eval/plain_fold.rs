//! Reductions of values alone, in f64: the exact lane's, integers', and the comparisons of every lane.

use super::lane::Joiner;
use super::simd::vectorised;
use crate::node::Fold;
use crate::scalar::{greatest, least};

/// Joins values; sums go by eight accumulators, so that the order is fixed and the loop vectorises.
#[derive(Clone, Debug)]
pub struct PlainFold {
    fold: Fold,
    count: usize,
    sums: [f64; 8],
    best: f64,
    best_at: i64,
}

impl PlainFold {
    pub fn new(fold: Fold) -> PlainFold {
        let best = match fold {
            Fold::Max | Fold::ArgMax => f64::NEG_INFINITY,
            Fold::Min | Fold::ArgMin => f64::INFINITY,
            Fold::Prod => 1.0,
            _ => 0.0,
        };
        PlainFold { fold, count: 0, sums: [0.0; 8], best, best_at: -1 }
    }

    fn extreme(&mut self, v: &[f64], first: i64) {
        let max = self.fold == Fold::ArgMax;
        for (i, x) in v.iter().enumerate() {
            let better = if max { *x > self.best } else { *x < self.best };
            let first_nan = x.is_nan() && !self.best.is_nan();
            if (better && !self.best.is_nan()) || first_nan || self.best_at < 0 {
                self.best = *x;
                self.best_at = first + i as i64;
            }
        }
    }
}

/// Adds `v` to eight running sums.
#[inline(always)]
pub fn add_to_sums(sums: &mut [f64; 8], v: &[f64]) {
    let mut chunks = v.chunks_exact(8);
    for chunk in &mut chunks {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            *sum += x;
        }
    }
    for (sum, x) in sums.iter_mut().zip(chunks.remainder()) {
        *sum += x;
    }
}

/// The total of eight running sums.
pub fn total(sums: &[f64; 8]) -> f64 {
    ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
}

impl Joiner for PlainFold {
    fn add(&mut self, v: &[f64], _b: &[f64], first: i64) {
        self.count += v.len();
        match self.fold {
            Fold::Sum | Fold::Mean => {
                let sums = &mut self.sums;
                vectorised!(sums: &'a mut [f64; 8], v: &'a [f64] => { add_to_sums(sums, v) });
            }
            Fold::Prod => self.best = v.iter().fold(self.best, |a, x| a * x),
            Fold::Max => self.best = v.iter().fold(self.best, |a, x| greatest(a, *x)),
            Fold::Min => self.best = v.iter().fold(self.best, |a, x| least(a, *x)),
            Fold::ArgMax | Fold::ArgMin => self.extreme(v, first),
            Fold::Any => self.best = f64::from(u8::from(self.best != 0.0 || v.iter().any(|x| *x != 0.0))),
        }
    }

    fn maybe(&mut self, _v: f64, _b: f64, _at: i64) {}

    fn finish(self) -> (f64, f64) {
        let value = match self.fold {
            Fold::Sum => total(&self.sums),
            Fold::Mean => total(&self.sums) / self.count as f64,
            Fold::ArgMax | Fold::ArgMin => self.best_at as f64,
            _ => self.best,
        };
        (value, 0.0)
    }
}
