//! Conversions between number types, f16 in memory and in registers, packing of two f16.

use super::kinds::{Bool, F16, F32, F64, I16, I32, I64, Kind, U16, U32, U64};
use super::lift::{Op1, Op2, pair1, pair2};
use crate::exec::step::Pair;
use crate::ir::{Ty, Un};
use ktwin_num::{f16_to_f32, f32_to_f16, f64_to_f16, round_to_f16};
use std::marker::PhantomData;

/// The nearest f16 of an f64, as an f32.
#[inline(always)]
pub fn half_of_f64(value: f64) -> f32 {
    f16_to_f32(f64_to_f16(value))
}

/// Conversion from one native type to another.
trait To<T> {
    fn to(self) -> T;
}

macro_rules! casts {
    ($($from:ty => $($to:ty),*;)*) => {$($(
        impl To<$to> for $from {
            #[inline(always)]
            fn to(self) -> $to { self as $to }
        }
    )*)*};
}

casts!(
    i16 => i16, u16, i32, u32, i64, u64, f32, f64;
    u16 => i16, u16, i32, u32, i64, u64, f32, f64;
    i32 => i16, u16, i32, u32, i64, u64, f32, f64;
    u32 => i16, u16, i32, u32, i64, u64, f32, f64;
    i64 => i16, u16, i32, u32, i64, u64, f32, f64;
    u64 => i16, u16, i32, u32, i64, u64, f32, f64;
    f32 => i16, u16, f32, f64;
    f64 => i16, u16, i32, u32, f32, f64;
);

// what is too large becomes the largest integer that the float type has too, as WGSL says
macro_rules! clamped {
    ($($from:ty => $to:ty, $most:expr;)*) => {$(
        impl To<$to> for $from {
            #[inline(always)]
            fn to(self) -> $to { (if self > $most { $most } else { self }) as $to }
        }
    )*};
}

clamped!(
    f32 => i32, 2_147_483_520.0;
    f32 => u32, 4_294_967_040.0;
    f32 => i64, 9_223_371_487_098_961_920.0;
    f32 => u64, 18_446_742_974_197_923_840.0;
    f64 => i64, 9_223_372_036_854_774_784.0;
    f64 => u64, 18_446_744_073_709_549_568.0;
);

/// An f16 as it is converted to integers: infinities become the largest number, and so does what an i16 has
/// not.
struct Finite<const SHORT: bool>;
impl<const SHORT: bool> Op1 for Finite<SHORT> {
    type A = u32;
    type D = u32;
    #[inline(always)]
    fn f(a: u32) -> u32 {
        let most = if SHORT { 32_752.0 } else { 65_504.0 };
        let value = f32::from_bits(a);
        let value = if value > most { most } else { value };
        (if value < -65_504.0 { -65_504.0 } else { value }).to_bits()
    }
}

macro_rules! truths {
    ($($t:ty, $zero:expr, $one:expr;)*) => {$(
        impl To<bool> for $t {
            #[inline(always)]
            fn to(self) -> bool { self != $zero }
        }
        impl To<$t> for bool {
            #[inline(always)]
            fn to(self) -> $t { if self { $one } else { $zero } }
        }
    )*};
}

truths!(i16, 0, 1; u16, 0, 1; i32, 0, 1; u32, 0, 1; i64, 0, 1; u64, 0, 1; f32, 0.0, 1.0; f64, 0.0, 1.0;);

struct Cast<A, D>(PhantomData<(A, D)>);
impl<A: Kind, D: Kind> Op1 for Cast<A, D>
where
    A::Native: To<D::Native>,
{
    type A = A::Raw;
    type D = D::Raw;
    #[inline(always)]
    fn f(a: A::Raw) -> D::Raw {
        D::put(A::get(a).to())
    }
}

struct HalfOf64;
impl Op1 for HalfOf64 {
    type A = u64;
    type D = u32;
    #[inline(always)]
    fn f(a: u64) -> u32 {
        half_of_f64(f64::from_bits(a)).to_bits()
    }
}

struct HalfBits;
impl Op1 for HalfBits {
    type A = u32;
    type D = u32;
    #[inline(always)]
    fn f(a: u32) -> u32 {
        u32::from(f32_to_f16(f32::from_bits(a)))
    }
}

struct HalfValue;
impl Op1 for HalfValue {
    type A = u32;
    type D = u32;
    #[inline(always)]
    fn f(a: u32) -> u32 {
        f16_to_f32(a as u16).to_bits()
    }
}

