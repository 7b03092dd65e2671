//! Arithmetic of all number types: add, multiply, compare, fused and unfused multiply-add.

use super::kinds::{F16, F32, F64, I16, I32, I64, Kind, Number, U16, U32, U64};
use super::lift::{Op1, Op2, Op3, pair1, pair2, pair3};
use crate::exec::lanes::Raw;
use crate::exec::step::Pair;
use crate::ir::{Bin, Ty, Un};
use std::marker::PhantomData;

macro_rules! binary {
    ($($name:ident => $f:ident),*) => {$(
        struct $name<K>(PhantomData<K>);
        impl<K: Number> Op2 for $name<K> {
            type A = K::Raw;
            type B = K::Raw;
            type D = K::Raw;
            #[inline(always)]
            fn f(a: K::Raw, b: K::Raw) -> K::Raw {
                K::put(K::$f(K::get(a), K::get(b)))
            }
        }
    )*};
}

binary!(Add => add, Sub => sub, Mul => mul, Min => min, Max => max);

macro_rules! compare {
    ($($name:ident => |$a:ident, $b:ident| $e:expr),*) => {$(
        struct $name<K>(PhantomData<K>);
        impl<K: Number> Op2 for $name<K> {
            type A = K::Raw;
            type B = K::Raw;
            type D = u32;
            #[inline(always)]
            fn f($a: K::Raw, $b: K::Raw) -> u32 {
                let ($a, $b) = (K::get($a), K::get($b));
                u32::from($e)
            }
        }
    )*};
}

compare!(
    Eq => |a, b| K::eq(a, b),
    Ne => |a, b| !K::eq(a, b),
    Lt => |a, b| K::lt(a, b),
    Le => |a, b| K::le(a, b),
    Gt => |a, b| K::lt(b, a),
    Ge => |a, b| K::le(b, a)
);

macro_rules! unary {
    ($($name:ident => $f:ident),*) => {$(
        struct $name<K>(PhantomData<K>);
        impl<K: Number> Op1 for $name<K> {
            type A = K::Raw;
            type D = K::Raw;
            #[inline(always)]
            fn f(a: K::Raw) -> K::Raw {
                K::put(K::$f(K::get(a)))
            }
        }
    )*};
}

unary!(Neg => neg, Abs => abs, Sign => sign);

struct MulAdd<K>(PhantomData<K>);
impl<K: Number> Op3 for MulAdd<K> {
    type A = K::Raw;
    type B = K::Raw;
    type D = K::Raw;
    #[inline(always)]
    fn f(a: K::Raw, b: K::Raw, c: K::Raw) -> K::Raw {
        let product = K::get(K::put(K::mul(K::get(a), K::get(b))));
        K::put(K::add(product, K::get(c)))
    }
}

struct Divide<K>(PhantomData<K>);
struct Remainder<K>(PhantomData<K>);
struct Fused<K>(PhantomData<K>);

macro_rules! real {
    ($($kind:ident, $raw:ty, $fmod:path;)*) => {$(
        impl Op2 for Divide<$kind> {
            type A = $raw;
            type B = $raw;
            type D = $raw;
            #[inline(always)]
            fn f(a: $raw, b: $raw) -> $raw {
                $kind::put($kind::get(a) / $kind::get(b))
            }
        }
        impl Op2 for Remainder<$kind> {
            type A = $raw;
            type B = $raw;
            type D = $raw;
            #[inline(always)]
            fn f(a: $raw, b: $raw) -> $raw {
                $kind::put($fmod($kind::get(a), $kind::get(b)))
            }
        }
    )*};
}

real!(F16, u32, libm::fmodf; F32, u32, libm::fmodf; F64, u64, libm::fmod;);

impl Op3 for Fused<F32> {
    type A = u32;
    type B = u32;
    type D = u32;
    #[inline(always)]
    fn f(a: u32, b: u32, c: u32) -> u32 {
        F32::put(F32::get(a).mul_add(F32::get(b), F32::get(c)))
    }
}

impl Op3 for Fused<F64> {
    type A = u64;
    type B = u64;
    type D = u64;
    #[inline(always)]
    fn f(a: u64, b: u64, c: u64) -> u64 {
        F64::put(F64::get(a).mul_add(F64::get(b), F64::get(c)))
    }
}

