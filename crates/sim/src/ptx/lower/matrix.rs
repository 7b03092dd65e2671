//! Matrix products of warps. Registers are put down, multiplied and taken up again; fragments of `wmma` have a layout
//! of this machine's own, so that their loads and stores are ordinary ones.

use super::build::Lower;
use super::fragment::Place;
use super::memory::{U32, U64};
use crate::ir::mma::{Elem, Mma, Part};
use crate::ir::scalar::{Num, Scalar};
use crate::ir::{Bin, Fmt, Gather, Ins, Op, Reg, Special, Ty, Warp};
use crate::ptx::ast::{Arg, Base, Instr, Space, Type};
use crate::ptx::parse::Res;

/// Where each matrix is put down: as the machine expects.
fn slot(part: Part) -> u32 {
    match part {
        Part::A => 0,
        Part::B => 16,
        Part::C => 32,
        Part::D => 48,
    }
}

pub fn elem(name: &str) -> Option<Elem> {
    Some(match name {
        "f16" => Elem::Float(Num::F16),
        "bf16" => Elem::Float(Num::Bf16),
        "tf32" => Elem::Float(Num::Tf32),
        "f32" => Elem::Float(Num::F32),
        "f64" => Elem::Float(Num::F64),
        "e4m3" => Elem::Float(Num::E4m3),
        "e5m2" => Elem::Float(Num::E5m2),
        "s8" => Elem::S8,
        "u8" => Elem::U8,
        "s4" => Elem::S4,
        "u4" => Elem::U4,
        "s32" => Elem::S32,
        _ => return None,
    })
}

/// `m16n8k16`.
fn shape(name: &str) -> Option<(u32, u32, u32)> {
    let (m, rest) = name.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some((m.parse().ok()?, n.parse().ok()?, k.parse().ok()?))
}

impl Lower {
    pub fn matrix(&mut self, ins: &Instr) -> Res<()> {
        match (ins.name(), ins.op.get(1).map_or("", |m| m)) {
            ("mma", "sync") => self.mma(ins),
            ("wmma", "mma") => self.wmma(ins),
            ("wmma", "load" | "store") => self.fragment(ins),
            ("ldmatrix" | "stmatrix", _) => self.rows(ins),
            ("movmatrix", _) => self.turn(ins),
            ("mma", "sp") => {
                self.unsupported("`mma.sp` is not supported (sparse matrix products are not simulated)")
            }
            _ => self.unsupported_op(ins),
        }
    }

    pub fn shape_of(&self, ins: &Instr) -> Res<(u32, u32, u32)> {
        match ins.op.iter().find_map(|m| shape(m)) {
            Some(found) => Ok(found),
            None => self.fail(format!("`{}` has no shape", ins.op.join("."))),
        }
    }

    fn mma(&mut self, ins: &Instr) -> Res<()> {
        let known = |m: &str| matches!(m, "sync" | "aligned" | "row" | "col" | "satfinite");
        let odd = ins.op.iter().skip(1).find(|m| !known(m) && elem(m).is_none() && shape(m).is_none());
        let (m, n, k) = self.shape_of(ins)?;
        let types: Vec<Elem> = ins.op.iter().skip(1).filter_map(|m| elem(m)).collect();
        let (&[d, a, b, c], None) = (&types[..], odd) else {
            return self.unsupported_op(ins);
        };
        let small = m == 8 && n == 8 && (a.bits() == 64 && k == 4 || a.bits() <= 8 && k * a.bits() == 128);
        let most = if a.bits() == 64 { 16 } else { 256 / a.bits() };
        if !(small || m == 16 && n == 8 && k <= most && k * a.bits() >= 128.min(4 * a.bits())) {
            return self
                .fail(format!("`{}`: matrix products of this shape are not simulated", ins.op.join(".")));
        }
        let mma = Mma { m, n, k, a, b, c, d, opaque: false, rows: (true, false), sat: ins.has("satfinite") };
        self.multiply(ins, mma)
    }

    fn wmma(&mut self, ins: &Instr) -> Res<()> {
        let (m, n, k) = self.shape_of(ins)?;
        let types: Vec<Elem> = ins.op.iter().skip(1).filter_map(|m| elem(m)).collect();
        let half = Elem::Float(Num::F16);
        let (d, a, b, c) = match types[..] {
            [d, c] => (d, half, half, c),
            [d, a, b, c] => (d, a, b, c),
            _ => return self.unsupported_op(ins),
        };
        let rows: Vec<bool> =
            ins.op.iter().filter(|m| *m == "row" || *m == "col").map(|m| m == "row").collect();
        let &[by_rows_a, by_rows_b] = &rows[..] else { return self.fail("`wmma.mma` needs two layouts") };
        let rows = (by_rows_a, by_rows_b);
        let sat = ins.has("satfinite");
        let mma = Mma { m, n, k, a, b, c, d, opaque: true, rows, sat };
        self.whole_fragments(ins, &mma)?;
        self.multiply(ins, mma)
    }

