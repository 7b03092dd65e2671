//! Integer operations that can go wrong: division by zero, shifts out of range, products of operands that are too wide.
//! They are reported and then do what WGSL says: `x / 0 = x`, `x % 0 = 0`, shifts are taken modulo the width. `mul24`
//! multiplies the low 24 bits.

use super::bits::Word;
use super::kinds::{I16, I32, I64, Kind, U16, U32, U64};
use super::lift::{get, one, put, put_one};
use crate::api::finding::FindingKind;
use crate::exec::lanes::{ROW, Raw, Row};
use crate::exec::machine::Machine;
use crate::exec::step::{Pair, Step};
use crate::ir::{Bin, Ty};
use std::marker::PhantomData;

/// An operation that tells whether it went wrong.
pub trait Checked: 'static {
    type A: Raw;
    type B: Raw;
    const KIND: FindingKind;
    const TEXT: &'static str;
    fn wrong(a: Self::A, b: Self::B) -> bool;
    fn f(a: Self::A, b: Self::B) -> Self::A;
}

struct Quotient<K>(PhantomData<K>);
struct Modulo<K>(PhantomData<K>);
struct Left<K>(PhantomData<K>);
struct Right<K>(PhantomData<K>);

macro_rules! division {
    ($($kind:ident: $raw:ty;)*) => {$(
        impl Checked for Quotient<$kind> {
            type A = $raw;
            type B = $raw;
            const KIND: FindingKind = FindingKind::DivisionByZero;
            const TEXT: &'static str = "an integer is divided by zero";
            #[inline(always)]
            fn wrong(_: $raw, b: $raw) -> bool { $kind::get(b) == 0 }
            #[inline(always)]
            fn f(a: $raw, b: $raw) -> $raw {
                let (a, b) = ($kind::get(a), $kind::get(b));
                $kind::put(if b == 0 { a } else { a.wrapping_div(b) })
            }
        }
        impl Checked for Modulo<$kind> {
            type A = $raw;
            type B = $raw;
            const KIND: FindingKind = FindingKind::DivisionByZero;
            const TEXT: &'static str = "the remainder of a division by zero";
            #[inline(always)]
            fn wrong(_: $raw, b: $raw) -> bool { $kind::get(b) == 0 }
            #[inline(always)]
            fn f(a: $raw, b: $raw) -> $raw {
                let (a, b) = ($kind::get(a), $kind::get(b));
                $kind::put(if b == 0 { 0 } else { a.wrapping_rem(b) })
            }
        }
    )*};
}

division!(I16: u32; U16: u32; I32: u32; U32: u32; I64: u64; U64: u64;);

macro_rules! shifts {
    ($($name:ident => $f:ident),*) => {$(
        impl<K: Word> Checked for $name<K> {
            type A = K::Raw;
            type B = u32;
            const KIND: FindingKind = FindingKind::ShiftOutOfRange;
            const TEXT: &'static str = "a shift by as many bits as the type has, or more";
            #[inline(always)]
            fn wrong(_: K::Raw, by: u32) -> bool {
                by as usize >= size_of::<K::Native>() * 8
            }
            #[inline(always)]
            fn f(a: K::Raw, by: u32) -> K::Raw { K::put(K::$f(K::get(a), by)) }
        }
    )*};
}

shifts!(Left => shl, Right => shr);

struct Product24<K>(PhantomData<K>);

macro_rules! products {
    ($($kind:ident: $least:expr, $most:expr;)*) => {$(
        impl Checked for Product24<$kind> {
            type A = u32;
            type B = u32;
            const KIND: FindingKind = FindingKind::OperandTooWide;
            const TEXT: &'static str =
                "a factor of mul24 or mad24 has more than 24 bits: what comes out is the device's to say";
            #[inline(always)]
            fn wrong(a: u32, b: u32) -> bool {
                let fits = |x: u32| ($least..=$most).contains(&$kind::get(x));
                !(fits(a) && fits(b))
            }
            #[inline(always)]
            fn f(a: u32, b: u32) -> u32 {
                let low = |x: u32| $kind::get(x << 8) >> 8;
                $kind::put(low(a).wrapping_mul(low(b)))
            }
        }
    )*};
}

products!(I32: -(1 << 23), (1 << 23) - 1; U32: 0, (1 << 24) - 1;);

fn lanes<O: Checked>(m: &mut Machine, step: &Step) {
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let (a, b) = (get::<O::A>(m, step, 0, row), get::<O::B>(m, step, 1, row));
        let mut out = Row::<O::A>::default();
        let mut wrong = 0u32;
        for i in 0..ROW {
            out[i] = O::f(a[i], b[i]);
            wrong |= u32::from(O::wrong(a[i], b[i])) << i;
        }
        put(m, step, 0, row, &out);
        let wrong = wrong & m.mask[row];
        if wrong != 0 {
            m.report_lanes(O::KIND, step.at, row, wrong, O::TEXT);
        }
    }
}

fn once<O: Checked>(m: &mut Machine, step: &Step) {
    let (a, b) = (one(m, step, 0), one(m, step, 1));
    if O::wrong(a, b) {
        let row = m.live[0] as usize;
        m.report_lanes(O::KIND, step.at, row, m.mask[row], O::TEXT);
    }
    put_one(m, step, 0, O::f(a, b));
}

fn pair<O: Checked>() -> Pair {
    Pair { lanes: lanes::<O>, once: once::<O> }
}

macro_rules! integers {
    ($op:ident, $ty:expr) => {
        match $ty {
            Ty::I16 => pair::<$op<I16>>(),
            Ty::U16 => pair::<$op<U16>>(),
            Ty::I32 => pair::<$op<I32>>(),
            Ty::U32 => pair::<$op<U32>>(),
            Ty::I64 => pair::<$op<I64>>(),
            Ty::U64 => pair::<$op<U64>>(),
            _ => return None,
        }
    };
}

/// Divisions, shifts and narrow products of integers.
pub fn bin(bin: Bin, ty: Ty) -> Option<Pair> {
    Some(match bin {
        Bin::Div => integers!(Quotient, ty),
        Bin::Rem => integers!(Modulo, ty),
        Bin::Shl => integers!(Left, ty),
        Bin::Shr => integers!(Right, ty),
        Bin::Mul24 => match ty {
            Ty::I32 => pair::<Product24<I32>>(),
            Ty::U32 => pair::<Product24<U32>>(),
            _ => return None,
        },
        _ => return None,
    })
}
