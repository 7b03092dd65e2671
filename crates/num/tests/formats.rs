//! Rounding and encoding: every 8 and 16 bit pattern, other implementations, and tables of ml_dtypes.

use ktwin_num::{
    Float, Overflow, bf16_to_f32, exponent, f16_to_f32, f32_to_bf16, f32_to_f16, f64_to_bf16, f64_to_f16,
    pow2, round_to_f16,
};
use proptest::prelude::*;

const SMALL: [Float; 4] = [Float::F16, Float::BF16, Float::E4M3, Float::E5M2];

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[test]
fn every_pattern_survives() {
    for f in SMALL {
        for bits in 0..1u64 << f.bits() {
            let x = f.decode(bits);
            assert!(same(f.round(x), x), "{} {bits:x}", f.name());
            if x.is_nan() {
                assert!(f.decode(f.encode(x)).is_nan());
            } else {
                assert_eq!(f.encode(x), bits, "{} {x}", f.name());
            }
        }
    }
}

#[test]
fn every_midpoint_goes_to_even() {
    for f in SMALL {
        let top = f.encode(f.max_finite());
        for bits in 0..top {
            let (a, b) = (f.decode(bits), f.decode(bits + 1));
            let middle = a + (b - a) / 2.0;
            let even = if bits % 2 == 0 { a } else { b };
            for sign in [1.0, -1.0] {
                assert_eq!(f.round(sign * middle), sign * even, "{} {middle}", f.name());
                assert_eq!(f.round(sign * middle.next_up()), sign * b, "{} above {middle}", f.name());
                assert_eq!(f.round(sign * middle.next_down()), sign * a, "{} below {middle}", f.name());
            }
            assert_eq!(f.ulp(middle), b - a, "{} {middle}", f.name());
        }
    }
}

#[test]
fn sixteen_bits_as_the_half_crate_has_them() {
    for bits in 0..=u16::MAX {
        let (f16, bf16) = (half::f16::from_bits(bits).to_f64(), half::bf16::from_bits(bits).to_f64());
        assert!(same(Float::F16.decode(u64::from(bits)), f16));
        assert!(same(Float::BF16.decode(u64::from(bits)), bf16));
        assert!(same(f64::from(f16_to_f32(bits)), f16), "{bits:x}");
        assert!(same(f64::from(bf16_to_f32(bits)), bf16), "{bits:x}");
    }
}

/// f32 values on both sides of every place where rounding to 16 bits turns, and a comb over all patterns.
fn turning_points() -> impl Iterator<Item = f32> {
    let places = (0..=u16::MAX).flat_map(|b| {
        let f16 = half::f16::from_bits(b).to_f32();
        let next = half::f16::from_bits(b.wrapping_add(1)).to_f32();
        [f16, (f16 + next) / 2.0, f32::from_bits(u32::from(b) << 16 | 0x8000)]
    });
    let around = places.flat_map(|v| [v.next_down(), v, v.next_up()]);
    around.chain((0..=u32::MAX).step_by(1021).map(f32::from_bits))
}

#[test]
fn f32_to_sixteen_bits_as_the_half_crate_does() {
    for x in turning_points() {
        let (f16, bf16) = (half::f16::from_f32(x), half::bf16::from_f32(x));
        let wide = f64::from(x);
        if x.is_nan() {
            assert!(f16_to_f32(f32_to_f16(x)).is_nan() && bf16_to_f32(f32_to_bf16(x)).is_nan());
            assert!(f16_to_f32(f64_to_f16(wide)).is_nan() && bf16_to_f32(f64_to_bf16(wide)).is_nan());
            continue;
        }
        assert_eq!(f32_to_f16(x), f16.to_bits(), "{x:e}");
        assert_eq!(round_to_f16(x).to_bits(), f16.to_f32().to_bits(), "{x:e}");
        assert_eq!(f32_to_bf16(x), bf16.to_bits(), "{x:e}");
        assert_eq!(f64_to_f16(wide), f16.to_bits(), "{x:e}");
        assert_eq!(f64_to_bf16(wide), bf16.to_bits(), "{x:e}");
        assert_eq!(Float::F16.encode(wide), u64::from(f16.to_bits()), "{x:e}");
        assert_eq!(Float::BF16.encode(wide), u64::from(bf16.to_bits()), "{x:e}");
    }
}

#[test]
fn eight_bits_as_ml_dtypes_has_them() {
    for f in [Float::E4M3, Float::E5M2] {
        let path = format!("{}/tests/golden/{}.txt", env!("CARGO_MANIFEST_DIR"), f.name());
        let text = std::fs::read_to_string(path).unwrap();
        let hex = |s: &str| u32::from_str_radix(s, 16).unwrap();
        let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with('#')).collect();
        let (decoded, encoded) = lines.split_at(256);
        for (bits, line) in decoded.iter().enumerate() {
            let value = f64::from(f32::from_bits(hex(line)));
            assert!(same(f.decode(bits as u64), value), "{} {bits:x}", f.name());
        }
        assert!(encoded.len() > 1000);
        for line in encoded {
            let (x, byte) = line.split_once(' ').unwrap();
            let (x, byte) = (f64::from(f32::from_bits(hex(x))), u64::from(hex(byte)));
            assert!(same(f.round(x), f.decode(byte)), "{} {x:e}", f.name());
        }
    }
}

