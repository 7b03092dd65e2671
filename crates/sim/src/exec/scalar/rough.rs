//! PTX's approximate functions: correctly rounded, or as inexact as the PTX manual allows.

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
        Approx::Div | Approx::DivFull => exact == 0.0 || power(b),
        Approx::Rcp | Approx::Rsqrt | Approx::Sqrt => power(a) && power(exact),
        Approx::Ex2 => a == a.trunc(),
        Approx::Lg2 => power(a),
        _ => a == 0.0,
    }
}

fn near(m: &Machine, step: &Step, fun: Approx, num: Num, a: f64, b: f64, how: How) -> u64 {
    let exact = function(fun, a, b);
    let near = round_to(num, exact, how);
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