    pub fn whole_fragments(&self, ins: &Instr, mma: &Mma) -> Res<()> {
        let known = [(16, 16, 16), (32, 8, 16), (8, 32, 16), (16, 16, 8), (8, 8, 4)];
        if !known.contains(&(mma.m, mma.n, mma.k)) || mma.a.bits() < 8 {
            return self
                .fail(format!("`{}`: matrix products of this shape are not simulated", ins.op.join(".")));
        }
        Ok(())
    }

    fn multiply(&mut self, ins: &Instr, mma: Mma) -> Res<()> {
        let [d, a, b, c] = self.args(ins)?;
        for (part, arg) in [(Part::A, a), (Part::B, b), (Part::C, c)] {
            let wide = mma.elem(part).bits() == 64;
            let ty = if wide { Type::new(Base::Float, 64) } else { Type::new(Base::Bits, 32) };
            let mut words = Vec::new();
            for reg in self.registers_of(arg, mma.regs(part))? {
                let reg = self.src(reg, ty)?;
                if wide {
                    words.push(self.emit(Op::Scalar(Scalar::Low), Ty::U32, &[reg]));
                    words.push(self.emit(Op::Scalar(Scalar::High), Ty::U32, &[reg]));
                } else {
                    words.push(reg);
                }
            }
            for (i, some) in words.chunks(4).enumerate() {
                let mut put = Ins::new(Op::Warp(Warp::PutDown), &[], some, self.at);
                put.imm = slot(part) + 4 * i as u32;
                self.push(put);
            }
        }
        let mut product = Ins::new(Op::Warp(Warp::Mma), &[], &[], self.at);
        product.imm2 = self.prog.mmas.len() as u32;
        self.prog.mmas.push(mma);
        self.push(product);
        let wide = mma.d.bits() == 64;
        let results = self.registers_of(d, mma.regs(Part::D))?;
        let held = if mma.d == Elem::Float(Num::F32) { Ty::F32 } else { Ty::U32 };
        let count = results.len() * (1 + usize::from(wide));
        let words: Vec<Reg> = (0..count).map(|_| self.prog.reg(held, false)).collect();
        for (i, some) in words.chunks(4).enumerate() {
            let mut take = Ins::new(Op::Warp(Warp::TakeUp), some, &[], self.at);
            take.imm = slot(Part::D) + 4 * i as u32;
            self.push(take);
        }
        for (i, dst) in results.into_iter().enumerate() {
            let value = if wide {
                self.emit(Op::Scalar(Scalar::Join), Ty::F64, &[words[2 * i], words[2 * i + 1]])
            } else {
                words[i]
            };
            self.set(dst, value)?;
        }
        Ok(())
    }

