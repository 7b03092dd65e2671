//! What a policy makes of an output: a limit for every element, or one number for all of them. NaN and infinity
//! where a number is due are wrong by every policy, and what is not promised is judged by none.

use ktwin_num::DType;

use super::{Policy, Rule};
use crate::compare::Expected;
use crate::inputs::Prepared;
use crate::metrics::{Metrics, ulp};

/// A policy made ready for one output.
#[derive(Clone, Debug, PartialEq)]
pub struct Decider {
    /// The policy.
    pub policy: Policy,
    /// The most that each element may be off, where the policy says so for each.
    pub(crate) limits: Option<Vec<f64>>,
    /// Terms of the longest sum times the unit roundoff.
    scale: f64,
}

/// Gives every output the policy that decides it, where it is not the error bar.
pub(crate) fn attach(prepared: &Prepared, policy: &Policy, all: &mut [Expected]) -> Result<(), String> {
    let contract = &prepared.kernel.contract;
    let rounded = match policy.rule {
        Rule::Twice { .. } => prepared.rounded(contract.compute, contract.accumulate)?,
        _ => vec![Vec::new(); all.len()],
    };
    if let Rule::ByType { numbers } = policy.rule {
        uncut(prepared, numbers, all)?;
    }
    let coarsest = contract.compute.unit_roundoff().max(contract.accumulate.unit_roundoff());
    let terms = prepared.at.longest_sum();
    for (expected, rounded) in all.iter_mut().zip(&rounded) {
        expected.policy = Some(Decider::new(policy, expected, rounded, (terms, coarsest)));
    }
    Ok(())
}

/// Whole numbers that are allowed a part of a step are compared to what is due before that is cut to a whole number.
fn uncut(prepared: &Prepared, numbers: &[(DType, f64, f64)], all: &mut [Expected]) -> Result<(), String> {
    let is_cut = |e: &Expected| {
        e.dtype.is_integer() && numbers.iter().any(|(dtype, _, atol)| *dtype == e.dtype && atol.fract() > 0.0)
    };
    if !all.iter().any(is_cut) {
        return Ok(());
    }
    let exact = prepared.exact()?;
    for (expected, exact) in all.iter_mut().zip(&exact).filter(|(e, _)| is_cut(e)) {
        let (lo, hi) = expected.dtype.integer_range().unwrap_or((0, 0));
        let each = expected.values.iter_mut().zip(exact).filter(|(_, exact)| !exact.is_nan());
        each.for_each(|(value, exact)| *value = exact.clamp(lo as f64, hi as f64));
    }
    Ok(())
}

impl Decider {
    /// A policy for an output. `rounded` is what the formula gives at the promised rungs, needed by `twice` alone;
    /// then the terms of the longest sum and the coarsest promised roundoff.
    pub fn new(
        policy: &Policy,
        expected: &Expected,
        rounded: &[f64],
        (terms, coarsest): (usize, f64),
    ) -> Decider {
        let stored = expected.dtype.float().map_or(0.0, |f| f.unit_roundoff());
        let scale = terms.max(1) as f64 * coarsest.max(stored);
        Decider { policy: policy.clone(), limits: limits(policy.rule, expected, rounded), scale }
    }

    /// Whether an element must be what its value is stored as.
    pub(crate) fn is_exact(&self) -> bool {
        self.policy.rule == Rule::Exact
    }

    /// Whether the policy takes an output as a whole, where it is one that decides so.
    pub(crate) fn takes(&self, expected: &Expected, got: &[f64]) -> Option<bool> {
        let metrics = || Metrics::of(expected, got);
        Some(match self.policy.rule {
            Rule::Nmse { most } => metrics().nmse <= most,
            Rule::Cosine { least } => {
                let metrics = metrics();
                metrics.or_right(metrics.cosine) >= least
            }
            Rule::Correlation { least, relative } => {
                let metrics = metrics();
                metrics.or_right(metrics.correlation) >= least && metrics.max_rel <= relative
            }
            Rule::Residual { most } => residual(expected, got) <= most * self.scale,
            _ => return None,
        })
    }
}

impl Decider {
    /// What the policy measures of an output as a whole, where it does: `, nmse 3.20e-6`.
    pub(crate) fn measured(&self, metrics: &Metrics) -> String {
        let share = |name: &str, share: Option<f64>| match share {
            Some(share) => format!(", {name} {share:.6}"),
            None => format!(", which has no {name}: all that is due is one number, or all that came"),
        };
        match self.policy.rule {
            Rule::Nmse { .. } => format!(", nmse {:.2e}", metrics.nmse),
            Rule::Cosine { .. } => share("cosine", metrics.cosine),
            Rule::Correlation { .. } => {
                share("correlation", metrics.correlation) + &format!(", max_rel {:.2e}", metrics.max_rel)
            }
            _ => String::new(),
        }
    }

