//! PTX's approximate functions: correctly rounded, or as inexact as the PTX manual allows. Some never are correctly
//! rounded: for sines and cosines cards count turns in f32 first, so that far from zero little is left of an angle.
//! These, and logarithms near zero, have no more bits after the point than near one; a tanh has 11 bits.

use super::format::{decode, flushed, power, round_to};
use super::real::function;
use crate::api::options::Mode;
use crate::exec::machine::Machine;
use crate::exec::step::Step;
use crate::exec::workgroup::Random;
use crate::ir::scalar::{Approx, How, Num};
use ktwin_num::math;

/// How far the result may be from `exact`, as the manual says.
fn room(fun: Approx, num: Num, a: f64, exact: f64) -> f64 {
    let size = exact.abs();
    let ulps = |n: f64| {
        let exponent = ((exact.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(-126);
        n * power(exponent - 23)
    };
    match (fun, num) {
        (Approx::Ex2, Num::F16) => size * math::exp2(-9.9),
        (Approx::Ex2, Num::Bf16) => size * power(-7),
        (Approx::Tanh, Num::F16) => math::exp2(-10.987),
        (Approx::Tanh, Num::Bf16) => power(-8),
        (Approx::Ex2 | Approx::Div | Approx::DivFull, _) => ulps(2.0),
        (Approx::Lg2, _) if a > 0.5 && a < 2.0 => power(-22),
        (Approx::Lg2, _) => size * power(-22),
        // 2^-20.5 up to 2 pi, 2^-14.7 at 100 pi
        (Approx::Sin | Approx::Cos, _) => {
            math::exp2(-20.5) + power(-23) * (a.abs() - 2.0 * std::f64::consts::PI).max(0.0)
        }
        (Approx::Rcp, _) => ulps(1.0),
        (Approx::Rsqrt, _) => size * math::exp2(-22.9),
        (Approx::Sqrt, _) => size * power(-23),
        (Approx::Tanh, _) => size * power(-11),
    }
}

/// Whether every implementation is right here: at zero, far below the smallest number, and where the result is a power
/// of two.
fn sure(fun: Approx, a: f64, b: f64, exact: f64) -> bool {
    if exact.abs() < power(-152) {
        return true;
    }
    let power = |v: f64| v.to_bits() << 12 == 0;
    match fun {
        Approx::Div if vanishes(b) => true,
        Approx::Div | Approx::DivFull => exact == 0.0 || power(b),
        Approx::Rcp | Approx::Rsqrt | Approx::Sqrt => power(a) && power(exact),
        Approx::Ex2 => a == a.trunc(),
        Approx::Lg2 => power(a),
        _ => a == 0.0,
    }
}

/// The sine or cosine of the angle that is left once it was counted in turns, which are truncated to f32.
fn of_turns(function: fn(f64) -> f64, angle: f64) -> f64 {
    const TURN: f32 = 0.159_154_94;
    let exact = angle * f64::from(TURN);
    let near = exact as f32;
    let turns = if f64::from(near).abs() > exact.abs() { f32::from_bits(near.to_bits() - 1) } else { near };
    function(f64::from(turns % 1.0) * std::f64::consts::TAU)
}

/// Whether `div.approx` multiplies by 0: it takes the reciprocal, which is subnormal there.
fn vanishes(divisor: f64) -> bool {
    divisor.abs() > power(126)
}

/// The nearest number of 11 bits.
fn coarse(v: f64) -> f64 {
    const LEFT: u32 = 53 - 11;
    let half = 1u64 << (LEFT - 1);
    if v.is_finite() { f64::from_bits((v.to_bits() + half) >> LEFT << LEFT) } else { v }
}

/// So many bits after the point, and no more.
fn fixed(v: f64, bits: i32) -> f64 {
    if v.abs() < 1.0 { ((v * power(bits)).trunc() / power(bits)).copysign(v) } else { v }
}

/// A sine or cosine with few bits, if the manual allows it to be as far off as it is then.
fn within(fun: Approx, a: f64, near: f64) -> f64 {
    let (exact, few) = (function(fun, a, 0.0), fixed(near, 22));
    if (few - exact).abs() <= room(fun, Num::F32, a, exact) { few } else { near }
}

/// What a card makes of numbers where a function is as exact as it can be.
#[inline]
pub fn best(fun: Approx, a: f64, b: f64) -> f64 {
    match fun {
        Approx::Sin => within(fun, a, of_turns(libm::sin, a)),
        Approx::Cos => within(fun, a, of_turns(libm::cos, a)),
        Approx::Lg2 if a > 0.5 && a < 2.0 => fixed(function(fun, a, b), 23),
        Approx::Tanh => coarse(function(fun, a, b)),
        Approx::Div if vanishes(b) => a * 0.0f64.copysign(b),
        _ => function(fun, a, b),
    }
}

fn near(m: &Machine, step: &Step, fun: Approx, num: Num, a: f64, b: f64, how: How) -> u64 {
    let exact = function(fun, a, b);
    let near = round_to(num, best(fun, a, b), how);
    if m.mode == Mode::Nearest || !exact.is_finite() || sure(fun, a, b, exact) {
        return near;
    }
    let key = m.scalars[step.site as usize].1;
    let part = match m.mode {
        Mode::Worst => (key & 1) as f64 * 2.0 - 1.0,
        _ => {
            let seed = key ^ a.to_bits() ^ b.to_bits().rotate_left(17);
            (Random(seed).next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    };
    let room = room(fun, num, a, exact);
    let out = round_to(num, exact + part * room, how);
    if (decode(num, out) - exact).abs() <= room { out } else { near }
}

pub fn single(m: &Machine, step: &Step, fun: Approx, flush: bool, args: [u64; 3]) -> u64 {
    let at = |bits: u64| {
        let value = decode(Num::F32, bits);
        if flush { flushed(Num::F32, value) } else { value }
    };
    near(m, step, fun, Num::F32, at(args[0]), at(args[1]), How { flush, ..How::default() })
}

pub fn half(m: &Machine, step: &Step, fun: Approx, num: Num, bits: u64) -> u64 {
    near(m, step, fun, num, decode(num, bits), 0.0, How::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_counted_in_turns_of_f32() {
        for a in [0.5, -3.0, 6.0, 100.0, -314.0] {
            for (fun, exact) in [(Approx::Sin, libm::sin(a)), (Approx::Cos, libm::cos(a))] {
                let off = (best(fun, a, 0.0) - exact).abs();
                assert!(off > 0.0 && off <= room(fun, Num::F32, a, exact), "{fun:?}({a}) is off by {off:e}");
            }
        }
        for k in -2000..=2000 {
            let a = f64::from((f64::from(k) * std::f64::consts::PI / 1000.0) as f32);
            let exact = libm::cos(a);
            let off = (best(Approx::Cos, a, 0.0) - exact).abs();
            assert!(off <= room(Approx::Cos, Num::F32, a, exact), "cos({a}) is off by {off:e}");
        }
        let far = (best(Approx::Sin, 20000.0, 0.0) - libm::sin(20000.0)).abs();
        assert!(far > 1e-4, "{far:e}");
        assert_eq!(best(Approx::Sin, -0.0, 0.0).to_bits(), (-0.0f64).to_bits());
        assert_eq!(best(Approx::Cos, 0.0, 0.0), 1.0);
        assert!(best(Approx::Sin, f64::INFINITY, 0.0).is_nan());
    }

    #[test]
    fn logarithms_near_zero_have_few_bits() {
        for a in [0.51, 0.9, 0.999_9, 1.000_1, 1.3, 1.99] {
            let (off, exact) = ((best(Approx::Lg2, a, 0.0) - a.log2()).abs(), a.log2());
            assert!(off > 1e-10 && off <= room(Approx::Lg2, Num::F32, a, exact) / 2.0, "{a}: {off:e}");
        }
        assert_eq!(best(Approx::Lg2, 1.0, 0.0), 0.0);
        assert_eq!(best(Approx::Lg2, 8.0, 0.0), 3.0);
    }

    #[test]
    fn a_quotient_by_a_number_beyond_2_to_126_is_0() {
        let (huge, large) = (1.5 * power(126), power(126));
        assert_eq!(best(Approx::Div, large, huge), 0.0);
        assert_eq!(best(Approx::Div, large, -huge).to_bits(), (-0.0f64).to_bits());
        assert!(best(Approx::Div, f64::INFINITY, huge).is_nan());
        assert_eq!(best(Approx::Div, huge, large), 1.5);
        assert_eq!(best(Approx::DivFull, huge, huge), 1.0);
    }

    #[test]
    fn a_tanh_has_11_bits() {
        for a in [-9.0, -0.3, 1e-5, 0.7, 2.0] {
            let (off, exact) = ((best(Approx::Tanh, a, 0.0) - a.tanh()).abs(), a.tanh());
            assert!(
                off <= room(Approx::Tanh, Num::F32, a, exact) / 2.0 && (off > 1e-9 || a < -8.0),
                "{a}: {off:e}"
            );
        }
        assert_eq!(best(Approx::Tanh, -0.0, 0.0).to_bits(), (-0.0f64).to_bits());
    }
}