    pub fn registers_of<'a>(&self, arg: &'a Arg, count: u32) -> Res<Vec<&'a Arg>> {
        let all: Vec<&Arg> = match arg {
            Arg::List(all) => all.iter().collect(),
            other => vec![other],
        };
        if all.len() == count as usize {
            return Ok(all);
        }
        self.fail(format!("a fragment of {} registers, where {count} are needed", all.len()))
    }

    pub fn lane(&mut self) -> Reg {
        self.emit(Op::Special(Special::SubgroupLane), Ty::U32, &[])
    }

    pub fn by(&mut self, bin: Bin, a: Reg, b: u32) -> Reg {
        let b = self.u32(b);
        self.emit(Op::Bin(bin, Ty::U32), Ty::U32, &[a, b])
    }

    /// An address with something added, in bytes, as 64 bits.
    pub fn plus(&mut self, address: Reg, bytes: Reg) -> Reg {
        let bytes = if self.prog.wide(bytes) {
            bytes
        } else {
            self.emit(Op::Convert(Ty::U32, Ty::U64), Ty::U64, &[bytes])
        };
        self.emit(Op::Bin(Bin::Add, Ty::U64), Ty::U64, &[address, bytes])
    }

    pub fn pack_halves(&mut self, singles: &[Reg]) -> Vec<Reg> {
        let mut out = Vec::new();
        for two in singles.chunks(2) {
            let high = self.by(Bin::ShlFixed, two[two.len() - 1], 16);
            out.push(self.emit(Op::Bin(Bin::Or, Ty::U32), Ty::U32, &[two[0], high]));
        }
        out
    }

    /// The value that another lane has.
    fn shuffled(&mut self, value: Reg, lane: Reg) -> Reg {
        let clamp = self.u32(31);
        self.emit(Op::Warp(Warp::Shuffle(Gather::Shuffle)), Ty::U32, &[value, lane, clamp])
    }

    /// `ldmatrix` and `stmatrix`: every lane gets the address of its row from the lane that has it.
    fn rows(&mut self, ins: &Instr) -> Res<()> {
        self.allow(ins, &["sync", "aligned", "m8n8", "x1", "x2", "x4", "trans", "shared", "shared::cta"])?;
        let load = ins.name() == "ldmatrix";
        let [x, y] = self.args(ins)?;
        let (list, address) = if load { (x, y) } else { (y, x) };
        let count = if ins.has("x4") { 4 } else { 1 + u32::from(ins.has("x2")) };
        let regs = self.registers_of(list, count)?;
        let Arg::Addr(base, offset) = address else { return self.fail("expected an address in brackets") };
        let whole = self.src(base, U64)?;
        let base_low = self.emit(Op::Scalar(Scalar::Low), Ty::U32, &[whole]);
        let row = self.by(Bin::Add, base_low, *offset as u32);
        let lane = self.lane();
        let (outer, inner) = (self.by(Bin::ShrFixed, lane, 2), self.by(Bin::And, lane, 3));
        let space = Space::Shared;
        for (j, reg) in regs.iter().enumerate() {
            let first = 8 * j as u32;
            let mut parts = Vec::new();
            if ins.has("trans") {
                for half in 0..2 {
                    let from = self.by(Bin::ShlFixed, inner, 1);
                    let from = self.by(Bin::Add, from, first + half);
                    let at = self.shuffled(row, from);
                    let column = self.by(Bin::ShlFixed, outer, 1);
                    parts.push(self.emit(Op::Bin(Bin::Add, Ty::U32), Ty::U32, &[at, column]));
                }
            } else {
                let from = self.by(Bin::Add, outer, first);
                let at = self.shuffled(row, from);
                let column = self.by(Bin::ShlFixed, inner, 2);
                parts.push(self.emit(Op::Bin(Bin::Add, Ty::U32), Ty::U32, &[at, column]));
            }
            let (fmt, ty) = if parts.len() == 1 {
                (Fmt::Word, U32)
            } else {
                (Fmt::UShort, Type::new(Base::Unsigned, 16))
            };
            let one = self.u32(1);
            let place = Place { address, space, at: one, step: one, contiguous: true, size: 2, distinct: 1 };
            if load {
                let mut values = Vec::new();
                for &at in &parts {
                    values.extend(self.load_at(&place, at, fmt, ty, 1)?);
                }
                let value = if values.len() == 1 { values[0] } else { self.pack_halves(&values)[0] };
                self.set(reg, value)?;
            } else {
                let value = self.src(reg, U32)?;
                for (half, &at) in parts.iter().enumerate() {
                    let value = self.shifted(value, 16 * half as u32);
                    self.store_at(&place, at, fmt, &[value])?;
                }
            }
        }
        Ok(())
    }

    /// `movmatrix`: the transpose of a matrix of 8 by 8 halves.
    fn turn(&mut self, ins: &Instr) -> Res<()> {
        self.allow(ins, &["sync", "aligned", "m8n8", "trans"])?;
        let [dst, from] = self.args(ins)?;
        let value = self.src(from, U32)?;
        let lane = self.lane();
        let (outer, inner) = (self.by(Bin::ShrFixed, lane, 2), self.by(Bin::And, lane, 3));
        let odd = self.by(Bin::And, outer, 1);
        let shift = self.by(Bin::ShlFixed, odd, 4);
        let column = self.by(Bin::ShrFixed, outer, 1);
        let mut halves = Vec::new();
        for half in 0..2 {
            let row = self.by(Bin::ShlFixed, inner, 3);
            let row = self.by(Bin::Add, row, 4 * half);
            let lane = self.emit(Op::Bin(Bin::Add, Ty::U32), Ty::U32, &[row, column]);
            let word = self.shuffled(value, lane);
            let word = self.emit(Op::Bin(Bin::ShrFixed, Ty::U32), Ty::U32, &[word, shift]);
            halves.push(self.by(Bin::And, word, 0xffff));
        }
        let value = self.pack_halves(&halves)[0];
        self.set(dst, value)
    }
}
