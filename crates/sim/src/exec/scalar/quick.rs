//! The functions that kernels run most, as loops over rows that vectorise. Each does what `eval` says.

use super::eval;
use super::rough::best;
use crate::api::options::Mode;
use crate::exec::alu::lift::put;
use crate::exec::lanes::{ROW, Raw, Row};
use crate::exec::machine::Machine;
use crate::exec::step::Step;
use crate::ir::scalar::{Approx, Arith, How, Num, Round, Scalar};
use ktwin_num::{f16_to_f32, f32_to_f16, math};

#[inline(always)]
fn each1<A: Raw, D: Raw>(m: &mut Machine, step: &Step, f: impl Fn(A) -> D) {
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let a = &A::rows(&m.regs)[step.src[0] as usize + row];
        let mut out = Row([D::default(); ROW]);
        for i in 0..ROW {
            out[i] = f(a[i]);
        }
        put(m, step, 0, row, &out);
    }
}

#[inline(always)]
fn each2<A: Raw, B: Raw, D: Raw>(m: &mut Machine, step: &Step, f: impl Fn(A, B) -> D) {
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let a = &A::rows(&m.regs)[step.src[0] as usize + row];
        let b = &B::rows(&m.regs)[step.src[1] as usize + row];
        let mut out = Row([D::default(); ROW]);
        for i in 0..ROW {
            out[i] = f(a[i], b[i]);
        }
        put(m, step, 0, row, &out);
    }
}

#[inline(always)]
fn each3<A: Raw, D: Raw>(m: &mut Machine, step: &Step, f: impl Fn(A, A, A) -> D) {
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let a = &A::rows(&m.regs)[step.src[0] as usize + row];
        let b = &A::rows(&m.regs)[step.src[1] as usize + row];
        let c = &A::rows(&m.regs)[step.src[2] as usize + row];
        let mut out = Row([D::default(); ROW]);
        for i in 0..ROW {
            out[i] = f(a[i], b[i], c[i]);
        }
        put(m, step, 0, row, &out);
    }
}

/// Integers, bits and addresses; tells whether the function is one of them.
#[inline(always)]
pub fn whole(m: &mut Machine, step: &Step, scalar: Scalar) -> bool {
    match scalar {
        Scalar::MulWide(Num::S32) => {
            each2(m, step, |a: u32, b: u32| (i64::from(a as i32) * i64::from(b as i32)) as u64);
        }
        Scalar::MulWide(Num::U32) => each2(m, step, |a: u32, b: u32| u64::from(a) * u64::from(b)),
        Scalar::Resolve => each2(m, step, eval::resolve),
        Scalar::Shl(32) => each2(m, step, |a: u32, b: u32| if b > 31 { 0 } else { a << (b & 31) }),
        Scalar::Shr(Num::U32) => each2(m, step, |a: u32, b: u32| if b > 31 { 0 } else { a >> (b & 31) }),
        Scalar::Zext(bits) if step.imm2 == 0 => {
            let mask = (1u32 << (bits & 31)) - 1;
            each1(m, step, |a: u32| a & mask);
        }
        Scalar::Sext(8) if step.imm2 == 0 => each1(m, step, |a: u32| i32::from(a as i8) as u32),
        Scalar::Sext(16) if step.imm2 == 0 => each1(m, step, |a: u32| i32::from(a as i16) as u32),
        Scalar::Low => each1(m, step, |a: u64| a as u32),
        Scalar::High => each1(m, step, |a: u64| (a >> 32) as u32),
        Scalar::Join => each2(m, step, |a: u32, b: u32| u64::from(a) | u64::from(b) << 32),
        Scalar::Lop3(table) => each3(m, step, |a: u32, b: u32, c: u32| eval::lop3(table, a, b, c)),
        Scalar::Dot4 { a: true, b: true } => each3(m, step, |a: u32, b: u32, c: u32| {
            let at = |w: u32, i: u32| i32::from((w >> (8 * i)) as i8);
            let sum = at(a, 0) * at(b, 0) + at(a, 1) * at(b, 1) + at(a, 2) * at(b, 2) + at(a, 3) * at(b, 3);
            c.wrapping_add(sum as u32)
        }),
        _ => return false,
    }
    true
}

