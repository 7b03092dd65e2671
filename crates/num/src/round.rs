//! Rounding f64 to a format, and a format's bits. Everything here is branch-free where it runs on slices.

use crate::float::{Float, Overflow, exponent, pow2};

/// The constants that rounding needs, computed once for a slice.
#[derive(Copy, Clone)]
struct Rounder {
    /// Smallest normal number: below it the quantum stays fixed.
    floor: f64,
    /// From a power of two to the constant whose addition leaves just the wanted bits.
    magic: f64,
    max: f64,
    over: f64,
}

const EXPONENT: u64 = 0x7ff << 52;

impl Rounder {
    fn new(format: Float) -> Rounder {
        let over = match format.overflow() {
            Overflow::Infinity if format.has_infinity() => f64::INFINITY,
            Overflow::Saturate => format.max_finite(),
            _ => f64::NAN,
        };
        let magic = 1.5 * pow2(53 - format.precision() as i32);
        Rounder { floor: format.min_normal(), magic, max: format.max_finite(), over }
    }

    // Adding c = 1.5 * 2^52 quanta leaves no bit below the quantum: the addition itself rounds to nearest
    // even. Infinities, NaN and what is far too large make NaN there, which the comparison sends the right
    // way.
    #[inline(always)]
    fn round(self, x: f64) -> f64 {
        let c = f64::from_bits(x.to_bits() & EXPONENT).max(self.floor) * self.magic;
        let r = (x.abs() + c) - c;
        let over = if x.is_nan() { x } else { self.over };
        (if r <= self.max { r } else { over }).copysign(x)
    }
}

impl Float {
    /// Whether the format has infinities.
    pub fn has_infinity(self) -> bool {
        !self.is_finite_only()
    }

    /// `x` rounded to the format: to nearest, ties to even, subnormals kept, overflow as the format says.
    pub fn round(self, x: f64) -> f64 {
        if self.precision() == 53 {
            return if self.overflow() == Overflow::Infinity { x } else { self.overflow_of_f64(x) };
        }
        Rounder::new(self).round(x)
    }

    // f64 values are all in range already; only what is infinite has overflowed.
    fn overflow_of_f64(self, x: f64) -> f64 {
        match self.overflow() {
            Overflow::Saturate if x.is_infinite() => f64::MAX.copysign(x),
            Overflow::Nan if x.is_infinite() => f64::NAN,
            _ => x,
        }
    }

    /// Rounds every element.
    pub fn round_slice(self, values: &mut [f64]) {
        if self == Float::F64 {
            return;
        }
        if self == Float::F32 {
            return pulp::Arch::new().dispatch(|| values.iter_mut().for_each(|v| *v = f64::from(*v as f32)));
        }
        if self.precision() == 53 {
            return values.iter_mut().for_each(|v| *v = self.overflow_of_f64(*v));
        }
        let rounder = Rounder::new(self);
        pulp::Arch::new().dispatch(|| values.iter_mut().for_each(|v| *v = rounder.round(*v)));
    }

    /// The bits of `x` in the format, rounded to it first.
    pub fn encode(self, x: f64) -> u64 {
        let r = self.round(x);
        let sign = u64::from(x.is_sign_negative()) << (self.bits() - 1);
        let (field, top) = (self.field(), self.top_exponent());
        if r.is_nan() {
            let payload = if self.has_infinity() { 1 << (field - 1) } else { (1 << field) - 1 };
            return sign | top << field | payload;
        }
        if r.is_infinite() {
            return sign | top << field;
        }
        let a = r.abs();
        let spare = field + 1 - self.precision();
        if a < self.min_normal() {
            // Divide in two steps: f64's own subnormals are too small for one.
            let units = a * pow2(-self.emin()) * pow2(self.precision() as i32 - 1);
            return sign | (units as u64) << spare;
        }
        let biased = (exponent(a) - self.emin() + 1) as u64;
        let mantissa = (a.to_bits() & !EXPONENT) >> (53 - self.precision());
        sign | biased << field | mantissa << spare
    }

