//! Bitwise operations, shifts by amounts known to be in range, counts of bits, packed dot products.

use super::kinds::{I16, I32, I64, Kind, U16, U32, U64};
use super::lift::{Op1, Op2, pair1, pair2};
use crate::exec::step::Pair;
use crate::ir::{Bin, Ty, Un};
use std::marker::PhantomData;

/// Integers as bits.
pub trait Word: Kind {
    fn and(a: Self::Native, b: Self::Native) -> Self::Native;
    fn or(a: Self::Native, b: Self::Native) -> Self::Native;
    fn xor(a: Self::Native, b: Self::Native) -> Self::Native;
    fn not(a: Self::Native) -> Self::Native;
    /// Shifts; the amount is taken modulo the width.
    fn shl(a: Self::Native, by: u32) -> Self::Native;
    fn shr(a: Self::Native, by: u32) -> Self::Native;
    fn ones(a: Self::Native) -> u32;
    fn leading(a: Self::Native) -> u32;
    fn trailing(a: Self::Native) -> u32;
    fn reverse(a: Self::Native) -> Self::Native;
    /// The position of the highest bit that differs from the sign; all ones where there is none.
    fn first_leading(a: Self::Native) -> Self::Native;
    /// The position of the lowest set bit; all ones where there is none.
    fn first_trailing(a: Self::Native) -> Self::Native;
    fn from_u32(a: u32) -> Self::Native;
}

macro_rules! word {
    ($($name:ident: $t:ty, $signed:expr;)*) => {$(
        impl Word for $name {
            #[inline(always)]
            fn and(a: $t, b: $t) -> $t { a & b }
            #[inline(always)]
            fn or(a: $t, b: $t) -> $t { a | b }
            #[inline(always)]
            fn xor(a: $t, b: $t) -> $t { a ^ b }
            #[inline(always)]
            fn not(a: $t) -> $t { !a }
            #[inline(always)]
            fn shl(a: $t, by: u32) -> $t { a.wrapping_shl(by) }
            #[inline(always)]
            fn shr(a: $t, by: u32) -> $t { a.wrapping_shr(by) }
            #[inline(always)]
            fn ones(a: $t) -> u32 { a.count_ones() }
            #[inline(always)]
            fn leading(a: $t) -> u32 { a.leading_zeros() }
            #[inline(always)]
            fn trailing(a: $t) -> u32 { a.trailing_zeros() }
            #[inline(always)]
            fn reverse(a: $t) -> $t { a.reverse_bits() }
            #[inline(always)]
            fn first_leading(a: $t) -> $t {
                #[allow(unused_comparisons)]
                let a = if $signed && a < 0 { !a } else { a };
                if a == 0 { !0 } else { (<$t>::BITS - 1 - a.leading_zeros()) as $t }
            }
            #[inline(always)]
            fn first_trailing(a: $t) -> $t { if a == 0 { !0 } else { a.trailing_zeros() as $t } }
            #[inline(always)]
            fn from_u32(a: u32) -> $t { a as $t }
        }
    )*};
}

word!(I16: i16, true; U16: u16, false; I32: i32, true; U32: u32, false; I64: i64, true; U64: u64, false;);

macro_rules! binary {
    ($($name:ident => $f:ident),*) => {$(
        struct $name<K>(PhantomData<K>);
        impl<K: Word> Op2 for $name<K> {
            type A = K::Raw;
            type B = K::Raw;
            type D = K::Raw;
            #[inline(always)]
            fn f(a: K::Raw, b: K::Raw) -> K::Raw { K::put(K::$f(K::get(a), K::get(b))) }
        }
    )*};
}

binary!(And => and, Or => or, Xor => xor);

macro_rules! shift {
    ($($name:ident => $f:ident),*) => {$(
        struct $name<K>(PhantomData<K>);
        impl<K: Word> Op2 for $name<K> {
            type A = K::Raw;
            type B = u32;
            type D = K::Raw;
            #[inline(always)]
            fn f(a: K::Raw, by: u32) -> K::Raw { K::put(K::$f(K::get(a), by)) }
        }
    )*};
}

