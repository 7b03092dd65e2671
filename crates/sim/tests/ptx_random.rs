//! Random PTX programs, run by the simulator and by the second interpreter (`tests/second`):
//! integers, floats of all widths, predicates, branches, loops, shuffles, and shared memory with
//! barriers. All registers of all threads must come out the same, bit for bit.

mod second;

use ktwin_sim::{Buffer, Launch, Module, Options, Param};
use second::alu::{operand_types, result_type};
use second::{Machine, text};
use std::fmt::Write;

const PROGRAMS: u64 = 300;
const THREADS: u32 = 64;
const BLOCKS: u32 = 2;
/// Bytes that a thread writes.
const STRIDE: usize = 256;

const OPS: &str = "add.s32 sub.s32 mul.lo.s32 mul.hi.s32 mul.hi.u32 mad.lo.s32 mul.wide.s32 mul.wide.u32 mad.wide.u32 \
    min.s32 max.u32 and.b32 or.b32 xor.b32 not.b32 neg.s32 abs.s32 shl.b32 shr.u32 shr.s32 popc.b32 clz.b32 \
    brev.b32 bfind.u32 bfind.shiftamt.s32 bfi.b32 prmt.b32 dp4a.s32.s32 dp4a.u32.u32 add.s64 sub.s64 mul.lo.s64 \
    and.b64 shl.b64 shr.u64 shr.s64 min.s64 max.u64 neg.s64 popc.b64 xor.b64 bfi.b64 add.s16 sub.s16 mul.lo.s16 \
    and.b16 shl.b16 shr.u16 shr.s16 min.s16 max.u16 setp.lt.s32 setp.ge.u32 setp.eq.s64 setp.lt.u16 setp.gt.s16 \
    setp.lt.f32 setp.geu.f32 setp.nan.f32 setp.gt.f64 setp.ne.f64 and.pred or.pred xor.pred not.pred selp.b32 \
    selp.f32 selp.b64 selp.f64 selp.b16 add.f32 sub.f32 mul.f32 fma.rn.f32 fma.rm.f32 div.rn.f32 sqrt.rn.f32 \
    rcp.rn.f32 min.f32 max.f32 neg.f32 abs.f32 add.ftz.f32 mul.ftz.f32 fma.rn.ftz.f32 add.f64 sub.f64 mul.f64 \
    fma.rn.f64 div.rn.f64 sqrt.rn.f64 neg.f64 add.f16 sub.f16 mul.f16 fma.rn.f16 neg.f16 abs.f16 mul.f16x2 \
    add.f16x2 cvt.rn.f32.s32 cvt.rn.f32.u64 cvt.rzi.s32.f32 cvt.rni.u32.f32 cvt.rmi.s64.f32 cvt.rpi.f32.f32 \
    cvt.rn.f16.f32 cvt.f32.f16 cvt.rn.f32.f64 cvt.f64.f32 cvt.rn.f64.s64 cvt.rn.f64.u32 cvt.rzi.s64.f64 \
    cvt.sat.f32.f32 cvt.rn.f16x2.f32 cvt.s64.s32 cvt.u32.u64 cvt.u16.u32 cvt.s32.s16 cvt.u32.u16 cvt.s32.s8 \
    cvt.rzi.u16.f32 cvt.rn.f32.u16";

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// The registers of each kind: the file, the first, how many.
fn file(ty: &str) -> (char, usize, usize) {
    match ty {
        "pred" => ('p', 0, 4),
        "f16" => ('h', 4, 4),
        "u16" | "s16" | "b16" => ('h', 0, 4),
        "f16x2" => ('r', 8, 2),
        "f32" => ('f', 0, 6),
        "f64" => ('g', 0, 3),
        "b64" | "u64" | "s64" => ('d', 0, 4),
        _ => ('r', 0, 8),
    }
}

struct Writer {
    rng: Rng,
    text: String,
    labels: usize,
}

