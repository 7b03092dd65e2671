//! How many digits are right where values are wrong by little: an approximation, or arithmetic, that is too coarse.

use ktwin_num::math;

use crate::trial::Trial;

/// What is off by more is not called coarse.
const COARSE: f64 = 1e-2;
/// Nor is what is off by more than this in fewer than one in so many elements: coarse arithmetic shows nearly
/// everywhere.
const FAR: f64 = 1e-3;
const SPREAD: usize = 32;

/// The decimal digits that are right in every element of these trials, measured by the largest value that is due; none
/// where an element is far off, or few are off at all.
pub fn right<'t>(trials: impl IntoIterator<Item = &'t Trial<'t>>) -> Option<f64> {
    let (mut worst, mut wrong, mut all) = (0f64, 0, 0);
    for trial in trials {
        for (expected, got) in
            trial.expected.iter().zip(&trial.got).filter(|(e, _)| e.dtype.float().is_some())
        {
            let judged = |at: &usize| !expected.is_free(*at) && expected.values[*at].is_finite();
            let scale = (0..got.len()).filter(judged).fold(0f64, |m, at| m.max(expected.values[at].abs()));
            all += (0..got.len()).filter(judged).count();
            for at in (0..got.len()).filter(judged).filter(|at| expected.judge(*at, got[*at]).fails()) {
                let share = (got[at] - expected.values[at]).abs() / scale;
                // NaN where nothing but zeros is due, or what came out is no number
                if share.is_nan() || share > COARSE {
                    return None;
                }
                worst = worst.max(share);
                wrong += 1;
            }
        }
    }
    // what f64 does not show is no matter of digits
    let coarse = worst <= FAR || wrong * SPREAD >= all;
    (worst > f64::EPSILON && coarse).then(|| (-10.0 * math::log10(worst)).floor() / 10.0)
}
