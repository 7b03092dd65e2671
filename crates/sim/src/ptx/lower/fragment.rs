//! Fragments of `wmma`: their loads and stores, and those of `ldmatrix`, as ordinary accesses.

use super::build::Lower;
use super::matrix::elem;
use super::memory::{U32, U64};
use crate::ir::mma::{Elem, Mma, Part};
use crate::ir::{Bin, Fmt, Ins, Op, Reg, Ty};
use crate::ptx::ast::{Arg, Base, Instr, Space, Type};
use crate::ptx::parse::Res;

/// Where the elements of a fragment lie: the operand, what a lane adds to it, and the step between its elements.
pub struct Place<'a> {
    pub address: &'a Arg,
    pub space: Space,
    pub at: Reg,
    pub step: Reg,
    pub contiguous: bool,
    pub size: u32,
    pub distinct: u32,
}

impl Lower {
    /// `wmma.load` and `wmma.store`.
    pub fn fragment(&mut self, ins: &Instr) -> Res<()> {
        let (m, n, k) = self.shape_of(ins)?;
        let part = match ins.op.get(2).map_or("", |m| m) {
            "a" => Part::A,
            "b" => Part::B,
            "c" => Part::C,
            _ => Part::D,
        };
        let Some(kind) = ins.op.iter().skip(3).find_map(|m| elem(m)) else {
            return self.unsupported_op(ins);
        };
        let by_rows = ins.has("row");
        let mma = Mma {
            m,
            n,
            k,
            a: kind,
            b: kind,
            c: kind,
            d: kind,
            opaque: true,
            rows: (by_rows, by_rows),
            sat: false,
        };
        if matches!(part, Part::A | Part::B) {
            self.whole_fragments(ins, &mma)?;
        }
        let load = ins.has("load");
        let (list, address, stride) = self.fragment_args(ins)?;
        let regs = self.registers_of(list, mma.regs(part))?;
        let (rows, cols) = mma.size(part);
        let length = if by_rows { cols } else { rows };
        let stride = match stride {
            Some(stride) => self.src(stride, U32)?,
            None => self.u32(length),
        };
        // elements of a lane lie one after the other along rows, or along columns
        let accumulates = matches!(part, Part::C | Part::D);
        let along_rows = accumulates || by_rows;
        let line = if along_rows { cols } else { rows };
        let distinct = rows * cols / 32;
        let lane = self.lane();
        let first = self.by(Bin::Mul, lane, distinct);
        let lead = self.by(Bin::Div, first, line);
        let pos = self.by(Bin::Rem, first, line);
        let contiguous = along_rows == by_rows;
        let size = kind.bits() / 8;
        let (major, minor) = if contiguous { (lead, pos) } else { (pos, lead) };
        let major = self.emit(Op::Bin(Bin::Mul, Ty::U32), Ty::U32, &[major, stride]);
        let at = self.emit(Op::Bin(Bin::Add, Ty::U32), Ty::U32, &[major, minor]);
        let at = self.by(Bin::Mul, at, size);
        let step = if contiguous { self.u32(size) } else { self.by(Bin::Mul, stride, size) };
        let place = Place { address, space: self.space(ins), at, step, contiguous, size, distinct };
        if load { self.load_fragment(&regs, &place, kind) } else { self.store_fragment(&regs, &place, kind) }
    }

