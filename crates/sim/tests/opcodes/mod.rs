//! A little program for each form of instruction, and the values that it is run on.
#![allow(dead_code)] // no test uses all of it

mod memory;
mod wmma;

use crate::second::alu::{bits, is_float, operand_types, result_type};
pub use wmma::matrices;

/// The last parameter.
pub const SCALAR: u64 = 0x4048_f5c3_c0de_1234;

/// What belongs to sm_90's matrix products by warp groups and to bulk copies.
pub fn unsupported(form: &str) -> bool {
    ["wgmma", "cp.async.bulk", "fence.proxy", "fence.mbarrier_init", "mbarrier.arrive.expect_tx"]
        .iter()
        .any(|start| form.starts_with(start))
}

pub fn operands_of(form: &str) -> &'static str {
    match form.split('.').nth(1) {
        Some("mma_async") => "{%f0, %f1, %f2, %f3}, %d0, %d1, 1, 1, 1, 0, 0",
        Some("wait_group") => "0",
        Some("async") => "[%d0], [%d1], 16, [%d2]",
        Some("arrive") => "%d0, [%d1], 16",
        _ => "",
    }
}

/// An entry point around some lines: `%d20` is the thread's input of 32 bytes, `%d21` its output,
/// `%d23` what all threads share, `%r30` the thread.
pub fn frame(variables: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{variables}\n.visible .entry k(\n.param .u64 in,\n\
         .param .u64 out,\n.param .u64 all,\n.param .u64 n\n)\n{{\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n\
         .reg .b32 %r<40>;\n.reg .b64 %d<30>;\n.reg .f32 %f<30>;\n.reg .f64 %g<9>;\nmov.u32 %r30, %tid.x;\n\
         ld.param.u64 %d20, [in];\nld.param.u64 %d21, [out];\nld.param.u64 %d23, [all];\n\
         mul.wide.u32 %d22, %r30, 32;\nadd.s64 %d20, %d20, %d22;\nadd.s64 %d21, %d21, %d22;\n{body}\nret;\n}}\n"
    )
}

/// The register that holds operand `i` of a type.
pub fn reg(ty: &str, i: usize) -> String {
    let file = match (ty, bits(ty)) {
        ("pred", _) => 'p',
        ("f32", _) => 'f',
        ("f64", _) => 'g',
        (_, 8 | 16) => 'h',
        (_, 32) => 'r',
        _ => 'd',
    };
    format!("%{file}{i}")
}

/// The untyped or unsigned type of so many bits, for memory.
pub fn plain(ty: &str) -> String {
    if bits(ty) == 8 { "u8".to_owned() } else { format!("b{}", bits(ty)) }
}

pub fn program(op: &[&str]) -> String {
    match op[0] {
        "ld" | "st" | "atom" | "cvta" | "cp" | "ldmatrix" | "mbarrier" => memory::program(op),
        "bra" | "ret" | "bar" | "barrier" | "membar" => memory::flow(),
        "shfl" | "vote" | "match" | "mma" => together(op),
        _ => arithmetic(op),
    }
}

/// The type of an arithmetic instruction's result.
pub fn result_of(op: &[&str]) -> &'static str {
    match op[0] {
        "add" | "sub" | "mul" | "fma" | "div" | "sqrt" | "rcp" | "rsqrt" | "ex2" | "tanh" | "min" | "max"
        | "cvt" => result_type(op),
        _ => "",
    }
}

/// Lines that read operand `i` from the input.
pub fn operand(ty: &str, i: usize) -> String {
    let at = format!("[%d20+{}]", 8 * i);
    if ty == "pred" {
        return format!(
            "ld.global.u32 %r{i}, {at};\nand.b32 %r{i}, %r{i}, 1;\nsetp.ne.s32 %p{i}, %r{i}, 0;\n"
        );
    }
    format!("ld.global.{} {}, {at};\n", plain(ty), reg(ty, i))
}

fn result(ty: &str) -> String {
    match ty {
        "pred" => "selp.u32 %r9, 1, 0, %p7;\nst.global.u32 [%d21], %r9;\n".to_owned(),
        _ => format!("st.global.{} [%d21], {};\n", plain(ty), reg(ty, 7)),
    }
}

fn arithmetic(op: &[&str]) -> String {
    let (types, to) = (operand_types(op), result_type(op));
    let mut body: String = types.iter().enumerate().map(|(i, ty)| operand(ty, i)).collect();
    let sources: Vec<String> = types.iter().enumerate().map(|(i, ty)| reg(ty, i)).collect();
    if matches!(op[0], "div" | "rem") && !is_float(to) {
        // by zero, and the quotient that there is not, the manual leaves open
        let (ty, b) = (format!("b{}", bits(to)), reg(to, 1));
        body += &format!("and.{ty} {b}, {b}, 0x7fff;\nor.{ty} {b}, {b}, 1;\n");
    }
    body += &format!("{} {}, {};\n", op.join("."), reg(to, 7), sources.join(", "));
    frame("", &(body + &result(to)))
}

