//! Float arithmetic: f32 and f64 rounded to nearest by the machine's own operations, everything else by its
//! definition; and comparisons of all types.

use super::build::Lower;
use super::operand::held;
use crate::ir::scalar::{Approx, Arith, Class, Cmp, How, Num, Round, Scalar};
use crate::ir::{Bin, Op, Reg, Ty, Un};
use crate::ptx::ast::{Arg, Base, Instr, Type};
use crate::ptx::parse::Res;

const PRED: Type = Type::new(Base::Pred, 1);

/// The format of a float type.
pub fn format(ty: Type) -> Num {
    match (ty.base, ty.bits, ty.pair) {
        (Base::Brain, 32, false) => Num::Tf32,
        (Base::Brain, ..) => Num::Bf16,
        (Base::Float, 64, _) => Num::F64,
        (Base::Float, 32, false) => Num::F32,
        (Base::Float, ..) => Num::F16,
        _ => super::int::num(ty),
    }
}

/// The rounding among an instruction's modifiers.
pub fn rounding(ins: &Instr) -> Option<Round> {
    ins.op.iter().skip(1).find_map(|m| {
        Some(match m.as_str() {
            "rn" | "rni" => Round::Near,
            "rz" | "rzi" => Round::Zero,
            "rm" | "rmi" => Round::Down,
            "rp" | "rpi" => Round::Up,
            "rna" => Round::Away,
            _ => return None,
        })
    })
}

const MODIFIERS: &[&str] =
    &["rn", "rz", "rm", "rp", "ftz", "sat", "relu", "approx", "full", "NaN", "noftz", "oob"];

impl Lower {
    /// Lowers a float instruction; tells whether it is one.
    pub fn float(&mut self, ins: &Instr) -> Res<bool> {
        let Some(&ty) = ins.types().last() else { return Ok(false) };
        if ins.name() == "testp" {
            self.testp(ins, ty)?;
            return Ok(true);
        }
        if ins.name() == "copysign" {
            self.allow(ins, &[])?;
            self.plain(ins, Scalar::CopySign(format(ty)), &[ty, ty], ty)?;
            return Ok(true);
        }
        let op = match ins.name() {
            "add" => Arith::Add,
            "sub" => Arith::Sub,
            "mul" => Arith::Mul,
            "fma" | "mad" => Arith::Fma,
            "div" => Arith::Div,
            "rcp" => Arith::Rcp,
            "sqrt" => Arith::Sqrt,
            "neg" => Arith::Neg,
            "abs" => Arith::Abs,
            "min" => Arith::Min(ins.has("NaN")),
            "max" => Arith::Max(ins.has("NaN")),
            "ex2" | "lg2" | "sin" | "cos" | "rsqrt" | "tanh" => {
                self.approx(ins, ty)?;
                return Ok(true);
            }
            _ => return Ok(false),
        };
        self.allow(ins, MODIFIERS)?;
        if ins.has("oob") {
            return self.unsupported_op(ins);
        }
        if ins.has("approx") || ins.has("full") {
            self.approx(ins, ty)?;
            return Ok(true);
        }
        self.arith(ins, op, ty)?;
        Ok(true)
    }

    fn arith(&mut self, ins: &Instr, op: Arith, ty: Type) -> Res<()> {
        let Some((dst, rest)) = ins.args.split_first() else { return self.fail("no operands") };
        let count = match op {
            Arith::Fma => 3,
            Arith::Rcp | Arith::Sqrt | Arith::Neg | Arith::Abs => 1,
            _ => 2,
        };
        let extremes = matches!(op, Arith::Min(_) | Arith::Max(_));
        if rest.len() != count && !(extremes && rest.len() == 3) {
            return self.fail(format!(
                "`{}` takes {} operands, here are {}",
                ins.op.join("."),
                count + 1,
                ins.args.len()
            ));
        }
        let mut src = Vec::new();
        for arg in rest {
            src.push(self.src(arg, ty)?);
        }
        let how = How {
            round: rounding(ins).unwrap_or_default(),
            flush: ins.has("ftz"),
            sat: ins.has("sat"),
            relu: ins.has("relu"),
            ..How::default()
        };
        let num = format(ty);
        let value = match self.native(op, num, how, &src) {
            Some(value) => value,
            None if ty.pair => self.emit(Op::Scalar(Scalar::Pair(op, num, how)), Ty::U32, &src),
            None if src.len() == 3 && extremes => {
                let first = self.emit(Op::Scalar(Scalar::Arith(op, num, how)), held(ty), &src[..2]);
                self.emit(Op::Scalar(Scalar::Arith(op, num, how)), held(ty), &[first, src[2]])
            }
            None => self.emit(Op::Scalar(Scalar::Arith(op, num, how)), held(ty), &src),
        };
        self.set(dst, value)
    }