    /// The value of bits in the format; bits above its width are ignored.
    pub fn decode(self, bits: u64) -> f64 {
        let (field, top) = (self.field(), self.top_exponent());
        let mantissa = bits & ((1 << field) - 1);
        let biased = bits >> field & top;
        let sign = if bits >> (self.bits() - 1) & 1 == 1 { -1.0 } else { 1.0 };
        let all = (1 << field) - 1;
        if biased == top && (self.has_infinity() || mantissa == all) {
            return if self.has_infinity() && mantissa == 0 {
                sign * f64::INFINITY
            } else {
                f64::NAN.copysign(sign)
            };
        }
        let hidden = u64::from(biased != 0) << field;
        let scale = self.emin() + (biased.max(1) as i32 - 1) - field as i32;
        // In two steps, since 2^scale alone may lie below f64's range.
        sign * ((hidden | mantissa) as f64 * pow2(scale / 2)) * pow2(scale - scale / 2)
    }
}

/// The value of f16 bits.
#[inline(always)]
pub fn f16_to_f32(h: u16) -> f32 {
    let magnitude = u32::from(h & 0x7fff);
    let sign = u32::from(h & 0x8000) << 16;
    let subnormal = magnitude as f32 * (1.0 / (1 << 24) as f32);
    let rebias = if magnitude >= 0x7c00 { 224 << 23 } else { 112 << 23 };
    let normal = (magnitude << 13) + rebias;
    let bits = if magnitude < 0x400 { subnormal.to_bits() } else { normal };
    f32::from_bits(bits | sign)
}

/// The f16 bits nearest to an f32.
#[inline(always)]
pub fn f32_to_f16(x: f32) -> u16 {
    let sign = (x.to_bits() >> 16) as u16 & 0x8000;
    let a = x.to_bits() & 0x7fff_ffff;
    // 0.5 has subnormal f16's quantum in its last place.
    let subnormal = (f32::from_bits(a) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    let normal = (a.wrapping_add(0xfff + (a >> 13 & 1)) >> 13).wrapping_sub(112 << 10).min(0x7c00);
    let finite = if a < 0x3880_0000 { subnormal } else { normal };
    let nan = 0x7e00 | (a >> 13 & 0x1ff);
    sign | (if a > 0x7f80_0000 { nan } else { finite }) as u16
}

/// The f16 nearest to an f32, as an f32.
#[inline(always)]
pub fn round_to_f16(x: f32) -> f32 {
    let bits = x.to_bits();
    let size = f32::from_bits(bits & 0x7fff_ffff);
    // normal: keep 10 bits of the fraction
    let normal = f32::from_bits(size.to_bits().wrapping_add(0xfff + (bits >> 13 & 1)) & !0x1fff);
    let normal = if normal >= 65536.0 { f32::INFINITY } else { normal };
    // subnormal: multiples of 2^-24, which are the last places of numbers near 0.75
    let rounded = if size < 6.103_515_6e-5 { (size + 0.5) - 0.5 } else { normal };
    let rounded = if size.is_nan() { size } else { rounded };
    f32::from_bits(rounded.to_bits() | bits & 0x8000_0000)
}

/// The f16 bits nearest to an f64, rounded once.
#[inline(always)]
pub fn f64_to_f16(x: f64) -> u16 {
    let sign = (x.to_bits() >> 48) as u16 & 0x8000;
    let a = x.to_bits() & (u64::MAX >> 1);
    // 2^28 has subnormal f16's quantum in its last place.
    let subnormal = (f64::from_bits(a) + pow2(28)).to_bits().wrapping_sub(1051 << 52);
    let round = ((1 << 41) - 1) + (a >> 42 & 1);
    let normal = (a.wrapping_add(round) >> 42).wrapping_sub(1008 << 10).min(0x7c00);
    let finite = if a < 1009 << 52 { subnormal } else { normal };
    let nan = 0x7e00 | (a >> 42 & 0x1ff);
    sign | (if a > EXPONENT { nan } else { finite }) as u16
}

/// The value of bf16 bits.
#[inline(always)]
pub fn bf16_to_f32(b: u16) -> f32 {
    f32::from_bits(u32::from(b) << 16)
}

/// The bf16 bits nearest to an f32.
#[inline(always)]
pub fn f32_to_bf16(x: f32) -> u16 {
    let bits = x.to_bits();
    let finite = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    (if x.is_nan() { bits >> 16 | 0x40 } else { finite }) as u16
}

/// The bf16 bits nearest to an f64, rounded once.
#[inline(always)]
pub fn f64_to_bf16(x: f64) -> u16 {
    // Rounding to odd keeps what the second rounding must know: the two together are one.
    let f = x as f32;
    let exact = f64::from(f) == x || x.is_nan();
    let bits = f.to_bits();
    let toward_zero = if f64::from(f).abs() > x.abs() { bits - 1 } else { bits };
    f32_to_bf16(f32::from_bits(if exact { bits } else { toward_zero | 1 }))
}
