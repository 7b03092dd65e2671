//! Float arithmetic with every rounding: computed in f64 so that one last rounding gives the right result.

use super::format::{decode, flushed, nan, round_to, to_odd, whole};
use crate::ir::scalar::{Approx, Arith, Cmp, How, Num, Round};
use ktwin_num::math;

/// `a + b` and what rounding left of it.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// The result of an operation on formats narrower than f64, rounded to odd.
#[inline(always)]
fn exact(op: Arith, a: f64, b: f64, c: f64) -> f64 {
    match op {
        Arith::Add | Arith::Sub => {
            let (sum, rest) = two_sum(a, if op == Arith::Sub { -b } else { b });
            to_odd(sum, rest)
        }
        Arith::Mul => a * b,
        Arith::Fma => {
            let (sum, rest) = two_sum(a * b, c);
            to_odd(sum, rest)
        }
        Arith::Div => {
            let quotient = a / b;
            let rest = (-quotient).mul_add(b, a) * b.signum();
            to_odd(quotient, if b.is_infinite() { 0.0 } else { rest })
        }
        Arith::Rcp => exact(Arith::Div, 1.0, a, 0.0),
        Arith::Sqrt => {
            let root = a.sqrt();
            to_odd(root, (-root).mul_add(root, a))
        }
        Arith::Neg => -a,
        Arith::Abs => a.abs(),
        Arith::Min(_) | Arith::Max(_) => a,
    }
}

/// The smaller or the larger; -0 is below +0.
fn extreme(a: f64, b: f64, largest: bool, keep_nan: bool) -> f64 {
    if a.is_nan() || b.is_nan() {
        let other = if a.is_nan() { b } else { a };
        return if keep_nan { f64::NAN } else { other };
    }
    let first = a < b || a == b && a.is_sign_negative();
    if first == largest { b } else { a }
}

/// One operation on the bits of a format.
pub fn arith(op: Arith, num: Num, how: How, bits: [u64; 3]) -> u64 {
    let get = |i: usize| {
        let value = decode(num, bits[i]);
        if how.flush { flushed(num, value) } else { value }
    };
    let (a, b) = (get(0), get(1));
    match op {
        Arith::Neg | Arith::Abs if !how.flush => {
            let top = 1u64 << (num.bits() - 1);
            return if op == Arith::Abs { bits[0] & (top - 1) } else { (bits[0] ^ top) & (top | (top - 1)) };
        }
        Arith::Min(keep) | Arith::Max(keep) => {
            let out = extreme(a, b, matches!(op, Arith::Max(_)), keep);
            return if out.is_nan() { nan(num) } else { round_to(num, out, how) };
        }
        _ => {}
    }
    if num == Num::F64 {
        return wide(op, how.round, a, b, get(2)).to_bits();
    }
    let c = if op == Arith::Fma { get(2) } else { 0.0 };
    let out = exact(op, a, b, c);
    let how = if how.relu && out.is_nan() { How { relu: false, ..how } } else { how };
    // an exact zero sum is -0 when rounding down
    if out == 0.0 && how.round == Round::Down && matches!(op, Arith::Add | Arith::Sub | Arith::Fma) {
        let (x, y) = match op {
            Arith::Fma => (a * b, c),
            Arith::Sub => (a, -b),
            _ => (a, b),
        };
        if x.is_sign_negative() != y.is_sign_negative() {
            return round_to(num, -0.0, how);
        }
    }
    round_to(num, out, how)
}

/// f64, rounded as told: to nearest by the machine, then moved if the rest is on the other side.
fn wide(op: Arith, round: Round, a: f64, b: f64, c: f64) -> f64 {
    let (near, rest) = match op {
        Arith::Add => two_sum(a, b),
        Arith::Sub => two_sum(a, -b),
        Arith::Mul => (a * b, a.mul_add(b, -(a * b))),
        Arith::Fma => (a.mul_add(b, c), rest_of_fma(a, b, c)),
        Arith::Div => (a / b, (-(a / b)).mul_add(b, a) * b.signum()),
        Arith::Rcp => (1.0 / a, (-(1.0 / a)).mul_add(a, 1.0) * a.signum()),
        Arith::Sqrt => (a.sqrt(), (-a.sqrt()).mul_add(a.sqrt(), a)),
        Arith::Neg => (-a, 0.0),
        _ => (a.abs(), 0.0),
    };
    if round == Round::Near || rest == 0.0 || rest.is_nan() || !near.is_finite() {
        return if near.is_nan() { f64::from_bits(nan(Num::F64)) } else { near };
    }
    let up = match round {
        Round::Zero => near < 0.0,
        Round::Up => true,
        _ => false,
    };
    match (up, rest > 0.0) {
        (true, true) => near.next_up(),
        (false, false) => near.next_down(),
        _ => near,
    }
}