    /// What the machine's own float operations do right: f32 and f64 to nearest.
    fn native(&mut self, op: Arith, num: Num, how: How, src: &[Reg]) -> Option<Reg> {
        let ty = match num {
            Num::F32 => Ty::F32,
            Num::F64 => Ty::F64,
            _ => return None,
        };
        if how.round != Round::Near || how.relu {
            return None;
        }
        let op = match op {
            Arith::Add => Op::Bin(Bin::Add, ty),
            Arith::Sub => Op::Bin(Bin::Sub, ty),
            Arith::Mul => Op::Bin(Bin::Mul, ty),
            Arith::Fma => Op::Fma(ty),
            Arith::Div => Op::Bin(Bin::Div, ty),
            Arith::Neg => Op::Un(Un::Neg, ty),
            Arith::Abs => Op::Un(Un::Abs, ty),
            Arith::Sqrt if num == Num::F32 => Op::Un(Un::Sqrt, ty),
            _ => return None,
        };
        let flush = how.flush && num == Num::F32;
        let mut src = src.to_vec();
        if flush {
            for reg in &mut src {
                *reg = self.emit(Op::Scalar(Scalar::Flush), ty, &[*reg]);
            }
        }
        let mut value = self.emit(op, ty, &src);
        if flush {
            value = self.emit(Op::Scalar(Scalar::Flush), ty, &[value]);
        }
        if how.sat {
            let sat = How { sat: true, ..How::default() };
            value = self.emit(Op::Scalar(Scalar::Convert(num, num, sat)), ty, &[value]);
        }
        Some(value)
    }

    fn approx(&mut self, ins: &Instr, ty: Type) -> Res<()> {
        self.allow(ins, &["approx", "full", "ftz"])?;
        let fun = match ins.name() {
            "ex2" => Approx::Ex2,
            "lg2" => Approx::Lg2,
            "sin" => Approx::Sin,
            "cos" => Approx::Cos,
            "rcp" => Approx::Rcp,
            "rsqrt" => Approx::Rsqrt,
            "sqrt" => Approx::Sqrt,
            "tanh" => Approx::Tanh,
            "div" if ins.has("full") => Approx::DivFull,
            "div" => Approx::Div,
            _ => return self.unsupported_op(ins),
        };
        let num = format(ty);
        let scalar = match (num, ty.pair) {
            (Num::F32, _) => Scalar::Approx(fun, ins.has("ftz")),
            (Num::F64, _) => Scalar::ApproxHalf(fun, num),
            (_, true) => Scalar::ApproxPair(fun, num),
            (_, false) => Scalar::ApproxHalf(fun, num),
        };
        let types = vec![ty; if matches!(fun, Approx::Div | Approx::DivFull) { 2 } else { 1 }];
        self.plain(ins, scalar, &types, ty)
    }

    fn testp(&mut self, ins: &Instr, ty: Type) -> Res<()> {
        let num = format(ty);
        let class = ins.op.iter().skip(1).find_map(|m| {
            Some(match m.as_str() {
                "finite" => Class::Finite(num),
                "infinite" => Class::Infinite(num),
                "number" => Class::Number(num),
                "notanumber" => Class::NotANumber(num),
                "normal" => Class::Normal(num),
                "subnormal" => Class::Subnormal(num),
                _ => return None,
            })
        });
        match class {
            Some(class) => self.plain(ins, Scalar::Class(class), &[ty], PRED),
            None => self.fail("`testp` asks nothing"),
        }
    }

