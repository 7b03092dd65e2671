//! How the roundings of long sums in arrays from elsewhere are bounded: the statistical rule where honest orders of
//! these very sums keep to it, else the worst case.

use ktwin_lang::{Elements, Meaning, Order, Rounding};
use ktwin_num::Tensor;

use super::{Arrays, Claim, prepared};
use crate::kernel::Kernel;

/// How the bars of long sums were made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sums {
    /// No sum is so long that it matters.
    Short,
    /// For the worst case, as asked.
    Worst,
    /// Statistical, as asked.
    Statistical,
    /// Statistical, since honest orders of these very sums stay inside: the largest share of a bar that they need.
    Behaved(f64),
    /// For the worst case, since some honest order of these sums leaves the statistical bar.
    Misbehaved,
    /// For the worst case, since both rules come to the same bars: the terms of these sums are much alike, so that
    /// their roundings may go one way, or sums are not what rounds most.
    Alike,
}

impl Sums {
    /// Whether the worst case is assumed.
    pub fn worst(self) -> bool {
        matches!(self, Sums::Short | Sums::Worst | Sums::Misbehaved | Sums::Alike)
    }
}

impl std::fmt::Display for Sums {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Sums::Short => f.write_str("worst case; none is long enough for it to matter"),
            Sums::Worst => f.write_str("worst case, as asked"),
            Sums::Statistical => f.write_str("statistical, as asked"),
            Sums::Behaved(share) => {
                write!(f, "statistical; honest orders on these arrays need at most {share:.2} of the bar")
            }
            Sums::Misbehaved => {
                f.write_str("worst case; an honest order on these arrays leaves the statistical bar")
            }
            Sums::Alike => {
                f.write_str("worst case, which comes to the same bars as the statistical rule here")
            }
        }
    }
}

/// Sums of up to so many terms have the same bars by both rules.
pub const SHORT: usize = 36;
/// Terms of plain loops up to which every element is looked at, and the elements that are looked at beyond.
const TERMS: f64 = 2e6;
const SPREAD: usize = 2048;

pub(super) fn sums(claim: &Claim, kernel: &Kernel, all: &[Arrays]) -> Result<Sums, String> {
    let (mut share, mut alike) = (0f64, true);
    if claim.worst == Some(true) {
        return Ok(Sums::Worst);
    }
    for arrays in all {
        let prepared = prepared(claim, kernel, &kernel.op, arrays, false)?;
        if prepared.at.longest_sum() <= SHORT {
            return Ok(Sums::Short);
        }
        let setup = prepared.setup.at(claim.compute, claim.accumulate);
        let promise = setup.promise(&prepared.at, &arrays.inputs, false);
        let worst = setup.promise(&prepared.at, &arrays.inputs, true);
        alike = alike && same_bars(&prepared.at, &arrays.inputs, [&promise, &worst])?;
        if claim.worst.is_some() {
            continue;
        }
        let needed = needed(&prepared.at, &arrays.inputs, &promise, setup.rounding(&prepared.at))?;
        match needed <= 1.0 {
            true => share = share.max(needed),
            false => return Ok(Sums::Misbehaved),
        }
    }
    Ok(match (alike, claim.worst) {
        (true, _) => Sums::Alike,
        (false, Some(_)) => Sums::Statistical,
        (false, None) => Sums::Behaved(share),
    })
}

/// Bars that are no wider than so much of others are the same.
const SAME: f64 = 1.1;

/// Whether the worst case comes to the same bars as the statistical rule.
fn same_bars(
    at: &ktwin_lang::Case,
    inputs: &[Tensor],
    [statistical, worst]: [&ktwin_lang::Promise; 2],
) -> Result<bool, String> {
    for (output, shape) in at.output_shapes.iter().enumerate() {
        let places = places(at, shape);
        let bars = |promise: &ktwin_lang::Promise| {
            let (meaning, some) = (Meaning::Bars(promise.clone()), Elements::Of(output, &places));
            let made = at.evaluate(inputs, &meaning, some).map_err(|e| e.to_string())?;
            Ok::<_, String>(made.into_iter().flat_map(|made| made.bars).collect::<Vec<f64>>())
        };
        let (few, most) = (bars(statistical)?, bars(worst)?);
        if few.iter().zip(&most).any(|(few, most)| *most > SAME * few) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The elements of an output that are looked at: all, or where that is much work some all over it.
fn places(at: &ktwin_lang::Case, shape: &[usize]) -> Vec<usize> {
    let size: usize = shape.iter().product();
    let whole = at.loops() <= TERMS || size <= SPREAD;
    (0..size).step_by(if whole { 1 } else { size.div_ceil(SPREAD) }).collect()
}

/// The largest share of their statistical bars that honest orders of these inputs' sums need.
pub fn needed(
    at: &ktwin_lang::Case,
    inputs: &[Tensor],
    promise: &ktwin_lang::Promise,
    rounding: Rounding,
) -> Result<f64, String> {
    let mut worst = 0f64;
    for (output, shape) in at.output_shapes.iter().enumerate() {
        let places = places(at, shape);
        let evaluate = |meaning: &Meaning| {
            let made = at.evaluate(inputs, meaning, Elements::Of(output, &places)).map_err(|e| e.to_string());
            made.and_then(|outputs| outputs.into_iter().next().ok_or("nothing was evaluated".to_string()))
        };
        let barred = evaluate(&Meaning::Bars(promise.clone()))?;
        for order in Order::ALL {
            for fused in [false, true] {
                let got = evaluate(&Meaning::Rounded(Rounding { order: *order, fused, ..rounding.clone() }))?;
                for ((value, bar), got) in barred.values.iter().zip(&barred.bars).zip(got.values) {
                    worst = worst.max(share(*value, *bar, got));
                }
            }
        }
    }
    Ok(worst)
}

/// An error as a share of its bar, where a bar is finite and a number is due.
fn share(value: f64, bar: f64, got: f64) -> f64 {
    let error = (got - value).abs();
    match value.is_finite() && bar.is_finite() && error > 0.0 {
        true if error.is_nan() => f64::INFINITY,
        true => error / bar,
        false => 0.0,
    }
}
