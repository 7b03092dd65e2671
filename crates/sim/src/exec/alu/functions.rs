//! Built-in functions of floats, correctly rounded: computed in f64 and rounded once.

use super::convert::half_of_f64;
use super::kinds::{F16, F32, F64, Kind};
use super::lift::{Op1, Op2, get, pair1, pair2, put};
use super::reals;
use crate::exec::lanes::ROW;
use crate::exec::step::Pair;
use crate::ir::{Bin, Ty, Un};
use ktwin_num::math;
use std::marker::PhantomData;

/// A float type that an f64 can be rounded to.
pub trait Rounded: Kind {
    /// Whether it has as many digits as the functions that are computed for lanes at once, which round no more then.
    const WIDE: bool = false;
    fn up(raw: Self::Raw) -> f64;
    fn down(value: f64) -> Self::Raw;
}

impl Rounded for F16 {
    #[inline(always)]
    fn up(raw: u32) -> f64 {
        f64::from(f32::from_bits(raw))
    }
    #[inline(always)]
    fn down(value: f64) -> u32 {
        half_of_f64(value).to_bits()
    }
}

impl Rounded for F32 {
    #[inline(always)]
    fn up(raw: u32) -> f64 {
        f64::from(f32::from_bits(raw))
    }
    #[inline(always)]
    fn down(value: f64) -> u32 {
        (value as f32).to_bits()
    }
}

impl Rounded for F64 {
    const WIDE: bool = true;
    #[inline(always)]
    fn up(raw: u64) -> f64 {
        f64::from_bits(raw)
    }
    #[inline(always)]
    fn down(value: f64) -> u64 {
        value.to_bits()
    }
}

/// A function of one real number.
pub trait Real: 'static {
    fn f(x: f64) -> f64;
}

macro_rules! reals {
    ($($name:ident = $f:expr),* $(,)?) => {$(
        struct $name;
        impl Real for $name {
            #[inline(always)]
            fn f(x: f64) -> f64 {
                #[allow(clippy::redundant_closure_call)]
                ($f)(x)
            }
        }
    )*};
}

reals!(
    Floor = |x: f64| x.floor(),
    Ceil = |x: f64| x.ceil(),
    Round = |x: f64| x.round_ties_even(),
    Trunc = |x: f64| x.trunc(),
    Fract = |x: f64| x - x.floor(),
    Sqrt = |x: f64| x.sqrt(),
    Rsqrt = math::rsqrt,
    Exp = math::exp,
    Exp2 = math::exp2,
    Log = math::log,
    Log2 = math::log2,
    SinSmall = reals::sin_small,
    CosSmall = reals::cos_small,
    Sin = libm::sin,
    Cos = libm::cos,
    Tan = libm::tan,
    Asin = libm::asin,
    Acos = libm::acos,
    Atan = libm::atan,
    Sinh = libm::sinh,
    Cosh = libm::cosh,
    Tanh = math::tanh,
    TanhWide = libm::tanh,
    Asinh = libm::asinh,
    Acosh = libm::acosh,
    Atanh = libm::atanh,
    Cbrt = libm::cbrt,
    Erf = libm::erf,
    Exp10 = libm::exp10,
    Expm1 = libm::expm1,
    Log10 = libm::log10,
    Log1p = libm::log1p,
    FrexpFract = |x: f64| libm::frexp(x).0,
);

struct Apply<R, K>(PhantomData<(R, K)>);
impl<R: Real, K: Rounded> Op1 for Apply<R, K> {
    type A = K::Raw;
    type D = K::Raw;
    #[inline(always)]
    fn f(a: K::Raw) -> K::Raw {
        K::down(R::f(K::up(a)))
    }
}

// Sine and cosine: vectorised while all angles are small.
lanes! {
    fn angle_lanes<S: Real, R: Real, K: Rounded>(m, step) {
        for k in 0..m.live_len {
            let row = m.live[k] as usize;
            let a = get::<K::Raw>(m, step, 0, row);
            let small = a.iter().fold(true, |all, &x| all & (K::up(x).abs() < reals::SMALL_ANGLE));
            let mut out = a;
            if small {
                for i in 0..ROW {
                    out[i] = K::down(S::f(K::up(a[i])));
                }
            } else {
                for i in 0..ROW {
                    out[i] = K::down(R::f(K::up(a[i])));
                }
            }
            put(m, step, 0, row, &out);
        }
    }
}

struct FrexpExp<K>(PhantomData<K>);
impl<K: Rounded> Op1 for FrexpExp<K> {
    type A = K::Raw;
    type D = u32;
    #[inline(always)]
    fn f(a: K::Raw) -> u32 {
        let x = K::up(a);
        if x.is_finite() && x != 0.0 { libm::frexp(x).1 as u32 } else { 0 }
    }
}

struct IsNan<K>(PhantomData<K>);
impl<K: Rounded> Op1 for IsNan<K> {
    type A = K::Raw;
    type D = u32;
    #[inline(always)]
    fn f(a: K::Raw) -> u32 {
        u32::from(K::up(a).is_nan())
    }
}

