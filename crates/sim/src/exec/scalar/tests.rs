//! Functions of one lane against the manual's definitions, bit by bit, on edge values.

use super::eval::eval;
use crate::ir::scalar::{Arith, Cmp, How, Num, Permute, Round, Scalar};
use std::ops::{Add, Mul, Sub};

const EDGES: [u32; 14] =
    [0, 1, 2, 3, 31, 32, 33, 255, 256, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xdead_beef, 0xffff_ffff];

fn word(scalar: Scalar, a: u32, b: u32, c: u32) -> u32 {
    eval(scalar, [a, b, c].map(u64::from)) as u32
}

#[test]
fn fields_are_taken_bit_by_bit() {
    for a in EDGES {
        for at in [0u32, 1, 5, 16, 31, 32, 40, 255] {
            for len in [0u32, 1, 7, 16, 31, 32, 40, 255] {
                for signed in [false, true] {
                    let top = (at + len).saturating_sub(1).min(31);
                    let sign = signed && len > 0 && a >> top & 1 == 1;
                    let bit = |i: u32| if i < len && at + i <= 31 { a >> (at + i) & 1 == 1 } else { sign };
                    let want = (0..32).fold(0, |out, i| out | u32::from(bit(i)) << i);
                    let num = if signed { Num::S32 } else { Num::U32 };
                    assert_eq!(word(Scalar::Bfe(num), a, at, len), want, "{a:x} {at} {len} {signed}");
                }
                let inside = |i: u32| i >= at && i - at < len;
                let bit = |i: u32| if inside(i) { a >> (i - at) & 1 } else { 0xdead_beefu32 >> i & 1 };
                let want = (0..32).fold(0, |out, i| out | bit(i) << i);
                assert_eq!(word(Scalar::Bfi(false), a, 0xdead_beef, at | len << 8), want, "{a:x} {at} {len}");
            }
        }
    }
}

#[test]
fn shifts_past_the_width_shift_everything_out() {
    for a in EDGES {
        for by in EDGES {
            let long = u64::from(by.min(40));
            assert_eq!(word(Scalar::Shl(32), a, by, 0), (u64::from(a) << long) as u32);
            assert_eq!(word(Scalar::Shr(Num::U32), a, by, 0), (u64::from(a) >> long) as u32);
            assert_eq!(word(Scalar::Shr(Num::S32), a, by, 0), (i64::from(a as i32) >> long) as u32);
            let pair = u64::from(a) << 32 | u64::from(!a);
            for (clamp, by) in [(true, u64::from(by.min(32))), (false, u64::from(by & 31))] {
                let right = Scalar::Funnel { right: true, clamp };
                assert_eq!(word(right, !a, a, by as u32), (pair >> by) as u32);
                let left = Scalar::Funnel { right: false, clamp };
                assert_eq!(word(left, !a, a, by as u32), (pair << by >> 32) as u32);
            }
        }
    }
}

#[test]
fn tables_and_bytes() {
    for a in EDGES {
        for (b, c) in [(0x0f0f_1234, 0x3355_aa00), (a, !a)] {
            for table in 0..=255u8 {
                let bit = |i: u32| table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1;
                let want = (0..32).fold(0, |out, i| out | u32::from(bit(i)) << i);
                assert_eq!(word(Scalar::Lop3(table), a, b, c), want);
            }
        }
        assert_eq!(word(Scalar::MulHi(Num::S32), a, 0x9876_5432, 0), {
            ((i64::from(a as i32) * i64::from(0x9876_5432u32 as i32)) >> 32) as u32
        });
        let highest = if a == 0 { u32::MAX } else { 31 - a.leading_zeros() };
        assert_eq!(word(Scalar::Find(Num::U32, false), a, 0, 0), highest);
        assert_eq!(word(Scalar::LeadingZeros(32), a, 0, 0), a.leading_zeros());
    }
    assert_eq!(word(Scalar::Permute(Permute::Index), 0x3322_1100, 0x7766_5544, 0x0426), 0x0044_2266);
    assert_eq!(word(Scalar::Permute(Permute::Index), 0x80, 0, 0x8888), 0xffff_ffff);
    assert_eq!(word(Scalar::Permute(Permute::F4e), 0x3322_1100, 0x7766_5544, 1), 0x4433_2211);
    assert_eq!(word(Scalar::Dot4 { a: true, b: false }, 0xff01_80ff, 0xff02_0301, 10), {
        (10 - 1 - 128 * 3 + 2 - 255i32) as u32
    });
}

