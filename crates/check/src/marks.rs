//! Data around the numbers that a source compares them with or clamps them to: `x > 88`, `fminf(v, 20)`. What a kernel
//! does past such a number it does nowhere else, and other data may lie on one side of it alone.

use ktwin_lang::Case as OpCase;
use ktwin_num::{Regime, Rng, Tensor, pow2};

use crate::case::Case;
use crate::inputs::reals;
use crate::kernel::Kernel;
use crate::literals;
use crate::setup::Setup;

/// The kind of the regime spread whose data lie so.
pub const KIND: usize = 7;
/// Inputs that a plan tries.
pub const INPUTS: usize = 2;
/// The sizes of numbers that data have.
const SIZES: std::ops::RangeInclusive<f64> = 1e-6..=256.0;
/// Data come as near as this share of the number, and are no further away than that.
const NEAREST: u64 = 20;
const FARTHEST: u64 = 3;

/// The numbers of a kernel's source that data are laid around.
pub fn of(kernel: &Kernel) -> Vec<f64> {
    literals::marks(kernel).into_iter().filter(|mark| SIZES.contains(&mark.abs())).collect()
}

/// Whether a case has such data.
pub fn are_in(case: &Case, kernel: &Kernel) -> bool {
    case.regime == Regime::Spread && case.chosen / reals(&kernel.op).len().max(1) == KIND
}

/// Lays the input of such a case that it chooses around them.
pub fn lay(
    kernel: &Kernel,
    case: &Case,
    at: &OpCase,
    setup: &Setup,
    inputs: &mut [Tensor],
) -> Result<(), String> {
    let reals = reals(at.op);
    let Some(&input) = reals.get(case.chosen % reals.len().max(1)).filter(|_| are_in(case, kernel)) else {
        return Ok(());
    };
    let (marks, dtype, domain) = (of(kernel), setup.inputs[input], at.input_domain(input));
    if marks.is_empty() || dtype.float().is_none() {
        return Ok(());
    }
    let mut rng = Rng::new(case.seed, 0x6d61_726b ^ input as u64);
    let values = inputs[input].to_f64().into_iter().map(|value| {
        let around = dtype.round(around(&marks, &mut rng));
        let takes = rng.below(4) > 0 && around.is_finite() && domain.contains(around);
        if takes { around } else { value }
    });
    let laid = Tensor::from_f64(dtype, &inputs[input].shape, &values.collect::<Vec<_>>());
    inputs[input] = laid.laid_out(case.layout(&at.op.inputs[input].name), &setup.told[input])?;
    Ok(())
}

/// One of the numbers, or a little more or less; in every fourth with the other sign.
fn around(marks: &[f64], rng: &mut Rng) -> f64 {
    let mark = marks[rng.below(marks.len() as u64) as usize];
    let apart = pow2(-((FARTHEST + rng.below(NEAREST - FARTHEST)) as i32));
    let beside = [1.0, 1.0 + apart, 1.0 - apart, 1.0 + apart, 1.0 - apart][rng.below(5) as usize];
    let sign = if rng.below(4) == 0 { -1.0 } else { 1.0 };
    sign * mark * beside
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::prepare;
    use crate::languages::SourceKind;
    use crate::source::Source;

    fn kernel(text: &str) -> Kernel {
        let ops = &[("silu", "op silu(x[N]) -> y[N]\ny[n] = x[n]\n")];
        let kernel = Kernel::of_contract("k", "op = 'silu'\nargs = ['x', 'y', { N = 'u32' }]", ops).unwrap();
        let source = Source { kind: SourceKind::C, path: "k".into(), bytes: text.as_bytes().to_vec() };
        Kernel { source, ..kernel }
    }

    #[test]
    fn what_data_are_compared_with_is_told_from_sizes() {
        let marks = |text: &str| of(&kernel(text));
        assert_eq!(marks("if (x[i] > 88.0f) y[i] = 1; if (n > 512) {} if (lane < 16) {}"), [88.0]);
        assert_eq!(marks("y = fminf(fmaxf(x[i], -9.5f), 20.f);"), [-9.5, 20.0]);
        assert_eq!(marks("y = 0.5f * x + 3.0f; z = fmaxf(a, b); w = expf(2.0f, 1.0f);"), [0.0; 0]);
        assert_eq!(marks("m = fmaxf(x, -1e30f); if (s < 1e-12f) {}"), [0.0; 0]);
    }

    #[test]
    fn they_lie_on_both_sides_of_it() {
        let kernel = kernel("if (x[i] > 88.0f) {}");
        let case = Case::parse(&kernel, "N=400,regime=spread,chosen=7,seed=3").unwrap();
        assert!(are_in(&case, &kernel));
        let values = prepare(&kernel, &case).unwrap().inputs[0].to_f64();
        let count = |from: f64, to: f64| values.iter().filter(|v| (from..to).contains(*v)).count();
        assert!(count(88.1, 88.7) > 10 && count(87.3, 87.9) > 10 && count(-100.0, -77.0) > 30);
        assert!(values.contains(&88.0));
    }
}
