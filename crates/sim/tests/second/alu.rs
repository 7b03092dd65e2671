//! Arithmetic on one thread's registers, as the manual defines it.

use super::text::{Ins, Program, list};
use super::{Thread, convert, float};

/// The width of a type.
pub fn bits(ty: &str) -> usize {
    match ty {
        "pred" => 1,
        "f16x2" | "bf16x2" | "tf32" => 32,
        "bf16" => 16,
        _ => ty
            .trim_start_matches(|c: char| c.is_ascii_alphabetic())
            .parse()
            .unwrap_or_else(|_| panic!("`{ty}`")),
    }
}

fn signed(ty: &str) -> bool {
    ty.starts_with('s')
}

pub fn is_float(ty: &str) -> bool {
    ty.starts_with('f') || ty.starts_with("bf") || ty == "tf32"
}

/// The low bits of a number.
pub fn wrapped(value: i128, bits: usize) -> u64 {
    (value as u64) & (u64::MAX >> (64 - bits.clamp(1, 64)))
}

/// The number that bits are.
pub fn number(value: u64, ty: &str) -> i128 {
    let (bits, value) = (bits(ty), i128::from(wrapped(i128::from(value), bits(ty))));
    if signed(ty) && value >> (bits - 1) == 1 { value - (1 << bits) } else { value }
}

/// A loaded value, with its sign in a register of 32 bits.
pub fn extended(value: u64, ty: &str) -> u64 {
    if signed(ty) { wrapped(number(value, ty), bits(ty).max(32)) } else { value }
}

pub fn run(program: &Program, thread: &mut Thread, ins: &Ins) {
    let op: Vec<&str> = ins.op.iter().map(String::as_str).collect();
    if op[0] == "mov" && (ins.args[0].starts_with('{') || ins.args[1].starts_with('{')) {
        return parts(program, thread, ins);
    }
    let types = operand_types(&op);
    let args = &ins.args[1..];
    let values: Vec<u64> = args
        .iter()
        .enumerate()
        .map(|(i, a)| thread.value(program, a, types.get(i).unwrap_or(&types[0])))
        .collect();
    let value = apply(&op, &values);
    thread.set(&ins.args[0], value);
}

/// `mov` of a vector to a register or back.
fn parts(program: &Program, thread: &mut Thread, ins: &Ins) {
    let (dst, src) = (list(&ins.args[0]), list(&ins.args[1]));
    let each = bits(ins.ty()) / dst.len().max(src.len());
    if src.len() > 1 {
        let all = src
            .iter()
            .rev()
            .fold(0, |all, part| all << each | wrapped(i128::from(thread.value(program, part, "b64")), each));
        return thread.set(&dst[0], all);
    }
    let value = thread.value(program, &src[0], "b64");
    for (i, part) in dst.iter().enumerate() {
        thread.set(part, wrapped(i128::from(value >> (each * i)), each));
    }
}

/// The types of an instruction's operands.
pub fn operand_types(op: &[&str]) -> Vec<&'static str> {
    let ty = leak(op[op.len() - 1]);
    match op[0] {
        "cvt" if op.contains(&"f16x2") || op.contains(&"bf16x2") => vec!["f32", "f32"],
        "cvt" => vec![ty],
        "selp" => vec![ty, ty, "pred"],
        "shl" | "shr" => vec![ty, "u32"],
        "mad" if op.contains(&"wide") => vec![ty, ty, wide(ty)],
        "bfi" => vec![ty, ty, "u32", "u32"],
        "bfe" => vec![ty, "u32", "u32"],
        "fma" | "mad" => vec![ty; 3],
        "dp4a" => vec![leak(op[1]), leak(op[2]), "s32"],
        "prmt" => vec!["b32"; 3],
        "mov" | "not" | "neg" | "abs" | "popc" | "clz" | "brev" | "bfind" | "sqrt" | "rcp" | "rsqrt"
        | "ex2" | "lg2" | "sin" | "cos" | "tanh" => vec![ty],
        _ => vec![ty; 2],
    }
}

/// The type of its result.
pub fn result_type(op: &[&str]) -> &'static str {
    let ty = leak(op[op.len() - 1]);
    match op[0] {
        "setp" => "pred",
        "cvt" => leak(op[op.len() - 2]),
        "popc" | "clz" | "bfind" => "u32",
        "dp4a" => "s32",
        "mul" | "mad" if op.contains(&"wide") => wide(ty),
        _ => ty,
    }
}

fn wide(ty: &str) -> &'static str {
    match ty {
        "s16" => "s32",
        "u16" => "u32",
        "s32" => "s64",
        _ => "u64",
    }
}

