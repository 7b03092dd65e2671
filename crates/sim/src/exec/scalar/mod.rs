//! Functions of one lane that PTX has: common ones as loops over rows that vectorise, the others lane by lane.

pub mod eval;
pub mod format;
pub mod real;
mod rough;
#[cfg(test)]
mod tests;

use crate::exec::alu::convert::half_to_f32;
use crate::exec::alu::lift::put;
use crate::exec::lanes::{ROW, Raw, Row};
use crate::exec::machine::Machine;
use crate::exec::step::{Pair, Step};
use crate::ir::scalar::{Approx, Arith, How, Num, Round, Scalar};

/// Says in a step which operands are wide, and whether the result is.
pub fn wide_bits(src: impl Iterator<Item = bool>, dst: bool) -> u32 {
    src.enumerate().map(|(i, wide)| u32::from(wide) << i).sum::<u32>() | u32::from(dst) << 8
}

/// One function at one lane's operands.
fn value(m: &Machine, step: &Step, scalar: Scalar, args: [u64; 3]) -> u64 {
    match scalar {
        Scalar::Approx(fun, flush) => rough::single(m, step, fun, flush, args),
        Scalar::ApproxHalf(fun, num) => rough::half(m, step, fun, num, args[0]),
        Scalar::ApproxPair(fun, num) => {
            let low = rough::half(m, step, fun, num, args[0] & 0xffff);
            low | rough::half(m, step, fun, num, args[0] >> 16) << 16
        }
        scalar => eval::eval(scalar, args),
    }
}

fn by_lane(m: &mut Machine, step: &Step, scalar: Scalar) {
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let mut out = Row([0u64; ROW]);
        for i in 0..ROW {
            if m.mask[row] >> i & 1 == 0 {
                continue;
            }
            let mut args = [0; 3];
            for (slot, arg) in args.iter_mut().enumerate() {
                let src = step.src[slot];
                if src == crate::ir::NONE {
                    break;
                }
                *arg = match step.imm2 >> slot & 1 {
                    0 => u64::from(m.regs.rows32[src as usize + row][i]),
                    _ => m.regs.rows64[src as usize + row][i],
                };
            }
            out[i] = value(m, step, scalar, args);
        }
        if step.imm2 >> 8 & 1 == 1 {
            put(m, step, 0, row, &out);
        } else {
            put(m, step, 0, row, &Row(out.map(|v| v as u32)));
        }
    }
}

fn once(m: &mut Machine, step: &Step) {
    let scalar = m.scalars[step.site as usize].0;
    let mut args = [0; 3];
    for (slot, arg) in args.iter_mut().enumerate() {
        let src = step.src[slot];
        if src == crate::ir::NONE {
            break;
        }
        *arg = match step.imm2 >> slot & 1 {
            0 => u64::from(m.regs.ones32[src as usize]),
            _ => m.regs.ones64[src as usize],
        };
    }
    let out = value(m, step, scalar, args);
    match step.imm2 >> 8 & 1 {
        0 => m.regs.ones32[step.dst[0] as usize] = out as u32,
        _ => m.regs.ones64[step.dst[0] as usize] = out,
    }
}

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

lanes! {
    fn lanes(m, step) {
        let scalar = m.scalars[step.site as usize].0;
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
            Scalar::Flush => {
                each1(m, step, |a: u32| if a & 0x7f80_0000 == 0 { a & 0x8000_0000 } else { a });
            }
            Scalar::Low => each1(m, step, |a: u64| a as u32),
            Scalar::High => each1(m, step, |a: u64| (a >> 32) as u32),
            Scalar::Join => each2(m, step, |a: u32, b: u32| u64::from(a) | u64::from(b) << 32),
            Scalar::Lop3(table) => each3(m, step, |a: u32, b: u32, c: u32| eval::lop3(table, a, b, c)),
            Scalar::Convert(Num::F16, Num::F32, how) if how == How::default() => {
                each1(m, step, |a: u32| half_to_f32(a & 0xffff).to_bits());
            }
            Scalar::Convert(Num::Bf16, Num::F32, how) if how == How::default() => {
                each1(m, step, |a: u32| a << 16);
            }
            Scalar::Convert(Num::F32, Num::F32, how) if how == (How { sat: true, ..How::default() }) => {
                each1(m, step, |a: u32| saturated(f32::from_bits(a)).to_bits());
            }
            Scalar::Arith(Arith::Fma, Num::F32, how) if how == (How { round: Round::Down, ..How::default() }) => {
                each3(m, step, |a: u32, b: u32, c: u32| fma_down(a, b, c));
            }
            Scalar::Approx(Approx::Ex2, flush) if m.mode == crate::api::options::Mode::Nearest => {
                each1(m, step, |a: u32| ex2(a, flush));
            }
            other => by_lane(m, step, other),
        }
    }
}

/// Between 0 and 1; NaN is 0.
#[inline(always)]
fn saturated(v: f32) -> f32 {
    if v > 0.0 { v.min(1.0) } else { 0.0 }
}

/// `a * b + c`, rounded down.
#[inline(always)]
fn fma_down(a: u32, b: u32, c: u32) -> u32 {
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
    if over { below } else { bits }
}

#[inline(always)]
fn ex2(a: u32, flush: bool) -> u32 {
    let at = |bits: u32| if flush && bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits };
    at((crate::exec::alu::reals::exp2(f64::from(f32::from_bits(at(a)))) as f32).to_bits())
}

pub fn pair() -> Pair {
    Pair { lanes, once }
}
