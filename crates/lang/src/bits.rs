//! The functions of an integer's bits: what they are called and what they give. Integers are as in mathematics; those
//! below zero have the bits of their two's complement, as far to the left as one looks.

use ktwin_num::Float;

use crate::func::{Func, Named, Takes};

/// A function of integers' bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bit {
    And,
    Or,
    Xor,
    Not,
    /// `a 2^n`.
    Shl,
    /// `a / 2^n`, rounded down.
    Shr,
    /// Turned to the left within a word of so many bits.
    Rotl,
    Rotr,
    /// How many bits are set.
    Popcount,
    /// Zeros above the highest bit of a word of so many bits, and below the lowest.
    Clz,
    Ctz,
    /// So many bits from one upwards.
    Field,
}

const fn of(name: &'static str, func: Func, arity: usize, takes: Takes) -> Named {
    Named { name, func, arity, takes }
}

const fn bit(name: &'static str, bit: Bit, arity: usize) -> Named {
    of(name, Func::Bit(bit), arity, Takes::Integers)
}

const fn wrap(name: &'static str, bits: u8, signed: bool) -> Named {
    of(name, Func::Wrap { bits, signed }, 1, Takes::Integers)
}

/// All of them by name, sorted.
pub const NAMED: &[Named] = &[
    of("bf16_bits", Func::BitsOf(Float::BF16), 1, Takes::Reals),
    of("bf16_from_bits", Func::OfBits(Float::BF16), 1, Takes::Integers),
    bit("bitand", Bit::And, 2),
    bit("bitnot", Bit::Not, 1),
    bit("bitor", Bit::Or, 2),
    bit("bits", Bit::Field, 3),
    bit("clz", Bit::Clz, 2),
    bit("ctz", Bit::Ctz, 2),
    of("f16_bits", Func::BitsOf(Float::F16), 1, Takes::Reals),
    of("f16_from_bits", Func::OfBits(Float::F16), 1, Takes::Integers),
    of("f32_bits", Func::BitsOf(Float::F32), 1, Takes::Reals),
    of("f32_from_bits", Func::OfBits(Float::F32), 1, Takes::Integers),
    wrap("i16", 16, true),
    wrap("i32", 32, true),
    wrap("i64", 64, true),
    wrap("i8", 8, true),
    bit("popcount", Bit::Popcount, 1),
    bit("rotl", Bit::Rotl, 3),
    bit("rotr", Bit::Rotr, 3),
    bit("shl", Bit::Shl, 2),
    bit("shr", Bit::Shr, 2),
    wrap("u16", 16, false),
    wrap("u32", 32, false),
    wrap("u8", 8, false),
    bit("xor", Bit::Xor, 2),
];

/// The function's value; none where it overflows, or a shift or a width is none.
pub fn value(bit: Bit, args: &[i64]) -> Option<i64> {
    Some(match (bit, args) {
        (Bit::And, [a, b]) => a & b,
        (Bit::Or, [a, b]) => a | b,
        (Bit::Xor, [a, b]) => a ^ b,
        (Bit::Not, [a]) => !a,
        (Bit::Shl, [a, n]) => i64::try_from(i128::from(*a) << shift(*n)?).ok()?,
        (Bit::Shr, [a, n]) => a >> shift(*n)?,
        (Bit::Rotl, [a, n, width]) => rotated(*a, *n, *width)?,
        (Bit::Rotr, [a, n, width]) => rotated(*a, n.checked_neg()?, *width)?,
        (Bit::Popcount, [a]) => i64::from(a.count_ones()),
        (Bit::Clz, [a, width]) => width - (64 - i64::from(word(*a, *width)?.leading_zeros())),
        (Bit::Ctz, [a, width]) => i64::from(word(*a, *width)?.trailing_zeros()).min(*width),
        (Bit::Field, [a, from, count]) if (0..=63).contains(count) => {
            (*a as u64 >> shift(*from)? & ((1 << count) - 1)) as i64
        }
        _ => return None,
    })
}

/// An integer modulo a power of two: the number of so many bits, signed or not.
pub fn wrapped(a: i64, bits: u8, signed: bool) -> i64 {
    let spare = 64 - u32::from(bits);
    if signed { a << spare >> spare } else { ((a as u64) << spare >> spare) as i64 }
}

/// A number of bits that an integer may be shifted by.
fn shift(n: i64) -> Option<u32> {
    u32::try_from(n).ok().filter(|n| *n < 64)
}

/// The low bits of an integer.
fn word(a: i64, width: i64) -> Option<u64> {
    let width = u32::try_from(width).ok().filter(|w| (1..=64).contains(w))?;
    Some((a as u64) << (64 - width) >> (64 - width))
}

fn rotated(a: i64, n: i64, width: i64) -> Option<i64> {
    let low = word(a, width)?;
    let n = n.rem_euclid(width) as u32;
    let back = width as u32 - n;
    let high = if n == 0 { 0 } else { low >> back };
    Some(word((low << n) as i64, width)? as i64 | high as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted() {
        assert!(NAMED.windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    #[test]
    fn words_turn_and_fields_come_out() {
        assert_eq!(value(Bit::Rotl, &[0x8000_0001, 4, 32]), Some(0x18));
        assert_eq!(value(Bit::Rotr, &[0x18, 4, 32]), Some(0x8000_0001));
        assert_eq!(value(Bit::Rotl, &[0x81, 8, 8]), Some(0x81));
        assert_eq!(value(Bit::Rotl, &[1, 63, 64]), Some(i64::MIN));
        assert_eq!(value(Bit::Field, &[-1, 60, 8]), Some(15));
        assert_eq!(value(Bit::Field, &[0xabcd, 4, 8]), Some(0xbc));
        assert_eq!(value(Bit::Field, &[0xabcd, 4, 0]), Some(0));
        assert_eq!((value(Bit::Clz, &[1, 32]), value(Bit::Clz, &[0, 32])), (Some(31), Some(32)));
        assert_eq!((value(Bit::Ctz, &[8, 32]), value(Bit::Ctz, &[0, 16])), (Some(3), Some(16)));
        assert_eq!((value(Bit::Shr, &[-5, 1]), value(Bit::Shl, &[-3, 2])), (Some(-3), Some(-12)));
    }

    #[test]
    fn what_has_no_meaning_gives_nothing() {
        for (bit, args) in [
            (Bit::Shl, &[1, 64][..]),
            (Bit::Shl, &[1, 63]),
            (Bit::Shr, &[1, -1]),
            (Bit::Rotl, &[1, 1, 65]),
            (Bit::Rotr, &[1, i64::MIN, 8]),
            (Bit::Clz, &[1, 0]),
            (Bit::Field, &[1, 0, 64]),
            (Bit::Field, &[1, 64, 4]),
        ] {
            assert_eq!(value(bit, args), None, "{bit:?} {args:?}");
        }
    }

    #[test]
    fn wrapping_takes_the_low_bits() {
        assert_eq!((wrapped(-1, 32, false), wrapped(0xffff_ffff, 32, true)), (0xffff_ffff, -1));
        assert_eq!((wrapped(200, 8, true), wrapped(300, 8, false)), (-56, 44));
        assert_eq!(wrapped(i64::MIN, 64, true), i64::MIN);
    }
}