fn together(op: &[&str]) -> String {
    let form = op.join(".");
    let body = match op[0] {
        "shfl" => {
            let clamp = if op[2] == "up" { "0" } else { "31" };
            let narrow = if op[2] == "up" { "0x1800" } else { "0x181f" };
            let line = |dst: usize, mask: &str| {
                format!(
                    "{form} %r{dst}|%p{}, %r0, %r1, {mask}, 0xffffffff;\nselp.u32 %r{}, 1, 0, %p{};\n",
                    dst - 5,
                    dst + 10,
                    dst - 5
                )
            };
            operand("b32", 0)
                + &operand("b32", 1)
                + &line(6, clamp)
                + &line(7, narrow)
                + "st.global.v4.u32 [%d21], {%r6, %r16, %r7, %r17};"
        }
        "vote" => operand("pred", 0) + &format!("{form} %r7, %p0, 0xffffffff;\nst.global.u32 [%d21], %r7;"),
        "match" => operand("b32", 0) + &format!("{form} %r7, %r0, 0xffffffff;\nst.global.u32 [%d21], %r7;"),
        _ => {
            let mut body = "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d20];\n\
                            ld.global.u32 %r4, [%d20+16];\nld.global.u32 %r5, [%d20+20];\n"
                .to_owned();
            body += "cvt.rn.f32.u32 %f0, %r30;\nadd.f32 %f1, %f0, %f0;\nneg.f32 %f2, %f0;\nmul.f32 %f3, %f1, %f1;\n";
            body += &format!(
                "{form} {{%f4, %f5, %f6, %f7}}, {{%r0, %r1, %r2, %r3}}, {{%r4, %r5}}, {{%f0, %f1, %f2, %f3}};\n"
            );
            body + "st.global.v4.f32 [%d21], {%f4, %f5, %f6, %f7};"
        }
    };
    frame("", &body)
}

const WORDS: [u64; 22] = [
    0,
    1,
    2,
    3,
    7,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    0xff,
    0x7f80,
    0x8000_0000,
    0x7fff_ffff,
    0xffff_ffff,
    0xffff_fffe,
    0x8000,
    0xdead_beef,
    0x0123_4567,
    0x8001_ffff,
];
const LONGS: [u64; 22] = [
    0,
    1,
    2,
    3,
    31,
    32,
    63,
    64,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 32,
    0xdead_beef_0123_4567,
    1 << 63,
    !(1 << 63),
    !0,
    !1,
    1 << 52,
    (1 << 53) + 1,
    0xffff_ffff_8000_0000,
    12_345,
    0x8000_0001_0000_0000,
];
const SINGLES: [f32; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.0e-39,
    -1.0e-45,
    1.175_494_4e-38,
    f32::MAX,
    -3.0e38,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    1.0 + f32::EPSILON,
    16_777_217.0,
    0.333_333_34,
    100.25,
    -88.8,
];
const HALVES: [f32; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    2.5,
    -2.5,
    6.0e-8,
    -6.2e-5,
    65_504.0,
    -65_504.0,
    f32::INFINITY,
    f32::NAN,
    0.333_25,
    2049.0,
    1.000_976_6,
    7.0,
    -100.25,
    3.25,
    0.099_98,
    12.0,
];
const DOUBLES: [f64; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    -2.5,
    3.0e-310,
    2.3e-308,
    f64::MAX,
    -1.0e300,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1.0 + f64::EPSILON,
    9_007_199_254_740_993.0,
    0.1,
    -3.7,
    1.0e38,
    3.5e38,
    1.0e-40,
    16_777_217.0,
];

/// Edge value `k` of a type.
fn edge(ty: &str, k: usize) -> u64 {
    match ty {
        "f32" => u64::from(SINGLES[k].to_bits()),
        "f64" => DOUBLES[k].to_bits(),
        "f16" => u64::from(half::f16::from_f32(HALVES[k]).to_bits()),
        "bf16" => u64::from(half::bf16::from_f32(HALVES[k]).to_bits()),
        "f16x2" => edge("f16", k) << 16 | edge("f16", (k * 5 + 3) % 22),
        _ if bits(ty) == 64 => LONGS[k],
        _ => WORDS[k],
    }
}

/// The inputs: 32 bytes a thread, an operand in every 8.
pub fn edges(op: &[&str], threads: usize) -> Vec<u8> {
    let types = match op[0] {
        "mma" => return small_halves(threads),
        "setp" | "cvt" | "selp" | "fma" | "mad" | "mul" | "add" | "sub" | "div" | "bfi" | "dp4a" => {
            operand_types(op)
        }
        _ if is_float(op[op.len() - 1]) || bits_known(op[op.len() - 1]) => vec![operand_type(op)],
        _ => vec!["b32"],
    };
    let mut out = Vec::new();
    for t in 0..threads {
        for i in 0..4 {
            let k = [t % 22, t / 22 % 22, (t * 7 + t / 5) % 22, (t * 3 + t / 11) % 22][i];
            out.extend(edge(types.get(i).unwrap_or(&types[0]), k).to_le_bytes());
        }
    }
    out
}

fn operand_type(op: &[&str]) -> &'static str {
    match op[op.len() - 1] {
        "f32" if op[0] != "atom" => "f32",
        "f64" => "f64",
        "f16" => "f16",
        "f16x2" => "f16x2",
        "b64" | "u64" | "s64" => "b64",
        _ => "b32",
    }
}

fn bits_known(ty: &str) -> bool {
    ty.len() > 1 && ty[1..].chars().all(|c| c.is_ascii_digit())
}

/// Whole numbers whose sums of products are exact in f32.
fn small_halves(threads: usize) -> Vec<u8> {
    let value = |i: usize| half::f16::from_f32(((i * 37 + i / 7) % 31) as f32 - 15.0);
    (0..16 * threads).flat_map(|i| value(i).to_le_bytes()).collect()
}