struct UnpackHi;
impl Op1 for UnpackHi {
    type A = u32;
    type D = u32;
    #[inline(always)]
    fn f(a: u32) -> u32 {
        f16_to_f32((a >> 16) as u16).to_bits()
    }
}

struct Quantize;
impl Op1 for Quantize {
    type A = u32;
    type D = u32;
    #[inline(always)]
    fn f(a: u32) -> u32 {
        round_to_f16(f32::from_bits(a)).to_bits()
    }
}

struct PackHalf;
impl Op2 for PackHalf {
    type A = u32;
    type B = u32;
    type D = u32;
    #[inline(always)]
    fn f(a: u32, b: u32) -> u32 {
        let bits = |v: u32| u32::from(f32_to_f16(f32::from_bits(v)));
        bits(a) | bits(b) << 16
    }
}

fn from<A: Kind>(to: Ty) -> Pair
where
    A::Native: To<bool> + To<i16> + To<u16> + To<i32> + To<u32> + To<i64> + To<u64> + To<f32> + To<f64>,
{
    match to {
        Ty::Bool => pair1::<Cast<A, Bool>>(),
        Ty::I16 => pair1::<Cast<A, I16>>(),
        Ty::U16 => pair1::<Cast<A, U16>>(),
        Ty::I32 => pair1::<Cast<A, I32>>(),
        Ty::U32 => pair1::<Cast<A, U32>>(),
        Ty::I64 => pair1::<Cast<A, I64>>(),
        Ty::U64 => pair1::<Cast<A, U64>>(),
        Ty::F16 => pair1::<Cast<A, F16>>(),
        Ty::F32 => pair1::<Cast<A, F32>>(),
        Ty::F64 => pair1::<Cast<A, F64>>(),
    }
}

impl To<bool> for bool {
    #[inline(always)]
    fn to(self) -> bool {
        self
    }
}

/// A conversion of values.
pub fn convert(a: Ty, to: Ty) -> Pair {
    match a {
        Ty::Bool => from::<Bool>(to),
        Ty::I16 => from::<I16>(to),
        Ty::U16 => from::<U16>(to),
        Ty::I32 => from::<I32>(to),
        Ty::U32 => from::<U32>(to),
        Ty::I64 => from::<I64>(to),
        Ty::U64 => from::<U64>(to),
        Ty::F16 => match to {
            Ty::I16 => pair1::<Chain<Finite<true>, Cast<F32, I16>>>(),
            Ty::U16 => pair1::<Chain<Finite<false>, Cast<F32, U16>>>(),
            Ty::I32 => pair1::<Chain<Finite<false>, Cast<F32, I32>>>(),
            Ty::U32 => pair1::<Chain<Finite<false>, Cast<F32, U32>>>(),
            Ty::I64 => pair1::<Chain<Finite<false>, Cast<F32, I64>>>(),
            Ty::U64 => pair1::<Chain<Finite<false>, Cast<F32, U64>>>(),
            _ => from::<F16>(to),
        },
        Ty::F32 => from::<F32>(to),
        Ty::F64 if to == Ty::F16 => pair1::<HalfOf64>(),
        Ty::F64 => from::<F64>(to),
    }
}

/// The same bits in another type of 16 bits.
pub fn bitcast(a: Ty, to: Ty) -> Pair {
    match (a, to) {
        (Ty::F16, Ty::I16) => pair1::<Chain<HalfBits, Cast<I16, I16>>>(),
        (Ty::F16, _) => pair1::<HalfBits>(),
        (_, Ty::F16) => pair1::<HalfValue>(),
        (_, Ty::I16) => pair1::<Cast<I16, I16>>(),
        _ => pair1::<Cast<U16, U16>>(),
    }
}

struct Chain<F, G>(PhantomData<(F, G)>);
impl<F: Op1, G: Op1<A = F::D>> Op1 for Chain<F, G> {
    type A = F::A;
    type D = G::D;
    #[inline(always)]
    fn f(a: F::A) -> G::D {
        G::f(F::f(a))
    }
}

/// Rounding to f16 and unpacking.
pub fn un(un: Un) -> Option<Pair> {
    Some(match un {
        Un::Quantize => pair1::<Quantize>(),
        Un::UnpackHalfLo => pair1::<HalfValue>(),
        Un::UnpackHalfHi => pair1::<UnpackHi>(),
        _ => return None,
    })
}

/// Packing of two f16.
pub fn pack() -> Pair {
    pair2::<PackHalf>()
}
