//! The bars of matrix products: many sums of equally many products.

use super::bar::Bars;
use super::lane::{Products, Sums};
use super::rung::Rung;
use super::simd::vectorised;
use super::sum_rule::SumRule;

impl Products for Bars {
    fn bars(&self) -> bool {
        true
    }

    fn worst_case(&self, n: usize) -> bool {
        self.sums.worst_case(n)
    }

    fn of_sums(&self, n: usize, sums: &Sums, carried: &mut [f64]) {
        let rule = Rule { n, worst: self.sums.worst_case(n), compute: self.compute, sums: self.sums };
        vectorised!(rule: Rule, sums: &'a Sums<'a>, carried: &'a mut [f64] => {
            let sums = sums.values.iter().zip(sums.scales).zip(sums.partials);
            for (bar, ((value, scale), partial)) in carried.iter_mut().zip(sums) {
                *bar = rule.bar(*value, *scale, *partial, *bar);
            }
        });
    }
}

/// What all of these sums have in common.
#[derive(Clone, Copy)]
struct Rule {
    n: usize,
    worst: bool,
    compute: Rung,
    sums: SumRule,
}

impl Rule {
    /// The bar of one sum: `scale` is the sum of magnitudes or of squares, `carried` the bars of the terms themselves.
    #[inline(always)]
    fn bar(&self, value: f64, scale: f64, partial: f64, carried: f64) -> f64 {
        let Rule { n, worst, ref compute, ref sums } = *self;
        let terms = n as f64;
        let size = if worst { scale } else { scale.sqrt() };
        // each product is rounded once: the sum of their magnitudes is at most sqrt(n) times their 2-norm
        let magnitude = if worst { size } else { terms.sqrt() * size };
        let products = compute.unit * magnitude;
        let steady = if worst { 0.0 } else { sums.steady(n, value, scale, partial) };
        let sum = sums.roundings(n, if worst { size } else { size.max(partial) }).max(steady);
        // terms that are not far above half a unit of a long sum lose in the same direction: a second-order share
        let half = terms * sums.accumulate.unit;
        let lost = if worst { 0.0 } else { 0.25 * half * half * size.max(partial) };
        let small = (size > 0.0) & (size < terms * compute.min_normal);
        let products_flushed = if small { terms * compute.tiny } else { 0.0 };
        let flushed = products_flushed + sums.underflow(n, value, size) + sums.returned(value);
        let bar = carried + products + sum + lost + sums.scaling(magnitude) + flushed;
        sums.accumulate.settle(value, sums.bounded(n, magnitude, bar), carried != f64::INFINITY)
    }
}