impl Writer {
    fn reg(&mut self, ty: &str) -> String {
        let (file, first, count) = file(ty);
        format!("%{file}{}", first + self.rng.below(count))
    }

    fn line(&mut self, line: &str) {
        self.text += line;
        self.text += ";\n";
    }

    fn instruction(&mut self) {
        let ops: Vec<&str> = OPS.split_whitespace().collect();
        let form = ops[self.rng.below(ops.len())];
        let op: Vec<&str> = form.split('.').collect();
        let dst = self.reg(result_type(&op));
        let mut args = vec![dst];
        for ty in operand_types(&op) {
            let arg = self.reg(ty);
            args.push(arg);
        }
        if op[0] == "bfi" {
            // of a field that goes on past the top, cards insert less than PTX's text says
            let width = if op[1] == "b64" { 64 } else { 32 };
            let from = self.rng.below(width);
            args[3] = from.to_string();
            args[4] = self.rng.below(width - from + 1).to_string();
        }
        let guard = match self.rng.below(6) {
            0 => format!("@{} ", self.reg("pred")),
            1 => format!("@!{} ", self.reg("pred")),
            _ => String::new(),
        };
        self.line(&format!("{guard}{form} {}", args.join(", ")));
    }

    /// A few instructions, branches and loops; at the top, threads may also meet.
    fn block(&mut self, depth: usize, len: usize) {
        for _ in 0..len {
            match self.rng.below(14) {
                0 if depth < 3 => self.branch(depth),
                1 if depth < 2 => self.repeat(depth),
                2 if depth == 0 => self.exchange(),
                3 if depth == 0 => self.shuffle(),
                4 => {
                    let (a, b) = (self.reg("b32"), self.rng.below(64) * 4);
                    self.line(&format!("red.shared.add.u32 [c+{b}], {a}"));
                }
                _ => self.instruction(),
            }
        }
    }

    fn branch(&mut self, depth: usize) {
        self.labels += 1;
        let (n, p) = (self.labels, self.reg("pred"));
        self.line(&format!("@{p} bra ELSE{n}"));
        self.block(depth + 1, 3);
        self.line(&format!("bra.uni AFTER{n}"));
        writeln!(self.text, "ELSE{n}:").expect("a string");
        self.block(depth + 1, 3);
        writeln!(self.text, "AFTER{n}:").expect("a string");
    }

    /// A loop that each thread goes round as often as a register says.
    fn repeat(&mut self, depth: usize) {
        self.labels += 1;
        let (n, count, by) = (self.labels, 20 + depth, self.reg("b32"));
        self.line(&format!("and.b32 %r{count}, {by}, 3"));
        writeln!(self.text, "LOOP{n}:").expect("a string");
        self.block(depth + 1, 3);
        self.line(&format!("sub.s32 %r{count}, %r{count}, 1"));
        self.line(&format!("setp.ge.s32 %p{}, %r{count}, 0", 5 + depth));
        self.line(&format!("@%p{} bra LOOP{n}", 5 + depth));
    }

    fn exchange(&mut self) {
        let (from, to, xor) = (self.reg("b32"), self.reg("b32"), 1 + self.rng.below(63));
        self.line(&format!("st.shared.u32 [%d22], {from}"));
        self.line("bar.sync 0");
        self.line(&format!("xor.b32 %r31, %r30, {xor}"));
        self.line("mul.wide.u32 %d23, %r31, 4");
        self.line("mov.u64 %d24, s");
        self.line("add.s64 %d23, %d23, %d24");
        self.line(&format!("ld.shared.u32 {to}, [%d23]"));
        self.line("bar.sync 0");
    }

    fn shuffle(&mut self) {
        let (to, from, by) = (self.reg("b32"), self.reg("b32"), self.reg("b32"));
        let (mode, clamp) = [("up", 0), ("down", 31), ("bfly", 31), ("idx", 31)][self.rng.below(4)];
        self.line(&format!("shfl.sync.{mode}.b32 {to}, {from}, {by}, {clamp}, 0xffffffff"));
    }
}