    /// The registers, the address and the stride.
    fn fragment_args<'a>(&self, ins: &'a Instr) -> Res<(&'a Arg, &'a Arg, Option<&'a Arg>)> {
        Ok(match (&ins.args[..], ins.has("load")) {
            ([list, address], true) | ([address, list], false) => (list, address, None),
            ([list, address, stride], true) | ([address, list, stride], false) => {
                (list, address, Some(stride))
            }
            _ => return self.fail("wrong number of operands"),
        })
    }

    /// The address of element `j` of a lane.
    fn element(&mut self, place: &Place, j: u32) -> Res<Reg> {
        let Arg::Addr(base, offset) = place.address else {
            return self.fail("expected an address in brackets");
        };
        let base = self.src(base, U64)?;
        let offset = self.constant(Ty::U64, *offset as u64);
        let base = self.plus(base, offset);
        let first = self.plus(base, place.at);
        let more = if place.contiguous { self.u32(j * place.size) } else { self.by(Bin::Mul, place.step, j) };
        Ok(self.plus(first, more))
    }

    fn load_fragment(&mut self, regs: &[&Arg], place: &Place, kind: Elem) -> Res<()> {
        let bits = kind.bits();
        let wide = bits == 64;
        let words = (place.distinct * bits / 32).max(1) / (1 + u32::from(wide));
        let mut values = Vec::new();
        if place.contiguous {
            let (fmt, ty, each) = if wide { (Fmt::Wide, U64, 2) } else { (Fmt::Word, U32, 4.min(words)) };
            let each = each.min(words);
            for i in 0..words / each {
                let at = self.element(place, i * each * fmt.bytes() / place.size)?;
                values.extend(self.load_at(place, at, fmt, ty, each)?);
            }
        } else {
            let (fmt, ty) = match bits {
                64 => (Fmt::Wide, U64),
                32 => (Fmt::Word, U32),
                _ => (Fmt::UShort, Type::new(Base::Unsigned, 16)),
            };
            let mut singles = Vec::new();
            for j in 0..place.distinct {
                let at = self.element(place, j)?;
                singles.extend(self.load_at(place, at, fmt, ty, 1)?);
            }
            values = if bits == 16 { self.pack_halves(&singles) } else { singles };
        }
        // f16 fragments have every element more than once
        for (i, dst) in regs.iter().enumerate() {
            let value = values[i % values.len()];
            self.set(dst, value)?;
        }
        Ok(())
    }

    fn store_fragment(&mut self, regs: &[&Arg], place: &Place, kind: Elem) -> Res<()> {
        let bits = kind.bits();
        let wide = bits == 64;
        let mut values = Vec::new();
        for reg in regs {
            values.push(self.src(reg, if wide { U64 } else { U32 })?);
        }
        if place.contiguous {
            let (fmt, each) = if wide { (Fmt::Wide, 2) } else { (Fmt::Word, 4) };
            for (i, some) in values.chunks(each).enumerate() {
                let at = self.element(place, (i * each) as u32 * fmt.bytes() / place.size)?;
                self.store_at(place, at, fmt, some)?;
            }
            return Ok(());
        }
        for j in 0..place.distinct {
            let at = self.element(place, j)?;
            match bits {
                64 => self.store_at(place, at, Fmt::Wide, &values[j as usize..=j as usize])?,
                32 => self.store_at(place, at, Fmt::Word, &values[j as usize..=j as usize])?,
                _ => {
                    let half = self.shifted(values[j as usize / 2], 16 * (j & 1));
                    self.store_at(place, at, Fmt::UShort, &[half])?;
                }
            }
        }
        Ok(())
    }

    pub fn load_at(&mut self, place: &Place, at: Reg, fmt: Fmt, ty: Type, count: u32) -> Res<Vec<Reg>> {
        let Arg::Addr(base, _) = place.address else { return self.fail("expected an address in brackets") };
        let held = if ty.bits == 64 { Ty::U64 } else { Ty::U32 };
        let out: Vec<Reg> = (0..count).map(|_| self.prog.reg(held, false)).collect();
        self.access_at(base, at, 0, place.space, &mut |s, object, at, imm| {
            let values = s.load(fmt, ty, count as usize, (object, at, imm), false)?;
            for (&to, value) in out.iter().zip(values) {
                s.push(Ins::new(Op::Move(held.wide()), &[to], &[value], s.at));
            }
            Ok(())
        })?;
        Ok(out)
    }

    pub fn store_at(&mut self, place: &Place, at: Reg, fmt: Fmt, values: &[Reg]) -> Res<()> {
        let Arg::Addr(base, _) = place.address else { return self.fail("expected an address in brackets") };
        self.access_at(base, at, 0, place.space, &mut |s, object, at, imm| {
            s.store(fmt, values, (object, at, imm), false)
        })
    }
}