/// Float arithmetic and conversions.
#[inline(always)]
pub fn real(m: &mut Machine, step: &Step, scalar: Scalar) -> bool {
    const NEAR: How =
        How { round: Round::Near, flush: false, sat: false, relu: false, finite: false, whole: false };
    const SAT: How = How { sat: true, ..NEAR };
    const DOWN: How = How { round: Round::Down, ..NEAR };
    let half = |v: u32| u32::from(f32_to_f16(f32::from_bits(v)));
    match scalar {
        Scalar::Flush => each1(m, step, flushed),
        Scalar::Convert(Num::F16, Num::F32, NEAR) => each1(m, step, |a: u32| f16_to_f32(a as u16).to_bits()),
        Scalar::Convert(Num::Bf16, Num::F32, NEAR) => each1(m, step, |a: u32| a << 16),
        Scalar::Convert(Num::F32, Num::F32, SAT) => {
            each1(m, step, |a: u32| saturated(f32::from_bits(a)).to_bits())
        }
        Scalar::Convert(Num::F32, Num::F16, NEAR) => each1(m, step, |a: u32| number(a, half(a))),
        Scalar::Convert(Num::F32, Num::Bf16, NEAR) => each1(m, step, |a: u32| number(a, brain(a))),
        Scalar::ConvertPair(Num::F32, Num::F16, NEAR) => {
            each2(m, step, |a: u32, b: u32| number(b, half(b)) | number(a, half(a)) << 16);
        }
        Scalar::ConvertPair(Num::F32, Num::Bf16, NEAR) => {
            each2(m, step, |a: u32, b: u32| number(b, brain(b)) | number(a, brain(a)) << 16);
        }
        Scalar::Convert(Num::S8, Num::F32, NEAR) => each1(m, step, |a: u32| f32::from(a as i8).to_bits()),
        Scalar::Convert(Num::U8, Num::F32, NEAR) => each1(m, step, |a: u32| f32::from(a as u8).to_bits()),
        Scalar::Convert(Num::S16, Num::F32, NEAR) => each1(m, step, |a: u32| f32::from(a as i16).to_bits()),
        Scalar::Convert(Num::U16, Num::F32, NEAR) => each1(m, step, |a: u32| f32::from(a as u16).to_bits()),
        Scalar::Convert(Num::S8, Num::S16 | Num::S32, NEAR) if step.imm2 == 0 => {
            each1(m, step, |a: u32| i32::from(a as i8) as u32);
        }
        Scalar::Arith(Arith::Fma, Num::F32, DOWN) => each3(m, step, fma_down),
        Scalar::Arith(Arith::Max(false), Num::F32, NEAR) => {
            each2(m, step, |a: u32, b: u32| extreme(a, b, true))
        }
        Scalar::Arith(Arith::Min(false), Num::F32, NEAR) => {
            each2(m, step, |a: u32, b: u32| extreme(a, b, false))
        }
        _ => return false,
    }
    true
}

/// Approximate functions where they are to be right.
#[inline(always)]
pub fn function(m: &mut Machine, step: &Step, scalar: Scalar) -> bool {
    let Scalar::Approx(fun, flush) = scalar else { return false };
    if m.mode != Mode::Nearest {
        return false;
    }
    let at = |bits: u32| f64::from(f32::from_bits(if flush { flushed(bits) } else { bits }));
    let to = |value: f64| {
        let bits = (value as f32).to_bits();
        number(bits, if flush { flushed(bits) } else { bits })
    };
    match fun {
        Approx::Ex2 => each1(m, step, |a: u32| to(math::exp2(at(a)))),
        Approx::Lg2 => each1(m, step, |a: u32| to(best(fun, at(a), 0.0))),
        Approx::Rcp => each1(m, step, |a: u32| to(1.0 / at(a))),
        Approx::Rsqrt => each1(m, step, |a: u32| to(math::rsqrt(at(a)))),
        Approx::Sqrt => each1(m, step, |a: u32| to(at(a).sqrt())),
        Approx::Div => each2(m, step, |a: u32, b: u32| to(best(Approx::Div, at(a), at(b)))),
        Approx::DivFull => each2(m, step, |a: u32, b: u32| to(at(a) / at(b))),
        Approx::Sin | Approx::Cos | Approx::Tanh => return false,
    }
    true
}

/// A result that is NaN is the one that PTX gives: all ones in the format's bits but the sign.
#[inline(always)]
fn number(from: u32, bits: u32) -> u32 {
    let nan = if bits <= 0xffff { 0x7fff } else { 0x7fff_ffff };
    if from & 0x7fff_ffff > 0x7f80_0000 { nan } else { bits }
}

/// The nearest bf16 of a number.
#[inline(always)]
fn brain(bits: u32) -> u32 {
    bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16
}

#[inline(always)]
fn flushed(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

/// The larger or the smaller; the other one of a NaN, and -0 below +0.
#[inline(always)]
pub fn extreme(a: u32, b: u32, largest: bool) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let first = x < y || (x == y && a >> 31 == 1);
    let out = if first == largest { b } else { a };
    let out = if x.is_nan() { b } else { out };
    let out = if y.is_nan() { a } else { out };
    if x.is_nan() && y.is_nan() { 0x7fff_ffff } else { out }
}

/// Between 0 and 1; NaN is 0.
#[inline(always)]
fn saturated(v: f32) -> f32 {
    if v > 0.0 { v.min(1.0) } else { 0.0 }
}

/// `a * b + c`, rounded down.
#[inline(always)]
pub fn fma_down(a: u32, b: u32, c: u32) -> u32 {
    let at = |bits: u32| f64::from(f32::from_bits(bits));
    let (product, c) = (at(a) * at(b), at(c));
    let sum = product + c;
    let part = sum - product;
    let rest = (product - (sum - part)) + (c - part);
    let near = sum as f32;
    let over = f64::from(near) > sum || (f64::from(near) == sum && rest < 0.0);
    let bits = near.to_bits();
    let below = if near > 0.0 { bits.wrapping_sub(1) } else { bits.wrapping_add(1) };
    let below = if near == 0.0 { 0x8000_0001 } else { below };
    // what cancels is -0
    let apart = (product.to_bits() ^ c.to_bits()) >> 63 == 1;
    let bits = if sum == 0.0 && apart { 0x8000_0000 } else { bits };
    if over { below } else { bits }
}