const TYPES: &[&str] = &[
    "pred", "b8", "u8", "s8", "b16", "u16", "s16", "f16", "bf16", "f16x2", "bf16x2", "b32", "u32", "s32",
    "f32", "tf32", "b64", "u64", "s64", "f64",
];

fn leak(ty: &str) -> &'static str {
    TYPES.iter().copied().find(|t| *t == ty).unwrap_or_else(|| panic!("`{ty}` is not a type"))
}

/// An operation on the bits of its operands.
pub fn apply(op: &[&str], v: &[u64]) -> u64 {
    let ty = op[op.len() - 1];
    if op[0] == "cvt" {
        return convert::convert(op, v);
    }
    if is_float(ty) && !matches!(op[0], "mov" | "selp") {
        return float::apply(op, v);
    }
    let n: Vec<i128> = v.iter().map(|&v| number(v, ty)).collect();
    let (width, mask) = (bits(ty), |value: i128| wrapped(value, bits(ty)));
    match op[0] {
        "mov" => v[0],
        "selp" => {
            if v[2] != 0 {
                v[0]
            } else {
                v[1]
            }
        }
        "add" => mask(n[0] + n[1]),
        "sub" => mask(n[0] - n[1]),
        "mul" | "mad" => {
            let more = v.get(2).map_or(0, |&c| i128::from(c as i64));
            let product = n[0].wrapping_mul(n[1]);
            if op.contains(&"wide") {
                wrapped(product + more, 2 * width)
            } else if op.contains(&"hi") {
                mask((product >> width) + more)
            } else {
                mask(product.wrapping_add(more))
            }
        }
        "div" => mask(n[0] / n[1]),
        "rem" => mask(n[0] % n[1]),
        "min" => mask(n[0].min(n[1])),
        "max" => mask(n[0].max(n[1])),
        "abs" => mask(n[0].abs()),
        "neg" => mask(-n[0]),
        "not" => mask(!n[0]),
        "and" => v[0] & v[1],
        "or" => v[0] | v[1],
        "xor" => v[0] ^ v[1],
        "shl" => {
            if (v[1] as u32) < width as u32 {
                mask(n[0] << (v[1] as u32))
            } else {
                0
            }
        }
        "shr" => mask(n[0] >> (v[1] as u32).min(width as u32)),
        "setp" => u64::from(compare(op[1], n[0], n[1])),
        _ => bitwise(op, v, ty),
    }
}

fn compare(by: &str, a: i128, b: i128) -> bool {
    match by {
        "eq" => a == b,
        "ne" => a != b,
        "lt" | "lo" => a < b,
        "le" | "ls" => a <= b,
        "gt" | "hi" => a > b,
        "ge" | "hs" => a >= b,
        _ => panic!("setp.{by}"),
    }
}

/// What looks at single bits and bytes.
fn bitwise(op: &[&str], v: &[u64], ty: &str) -> u64 {
    let width = bits(ty) as u32;
    match op[0] {
        "popc" => u64::from(v[0].count_ones()),
        "clz" => u64::from(v[0].leading_zeros()) - (64 - u64::from(width)),
        "brev" => v[0].reverse_bits() >> (64 - width),
        "bfind" => {
            let seen = if number(v[0], ty) < 0 { !number(v[0], ty) } else { number(v[0], ty) };
            match (0..width).rev().find(|i| seen >> i & 1 == 1) {
                Some(at) if op.contains(&"shiftamt") => u64::from(width - 1 - at),
                Some(at) => u64::from(at),
                None => 0xffff_ffff,
            }
        }
        "bfi" => {
            let (at, len) = (v[2] & 0xff, v[3] & 0xff);
            (0..u64::from(width)).fold(0, |out, i| {
                let from = if i >= at && i < at + len { v[0] >> (i - at) } else { v[1] >> i };
                out | (from & 1) << i
            })
        }
        "prmt" => {
            let all = v[1] << 32 | v[0];
            (0..4).fold(0, |out, i| {
                let pick = v[2] >> (4 * i) & 15;
                let byte = all >> (8 * (pick & 7)) & 0xff;
                let byte = if pick & 8 == 0 { byte } else { (byte >> 7) * 0xff };
                out | byte << (8 * i)
            })
        }
        "dp4a" => {
            let part = |value: u64, ty: &str, i: usize| {
                number(value >> (8 * i), if ty == "s32" { "s8" } else { "u8" })
            };
            let sum: i128 = (0..4).map(|i| part(v[0], op[1], i) * part(v[1], op[2], i)).sum();
            wrapped(sum + number(v[2], "s32"), 32)
        }
        _ => panic!("`{}` is not known", op.join(".")),
    }
}