shift!(Shl => shl, Shr => shr);

macro_rules! unary {
    ($($name:ident => |$a:ident| $e:expr),*) => {$(
        struct $name<K>(PhantomData<K>);
        impl<K: Word> Op1 for $name<K> {
            type A = K::Raw;
            type D = K::Raw;
            #[inline(always)]
            fn f(a: K::Raw) -> K::Raw {
                let $a = K::get(a);
                K::put($e)
            }
        }
    )*};
}

unary!(
    Not => |a| K::not(a),
    Ones => |a| K::from_u32(K::ones(a)),
    Leading => |a| K::from_u32(K::leading(a)),
    Trailing => |a| K::from_u32(K::trailing(a)),
    Reverse => |a| K::reverse(a),
    FirstLeading => |a| K::first_leading(a),
    FirstTrailing => |a| K::first_trailing(a)
);

struct NotBool;
impl Op1 for NotBool {
    type A = u32;
    type D = u32;
    #[inline(always)]
    fn f(a: u32) -> u32 {
        a ^ 1
    }
}

struct DotI8;
impl Op2 for DotI8 {
    type A = u32;
    type B = u32;
    type D = u32;
    #[inline(always)]
    fn f(a: u32, b: u32) -> u32 {
        let at = |w: u32, i: u32| i32::from((w >> (8 * i)) as i8);
        ((0..4).map(|i| at(a, i) * at(b, i)).sum::<i32>()) as u32
    }
}

struct DotU8;
impl Op2 for DotU8 {
    type A = u32;
    type B = u32;
    type D = u32;
    #[inline(always)]
    fn f(a: u32, b: u32) -> u32 {
        let at = |w: u32, i: u32| (w >> (8 * i)) & 0xff;
        (0..4).map(|i| at(a, i) * at(b, i)).sum()
    }
}

fn word_bin<K: Word>(bin: Bin) -> Option<Pair> {
    Some(match bin {
        Bin::And => pair2::<And<K>>(),
        Bin::Or => pair2::<Or<K>>(),
        Bin::Xor => pair2::<Xor<K>>(),
        Bin::ShlFixed => pair2::<Shl<K>>(),
        Bin::ShrFixed => pair2::<Shr<K>>(),
        _ => return None,
    })
}

/// Bitwise operations and shifts.
pub fn bin(bin: Bin, ty: Ty) -> Option<Pair> {
    match (bin, ty) {
        (Bin::DotI8, _) => Some(pair2::<DotI8>()),
        (Bin::DotU8, _) => Some(pair2::<DotU8>()),
        (_, Ty::Bool | Ty::U32) => word_bin::<U32>(bin),
        (_, Ty::I16) => word_bin::<I16>(bin),
        (_, Ty::U16) => word_bin::<U16>(bin),
        (_, Ty::I32) => word_bin::<I32>(bin),
        (_, Ty::I64) => word_bin::<I64>(bin),
        (_, Ty::U64) => word_bin::<U64>(bin),
        _ => None,
    }
}

fn word_un<K: Word>(un: Un) -> Option<Pair> {
    Some(match un {
        Un::Not => pair1::<Not<K>>(),
        Un::CountOnes => pair1::<Ones<K>>(),
        Un::LeadingZeros => pair1::<Leading<K>>(),
        Un::TrailingZeros => pair1::<Trailing<K>>(),
        Un::Reverse => pair1::<Reverse<K>>(),
        Un::FirstLeading => pair1::<FirstLeading<K>>(),
        Un::FirstTrailing => pair1::<FirstTrailing<K>>(),
        _ => return None,
    })
}

/// Complements and counts of bits.
pub fn un(un: Un, ty: Ty) -> Option<Pair> {
    match ty {
        Ty::Bool if un == Un::Not => Some(pair1::<NotBool>()),
        Ty::I16 => word_un::<I16>(un),
        Ty::U16 => word_un::<U16>(un),
        Ty::I32 => word_un::<I32>(un),
        Ty::U32 => word_un::<U32>(un),
        Ty::I64 => word_un::<I64>(un),
        Ty::U64 => word_un::<U64>(un),
        _ => None,
    }
}