#[test]
fn addresses_that_are_far_stay_out_of_bounds() {
    let base = 5u64 << 40;
    let at = |address: u64| eval(Scalar::Resolve, [address, base, 0]) as u32;
    assert_eq!(at(base + 12), 12);
    assert_eq!(at(base.wrapping_sub(4)), u32::MAX - 3);
    for far in [0, base << 1, base + (1 << 31), base - (1 << 32)] {
        assert!(at(far) >= 0x8000_0000 && at(far) < 0xc000_0000, "{far:x}");
    }
}

#[test]
fn halves_are_those_of_the_half_crate() {
    let near = How::default();
    let all =
        || (0..=u16::MAX).step_by(37).chain([0x7c00, 0xfc00, 0x7bff, 1, 0x8000, 0x3c00, 0x0400, 0x03ff]);
    for x in all() {
        for y in [0x3c01u16, 0x8001, 0x7bff, 0xb555, 0x0401, 0x4248] {
            let (a, b) = (half::f16::from_bits(x).to_f64(), half::f16::from_bits(y).to_f64());
            let (c, d) = (half::bf16::from_bits(x).to_f64(), half::bf16::from_bits(y).to_f64());
            for (op, f) in [
                (Arith::Add, f64::add as fn(f64, f64) -> f64),
                (Arith::Mul, f64::mul),
                (Arith::Sub, f64::sub),
            ] {
                let got = word(Scalar::Arith(op, Num::F16, near), x.into(), y.into(), 0) as u16;
                let want = half::f16::from_f64(f(a, b));
                assert!(got == want.to_bits() || want.is_nan() && got == 0x7fff, "{op:?} {x:x} {y:x}");
                let got = word(Scalar::Arith(op, Num::Bf16, near), x.into(), y.into(), 0) as u16;
                // sums of bf16 need not fit an f64; what is too far below the larger does not matter
                let want = half::bf16::from_f64(f(c, d));
                assert!(got == want.to_bits() || want.is_nan() && got == 0x7fff, "{op:?} {x:x} {y:x}");
            }
            let less = word(Scalar::Compare(Cmp::Lt, Num::F16, false), x.into(), y.into(), 0);
            assert_eq!(less, u32::from(a < b));
        }
    }
}

#[test]
fn directed_rounding_brackets_every_result() {
    let values = [1.0f32, 0.1, -3.7e-5, 1.234e20, -9.87e-20, 3.0, f32::MAX, f32::MIN_POSITIVE];
    for a in values {
        for b in values {
            for op in [Arith::Add, Arith::Sub, Arith::Mul, Arith::Div] {
                let at = |round| {
                    let how = How { round, ..How::default() };
                    f32::from_bits(word(Scalar::Arith(op, Num::F32, how), a.to_bits(), b.to_bits(), 0))
                };
                let (down, near, up) = (at(Round::Down), at(Round::Near), at(Round::Up));
                let native = match op {
                    Arith::Add => a + b,
                    Arith::Sub => a - b,
                    Arith::Mul => a * b,
                    _ => a / b,
                };
                assert_eq!(near.to_bits(), native.to_bits(), "{op:?} {a} {b}");
                assert!(down <= near && near <= up, "{op:?} {a} {b}");
                let zero = if down >= 0.0 { down } else { up };
                assert_eq!(at(Round::Zero), zero, "{op:?} {a} {b}");
                assert!(down == up || down.next_up() == up, "{op:?} {a} {b}: {down} {up}");
            }
        }
    }
}

