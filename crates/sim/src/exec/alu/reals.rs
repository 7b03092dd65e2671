//! Elementary functions of f64, branch-free so that loops over lanes vectorise: good to about 1e-15, so that
//! the f32 or f16 they are rounded to is nearly always the nearest. exp, log and tanh are those of [`math`], rarer
//! functions libm's.

use ktwin_num::math;

/// Adding and subtracting it rounds to whole numbers.
const ROUNDER: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52

/// Quarter turns and what is left of an angle below 2^20.
#[inline(always)]
fn quarter(x: f64) -> (f64, f64) {
    const HIGH: f64 = f64::from_bits(0x3ff9_21fb_5440_0000);
    const LOW: f64 = 6.077_100_506_506_192e-11;
    let whole = x * std::f64::consts::FRAC_2_PI + ROUNDER;
    let n = whole - ROUNDER;
    (whole, (x - n * HIGH) - n * LOW)
}

#[inline(always)]
fn sine_part(r: f64) -> f64 {
    let z = r * r;
    let mut sum = 1.0 / 355_687_428_096_000.0;
    for k in [-1_307_674_368_000.0, 6_227_020_800.0, -39_916_800.0, 362_880.0, -5040.0, 120.0, -6.0] {
        sum = sum * z + 1.0 / k;
    }
    r + r * z * sum
}

#[inline(always)]
fn cosine_part(r: f64) -> f64 {
    let z = r * r;
    let mut sum = -1.0 / 6_402_373_705_728_000.0;
    for k in
        [20_922_789_888_000.0, -87_178_291_200.0, 479_001_600.0, -3_628_800.0, 40_320.0, -720.0, 24.0, -2.0]
    {
        sum = sum * z + 1.0 / k;
    }
    1.0 + z * sum
}

#[inline(always)]
fn turned(whole: f64, r: f64, offset: u64) -> f64 {
    let quadrant = whole.to_bits().wrapping_add(offset);
    let y = if quadrant & 1 == 0 { sine_part(r) } else { cosine_part(r) };
    if quadrant & 2 == 0 { y } else { -y }
}

/// The largest angle that [`sin_small`] and [`cos_small`] take.
pub const SMALL_ANGLE: f64 = 1_000_000.0;

#[inline(always)]
pub fn sin_small(x: f64) -> f64 {
    let (whole, r) = quarter(x);
    turned(whole, r, 0)
}

#[inline(always)]
pub fn cos_small(x: f64) -> f64 {
    let (whole, r) = quarter(x);
    turned(whole, r, 1)
}

/// x^y for x not below 0, as 2^(y log2 x).
#[inline(always)]
pub fn pow(x: f64, y: f64) -> f64 {
    let p = math::exp2(y * math::log2(x));
    if y == 0.0 && !x.is_nan() { 1.0 } else { p }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, low: f64, high: f64, mine: fn(f64) -> f64, theirs: fn(f64) -> f64) {
        let mut worst = 0.0f64;
        for i in 0..200_000 {
            let x = low + (high - low) * f64::from(i) / 200_000.0;
            let (a, b) = (mine(x), theirs(x));
            worst = worst.max((a - b).abs() / b.abs().max(1e-300));
        }
        assert!(worst < 1e-14, "{name}: {worst:e}");
    }

    #[test]
    fn they_agree_with_libm() {
        check("sin", 0.1, 3.1, sin_small, libm::sin);
        check("cos", 0.1, 1.5, cos_small, libm::cos);
        check("sin", 500_000.1, 500_003.0, sin_small, libm::sin);
    }

    #[test]
    fn edges() {
        assert_eq!(pow(0.0, 2.0), 0.0);
        assert_eq!(pow(2.0, 10.0), 1024.0);
    }
}
