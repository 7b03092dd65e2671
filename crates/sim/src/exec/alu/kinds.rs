//! The number types: how each lies in a register, and its arithmetic as the languages define it.

use crate::exec::lanes::Raw;
use ktwin_num::round_to_f16;

/// A number type.
pub trait Kind: 'static {
    type Raw: Raw;
    type Native: Copy;
    fn get(raw: Self::Raw) -> Self::Native;
    fn put(native: Self::Native) -> Self::Raw;
}

/// What every number type can do. Integers wrap.
pub trait Number: Kind {
    fn add(a: Self::Native, b: Self::Native) -> Self::Native;
    fn sub(a: Self::Native, b: Self::Native) -> Self::Native;
    fn mul(a: Self::Native, b: Self::Native) -> Self::Native;
    fn min(a: Self::Native, b: Self::Native) -> Self::Native;
    fn max(a: Self::Native, b: Self::Native) -> Self::Native;
    fn neg(a: Self::Native) -> Self::Native;
    fn abs(a: Self::Native) -> Self::Native;
    fn sign(a: Self::Native) -> Self::Native;
    fn eq(a: Self::Native, b: Self::Native) -> bool;
    fn lt(a: Self::Native, b: Self::Native) -> bool;
    fn le(a: Self::Native, b: Self::Native) -> bool;
}

macro_rules! kind {
    ($name:ident, $raw:ty, $native:ty, $get:expr, $put:expr) => {
        pub struct $name;
        impl Kind for $name {
            type Raw = $raw;
            type Native = $native;
            #[inline(always)]
            fn get(raw: $raw) -> $native {
                let get: fn($raw) -> $native = $get;
                get(raw)
            }
            #[inline(always)]
            fn put(native: $native) -> $raw {
                let put: fn($native) -> $raw = $put;
                put(native)
            }
        }
    };
}

kind!(Bool, u32, bool, |r| r != 0, |v| u32::from(v));
kind!(I16, u32, i16, |r| r as i16, |v| i32::from(v) as u32);
kind!(U16, u32, u16, |r| r as u16, |v| u32::from(v));
kind!(I32, u32, i32, |r| r as i32, |v| v as u32);
kind!(U32, u32, u32, |r| r, |v| v);
kind!(I64, u64, i64, |r| r as i64, |v| v as u64);
kind!(U64, u64, u64, |r| r, |v| v);
kind!(F32, u32, f32, f32::from_bits, f32::to_bits);
kind!(F64, u64, f64, f64::from_bits, f64::to_bits);
kind!(F16, u32, f32, f32::from_bits, |v| round_to_f16(v).to_bits());

macro_rules! integer {
    ($($name:ident),*; $signed:expr) => {$(
        impl Number for $name {
            #[inline(always)]
            fn add(a: Self::Native, b: Self::Native) -> Self::Native { a.wrapping_add(b) }
            #[inline(always)]
            fn sub(a: Self::Native, b: Self::Native) -> Self::Native { a.wrapping_sub(b) }
            #[inline(always)]
            fn mul(a: Self::Native, b: Self::Native) -> Self::Native { a.wrapping_mul(b) }
            #[inline(always)]
            fn min(a: Self::Native, b: Self::Native) -> Self::Native { if b < a { b } else { a } }
            #[inline(always)]
            fn max(a: Self::Native, b: Self::Native) -> Self::Native { if a < b { b } else { a } }
            #[inline(always)]
            fn neg(a: Self::Native) -> Self::Native { a.wrapping_neg() }
            #[inline(always)]
            fn abs(a: Self::Native) -> Self::Native {
                if $signed && Self::lt(a, 0) { a.wrapping_neg() } else { a }
            }
            #[inline(always)]
            fn sign(a: Self::Native) -> Self::Native {
                let one = if $signed && Self::lt(a, 0) { Self::neg(1) } else { 1 };
                if a == 0 { 0 } else { one }
            }
            #[inline(always)]
            fn eq(a: Self::Native, b: Self::Native) -> bool { a == b }
            #[inline(always)]
            fn lt(a: Self::Native, b: Self::Native) -> bool { a < b }
            #[inline(always)]
            fn le(a: Self::Native, b: Self::Native) -> bool { a <= b }
        }
    )*};
}

integer!(I16, I32, I64; true);
integer!(U16, U32, U64; false);

macro_rules! real {
    ($($name:ident),*) => {$(
        impl Number for $name {
            #[inline(always)]
            fn add(a: Self::Native, b: Self::Native) -> Self::Native { a + b }
            #[inline(always)]
            fn sub(a: Self::Native, b: Self::Native) -> Self::Native { a - b }
            #[inline(always)]
            fn mul(a: Self::Native, b: Self::Native) -> Self::Native { a * b }
            #[inline(always)]
            fn min(a: Self::Native, b: Self::Native) -> Self::Native { a.min(b) }
            #[inline(always)]
            fn max(a: Self::Native, b: Self::Native) -> Self::Native { a.max(b) }
            #[inline(always)]
            fn neg(a: Self::Native) -> Self::Native { -a }
            #[inline(always)]
            fn abs(a: Self::Native) -> Self::Native { a.abs() }
            #[inline(always)]
            fn sign(a: Self::Native) -> Self::Native {
                if a > 0.0 { 1.0 } else if a < 0.0 { -1.0 } else { 0.0 }
            }
            #[inline(always)]
            fn eq(a: Self::Native, b: Self::Native) -> bool { a == b }
            #[inline(always)]
            fn lt(a: Self::Native, b: Self::Native) -> bool { a < b }
            #[inline(always)]
            fn le(a: Self::Native, b: Self::Native) -> bool { a <= b }
        }
    )*};
}

real!(F16, F32, F64);
