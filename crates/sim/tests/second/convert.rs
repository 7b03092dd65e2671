//! Conversions.

use super::alu::{bits, is_float, number, wrapped};
use super::float::{single, to_bf16, to_f16};
use half::{bf16, f16};

/// The number that bits are, as f64.
fn value(bits: u64, ty: &str) -> f64 {
    match ty {
        "f16" => f64::from(f16::from_bits(bits as u16)),
        "bf16" => f64::from(bf16::from_bits(bits as u16)),
        "f32" => f64::from(f32::from_bits(bits as u32)),
        "f64" => f64::from_bits(bits),
        _ => panic!("{ty} is not a float"),
    }
}

/// The nearest whole number in the direction that the modifiers name.
fn whole(op: &[&str], x: f64) -> f64 {
    let has = |m: &str| op.contains(&m);
    if has("rni") {
        libm::rint(x)
    } else if has("rzi") {
        x.trunc()
    } else if has("rmi") {
        x.floor()
    } else {
        assert!(has("rpi"), "`{}` does not say how it rounds", op.join("."));
        x.ceil()
    }
}

/// The nearest number of a type to one of f64.
fn rounded(x: f64, ty: &str) -> u64 {
    match ty {
        "f16" if x.is_nan() => 0x7fff,
        "bf16" if x.is_nan() => 0x7fff,
        "f16" => u64::from(to_f16(x).to_bits()),
        "bf16" => u64::from(to_bf16(x).to_bits()),
        "f32" => single(x as f32),
        _ => x.to_bits(),
    }
}

pub fn convert(op: &[&str], v: &[u64]) -> u64 {
    let (to, from) = (op[op.len() - 2], op[op.len() - 1]);
    match to {
        "f16x2" => return rounded(value(v[0], from), "f16") << 16 | rounded(value(v[1], from), "f16"),
        "bf16x2" => return rounded(value(v[0], from), "bf16") << 16 | rounded(value(v[1], from), "bf16"),
        "tf32" => {
            // half of the 13 bits that fall away is added to the magnitude: ties go away from zero
            let infinite = !f32::from_bits(v[0] as u32).is_finite();
            return if infinite { v[0] } else { (v[0] + 0x1000) & !0x1fff };
        }
        _ => {}
    }
    match (is_float(from), is_float(to)) {
        (false, false) => wrapped(number(v[0], from), bits(to)),
        (false, true) => {
            let n = number(v[0], from);
            if to == "f64" { (n as f64).to_bits() } else { u64::from((n as f32).to_bits()) }
        }
        (true, false) => {
            let x = value(v[0], from);
            let (low, high) = if to.starts_with('s') {
                (-(1i128 << (bits(to) - 1)), (1i128 << (bits(to) - 1)) - 1)
            } else {
                (0, (1i128 << bits(to)) - 1)
            };
            if x.is_nan() {
                return if from == "f64" || bits(to) == 64 { 1 << (bits(to) - 1) } else { 0 };
            }
            wrapped((whole(op, x) as i128).clamp(low, high), bits(to))
        }
        (true, true) => {
            let mut x = value(v[0], from);
            if op[1].ends_with('i') {
                x = whole(op, x);
            }
            if op.contains(&"sat") {
                // NaN is 0, and so is -0
                x = if x > 0.0 { x.min(1.0) } else { 0.0 };
            }
            rounded(x, to)
        }
    }
}