#[test]
fn integers_from_floats_are_clamped() {
    let how = |round| How { round, ..How::default() };
    let at = |v: f32, to, round| eval(Scalar::Convert(Num::F32, to, how(round)), [v.to_bits().into(), 0, 0]);
    let nan = |to| at(f32::NAN, to, Round::Near);
    assert_eq!((nan(Num::S32), nan(Num::U16), nan(Num::S64), nan(Num::U64)), (0, 0, 1 << 63, 1 << 63));
    let wide = |to| eval(Scalar::Convert(Num::F64, to, how(Round::Zero)), [f64::NAN.to_bits(), 0, 0]);
    assert_eq!((wide(Num::S32) as u32, wide(Num::U32) as u32, wide(Num::S64)), (1 << 31, 1 << 31, 1 << 63));
    assert_eq!(at(3e9, Num::S32, Round::Zero) as u32, i32::MAX as u32);
    assert_eq!(at(-3e9, Num::S32, Round::Zero) as u32, i32::MIN as u32);
    assert_eq!(at(-1.0, Num::U32, Round::Zero), 0);
    assert_eq!(at(300.0, Num::U8, Round::Near), 255);
    assert_eq!(at(2.5, Num::S32, Round::Near), 2);
    assert_eq!(at(-2.5, Num::S32, Round::Down) as u32, -3i32 as u32);
    assert_eq!(at(2.1, Num::S64, Round::Up), 3);
    let single = |v: i64, round| {
        f32::from_bits(eval(Scalar::Convert(Num::S64, Num::F32, how(round)), [v as u64, 0, 0]) as u32)
    };
    let v = (1i64 << 40) + 1;
    assert_eq!(single(v, Round::Near), 2f32.powi(40));
    assert_eq!(single(v, Round::Up), 2f32.powi(40).next_up());
    assert_eq!(single(-v, Round::Zero), -(2f32.powi(40)));
}

#[test]
fn the_fast_fma_down_is_the_slow_one() {
    let how = How { round: Round::Down, ..How::default() };
    let mut bits = 1u64;
    for _ in 0..300_000 {
        let mut next = || {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let v = (bits >> 32) as u32;
            v & 0x807f_ffff | ((v >> 23 & 0x1f) + 112) << 23
        };
        let (a, b, c) = (next(), next(), next());
        let slow = eval(Scalar::Arith(Arith::Fma, Num::F32, how), [a, b, c].map(u64::from));
        assert_eq!(u64::from(super::quick::fma_down(a, b, c)), slow, "{a:x} {b:x} {c:x}");
    }
    for (a, b, c) in
        [(2f32, 3.0, -6.0), (-2.0, 3.0, 6.0), (0.0, -1.0, 0.0), (0.0, 1.0, 0.0), (-0.0, 1.0, -0.0)]
    {
        let bits = [a, b, c].map(f32::to_bits);
        let slow = eval(Scalar::Arith(Arith::Fma, Num::F32, how), bits.map(u64::from));
        assert_eq!(u64::from(super::quick::fma_down(bits[0], bits[1], bits[2])), slow, "{a} {b} {c}");
    }
}

#[test]
fn the_fast_extremes_are_the_slow_ones() {
    let values = [0.0f32, -0.0, 1.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-40, -1e-40, 3.5];
    for a in values.map(f32::to_bits) {
        for b in values.map(f32::to_bits) {
            for largest in [false, true] {
                let op = if largest { Arith::Max(false) } else { Arith::Min(false) };
                let slow = word(Scalar::Arith(op, Num::F32, How::default()), a, b, 0);
                assert_eq!(super::quick::extreme(a, b, largest), slow, "{a:x} {b:x}");
            }
        }
    }
}
