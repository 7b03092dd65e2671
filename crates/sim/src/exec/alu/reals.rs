//! Elementary functions of f64, branch-free so that loops over lanes vectorise: good to about 1e-15, so that
//! the f32 or f16 they are rounded to is nearly always the nearest. Rarer functions are libm's.

const LOG2_E: f64 = std::f64::consts::LOG2_E;
const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Adding and subtracting it rounds to whole numbers.
const ROUNDER: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52

/// 2^n times e^r for |r| at most ln 2 / 2.
#[inline(always)]
fn scaled_exp(r: f64, whole: f64) -> f64 {
    let mut sum = 1.0 / 6_227_020_800.0;
    for k in
        [479_001_600.0, 39_916_800.0, 3_628_800.0, 362_880.0, 40_320.0, 5_040.0, 720.0, 120.0, 24.0, 6.0, 2.0]
    {
        sum = sum * r + 1.0 / k;
    }
    let sum = (sum * r + 1.0) * r + 1.0;
    // `whole` carries its integer in its low bits
    let scale = f64::from_bits((whole.to_bits() << 52).wrapping_add(1023 << 52));
    sum * scale
}

#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let clamped = x.clamp(-700.0, 700.0);
    let whole = clamped * LOG2_E + ROUNDER;
    let n = whole - ROUNDER;
    let r = (clamped - n * LN2_HIGH) - n * LN2_LOW;
    let y = scaled_exp(r, whole);
    let y = if x < -700.0 { 0.0 } else { y };
    let y = if x > 700.0 { f64::INFINITY } else { y };
    if x.is_nan() { x } else { y }
}

#[inline(always)]
pub fn exp2(x: f64) -> f64 {
    let clamped = x.clamp(-1000.0, 1000.0);
    let whole = clamped + ROUNDER;
    let n = whole - ROUNDER;
    let r = (clamped - n) * std::f64::consts::LN_2;
    let y = scaled_exp(r, whole);
    let y = if x < -1000.0 { 0.0 } else { y };
    let y = if x > 1000.0 { f64::INFINITY } else { y };
    if x.is_nan() { x } else { y }
}

/// Exponent and the logarithm of the significand, brought near 1.
#[inline(always)]
fn log_parts(x: f64) -> (f64, f64) {
    let bits = x.to_bits();
    // a significand above sqrt 2 is halved
    let shifted = bits.wrapping_sub(0x3fe6_a09e_667f_3bcd);
    let exponent = (shifted as i64) >> 52;
    let m = f64::from_bits(bits.wrapping_sub((exponent as u64) << 52));
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let mut sum = 1.0 / 23.0;
    for k in [21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0] {
        sum = sum * z + 1.0 / k;
    }
    // exponents fit 32 bits, whose conversion every machine has in vectors
    (f64::from(exponent as i32), 2.0 * s + 2.0 * s * z * sum)
}

#[inline(always)]
fn log_edges(x: f64, y: f64) -> f64 {
    let y = if x == 0.0 { f64::NEG_INFINITY } else { y };
    let y = if x == f64::INFINITY { x } else { y };
    if x < 0.0 || x.is_nan() { f64::NAN } else { y }
}

#[inline(always)]
pub fn log(x: f64) -> f64 {
    let (n, part) = log_parts(x);
    log_edges(x, n * LN2_HIGH + (part + n * LN2_LOW))
}

#[inline(always)]
pub fn log2(x: f64) -> f64 {
    let (n, part) = log_parts(x);
    log_edges(x, n + part * LOG2_E)
}

#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    let size = x.abs();
    let t = exp(2.0 * size);
    let large = if size > 20.0 { 1.0 } else { (t - 1.0) / (t + 1.0) };
    let z = x * x;
    let series = [-1382.0 / 155_925.0, 62.0 / 2835.0, -17.0 / 315.0, 2.0 / 15.0, -1.0 / 3.0];
    let mut sum = 21844.0 / 6_081_075.0;
    for c in series {
        sum = sum * z + c;
    }
    let small = size + size * z * sum;
    let y = if size < 0.0625 { small } else { large };
    let y = if x.is_nan() { x } else { y };
    y.copysign(x)
}

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

#[inline(always)]
pub fn rsqrt(x: f64) -> f64 {
    1.0 / x.sqrt()
}

/// x^y for x not below 0, as 2^(y log2 x).
#[inline(always)]
pub fn pow(x: f64, y: f64) -> f64 {
    let p = exp2(y * log2(x));
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
        check("exp", -87.0, 88.0, exp, libm::exp);
        check("exp2", -126.0, 127.0, exp2, libm::exp2);
        check("log", 1e-6, 0.99, log, libm::log);
        check("log", 1.01, 1e6, log, libm::log);
        check("log2", 1.01, 1e6, log2, libm::log2);
        check("tanh", 1e-4, 3.0, tanh, libm::tanh);
        check("sin", 0.1, 3.1, sin_small, libm::sin);
        check("cos", 0.1, 1.5, cos_small, libm::cos);
        check("sin", 500_000.1, 500_003.0, sin_small, libm::sin);
    }

    #[test]
    fn edges() {
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        assert_eq!(exp(f64::INFINITY), f64::INFINITY);
        assert!(exp(f64::NAN).is_nan() && log(-1.0).is_nan() && log2(f64::NAN).is_nan());
        assert_eq!(log(0.0), f64::NEG_INFINITY);
        assert_eq!(log2(f64::INFINITY), f64::INFINITY);
        assert_eq!(tanh(1e300), 1.0);
        assert_eq!(tanh(-0.0).to_bits(), (-0.0f64).to_bits());
        assert_eq!(pow(0.0, 2.0), 0.0);
        assert_eq!(exp2(3.0), 8.0);
        assert_eq!(log2(8.0), 3.0);
    }
}