/// The registers that are filled at first and stored at last, each with its place, type and memory
/// type.
fn kept() -> Vec<(String, usize, &'static str, &'static str)> {
    let mut out = Vec::new();
    let mut at = 0;
    for (ty, plain, bytes) in
        [("b64", "b64", 8), ("f64", "b64", 8), ("b32", "b32", 4), ("f16x2", "b32", 4), ("f32", "b32", 4)]
    {
        let (file, first, count) = file(ty);
        for i in first..first + count {
            out.push((format!("%{file}{i}"), at, ty, plain));
            at += bytes;
        }
    }
    for i in 0..8 {
        out.push((format!("%h{i}"), at, if i < 4 { "b16" } else { "f16" }, "b16"));
        at += 2;
    }
    assert!(at + 16 <= STRIDE);
    out
}

fn program(seed: u64) -> String {
    let mut w = Writer { rng: Rng(seed), text: String::new(), labels: 0 };
    w.text += ".version 8.0\n.target sm_80\n.address_size 64\n.shared .align 16 .b8 s[256];\n\
               .shared .align 16 .b8 c[256];\n.visible .entry k(\n.param .u64 in,\n.param .u64 out\n)\n{\n\
               .reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<40>;\n.reg .b64 %d<30>;\n.reg .f32 %f<9>;\n\
               .reg .f64 %g<9>;\n";
    for line in [
        "mov.u32 %r30, %tid.x",
        "mov.u32 %r29, %ctaid.x",
        "ld.param.u64 %d20, [in]",
        "ld.param.u64 %d21, [out]",
        "mad.lo.s32 %r28, %r29, 64, %r30",
        "mul.wide.u32 %d22, %r28, 256",
        "add.s64 %d20, %d20, %d22",
        "add.s64 %d21, %d21, %d22",
        "mul.wide.u32 %d22, %r30, 4",
        "mov.u64 %d24, c",
        "add.s64 %d23, %d22, %d24",
        "mov.u32 %r27, 0",
        "st.shared.u32 [%d23], %r27",
        "mov.u64 %d24, s",
        "add.s64 %d22, %d22, %d24",
        "bar.sync 0",
    ] {
        w.line(line);
    }
    for (reg, at, _, plain) in kept() {
        w.line(&format!("ld.global.{plain} {reg}, [%d20+{at}]"));
    }
    for i in 0..4 {
        w.line(&format!("setp.lt.s32 %p{i}, %r{i}, %r{}", i + 4));
    }
    w.block(0, 40);
    for (reg, at, _, plain) in kept() {
        w.line(&format!("st.global.{plain} [%d21+{at}], {reg}"));
    }
    for i in 0..4 {
        w.line(&format!("selp.u32 %r{}, 1, 0, %p{i}", 10 + i));
    }
    w.line("st.global.v4.u32 [%d21+240], {%r10, %r11, %r12, %r13}");
    w.line("bar.sync 0");
    // what all threads have added up
    w.line("mov.u64 %d24, c");
    w.line("mul.wide.u32 %d25, %r30, 4");
    w.line("add.s64 %d24, %d24, %d25");
    w.line("ld.shared.u32 %r14, [%d24]");
    w.line("st.global.u32 [%d21+232], %r14");
    w.text + "ret;\n}\n"
}