impl Op3 for Fused<F16> {
    type A = u32;
    type B = u32;
    type D = u32;
    #[inline(always)]
    fn f(a: u32, b: u32, c: u32) -> u32 {
        // the product of two f16 is exact in f64; the sum, rounded to odd, still shows what the f16 needs
        let product = f64::from(F16::get(a)) * f64::from(F16::get(b));
        let addend = f64::from(F16::get(c));
        let sum = product + addend;
        let lost = two_sum_error(product, addend, sum);
        let odd = if lost != 0.0 && sum.to_bits() & 1 == 0 {
            let away = (lost > 0.0) == (sum > 0.0);
            f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
        } else {
            sum
        };
        super::convert::half_of_f64(odd).to_bits()
    }
}

/// What `a + b` lost in rounding to `sum`.
#[inline(always)]
fn two_sum_error(a: f64, b: f64, sum: f64) -> f64 {
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    if error.is_finite() { error } else { 0.0 }
}

fn number_bin<K: Number>(bin: Bin) -> Option<Pair>
where
    K::Raw: Raw,
{
    Some(match bin {
        Bin::Add => pair2::<Add<K>>(),
        Bin::Sub => pair2::<Sub<K>>(),
        Bin::Mul => pair2::<Mul<K>>(),
        Bin::Min => pair2::<Min<K>>(),
        Bin::Max => pair2::<Max<K>>(),
        Bin::Eq => pair2::<Eq<K>>(),
        Bin::Ne => pair2::<Ne<K>>(),
        Bin::Lt => pair2::<Lt<K>>(),
        Bin::Le => pair2::<Le<K>>(),
        Bin::Gt => pair2::<Gt<K>>(),
        Bin::Ge => pair2::<Ge<K>>(),
        _ => return None,
    })
}

/// Binary arithmetic and comparisons.
pub fn bin(bin: Bin, ty: Ty) -> Option<Pair> {
    match (bin, ty) {
        (Bin::Div, Ty::F16) => return Some(pair2::<Divide<F16>>()),
        (Bin::Div, Ty::F32) => return Some(pair2::<Divide<F32>>()),
        (Bin::Div, Ty::F64) => return Some(pair2::<Divide<F64>>()),
        (Bin::Rem, Ty::F16) => return Some(pair2::<Remainder<F16>>()),
        (Bin::Rem, Ty::F32) => return Some(pair2::<Remainder<F32>>()),
        (Bin::Rem, Ty::F64) => return Some(pair2::<Remainder<F64>>()),
        _ => {}
    }
    match ty {
        Ty::Bool => match bin {
            Bin::Eq | Bin::Ne => number_bin::<U32>(bin),
            _ => None,
        },
        Ty::I16 => number_bin::<I16>(bin),
        Ty::U16 => number_bin::<U16>(bin),
        Ty::I32 => number_bin::<I32>(bin),
        Ty::U32 => number_bin::<U32>(bin),
        Ty::I64 => number_bin::<I64>(bin),
        Ty::U64 => number_bin::<U64>(bin),
        Ty::F16 => number_bin::<F16>(bin),
        Ty::F32 => number_bin::<F32>(bin),
        Ty::F64 => number_bin::<F64>(bin),
    }
}

fn number_un<K: Number>(un: Un) -> Option<Pair> {
    Some(match un {
        Un::Neg => pair1::<Neg<K>>(),
        Un::Abs => pair1::<Abs<K>>(),
        Un::Sign => pair1::<Sign<K>>(),
        _ => return None,
    })
}

/// Negation, absolute value, sign.
pub fn un(un: Un, ty: Ty) -> Option<Pair> {
    match ty {
        Ty::Bool => None,
        Ty::I16 => number_un::<I16>(un),
        Ty::U16 => number_un::<U16>(un),
        Ty::I32 => number_un::<I32>(un),
        Ty::U32 => number_un::<U32>(un),
        Ty::I64 => number_un::<I64>(un),
        Ty::U64 => number_un::<U64>(un),
        Ty::F16 => number_un::<F16>(un),
        Ty::F32 => number_un::<F32>(un),
        Ty::F64 => number_un::<F64>(un),
    }
}

/// `a * b + c`, rounded once.
pub fn fused(ty: Ty) -> Option<Pair> {
    Some(match ty {
        Ty::F16 => pair3::<Fused<F16>>(),
        Ty::F32 => pair3::<Fused<F32>>(),
        Ty::F64 => pair3::<Fused<F64>>(),
        _ => return None,
    })
}

/// `a * b + c`, rounded twice.
pub fn mul_add(ty: Ty) -> Option<Pair> {
    Some(match ty {
        Ty::I32 | Ty::U32 => pair3::<MulAdd<U32>>(),
        Ty::F16 => pair3::<MulAdd<F16>>(),
        Ty::F32 => pair3::<MulAdd<F32>>(),
        Ty::F64 => pair3::<MulAdd<F64>>(),
        _ => return None,
    })
}