    /// `setp`, `set`, `selp`, `slct`.
    pub fn compare(&mut self, ins: &Instr) -> Res<()> {
        match ins.name() {
            "selp" => {
                let [dst, a, b, p] = self.args(ins)?;
                let ty = self.ty(ins)?;
                let (a, b, p) = (self.src(a, ty)?, self.src(b, ty)?, self.src(p, PRED)?);
                let value = self.emit(Op::Select(ty.bits == 64), held(ty), &[p, a, b]);
                self.set(dst, value)
            }
            "slct" => {
                let [dst, a, b, c] = self.args(ins)?;
                let types = ins.types();
                let &[ty, by] = &types[..] else { return self.fail("`slct` needs two types") };
                let (a, b, c) = (self.src(a, ty)?, self.src(b, ty)?, self.src(c, by)?);
                let zero = self.u32(0);
                let compare = Scalar::Compare(Cmp::Ge, format(by), ins.has("ftz"));
                let p = self.emit(Op::Scalar(compare), Ty::Bool, &[c, zero]);
                let value = self.emit(Op::Select(ty.bits == 64), held(ty), &[p, a, b]);
                self.set(dst, value)
            }
            _ => self.setp(ins),
        }
    }

    /// What a comparison asks.
    fn comparison(&self, ins: &Instr) -> Res<Cmp> {
        Ok(match ins.op.get(1).map_or("", |m| m) {
            "eq" => Cmp::Eq,
            "ne" => Cmp::Ne,
            "lt" | "lo" => Cmp::Lt,
            "le" | "ls" => Cmp::Le,
            "gt" | "hi" => Cmp::Gt,
            "ge" | "hs" => Cmp::Ge,
            "equ" => Cmp::Equ,
            "neu" => Cmp::Neu,
            "ltu" => Cmp::Ltu,
            "leu" => Cmp::Leu,
            "gtu" => Cmp::Gtu,
            "geu" => Cmp::Geu,
            "num" => Cmp::Num,
            "nan" => Cmp::Nan,
            _ => return self.fail(format!("`{}`: unknown comparison", ins.op.join("."))),
        })
    }

    fn setp(&mut self, ins: &Instr) -> Res<()> {
        const NAMES: &[&str] = &[
            "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu",
            "geu", "num", "nan", "and", "or", "xor", "ftz",
        ];
        self.allow(ins, NAMES)?;
        let types = ins.types();
        let ty = self.ty(ins)?;
        let cmp = self.comparison(ins)?;
        let (dst, a, b, by) = match &ins.args[..] {
            [dst, a, b] => (dst, a, b, None),
            [dst, a, b, by] => (dst, a, b, Some(by)),
            _ => return self.fail("wrong number of operands"),
        };
        let (x, y) = (self.src(a, ty)?, self.src(b, ty)?);
        if ty.pair {
            return self.compare_pair(ins, dst, cmp, format(ty), (x, y), by);
        }
        let holds = self.holds(cmp, ty, ins.has("ftz"), x, y);
        let join = |s: &mut Lower, value: Reg| match by {
            Some(by) => {
                let by = s.src(by, PRED)?;
                let bin = if ins.has("and") {
                    Bin::And
                } else if ins.has("or") {
                    Bin::Or
                } else {
                    Bin::Xor
                };
                Ok(s.emit(Op::Bin(bin, Ty::Bool), Ty::Bool, &[value, by]))
            }
            None => Ok(value),
        };
        let value = join(self, holds)?;
        if ins.name() == "set" {
            return self.set_number(dst, types[0], value);
        }
        match dst {
            Arg::Pair(first, second) => {
                let not = self.not(holds);
                let not = join(self, not)?;
                self.set(first, value)?;
                self.set(second, not)
            }
            _ => self.set(dst, value),
        }
    }

