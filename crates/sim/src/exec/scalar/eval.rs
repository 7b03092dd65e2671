//! One function of one lane: the definition of every [`Scalar`].

use super::format::decode;
use super::real::{arith, compare, convert};
use crate::ir::scalar::{Class, Num, Permute, Scalar};

/// The number that some bits are.
#[inline(always)]
pub fn integer(num: Num, bits: u64) -> i128 {
    match num {
        Num::U8 => i128::from(bits as u8),
        Num::S8 => i128::from(bits as i8),
        Num::U16 => i128::from(bits as u16),
        Num::S16 => i128::from(bits as i16),
        Num::U32 => i128::from(bits as u32),
        Num::S32 => i128::from(bits as i32),
        Num::S64 => i128::from(bits as i64),
        _ => i128::from(bits),
    }
}

/// A number of a format as 64 bits: extended by its sign.
pub fn cut(num: Num, bits: u64) -> u64 {
    integer(num, bits) as u64
}

fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

fn bfe(num: Num, a: u64, b: u64, c: u64) -> u64 {
    let width = num.bits();
    let (at, len) = ((b & 255) as u32, (c & 255) as u32);
    let msb = width - 1;
    if len == 0 {
        return 0;
    }
    let top = (at + len - 1).min(msb);
    let sign = num.signed() && a >> top & 1 == 1;
    let field = if at > msb { 0 } else { (a & mask(width)) >> at };
    let kept = if at > msb { 0 } else { len.min(width - at) };
    let out = field & mask(kept);
    if sign { out | !mask(kept) & mask(width) } else { out }
}

/// `a` put into `b` at `c & 255`, `c >> 8` bits long.
fn bfi(wide: bool, a: u64, b: u64, c: u64) -> u64 {
    let width = if wide { 64 } else { 32 };
    let (at, len) = ((c & 255) as u32, (c >> 8 & 255) as u32);
    if at >= width {
        return b;
    }
    let field = mask(len.min(width - at)) << at;
    b & !field | a << at & field
}

fn permute(mode: Permute, a: u64, b: u64, c: u64) -> u64 {
    let bytes = b << 32 | a & 0xffff_ffff;
    let byte = |at: u64| bytes >> (8 * (at & 7)) & 0xff;
    let at = c & 3;
    let pick = |f: &dyn Fn(u64) -> u64| (0..4).map(|i| byte(f(i)) << (8 * i)).sum();
    match mode {
        Permute::Index => (0..4)
            .map(|i| {
                let selector = c >> (4 * i);
                let value = byte(selector);
                let sign = if value & 0x80 != 0 { 0xff } else { 0 };
                (if selector & 8 != 0 { sign } else { value }) << (8 * i)
            })
            .sum(),
        Permute::F4e => pick(&|i| at + i),
        Permute::B4e => pick(&|i| at.wrapping_sub(i)),
        Permute::Rc8 => pick(&|_| at),
        Permute::Ecl => pick(&|i| i.max(at)),
        Permute::Ecr => pick(&|i| i.min(at)),
        Permute::Rc16 => pick(&|i| (at & 1) * 2 + i % 2),
    }
}

/// A lookup table of three bits.
#[inline(always)]
pub fn lop3(table: u8, a: u32, b: u32, c: u32) -> u32 {
    let mut out = 0;
    for row in 0..8 {
        if table >> row & 1 == 1 {
            let side = |set: u32, bits: u32| if row & set != 0 { bits } else { !bits };
            out |= side(4, a) & side(2, b) & side(1, c);
        }
    }
    out
}

fn dot4(sa: bool, sb: bool, a: u64, b: u64, c: u64) -> u64 {
    let at = |signed: bool, w: u64, i: u32| {
        let byte = (w >> (8 * i)) as u8;
        if signed { i64::from(byte as i8) } else { i64::from(byte) }
    };
    (0..4).fold(c, |sum, i| sum.wrapping_add((at(sa, a, i) * at(sb, b, i)) as u64)) & 0xffff_ffff
}

fn dot2(sa: bool, sb: bool, high: bool, a: u64, b: u64, c: u64) -> u64 {
    let mut sum = c;
    for i in 0..2 {
        let short = (a >> (16 * i)) as u16;
        let byte = (b >> (8 * (i + 2 * u32::from(high)))) as u8;
        let x = if sa { i64::from(short as i16) } else { i64::from(short) };
        let y = if sb { i64::from(byte as i8) } else { i64::from(byte) };
        sum = sum.wrapping_add((x * y) as u64);
    }
    sum & 0xffff_ffff
}

fn find(num: Num, shift: bool, a: u64) -> u64 {
    let width = num.bits();
    let value = integer(num, a);
    let value = if value < 0 { !value } else { value } as u64 & mask(width);
    if value == 0 {
        return 0xffff_ffff;
    }
    let at = 63 - value.leading_zeros();
    u64::from(if shift { width - 1 - at } else { at })
}

#[inline(always)]
pub fn resolve(address: u64, base: u64) -> u32 {
    let offset = address.wrapping_sub(base) as i64;
    if offset == i64::from(offset as i32) {
        offset as u32
    } else {
        crate::exec::mem::index::NOWHERE | 0x3fff_ffff
    }
}

fn funnel(right: bool, clamp: bool, a: u64, b: u64, c: u64) -> u64 {
    let pair = b << 32 | a & 0xffff_ffff;
    let by = if clamp { (c & 0xffff_ffff).min(32) } else { c & 31 };
    (if right { pair >> by } else { (pair << by) >> 32 }) & 0xffff_ffff
}