struct IsInf<K>(PhantomData<K>);
impl<K: Rounded> Op1 for IsInf<K> {
    type A = K::Raw;
    type D = u32;
    #[inline(always)]
    fn f(a: K::Raw) -> u32 {
        u32::from(K::up(a).is_infinite())
    }
}

fn function<K: Rounded>(un: Un) -> Option<Pair> {
    Some(match un {
        Un::Floor => pair1::<Apply<Floor, K>>(),
        Un::Ceil => pair1::<Apply<Ceil, K>>(),
        Un::Round => pair1::<Apply<Round, K>>(),
        Un::Trunc => pair1::<Apply<Trunc, K>>(),
        Un::Fract => pair1::<Apply<Fract, K>>(),
        Un::Sqrt => pair1::<Apply<Sqrt, K>>(),
        Un::Rsqrt => pair1::<Apply<Rsqrt, K>>(),
        Un::Exp => pair1::<Apply<Exp, K>>(),
        Un::Exp2 => pair1::<Apply<Exp2, K>>(),
        Un::Log => pair1::<Apply<Log, K>>(),
        Un::Log2 => pair1::<Apply<Log2, K>>(),
        Un::Sin if K::WIDE => pair1::<Apply<Sin, K>>(),
        Un::Cos if K::WIDE => pair1::<Apply<Cos, K>>(),
        Un::Tanh if K::WIDE => pair1::<Apply<TanhWide, K>>(),
        Un::Sin => Pair { lanes: angle_lanes::<SinSmall, Sin, K>, once: pair1::<Apply<Sin, K>>().once },
        Un::Cos => Pair { lanes: angle_lanes::<CosSmall, Cos, K>, once: pair1::<Apply<Cos, K>>().once },
        Un::Tan => pair1::<Apply<Tan, K>>(),
        Un::Asin => pair1::<Apply<Asin, K>>(),
        Un::Acos => pair1::<Apply<Acos, K>>(),
        Un::Atan => pair1::<Apply<Atan, K>>(),
        Un::Sinh => pair1::<Apply<Sinh, K>>(),
        Un::Cosh => pair1::<Apply<Cosh, K>>(),
        Un::Tanh => pair1::<Apply<Tanh, K>>(),
        Un::Asinh => pair1::<Apply<Asinh, K>>(),
        Un::Acosh => pair1::<Apply<Acosh, K>>(),
        Un::Atanh => pair1::<Apply<Atanh, K>>(),
        Un::Cbrt => pair1::<Apply<Cbrt, K>>(),
        Un::Erf => pair1::<Apply<Erf, K>>(),
        Un::Exp10 => pair1::<Apply<Exp10, K>>(),
        Un::Expm1 => pair1::<Apply<Expm1, K>>(),
        Un::Log10 => pair1::<Apply<Log10, K>>(),
        Un::Log1p => pair1::<Apply<Log1p, K>>(),
        Un::FrexpFract => pair1::<Apply<FrexpFract, K>>(),
        Un::FrexpExp => pair1::<FrexpExp<K>>(),
        Un::IsNan => pair1::<IsNan<K>>(),
        Un::IsInf => pair1::<IsInf<K>>(),
        _ => return None,
    })
}

/// Functions of one operand.
pub fn un(un: Un, ty: Ty) -> Option<Pair> {
    match ty {
        Ty::F16 => function::<F16>(un),
        Ty::F32 => function::<F32>(un),
        Ty::F64 => function::<F64>(un),
        _ => None,
    }
}

struct Pow<K>(PhantomData<K>);
impl<K: Rounded> Op2 for Pow<K> {
    type A = K::Raw;
    type B = K::Raw;
    type D = K::Raw;
    #[inline(always)]
    fn f(a: K::Raw, b: K::Raw) -> K::Raw {
        let pow = if K::WIDE { libm::pow } else { reals::pow };
        K::down(pow(K::up(a), K::up(b)))
    }
}

struct Atan2<K>(PhantomData<K>);
impl<K: Rounded> Op2 for Atan2<K> {
    type A = K::Raw;
    type B = K::Raw;
    type D = K::Raw;
    #[inline(always)]
    fn f(a: K::Raw, b: K::Raw) -> K::Raw {
        K::down(libm::atan2(K::up(a), K::up(b)))
    }
}

struct Ldexp<K>(PhantomData<K>);
impl<K: Rounded> Op2 for Ldexp<K> {
    type A = K::Raw;
    type B = u32;
    type D = K::Raw;
    #[inline(always)]
    fn f(a: K::Raw, b: u32) -> K::Raw {
        K::down(libm::ldexp(K::up(a), b as i32))
    }
}

fn function2<K: Rounded>(bin: Bin) -> Option<Pair> {
    Some(match bin {
        Bin::Pow => pair2::<Pow<K>>(),
        Bin::Atan2 => pair2::<Atan2<K>>(),
        Bin::Ldexp => pair2::<Ldexp<K>>(),
        _ => return None,
    })
}

/// Functions of two operands.
pub fn bin(bin: Bin, ty: Ty) -> Option<Pair> {
    match ty {
        Ty::F16 => function2::<F16>(bin),
        Ty::F32 => function2::<F32>(bin),
        Ty::F64 => function2::<F64>(bin),
        _ => None,
    }
}