/// What is left of `a * b + c` beyond its nearest f64: its sign is right.
fn rest_of_fma(a: f64, b: f64, c: f64) -> f64 {
    let near = a.mul_add(b, c);
    let product = a * b;
    let low = a.mul_add(b, -product);
    let (sum, part) = two_sum(product, c);
    (sum - near) + (part + low)
}

/// A comparison of bits; ordered ones are false where either is NaN.
#[inline(always)]
pub fn compare(cmp: Cmp, num: Num, flush: bool, a: u64, b: u64) -> bool {
    if !num.is_float() {
        return whole_compare(cmp, num, a, b);
    }
    let get = |bits| {
        let value = decode(num, bits);
        if flush { flushed(num, value) } else { value }
    };
    let (a, b) = (get(a), get(b));
    let unordered = a.is_nan() || b.is_nan();
    match cmp {
        Cmp::Eq => a == b,
        Cmp::Ne => !unordered && a != b,
        Cmp::Lt => a < b,
        Cmp::Le => a <= b,
        Cmp::Gt => a > b,
        Cmp::Ge => a >= b,
        Cmp::Equ => unordered || a == b,
        Cmp::Neu => a != b,
        Cmp::Ltu => unordered || a < b,
        Cmp::Leu => unordered || a <= b,
        Cmp::Gtu => unordered || a > b,
        Cmp::Geu => unordered || a >= b,
        Cmp::Num => !unordered,
        Cmp::Nan => unordered,
    }
}

fn whole_compare(cmp: Cmp, num: Num, a: u64, b: u64) -> bool {
    let (a, b) = (super::eval::integer(num, a), super::eval::integer(num, b));
    match cmp {
        Cmp::Eq | Cmp::Equ => a == b,
        Cmp::Ne | Cmp::Neu => a != b,
        Cmp::Lt | Cmp::Ltu => a < b,
        Cmp::Le | Cmp::Leu => a <= b,
        Cmp::Gt | Cmp::Gtu => a > b,
        _ => a >= b,
    }
}

/// A conversion between any two formats.
pub fn convert(from: Num, to: Num, how: How, bits: u64) -> u64 {
    match (from.is_float(), to.is_float()) {
        (false, false) => {
            let value = super::eval::integer(from, bits);
            let (low, high) = range(to);
            let value = if how.sat { value.clamp(low, high) } else { value };
            super::eval::cut(to, value as u64)
        }
        (false, true) => {
            let value = super::eval::integer(from, bits);
            if to == Num::F64 {
                return integer_to_f64(value, how.round).to_bits();
            }
            let near = value as f64;
            round_to(to, to_odd(near, (value - near as i128) as f64), how)
        }
        (true, false) => {
            let value = decode(from, bits);
            let value = if how.flush { flushed(from, value) } else { value };
            let (low, high) = range(to);
            if value.is_nan() {
                return of_nan(from, to);
            }
            super::eval::cut(to, (whole(value, how.round) as i128).clamp(low, high) as u64)
        }
        (true, true) => {
            let value = decode(from, bits);
            let value = if how.flush && from == Num::F32 { flushed(from, value) } else { value };
            if to == Num::F64 && value.is_nan() {
                return if how.sat { 0 } else { nan(to) };
            }
            let how = How { flush: how.flush && to == Num::F32, ..how };
            if how.whole {
                return round_to(
                    to,
                    whole(value, how.round).copysign(value),
                    How { round: Round::Near, ..how },
                );
            }
            round_to(to, value, how)
        }
    }
}

/// What a NaN becomes as an integer: the top bit alone where one of the two has 64 bits, and 0 where none has.
fn of_nan(from: Num, to: Num) -> u64 {
    if from == Num::F64 || to.bits() == 64 { 1 << (to.bits() - 1) } else { 0 }
}

fn integer_to_f64(value: i128, round: Round) -> f64 {
    let near = value as f64;
    let rest = value - near as i128;
    let up = match round {
        Round::Zero => near < 0.0,
        Round::Up => true,
        Round::Down => false,
        _ => return near,
    };
    match (up, rest.signum()) {
        (true, 1) => near.next_up(),
        (false, -1) => near.next_down(),
        _ => near,
    }
}

fn range(num: Num) -> (i128, i128) {
    let bits = num.bits();
    if num.signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) }
}

/// A function, as exactly as f64 has it.
#[inline(always)]
pub fn function(fun: Approx, a: f64, b: f64) -> f64 {
    match fun {
        Approx::Ex2 => math::exp2(a),
        Approx::Lg2 => math::log2(a),
        Approx::Sin => libm::sin(a),
        Approx::Cos => libm::cos(a),
        Approx::Rcp => 1.0 / a,
        Approx::Rsqrt => 1.0 / a.sqrt(),
        Approx::Sqrt => a.sqrt(),
        Approx::Tanh => math::tanh(a),
        Approx::Div | Approx::DivFull => a / b,
    }
}