fn class(class: Class, a: u64) -> bool {
    let (Class::Finite(num)
    | Class::Infinite(num)
    | Class::Number(num)
    | Class::NotANumber(num)
    | Class::Normal(num)
    | Class::Subnormal(num)) = class;
    let value = decode(num, a);
    let least = if num == Num::F64 { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) };
    match class {
        Class::Finite(_) => value.is_finite(),
        Class::Infinite(_) => value.is_infinite(),
        Class::Number(_) => !value.is_nan(),
        Class::NotANumber(_) => value.is_nan(),
        Class::Normal(_) => value.is_finite() && value.abs() >= least,
        Class::Subnormal(_) => value != 0.0 && value.abs() < least,
    }
}

/// The value of a function that needs nothing but its operands.
pub fn eval(scalar: Scalar, [a, b, c]: [u64; 3]) -> u64 {
    match scalar {
        Scalar::MulHi(num) => {
            ((integer(num, a).wrapping_mul(integer(num, b))) >> num.bits()) as u64 & mask(num.bits())
        }
        Scalar::MulWide(num) => (integer(num, a) * integer(num, b)) as u64,
        Scalar::Shl(bits) => {
            if b >= u64::from(bits) {
                0
            } else {
                a << b & mask(u32::from(bits))
            }
        }
        Scalar::Shr(num) => (integer(num, a) >> (b & 0xffff_ffff).min(u64::from(num.bits()))) as u64,
        Scalar::Sext(8) => cut(Num::S8, a),
        Scalar::Sext(16) => cut(Num::S16, a),
        Scalar::Sext(_) => cut(Num::S32, a),
        Scalar::Zext(bits) => a & mask(u32::from(bits)),
        Scalar::Bfe(num) => bfe(num, a, b, c),
        Scalar::Bfi(wide) => bfi(wide, a, b, c),
        Scalar::Permute(mode) => permute(mode, a, b, c),
        Scalar::Lop3(table) => u64::from(lop3(table, a as u32, b as u32, c as u32)),
        Scalar::Funnel { right, clamp } => funnel(right, clamp, a, b, c),
        Scalar::Dot4 { a: sa, b: sb } => dot4(sa, sb, a, b, c),
        Scalar::Dot2 { a: sa, b: sb, high } => dot2(sa, sb, high, a, b, c),
        Scalar::Sad(num) => integer(num, a).abs_diff(integer(num, b)).wrapping_add(u128::from(c)) as u64,
        Scalar::Ones => u64::from(a.count_ones()),
        Scalar::LeadingZeros(bits) => {
            u64::from((a & mask(u32::from(bits))).leading_zeros()) + u64::from(bits) - 64
        }
        Scalar::Find(num, shift) => find(num, shift, a),
        Scalar::Reverse(bits) => a.reverse_bits() >> (64 - bits),
        Scalar::Compare(cmp, num, flush) => u64::from(compare(cmp, num, flush, a, b)),
        Scalar::CopySign(num) => {
            let top = 1u64 << (num.bits() - 1);
            b & (top - 1) | a & top
        }
        Scalar::Class(kind) => u64::from(class(kind, a)),
        other => addresses(other, [a, b, c]),
    }
}

/// Carries, addresses, halves of words.
fn addresses(scalar: Scalar, [a, b, c]: [u64; 3]) -> u64 {
    match scalar {
        Scalar::Carry(bits) => {
            let at = |v: u64| u128::from(v & mask(u32::from(bits)));
            ((at(a) + at(b) + u128::from(c)) >> bits) as u64
        }
        Scalar::Borrow(bits) => {
            let at = |v: u64| u128::from(v & mask(u32::from(bits)));
            u64::from(at(a) < at(b) + u128::from(c))
        }
        Scalar::Resolve => u64::from(resolve(a, b)),
        Scalar::Near => u64::from(a.wrapping_sub(b).wrapping_add(1 << 35) >> 36 == 0),
        Scalar::Within => u64::from(a.wrapping_sub(b) < c),
        Scalar::Flush => {
            if a & 0x7f80_0000 == 0 {
                a & 0x8000_0000
            } else {
                a
            }
        }
        Scalar::Join => a & 0xffff_ffff | b << 32,
        Scalar::Low => a & 0xffff_ffff,
        Scalar::High => a >> 32,
        other => floats(other, [a, b, c]),
    }
}

fn floats(scalar: Scalar, [a, b, c]: [u64; 3]) -> u64 {
    match scalar {
        Scalar::Arith(op, num, how) => arith(op, num, how, [a, b, c]),
        Scalar::Pair(op, num, how) => {
            let low = arith(op, num, how, [a & 0xffff, b & 0xffff, c & 0xffff]);
            let high = arith(op, num, how, [a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff]);
            low & 0xffff | high << 16
        }
        Scalar::Convert(from, to, how) => convert(from, to, how, a),
        Scalar::ConvertPair(from, to, how) => {
            let bits = to.bits();
            convert(from, to, how, b) & mask(bits) | (convert(from, to, how, a) & mask(bits)) << bits
        }
        Scalar::ConvertHalves(from, to, how) => {
            let (low, high) = (a & mask(from.bits()), a >> from.bits() & mask(from.bits()));
            convert(from, to, how, low) & mask(to.bits()) | convert(from, to, how, high) << to.bits()
        }
        _ => 0,
    }
}
