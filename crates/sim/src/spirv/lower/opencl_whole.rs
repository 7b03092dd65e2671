//! The functions of `OpenCL.std` that take and give integers.

use super::Lower;
use super::arith::whole_type;
use crate::emit::{Res, Value};
use crate::ir::{Bin, Reg, Ty, Un};
use crate::spirv::types::Scalar;
use naga::MathFunction as M;
use spirv::Op;

impl Lower<'_> {
    pub fn whole_function(&mut self, name: &str, of: Scalar, args: &[Value]) -> Res<Value> {
        let (signed, plain) = match name.split_once('_') {
            Some(("s", rest)) => (true, rest),
            Some(("u", rest)) => (false, rest),
            _ => (false, name),
        };
        let shared = match plain {
            "abs" if !signed => return Ok(args[0].clone()),
            "abs" => Some((M::Abs, 1)),
            "min" => Some((M::Min, 2)),
            "max" => Some((M::Max, 2)),
            "clamp" => Some((M::Clamp, 3)),
            _ => None,
        };
        if let Some((fun, wanted)) = shared
            && args.len() == wanted
        {
            return self.integers(fun, signed, of, args);
        }
        let mut out = Vec::new();
        for i in 0..args[0].len() {
            let at: Value = args.iter().map(|a| a[i]).collect();
            out.push(match at[..] {
                [x] => self.whole_of_one(plain, of, x)?,
                [x, y] => self.whole_of_two(plain, signed, of, x, y)?,
                [x, y, z] => self.whole_of_three(plain, signed, of, x, y, z)?,
                _ => return self.unsupported("the simulator does not have it"),
            });
        }
        Ok(out)
    }

    fn whole_of_one(&mut self, name: &str, of: Scalar, x: Reg) -> Res<Reg> {
        let width = of.width();
        if width > 32 {
            return self.unsupported("the simulator does not have it for 64 bits");
        }
        let unused = self.u32(32 - width);
        match name {
            "popcount" => self.un(Un::CountOnes, Ty::U32, x),
            "clz" => {
                let all = self.un(Un::LeadingZeros, Ty::U32, x)?;
                self.bin(Bin::Sub, Ty::U32, all, unused)
            }
            "ctz" => {
                let (all, most) = (self.un(Un::TrailingZeros, Ty::U32, x)?, self.u32(width));
                self.bin(Bin::Min, Ty::U32, all, most)
            }
            _ => self.unsupported("the simulator does not have it"),
        }
    }

    fn whole_of_two(&mut self, name: &str, signed: bool, of: Scalar, x: Reg, y: Reg) -> Res<Reg> {
        let ty = whole_type(of, signed);
        match name {
            "mul24" => {
                let product = self.bin(Bin::Mul24, ty, x, y)?;
                self.cut_to(of, product)
            }
            "mul_hi" => Ok(self.product(wide_product(signed), of, x, y)?.1),
            "abs_diff" => {
                let (x, y) = if signed { (self.widened(of, x)?, self.widened(of, y)?) } else { (x, y) };
                let (most, least) = (self.bin(Bin::Max, ty, x, y)?, self.bin(Bin::Min, ty, x, y)?);
                let difference = self.bin(Bin::Sub, ty, most, least)?;
                self.cut_to(of, difference)
            }
            "add_sat" | "sub_sat" => {
                let (x, y) = (self.in_64(signed, of, x)?, self.in_64(signed, of, y)?);
                let bin = if name == "add_sat" { Bin::Add } else { Bin::Sub };
                let exact = self.bin(bin, Ty::I64, x, y)?;
                self.held_to(signed, of, exact)
            }
            "hadd" | "rhadd" => {
                let (x, y) = (self.in_64(signed, of, x)?, self.in_64(signed, of, y)?);
                let (more, by) = (self.constant(Ty::I64, u64::from(name == "rhadd")), self.u32(1));
                let sum = self.bin(Bin::Add, Ty::I64, x, y)?;
                let sum = self.bin(Bin::Add, Ty::I64, sum, more)?;
                let half = self.bin(Bin::ShrFixed, Ty::I64, sum, by)?;
                self.held_to(signed, of, half)
            }
            "upsample" if of.width() < 32 => {
                let by = self.u32(of.width());
                let high = self.bin(Bin::ShlFixed, Ty::U32, x, by)?;
                self.bin(Bin::Or, Ty::U32, high, y)
            }
            "rotate" => self.rotated_bits(of, x, y),
            _ => self.unsupported("the simulator does not have it"),
        }
    }

    fn rotated_bits(&mut self, of: Scalar, x: Reg, by: Reg) -> Res<Reg> {
        let (ty, width) = (whole_type(of, false), of.width());
        let by = if width == 64 { self.convert(Ty::U64, Ty::U32, by)? } else { by };
        let (low, all) = (self.u32(width - 1), self.u32(width));
        let up = self.bin(Bin::And, Ty::U32, by, low)?;
        let rest = self.bin(Bin::Sub, Ty::U32, all, up)?;
        let down = self.bin(Bin::And, Ty::U32, rest, low)?;
        let high = self.bin(Bin::ShlFixed, ty, x, up)?;
        let low = self.bin(Bin::ShrFixed, ty, x, down)?;
        let both = self.bin(Bin::Or, ty, high, low)?;
        self.cut_to(of, both)
    }

    fn whole_of_three(&mut self, name: &str, signed: bool, of: Scalar, x: Reg, y: Reg, z: Reg) -> Res<Reg> {
        let ty = whole_type(of, false);
        let sum = match name {
            "mad24" => {
                let product = self.bin(Bin::Mul24, whole_type(of, signed), x, y)?;
                self.bin(Bin::Add, ty, product, z)?
            }
            "mad_hi" => {
                let high = self.product(wide_product(signed), of, x, y)?.1;
                self.bin(Bin::Add, ty, high, z)?
            }
            "bitselect" => {
                let other = self.un(Un::Not, ty, z)?;
                let (kept, taken) = (self.bin(Bin::And, ty, x, other)?, self.bin(Bin::And, ty, y, z)?);
                self.bin(Bin::Or, ty, kept, taken)?
            }
            _ => return self.unsupported("the simulator does not have it"),
        };
        self.cut_to(of, sum)
    }

    /// An integer of at most 32 bits in 64.
    fn in_64(&mut self, signed: bool, of: Scalar, x: Reg) -> Res<Reg> {
        if of.width() > 32 {
            return self.unsupported("the simulator does not have it for 64 bits");
        }
        let x = if signed { self.widened(of, x)? } else { x };
        self.convert(if signed { Ty::I32 } else { Ty::U32 }, Ty::I64, x)
    }

    /// What an integer of at most 32 bits can hold of one of 64: the nearest that it has.
    pub fn held_to(&mut self, signed: bool, to: Scalar, x: Reg) -> Res<Reg> {
        let (least, most) = match signed {
            true => (-(1i64 << (to.width() - 1)), (1i64 << (to.width() - 1)) - 1),
            false => (0, (1i64 << to.width()) - 1),
        };
        let (least, most) = (self.constant(Ty::I64, least as u64), self.constant(Ty::I64, most as u64));
        let x = self.bin(Bin::Max, Ty::I64, x, least)?;
        let x = self.bin(Bin::Min, Ty::I64, x, most)?;
        let low = self.convert(Ty::I64, Ty::U32, x)?;
        self.cut_to(to, low)
    }

    /// `select(a, b, c)`: of vectors, the sign of each `c` decides, of scalars whether it is zero.
    pub fn selected(&mut self, condition: u32, args: &[Value]) -> Res<Value> {
        let (c, of) = self.vector(condition)?;
        let ty = whole_type(of, true);
        let zero = self.constant(ty, 0);
        let mut chosen = Vec::new();
        for &c in &c {
            let wide = self.widened(of, c)?;
            chosen.push(match args[0].len() {
                1 => self.bin(Bin::Ne, ty, wide, zero)?,
                _ => self.bin(Bin::Lt, ty, wide, zero)?,
            });
        }
        self.build.select(&chosen, &args[1], &args[0])
    }
}

fn wide_product(signed: bool) -> Op {
    if signed { Op::SMulExtended } else { Op::UMulExtended }
}
