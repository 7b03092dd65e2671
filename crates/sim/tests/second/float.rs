//! Arithmetic of floats: in f64, where that is exact or rounded once, and the half crate.

use half::{bf16, f16};

/// What any NaN of f32 comes out as.
const NAN: u64 = 0x7fff_ffff;

pub fn single(value: f32) -> u64 {
    if value.is_nan() { NAN } else { u64::from(value.to_bits()) }
}

pub fn of_single(bits: u64) -> f64 {
    f64::from(f32::from_bits(bits as u32))
}

/// Zero for numbers too small to be normal.
fn flushed(value: f32) -> f32 {
    if value.is_subnormal() { 0f32.copysign(value) } else { value }
}

/// `a b + c` rounded to f64 so that rounding it again, to something shorter, is as if it were
/// rounded once.
pub fn product_sum(a: f64, b: f64, c: f64) -> f64 {
    let p = a * b; // exact, where both have 24 bits
    let s = p + c;
    if !s.is_finite() || s == 0.0 {
        return s;
    }
    let t = s - p;
    let e = (p - (s - t)) + (c - t);
    if e == 0.0 || s.to_bits() & 1 == 1 {
        return s;
    }
    let away = (e > 0.0) == (s > 0.0);
    f64::from_bits(if away { s.to_bits() + 1 } else { s.to_bits() - 1 })
}

/// The nearest number with so many bits and no exponent below the least, ties to even: the half
/// crate, which goes by way of f32 or by the high bits alone, does not always find it.
pub fn nearest(x: f64, bits: i32, least: i32) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let exponent = (((x.to_bits() >> 52 & 0x7ff) as i32) - 1023).max(least);
    let unit = libm::exp2(f64::from(exponent + 1 - bits));
    libm::rint(x / unit) * unit
}

pub fn to_f16(x: f64) -> f16 {
    f16::from_f64(nearest(x, 11, -14))
}

pub fn to_bf16(x: f64) -> bf16 {
    bf16::from_f64(nearest(x, 8, -126))
}

/// `a b + c`, rounded down to f32; what cancels is -0.
fn fma_down(a: f64, b: f64, c: f64) -> f32 {
    let (product, value) = (a * b, product_sum(a, b, c));
    if value == 0.0 && product.is_sign_negative() != c.is_sign_negative() {
        return -0.0;
    }
    let near = value as f32;
    if f64::from(near) > value { near.next_down() } else { near }
}

pub fn apply(op: &[&str], v: &[u64]) -> u64 {
    match op[op.len() - 1] {
        "f32" => singles(op, v),
        "f64" => doubles(op, v),
        "f16" => half(op, v),
        "f16x2" => {
            let part = |i: u32| {
                let v: Vec<u64> = v.iter().map(|v| v >> (16 * i) & 0xffff).collect();
                half(op, &v)
            };
            part(1) << 16 | part(0)
        }
        "bf16" => {
            let x: Vec<f64> = v.iter().map(|&v| f64::from(bf16::from_bits(v as u16))).collect();
            u64::from(to_bf16(exact(op, &x)).to_bits())
        }
        ty => panic!("arithmetic of {ty}"),
    }
}

/// An operation whose result in f64 is exact, or as good as that.
fn exact(op: &[&str], x: &[f64]) -> f64 {
    match op[0] {
        "add" => x[0] + x[1],
        "sub" => x[0] - x[1],
        "mul" => x[0] * x[1],
        "fma" => product_sum(x[0], x[1], x[2]),
        _ => panic!("`{}` is not known", op.join(".")),
    }
}

fn half(op: &[&str], v: &[u64]) -> u64 {
    let x: Vec<f64> = v.iter().map(|&v| f64::from(f16::from_bits(v as u16))).collect();
    match op[0] {
        "neg" => v[0] ^ 0x8000,
        "abs" => v[0] & 0x7fff,
        "setp" => u64::from(compare(op[1], x[0], x[1])),
        _ => {
            let value = to_f16(exact(op, &x));
            if value.is_nan() { 0x7fff } else { u64::from(value.to_bits()) }
        }
    }
}

fn singles(op: &[&str], v: &[u64]) -> u64 {
    let ftz = op.contains(&"ftz");
    let x: Vec<f32> = v.iter().map(|&v| f32::from_bits(v as u32)).collect();
    let x: Vec<f32> = if ftz { x.into_iter().map(flushed).collect() } else { x };
    let wide: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
    let value = match op[0] {
        "neg" => return v[0] ^ 0x8000_0000,
        "abs" => return v[0] & 0x7fff_ffff,
        "setp" => return u64::from(compare(op[1], wide[0], wide[1])),
        "add" => x[0] + x[1],
        "sub" => x[0] - x[1],
        "mul" => x[0] * x[1],
        "div" => x[0] / x[1],
        "fma" if op.contains(&"rm") => fma_down(wide[0], wide[1], wide[2]),
        "fma" => x[0].mul_add(x[1], x[2]),
        "sqrt" => x[0].sqrt(),
        "rcp" => 1.0 / x[0],
        "rsqrt" => (1.0 / wide[0].sqrt()) as f32,
        "ex2" => libm::exp2(wide[0]) as f32,
        "lg2" => libm::log2(wide[0]) as f32,
        "tanh" => of_11_bits(libm::tanh(wide[0])) as f32,
        "min" => least(wide[0], wide[1]) as f32,
        "max" => -least(-wide[0], -wide[1]) as f32,
        _ => panic!("`{}` is not known", op.join(".")),
    };
    single(if ftz { flushed(value) } else { value })
}

/// As many bits as cards give of a tanh.
fn of_11_bits(v: f64) -> f64 {
    if v == 0.0 || v.is_nan() {
        return v;
    }
    let unit = libm::exp2(libm::floor(libm::log2(v.abs())) - 10.0);
    libm::round(v / unit) * unit
}

/// The smaller; -0 is smaller than 0, and a number is smaller than NaN.
fn least(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if a == b => {
            if a.is_sign_negative() {
                a
            } else {
                b
            }
        }
        _ => {
            if a < b {
                a
            } else {
                b
            }
        }
    }
}

fn doubles(op: &[&str], v: &[u64]) -> u64 {
    let x: Vec<f64> = v.iter().map(|&v| f64::from_bits(v)).collect();
    let value = match op[0] {
        "neg" => return v[0] ^ 1 << 63,
        "abs" => return v[0] & !(1 << 63),
        "setp" => return u64::from(compare(op[1], x[0], x[1])),
        "add" => x[0] + x[1],
        "sub" => x[0] - x[1],
        "mul" => x[0] * x[1],
        "div" => x[0] / x[1],
        "fma" => x[0].mul_add(x[1], x[2]),
        "sqrt" => x[0].sqrt(),
        "rcp" => 1.0 / x[0],
        _ => panic!("`{}` is not known", op.join(".")),
    };
    if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() }
}

fn compare(by: &str, a: f64, b: f64) -> bool {
    let unordered = a.is_nan() || b.is_nan();
    match by {
        "eq" => a == b,
        "ne" => a != b && !unordered,
        "lt" => a < b,
        "le" => a <= b,
        "gt" => a > b,
        "ge" => a >= b,
        "nan" => unordered,
        "num" => !unordered,
        "equ" => a == b || unordered,
        "neu" => a != b,
        "ltu" => a < b || unordered,
        "leu" => a <= b || unordered,
        "gtu" => a > b || unordered,
        "geu" => a >= b || unordered,
        _ => panic!("setp.{by}"),
    }
}