    /// How much of what the policy allows an output uses, where it is one that decides of an output as a whole.
    pub(crate) fn share(&self, expected: &Expected, got: &[f64]) -> Option<f64> {
        let whole = |used: f64| if used.is_nan() { 0.0 } else { used };
        let metrics = || Metrics::of(expected, got);
        Some(match self.policy.rule {
            Rule::Nmse { most } => whole(metrics().nmse / most),
            Rule::Cosine { least } => {
                let metrics = metrics();
                whole((1.0 - metrics.or_right(metrics.cosine)) / (1.0 - least))
            }
            Rule::Correlation { least, relative } => {
                let metrics = metrics();
                let correlation = metrics.or_right(metrics.correlation);
                whole((1.0 - correlation) / (1.0 - least)).max(whole(metrics.max_rel / relative))
            }
            Rule::Residual { most } => whole(residual(expected, got) / (most * self.scale)),
            _ => return None,
        })
    }
}

impl Expected {
    /// How much an output uses of what its policy allows: 1 is all of it, and more is refused.
    pub fn share_of_policy(&self, got: &[f64]) -> f64 {
        if self.policy.is_none() {
            return f64::INFINITY;
        }
        let compared = self.compare(got, &[]);
        // a class that is wrong has no share
        if compared.ratio <= 1.0 && !compared.failing.is_empty() { f64::INFINITY } else { compared.ratio }
    }
}

/// The most that each element may be off.
fn limits(rule: Rule, expected: &Expected, rounded: &[f64]) -> Option<Vec<f64>> {
    let values = &expected.values;
    let each = |of: &dyn Fn(f64) -> f64| Some(values.iter().map(|v| of(*v)).collect());
    match rule {
        Rule::Bar { margin } => Some(expected.bars.iter().map(|b| margin * b).collect()),
        Rule::Allclose { rtol, atol } => each(&|e| atol + rtol * e.abs()),
        Rule::AllcloseMax { rtol, atol } => each(&|e| atol.max(rtol * e.abs())),
        Rule::ByType { numbers } => {
            let found = numbers.iter().find(|(dtype, ..)| *dtype == expected.dtype);
            let (rtol, atol) = found.map_or((0.0, 0.0), |(_, rtol, atol)| (*rtol, *atol));
            each(&|e| atol + rtol * e.abs())
        }
        Rule::Ulp { most } => each(&|e| most * ulp(expected.dtype, e)),
        // of the value as it is stored, to which `Expected` compares
        Rule::Exact => each(&|_| 0.0),
        Rule::Twice { times } => {
            let half = |e: f64| 0.5 * ulp(expected.dtype, e);
            let pairs = values.iter().zip(rounded);
            Some(pairs.map(|(e, r)| times * (r - e).abs() + half(*e)).collect())
        }
        Rule::Nmse { .. } | Rule::Correlation { .. } | Rule::Cosine { .. } | Rule::Residual { .. } => None,
    }
}

/// The largest 1-norm of a matrix of errors over that of its values, the matrices lying over the last two dimensions:
/// the norm is the largest column sum. What has one dimension is one column.
fn residual(expected: &Expected, got: &[f64]) -> f64 {
    let shape = &expected.shape;
    let columns = if shape.len() < 2 { 1 } else { shape[shape.len() - 1].max(1) };
    let rows = if shape.len() < 2 { got.len().max(1) } else { shape[shape.len() - 2].max(1) };
    let mut worst = 0f64;
    for first in (0..got.len()).step_by(rows * columns) {
        let (mut errors, mut values) = (0f64, 0f64);
        for column in 0..columns {
            let (mut error, mut value) = (0.0, 0.0);
            for at in (0..rows).map(|row| first + row * columns + column) {
                if !expected.is_free(at) && expected.values[at].is_finite() && got[at].is_finite() {
                    error += expected.error(at, got[at]);
                    value += expected.values[at].abs();
                }
            }
            (errors, values) = (errors.max(error), values.max(value));
        }
        worst = worst.max(if errors == 0.0 { 0.0 } else { errors / values });
    }
    worst
}

/// What a value is stored as; packed blocks hold what their encoder makes of them.
pub(crate) fn stored(dtype: DType, value: f64) -> f64 {
    if matches!(dtype, DType::Block(_)) { value } else { dtype.round(value) }
}