    /// One comparison, by the machine's own where it has it.
    fn holds(&mut self, cmp: Cmp, ty: Type, flush: bool, x: Reg, y: Reg) -> Reg {
        let kind = match (ty.base, ty.bits) {
            (Base::Float, 32) if !flush => Some(Ty::F32),
            (Base::Float, 64) => Some(Ty::F64),
            (Base::Signed, 32) => Some(Ty::I32),
            (Base::Signed, 64) => Some(Ty::I64),
            (Base::Unsigned | Base::Bits, 32 | 16) => Some(Ty::U32),
            (Base::Unsigned | Base::Bits, 64) => Some(Ty::U64),
            _ => None,
        };
        let bin = match cmp {
            Cmp::Eq => Some(Bin::Eq),
            Cmp::Neu => Some(Bin::Ne),
            Cmp::Ne if !ty.is_float() => Some(Bin::Ne),
            Cmp::Lt => Some(Bin::Lt),
            Cmp::Le => Some(Bin::Le),
            Cmp::Gt => Some(Bin::Gt),
            Cmp::Ge => Some(Bin::Ge),
            _ => None,
        };
        match (kind, bin) {
            (Some(kind), Some(bin)) => self.emit(Op::Bin(bin, kind), Ty::Bool, &[x, y]),
            _ => self.emit(Op::Scalar(Scalar::Compare(cmp, format(ty), flush)), Ty::Bool, &[x, y]),
        }
    }

    /// `set`: all ones, or 1.0.
    fn set_number(&mut self, dst: &Arg, ty: Type, truth: Reg) -> Res<()> {
        let (yes, no) = match (ty.is_float(), ty.bits) {
            (true, 32) => (self.constant(Ty::U32, u64::from(1.0f32.to_bits())), self.u32(0)),
            (true, 16) if ty.base == Base::Brain => (self.u32(0x3f80), self.u32(0)),
            (true, _) => (self.u32(0x3c00), self.u32(0)),
            (false, _) => (self.u32(u32::MAX), self.u32(0)),
        };
        let value = self.emit(Op::Select(false), Ty::U32, &[truth, yes, no]);
        self.set(dst, value)
    }

    /// Both halves: two predicates, or for `set` a number in each half.
    fn compare_pair(
        &mut self,
        ins: &Instr,
        dst: &Arg,
        cmp: Cmp,
        num: Num,
        (x, y): (Reg, Reg),
        by: Option<&Arg>,
    ) -> Res<()> {
        if by.is_some() {
            return self
                .unsupported(format!("`{}` with a third predicate is not supported", ins.op.join(".")));
        }
        let mut out = Vec::new();
        for at in [0, 16] {
            let (x, y) = (self.shifted(x, at), self.shifted(y, at));
            let (x, y) = (
                self.emit(Op::Scalar(Scalar::Zext(16)), Ty::U32, &[x]),
                self.emit(Op::Scalar(Scalar::Zext(16)), Ty::U32, &[y]),
            );
            out.push(self.emit(Op::Scalar(Scalar::Compare(cmp, num, ins.has("ftz"))), Ty::Bool, &[x, y]));
        }
        match (ins.name(), dst) {
            ("setp", Arg::Pair(low, high)) => {
                self.set(low, out[0])?;
                self.set(high, out[1])
            }
            ("set", _) => {
                let one = match ins.types().first() {
                    Some(ty) if ty.is_float() && ty.base == Base::Brain => 0x3f80,
                    Some(ty) if ty.is_float() => 0x3c00,
                    _ => 0xffff,
                };
                let zero = self.u32(0);
                let (low, high) = (self.u32(one), self.u32(one << 16));
                let low = self.emit(Op::Select(false), Ty::U32, &[out[0], low, zero]);
                let high = self.emit(Op::Select(false), Ty::U32, &[out[1], high, zero]);
                let value = self.emit(Op::Bin(Bin::Or, Ty::U32), Ty::U32, &[low, high]);
                self.set(dst, value)
            }
            _ => self.fail(format!("`{}` needs two predicates", ins.op.join("."))),
        }
    }
}