#[test]
fn overflow_has_three_answers() {
    let e4m3 = Float::E4M3;
    assert_eq!((e4m3.round(464.0), e4m3.max_finite()), (448.0, 448.0));
    assert!(e4m3.round(464.1).is_nan() && e4m3.round(f64::INFINITY).is_nan());
    let saturating = e4m3.with_overflow(Overflow::Saturate);
    assert_eq!((saturating.round(-1e9), saturating.round(f64::INFINITY)), (-448.0, 448.0));
    assert!(saturating.round(f64::NAN).is_nan());
    assert_eq!(saturating.encode(1e9), 0x7e);
    assert_eq!(Float::F16.round(65520.0), f64::INFINITY);
    assert_eq!(Float::F16.round(65519.9), 65504.0);
    assert_eq!(Float::F16.with_overflow(Overflow::Saturate).round(-65520.0), -65504.0);
    assert!(Float::E5M2.with_overflow(Overflow::Nan).round(1e6).is_nan());
    assert_eq!(Float::F64.with_overflow(Overflow::Saturate).round(f64::INFINITY), f64::MAX);
}

#[test]
fn limits() {
    assert_eq!(Float::F64.max_finite(), f64::MAX);
    assert_eq!(Float::F32.max_finite(), f64::from(f32::MAX));
    assert_eq!(Float::F32.min_normal(), f64::from(f32::MIN_POSITIVE));
    assert_eq!(Float::F32.min_subnormal(), f64::from(f32::from_bits(1)));
    assert_eq!(Float::F64.min_subnormal(), f64::from_bits(1));
    assert_eq!((Float::F16.max_finite(), Float::E5M2.max_finite()), (65504.0, 57344.0));
    assert_eq!((Float::F16.unit_roundoff(), Float::F16.precision()), (pow2(-11), 11));
    assert_eq!(Float::F16.half_ulp(65519.0), 16.0);
    assert_eq!(Float::F16.half_ulp(65520.0), f64::INFINITY);
    assert_eq!(Float::F16.half_ulp(0.0), pow2(-25));
    assert_eq!(Float::E4M3.with_overflow(Overflow::Saturate).half_ulp(1000.0), 552.0);
    assert!(Float::ALL.iter().all(|f| Float::parse(f.name()) == Some(*f)));
    assert_eq!(Float::parse("f8"), None);
    assert_eq!(
        (exponent(0.75), exponent(-8.0), exponent(f64::from_bits(1)), exponent(f64::NAN)),
        (-1, 3, -1074, 1024)
    );
    assert_eq!((pow2(1024), pow2(-1074), pow2(-1075)), (f64::INFINITY, f64::from_bits(1), 0.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn rounding_is_nearest_and_slices_agree(x: f64, small in -1e6..1e6f64) {
        for f in Float::ALL {
            for v in [x, small, small * f.min_normal(), small * f.min_subnormal()] {
                let r = f.round(v);
                let mut slice = [v; 3];
                f.round_slice(&mut slice);
                prop_assert!(same(slice[1], r));
                prop_assert!(same(f.decode(f.encode(v)), r), "{} {v:e}", f.name());
                prop_assert!(same(f.round(r), r));
                if v.abs() <= f.max_finite() {
                    prop_assert!((r - v).abs() <= f.half_ulp(v), "{} {v:e} {r:e}", f.name());
                    prop_assert_eq!(r.is_sign_negative(), v.is_sign_negative());
                }
            }
        }
        prop_assert!(same(Float::F32.round(x), f64::from(x as f32)));
    }

    #[test]
    fn scalar_helpers_round_once(x in any::<f64>(), scale in -30i32..20, small in 1.0..2.0f64) {
        for v in [x, small * pow2(scale), -small * pow2(scale)] {
            prop_assert_eq!(u64::from(f64_to_f16(v)) , Float::F16.encode(v));
            prop_assert_eq!(u64::from(f64_to_bf16(v)), Float::BF16.encode(v));
        }
        // Just above a midpoint by less than an f32 can see.
        let v = 1.0 + pow2(-11) + pow2(-50);
        prop_assert_eq!(f64_to_f16(v), 0x3c01);
        let v = 1.0 + pow2(-8) + pow2(-50);
        prop_assert_eq!(f64_to_bf16(v), 0x3f81);
    }

    #[test]
    fn tf32_is_f32_with_fewer_bits(x: f32) {
        let bits = x.to_bits();
        let expected = f32::from_bits((bits + 0xfff + (bits >> 13 & 1)) & !0x1fff);
        if x.is_finite() {
            prop_assert_eq!(Float::TF32.round(f64::from(x)), f64::from(expected));
            prop_assert_eq!(Float::TF32.encode(f64::from(x)), u64::from(expected.to_bits()));
        }
    }
}
