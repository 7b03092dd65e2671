//! Formats of floats: from bits to an f64 and back, with every rounding.

use crate::ir::scalar::{How, Num, Round};
use ktwin_num::{f16_to_f32, f32_to_f16};

/// Bits of the significand after its first, the smallest normal exponent, the largest number.
fn shape(num: Num) -> (i32, i32, f64) {
    match num {
        Num::F16 => (10, -14, 65_504.0),
        Num::Bf16 => (7, -126, f64::from(f32::from_bits(0x7f7f_0000))),
        Num::Tf32 => (10, -126, f64::from(f32::from_bits(0x7f7f_e000))),
        Num::E4m3 => (3, -6, 448.0),
        Num::E5m2 => (2, -14, 57_344.0),
        _ => (23, -126, f64::from(f32::MAX)),
    }
}

/// The value of some bits.
#[inline(always)]
pub fn decode(num: Num, bits: u64) -> f64 {
    match num {
        Num::F64 => f64::from_bits(bits),
        Num::F16 => f64::from(f16_to_f32(bits as u16)),
        Num::Bf16 => f64::from(f32::from_bits((bits as u32) << 16)),
        Num::Tf32 => f64::from(f32::from_bits(bits as u32 & 0xffff_e000)),
        Num::E4m3 => e4m3(bits as u32 & 0xff),
        Num::E5m2 => f64::from(f16_to_f32((bits as u16 & 0xff) << 8)),
        _ => f64::from(f32::from_bits(bits as u32)),
    }
}

fn e4m3(bits: u32) -> f64 {
    let (exponent, fraction) = ((bits >> 3 & 15) as i32, f64::from(bits & 7));
    let size = match (exponent, bits & 7) {
        (15, 7) => f64::NAN,
        (0, _) => fraction * power(-9),
        _ => (8.0 + fraction) * power(exponent - 10),
    };
    if bits & 0x80 != 0 { -size } else { size }
}

/// 2^n for normal results.
pub fn power(n: i32) -> f64 {
    f64::from_bits(((n + 1023).clamp(1, 2046) as u64) << 52)
}

/// The bits of a value that the format has.
#[inline(always)]
fn encode(num: Num, value: f64) -> u64 {
    match num {
        Num::F64 => value.to_bits(),
        Num::F16 => u64::from(f32_to_f16(value as f32)),
        Num::Bf16 => u64::from((value as f32).to_bits() >> 16),
        Num::E5m2 => u64::from(f32_to_f16(value as f32) >> 8),
        Num::E4m3 => encode_e4m3(value),
        _ => u64::from((value as f32).to_bits()),
    }
}

fn encode_e4m3(value: f64) -> u64 {
    let sign = u64::from(value.is_sign_negative()) << 7;
    let size = value.abs();
    if size.is_nan() {
        return 0x7f;
    }
    if size < power(-6) {
        return sign | (size * power(9)) as u64;
    }
    let exponent = (size.to_bits() >> 52) as i32 - 1023;
    let fraction = (size * power(3 - exponent)) as u64 & 7;
    sign | ((exponent + 7) as u64) << 3 | fraction
}

/// The quiet NaN that PTX gives.
pub fn nan(num: Num) -> u64 {
    match num {
        Num::F64 => 0x7fff_ffff_ffff_ffff,
        Num::F16 | Num::Bf16 => 0x7fff,
        Num::E4m3 | Num::E5m2 => 0x7f,
        _ => 0x7fff_ffff,
    }
}

/// A whole number near `x`.
pub fn whole(x: f64, round: Round) -> f64 {
    match round {
        Round::Near => x.round_ties_even(),
        Round::Away => x.round(),
        Round::Zero => x.trunc(),
        Round::Down => x.floor(),
        Round::Up => x.ceil(),
    }
}

/// Rounds a value to a format. It is exact, or rounded to odd: then rounding again is rounding once.
pub fn round_to(num: Num, value: f64, how: How) -> u64 {
    if value.is_nan() {
        return if how.sat { encode(num, 0.0) } else { nan(num) };
    }
    let mut value = if how.sat { value.clamp(0.0, 1.0) } else { value };
    if how.relu && value < 0.0 {
        value = 0.0;
    }
    if num == Num::F64 {
        return value.to_bits();
    }
    let out = rounded(num, value, how);
    let (_, least, _) = shape(num);
    let out = if how.flush && out.abs() < power(least) { 0.0f64.copysign(out) } else { out };
    encode(num, out)
}