fn input(seed: u64) -> Vec<u8> {
    let mut rng = Rng(!seed);
    let mut out = vec![0; STRIDE * (THREADS * BLOCKS) as usize];
    for thread in out.chunks_mut(STRIDE) {
        for (_, at, ty, _) in kept() {
            let plain = (rng.below(2000) as f64 - 1000.0) / 64.0;
            let small = rng.below(40) as u64;
            let any = rng.next();
            let bits = match (rng.below(4), ty) {
                (0, _) => any,
                (1, "b64" | "b32" | "b16") => small,
                (2, "b64" | "b32" | "b16") => small.wrapping_neg(),
                (_, "f64") => plain.to_bits(),
                (_, "f32") => u64::from((plain as f32).to_bits()),
                (_, "f16") => u64::from(half::f16::from_f64(plain).to_bits()),
                (_, "f16x2") => u64::from(half::f16::from_f64(plain).to_bits()) * 0x1_0001,
                _ => any,
            };
            let bytes = match ty {
                "b64" | "f64" => 8,
                "b16" | "f16" => 2,
                _ => 4,
            };
            thread[at..at + bytes].copy_from_slice(&bits.to_le_bytes()[..bytes]);
        }
    }
    out
}

/// A register's bits in a thread's output; all NaN look the same.
fn value(thread: &[u8], at: usize, ty: &str) -> u64 {
    let word = |n: usize| thread[at..at + n].iter().rev().fold(0, |v, b| v << 8 | u64::from(*b));
    match ty {
        "f32" if f32::from_bits(word(4) as u32).is_nan() => u64::MAX,
        "f64" if f64::from_bits(word(8)).is_nan() => u64::MAX,
        "f32" | "b32" | "f16x2" => word(4),
        "b64" | "f64" => word(8),
        _ => word(2),
    }
}

/// Writes a program, what it reads and what it gives to the folder that `KTWIN_PTX_DIR` names, for
/// a card to be held against.
fn write_down(seed: u64, source: &str, input: &[u8], output: &[u8]) {
    let Some(folder) = std::env::var_os("KTWIN_PTX_DIR").map(std::path::PathBuf::from) else { return };
    for (ending, bytes) in [("ptx", source.as_bytes()), ("in", input), ("out", output)] {
        std::fs::write(folder.join(format!("{seed:04}.{ending}")), bytes).expect("a folder to write to");
    }
}

fn compare(seed: u64, options: &Options) -> Result<usize, String> {
    let (source, input) = (program(seed), input(seed));
    let module = Module::from_ptx(&source).map_err(|e| format!("seed {seed}: {}", e.rendered))?;
    let mut launch = Launch::new([BLOCKS, 1, 1]).block([THREADS, 1, 1]);
    launch.buffers = vec![Buffer::input(0, 0, input.clone()), Buffer::input(0, 1, vec![0; input.len()])];
    launch.params = (0..2).map(Param::pointer).collect();
    let run = module.run(&mut launch, options).map_err(|e| format!("seed {seed}: {e}"))?;
    if let Some(found) = run.errors().next() {
        return Err(format!("seed {seed}: {found}\n{source}"));
    }
    write_down(seed, &source, &input, &launch.buffers[1].bytes);
    let mut machine = Machine::new(vec![input.clone(), vec![0; input.len()]], BLOCKS, THREADS);
    machine.run(&text::read(&source));
    let (ours, theirs) = (&launch.buffers[1].bytes, &machine.buffers[1]);
    let mut places = kept();
    places.extend(
        (0..5).map(|i| (format!("%p{i}, or a sum"), STRIDE - 16 + 4 * i - 8 * (i / 4) * 3, "b32", "")),
    );
    for (n, (a, b)) in ours.chunks(STRIDE).zip(theirs.chunks(STRIDE)).enumerate() {
        for (reg, at, ty, _) in &places {
            let (a, b) = (value(a, *at, ty), value(b, *at, ty));
            if a != b {
                return Err(format!("seed {seed}: thread {n}, {reg}: {a:#x}, not {b:#x}\n{source}"));
            }
        }
    }
    Ok(source.lines().count())
}

#[test]
fn both_agree_on_every_register() {
    let mut lines = 0;
    for seed in 0..PROGRAMS {
        // warps in turn, and as the seed has them
        let options = Options { seed: seed % 3, ..Options::default() };
        lines += compare(seed, &options).unwrap_or_else(|text| panic!("{text}"));
    }
    assert!(lines > 100 * PROGRAMS as usize, "{lines}");
}