fn rounded(num: Num, value: f64, how: How) -> f64 {
    if value == 0.0 || value.is_infinite() && !how.finite {
        // E4M3 has no infinity
        return if num == Num::E4m3 && value != 0.0 { f64::NAN } else { value };
    }
    let (digits, least, most) = shape(num);
    let exponent = ((value.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(least);
    // the last place, split so that no power leaves the range of f64
    let place = exponent - digits;
    let scaled = value * power(-place / 2) * power(-place - -place / 2);
    let near = whole(scaled, how.round);
    let out = near * power(place / 2) * power(place - place / 2);
    let out = if out == 0.0 { 0.0f64.copysign(value) } else { out };
    if out.abs() <= most {
        return out;
    }
    let inward = match how.round {
        Round::Near | Round::Away => false,
        Round::Zero => true,
        Round::Down => value > 0.0,
        Round::Up => value < 0.0,
    };
    if inward || how.finite {
        most.copysign(value)
    } else if num == Num::E4m3 {
        f64::NAN
    } else {
        f64::INFINITY.copysign(value)
    }
}

/// Moves an f64 whose exact value is `value + rest` to its neighbour with an odd last bit, if it is not exact.
#[inline(always)]
pub fn to_odd(value: f64, rest: f64) -> f64 {
    if rest == 0.0 || !value.is_finite() || value.to_bits() & 1 == 1 {
        return value;
    }
    if value == 0.0 {
        return f64::from_bits(1).copysign(rest);
    }
    let outward = (rest > 0.0) == (value > 0.0);
    f64::from_bits(if outward { value.to_bits() + 1 } else { value.to_bits() - 1 })
}

/// A subnormal number of the format as a zero.
#[inline(always)]
pub fn flushed(num: Num, value: f64) -> f64 {
    let (_, least, _) = shape(num);
    if value.abs() < power(least) { 0.0f64.copysign(value) } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_round_as_num_says() {
        let mut bits = 7u32;
        for _ in 0..200_000 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let value = f32::from_bits(bits);
            if value.is_nan() {
                continue;
            }
            let near = How::default();
            let half = round_to(Num::F16, f64::from(value), near);
            assert_eq!(half, u64::from(ktwin_num::f32_to_f16(value)), "{value:e}");
            let brain = round_to(Num::Bf16, f64::from(value), near);
            assert_eq!(brain, u64::from(ktwin_num::f32_to_bf16(value)), "{value:e}");
            assert_eq!(round_to(Num::F32, f64::from(value), near), u64::from(bits));
        }
    }

    #[test]
    fn every_small_number_comes_back() {
        for num in [Num::F16, Num::Bf16, Num::E4m3, Num::E5m2] {
            for bits in 0..1u64 << num.bits() {
                let value = decode(num, bits);
                if !value.is_nan() {
                    assert_eq!(round_to(num, value, How::default()), bits, "{num:?} {bits:x} {value:e}");
                }
            }
        }
    }

    #[test]
    fn directed_rounding_brackets_the_value() {
        let how = |round| How { round, ..How::default() };
        for (num, value) in [(Num::F32, 0.1), (Num::F16, -0.3), (Num::Bf16, 1e-40), (Num::E4m3, 3.3)] {
            let at = |round| decode(num, round_to(num, value, how(round)));
            assert!(at(Round::Down) < value && at(Round::Up) > value, "{num:?} {value}");
            assert_eq!(at(Round::Zero), if value > 0.0 { at(Round::Down) } else { at(Round::Up) });
        }
        assert_eq!(round_to(Num::F32, 1e39, how(Round::Zero)), u64::from(f32::MAX.to_bits()));
        assert_eq!(round_to(Num::F32, 1e39, how(Round::Near)), u64::from(f32::INFINITY.to_bits()));
        assert_eq!(round_to(Num::E4m3, 1e9, How { finite: true, ..How::default() }), 0x7e);
    }
}
