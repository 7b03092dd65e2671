//! Integer arithmetic, bits and bytes.

use super::build::Lower;
use crate::ir::scalar::{Num, Permute, Scalar};
use crate::ir::{Bin, Ins, Op, Reg, Ty, Un};
use crate::ptx::ast::{Arg, Base, Instr, Type};
use crate::ptx::parse::Res;

const U32: Type = Type::new(Base::Unsigned, 32);

/// The format of an integer type.
pub fn num(ty: Type) -> Num {
    match (ty.signed(), ty.bits) {
        (true, 8) => Num::S8,
        (false, 8) => Num::U8,
        (true, 16) => Num::S16,
        (false, 16) => Num::U16,
        (true, 64) => Num::S64,
        (false, 64) => Num::U64,
        (true, _) => Num::S32,
        (false, _) => Num::U32,
    }
}

/// The type that arithmetic on it is done in.
fn kind(ty: Type) -> Ty {
    match (ty.signed(), ty.bits) {
        (true, 64) => Ty::I64,
        (false, 64) => Ty::U64,
        (true, _) => Ty::I32,
        (false, _) => Ty::U32,
    }
}

impl Lower {
    /// Lowers an integer instruction; tells whether it is one.
    pub fn int(&mut self, ins: &Instr) -> Res<bool> {
        let types = ins.types();
        let Some(&ty) = types.last() else { return Ok(false) };
        let arithmetic = matches!(
            ins.name(),
            "add" | "sub" | "mul" | "mad" | "div" | "rem" | "abs" | "neg" | "min" | "max"
        );
        if arithmetic && ty.is_float() {
            return Ok(false);
        }
        match ins.name() {
            "add" | "sub" | "div" | "rem" | "min" | "max" | "and" | "or" | "xor" => self.two(ins, ty)?,
            "addc" | "subc" | "madc" => self.carried(ins, ty)?,
            "mul" | "mad" | "mul24" | "mad24" => self.product(ins, ty)?,
            "abs" | "neg" | "not" | "cnot" => self.one(ins, ty)?,
            "shl" | "shr" => self.shift(ins, ty)?,
            "popc" | "clz" | "brev" | "bfind" => self.count(ins, ty)?,
            "bfe" => {
                self.allow(ins, &[])?;
                self.plain(ins, Scalar::Bfe(num(ty)), &[ty, U32, U32], ty)?;
            }
            "bfi" => self.bfi(ins, ty)?,
            "prmt" => {
                let mode = match ins.op.last().map(String::as_str) {
                    Some("f4e") => Permute::F4e,
                    Some("b4e") => Permute::B4e,
                    Some("rc8") => Permute::Rc8,
                    Some("ecl") => Permute::Ecl,
                    Some("ecr") => Permute::Ecr,
                    Some("rc16") => Permute::Rc16,
                    _ => Permute::Index,
                };
                self.allow(ins, &["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"])?;
                self.plain(ins, Scalar::Permute(mode), &[U32, U32, U32], U32)?;
            }
            "lop3" => self.lop3(ins)?,
            "shf" => {
                self.allow(ins, &["l", "r", "clamp", "wrap"])?;
                let scalar = Scalar::Funnel { right: ins.has("r"), clamp: ins.has("clamp") };
                self.plain(ins, scalar, &[U32, U32, U32], U32)?;
            }
            "dp4a" | "dp2a" => self.dot(ins, &types)?,
            "sad" => {
                self.allow(ins, &[])?;
                self.plain(ins, Scalar::Sad(num(ty)), &[ty, ty, ty], ty)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// An instruction that is one function of its operands.
    pub fn plain(&mut self, ins: &Instr, scalar: Scalar, types: &[Type], result: Type) -> Res<()> {
        let Some((dst, rest)) = ins.args.split_first() else { return self.fail("no operands") };
        if rest.len() != types.len() {
            return self.fail(format!(
                "`{}` takes {} operands, here are {}",
                ins.op.join("."),
                types.len() + 1,
                ins.args.len()
            ));
        }
        let mut src = Vec::new();
        for (arg, &ty) in rest.iter().zip(types) {
            src.push(self.src(arg, ty)?);
        }
        let value = self.emit(Op::Scalar(scalar), super::operand::held(result), &src);
        self.set(dst, value)
    }

    /// An operand of 16 bits with its sign.
    fn extended(&mut self, arg: &Arg, ty: Type) -> Res<Reg> {
        let value = self.src(arg, ty)?;
        Ok(match (ty.signed(), ty.bits) {
            (true, 16) => self.emit(Op::Scalar(Scalar::Sext(16)), Ty::U32, &[value]),
            _ => value,
        })
    }

    fn two(&mut self, ins: &Instr, ty: Type) -> Res<()> {
        self.allow(ins, &["cc", "sat", "relu"])?;
        let [dst, a, b] = self.args(ins)?;
        if ins.has("cc") {
            return self.carried(ins, ty);
        }
        if ty.base == Base::Pred {
            let (a, b) = (self.src(a, ty)?, self.src(b, ty)?);
            let bin = match ins.name() {
                "and" => Bin::And,
                "or" => Bin::Or,
                _ => Bin::Xor,
            };
            let value = self.emit(Op::Bin(bin, Ty::Bool), Ty::Bool, &[a, b]);
            return self.set(dst, value);
        }
        if ins.has("relu") || ty.pair || ins.has("sat") && (ins.name() == "min" || ins.name() == "max") {
            return self.unsupported_op(ins);
        }
        let (a, b) = (self.extended(a, ty)?, self.extended(b, ty)?);
        let bin = match ins.name() {
            "add" => Bin::Add,
            "sub" => Bin::Sub,
            "div" => Bin::Div,
            "rem" => Bin::Rem,
            "min" => Bin::Min,
            "max" => Bin::Max,
            "and" => Bin::And,
            "or" => Bin::Or,
            _ => Bin::Xor,
        };
        if ins.has("sat") {
            return self.saturated(dst, bin, a, b);
        }
        let value = self.emit(Op::Bin(bin, kind(ty)), kind(ty), &[a, b]);
        self.set(dst, value)
    }

    /// `add.sat.s32`: in 64 bits, then clamped.
    fn saturated(&mut self, dst: &Arg, bin: Bin, a: Reg, b: Reg) -> Res<()> {
        let wide = |s: &mut Lower, r| s.emit(Op::Convert(Ty::I32, Ty::I64), Ty::I64, &[r]);
        let (a, b) = (wide(self, a), wide(self, b));
        let sum = self.emit(Op::Bin(bin, Ty::I64), Ty::I64, &[a, b]);
        let (low, high) = (i64::from(i32::MIN) as u64, i64::from(i32::MAX) as u64);
        let (low, high) = (self.constant(Ty::I64, low), self.constant(Ty::I64, high));
        let sum = self.emit(Op::Bin(Bin::Max, Ty::I64), Ty::I64, &[sum, low]);
        let sum = self.emit(Op::Bin(Bin::Min, Ty::I64), Ty::I64, &[sum, high]);
        self.set(dst, sum)
    }

    fn carry(&mut self) -> Reg {
        *self.carry.get_or_insert_with(|| self.prog.reg(Ty::U32, false))
    }

    /// Additions with a carry: `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`.
    fn carried(&mut self, ins: &Instr, ty: Type) -> Res<()> {
        self.allow(ins, &["cc", "lo", "hi"])?;
        let takes = ins.name().ends_with('c');
        let minus = ins.name().starts_with("sub");
        let (dst, a, b) = match (ins.name(), &ins.args[..]) {
            ("mad" | "madc", [dst, a, b, c]) => {
                let (x, y) = (self.src(a, ty)?, self.src(b, ty)?);
                let op = if ins.has("hi") {
                    Op::Scalar(Scalar::MulHi(num(ty)))
                } else {
                    Op::Bin(Bin::Mul, kind(ty))
                };
                let product = self.emit(op, kind(ty), &[x, y]);
                (dst, product, self.src(c, ty)?)
            }
            (_, [dst, a, b]) => (dst, self.src(a, ty)?, self.src(b, ty)?),
            _ => return self.fail("wrong number of operands"),
        };
        let carry = self.carry();
        let zero = self.u32(0);
        let before = if takes { carry } else { zero };
        let bin = if minus { Bin::Sub } else { Bin::Add };
        let sum = self.emit(Op::Bin(bin, kind(ty)), kind(ty), &[a, b]);
        let wide =
            if ty.bits == 64 { self.emit(Op::Convert(Ty::U32, Ty::U64), Ty::U64, &[before]) } else { before };
        let sum = self.emit(Op::Bin(bin, kind(ty)), kind(ty), &[sum, wide]);
        if ins.has("cc") {
            let bits = ty.bits as u8;
            let scalar = if minus { Scalar::Borrow(bits) } else { Scalar::Carry(bits) };
            let out = self.emit(Op::Scalar(scalar), Ty::U32, &[a, b, before]);
            let ins = Ins::new(Op::Move(false), &[carry], &[out], self.at);
            self.push(ins);
        }
        self.set(dst, sum)
    }

    fn product(&mut self, ins: &Instr, ty: Type) -> Res<()> {
        self.allow(ins, &["lo", "hi", "wide", "cc", "sat"])?;
        if ins.has("cc") {
            return self.carried(ins, ty);
        }
        if ins.has("sat") {
            return self.unsupported_op(ins);
        }
        let (dst, a, b, c) = match &ins.args[..] {
            [dst, a, b] => (dst, a, b, None),
            [dst, a, b, c] => (dst, a, b, Some(c)),
            _ => return self.fail("wrong number of operands"),
        };
        let (mut x, mut y) = (self.extended(a, ty)?, self.extended(b, ty)?);
        let short = ins.name().ends_with("24");
        if short {
            let field = |s: &mut Lower, r| {
                let (zero, len) = (s.u32(0), s.u32(24));
                s.emit(Op::Scalar(Scalar::Bfe(num(ty))), kind(ty), &[r, zero, len])
            };
            (x, y) = (field(self, x), field(self, y));
        }
        let wide = ins.has("wide");
        let result = if wide { Type::new(ty.base, 2 * ty.bits) } else { ty };
        let value = self.times(ins, ty, (x, y));
        let value = match c {
            Some(c) => {
                let value = if self.prog.wide(value) && result.bits != 64 {
                    self.emit(Op::Scalar(Scalar::Low), Ty::U32, &[value])
                } else {
                    value
                };
                let c = self.extended(c, result)?;
                self.emit(Op::Bin(Bin::Add, kind(result)), kind(result), &[value, c])
            }
            None => value,
        };
        self.set(dst, value)
    }

    /// The low, the high or the whole product.
    fn times(&mut self, ins: &Instr, ty: Type, (x, y): (Reg, Reg)) -> Reg {
        if ins.has("wide") {
            match ty.bits {
                16 => self.emit(Op::Bin(Bin::Mul, kind(ty)), kind(ty), &[x, y]),
                _ => self.emit(
                    Op::Scalar(Scalar::MulWide(num(ty))),
                    kind(Type::new(ty.base, 2 * ty.bits)),
                    &[x, y],
                ),
            }
        } else if ins.has("hi") {
            match (ins.name().ends_with("24"), ty.bits) {
                (true, _) => {
                    let whole = self.emit(Op::Scalar(Scalar::MulWide(num(ty))), Ty::U64, &[x, y]);
                    let by = self.u32(16);
                    self.emit(
                        Op::Scalar(Scalar::Shr(if ty.signed() { Num::S64 } else { Num::U64 })),
                        Ty::U64,
                        &[whole, by],
                    )
                }
                (_, 16) => {
                    let whole = self.emit(Op::Bin(Bin::Mul, kind(ty)), kind(ty), &[x, y]);
                    self.shifted(whole, 16)
                }
                _ => self.emit(Op::Scalar(Scalar::MulHi(num(ty))), kind(ty), &[x, y]),
            }
        } else {
            self.emit(Op::Bin(Bin::Mul, kind(ty)), kind(ty), &[x, y])
        }
    }

    fn one(&mut self, ins: &Instr, ty: Type) -> Res<()> {
        self.allow(ins, &[])?;
        let [dst, a] = self.args(ins)?;
        if ty.base == Base::Pred {
            let value = self.src(a, ty)?;
            let value = self.not(value);
            return self.set(dst, value);
        }
        let a = self.extended(a, ty)?;
        let value = match ins.name() {
            "not" => self.emit(Op::Un(Un::Not, kind(ty)), kind(ty), &[a]),
            "abs" => {
                let zero = self.constant(kind(ty), 0);
                let minus = self.emit(Op::Bin(Bin::Sub, kind(ty)), kind(ty), &[zero, a]);
                self.emit(Op::Bin(Bin::Max, kind(ty)), kind(ty), &[a, minus])
            }
            "neg" => {
                let zero = self.constant(kind(ty), 0);
                self.emit(Op::Bin(Bin::Sub, kind(ty)), kind(ty), &[zero, a])
            }
            _ => {
                let zero = self.constant(kind(ty), 0);
                let is = self.emit(Op::Bin(Bin::Eq, kind(ty)), Ty::Bool, &[a, zero]);
                self.emit(Op::Convert(Ty::U32, kind(ty)), kind(ty), &[is])
            }
        };
        self.set(dst, value)
    }

    fn shift(&mut self, ins: &Instr, ty: Type) -> Res<()> {
        self.allow(ins, &[])?;
        let [dst, a, by] = self.args(ins)?;
        let (a, by) = (self.extended(a, ty)?, self.src(by, U32)?);
        let left = ins.name() == "shl";
        let fixed = self.known(by).is_some_and(|n| n < u64::from(ty.bits));
        let op = match (fixed, left) {
            (true, true) => Op::Bin(Bin::ShlFixed, kind(ty)),
            (true, false) => Op::Bin(Bin::ShrFixed, kind(ty)),
            (false, true) => Op::Scalar(Scalar::Shl(ty.bits as u8)),
            (false, false) => Op::Scalar(Scalar::Shr(num(ty))),
        };
        let value = self.emit(op, kind(ty), &[a, by]);
        self.set(dst, value)
    }

    fn count(&mut self, ins: &Instr, ty: Type) -> Res<()> {
        self.allow(ins, &["shiftamt"])?;
        let bits = ty.bits as u8;
        let (scalar, result) = match ins.name() {
            "popc" => (Scalar::Ones, U32),
            "clz" => (Scalar::LeadingZeros(bits), U32),
            "bfind" => (Scalar::Find(num(ty), ins.has("shiftamt")), U32),
            _ => (Scalar::Reverse(bits), ty),
        };
        self.plain(ins, scalar, &[ty], result)
    }

    fn bfi(&mut self, ins: &Instr, ty: Type) -> Res<()> {
        self.allow(ins, &[])?;
        let [dst, a, b, at, len] = self.args(ins)?;
        let (a, b) = (self.src(a, ty)?, self.src(b, ty)?);
        let (at, len) = (self.src(at, U32)?, self.src(len, U32)?);
        let ones = self.u32(255);
        let at = self.emit(Op::Bin(Bin::And, Ty::U32), Ty::U32, &[at, ones]);
        let len = self.emit(Op::Bin(Bin::And, Ty::U32), Ty::U32, &[len, ones]);
        let eight = self.u32(8);
        let len = self.emit(Op::Bin(Bin::ShlFixed, Ty::U32), Ty::U32, &[len, eight]);
        let field = self.emit(Op::Bin(Bin::Or, Ty::U32), Ty::U32, &[at, len]);
        let value = self.emit(Op::Scalar(Scalar::Bfi(ty.bits == 64)), kind(ty), &[a, b, field]);
        self.set(dst, value)
    }

    fn lop3(&mut self, ins: &Instr) -> Res<()> {
        self.allow(ins, &[])?;
        let [dst, a, b, c, table] = self.args(ins)?;
        let Arg::Int(table) = table else { return self.fail("the table of `lop3` must be a number") };
        let (a, b, c) = (self.src(a, U32)?, self.src(b, U32)?, self.src(c, U32)?);
        let value = self.emit(Op::Scalar(Scalar::Lop3(*table as u8)), Ty::U32, &[a, b, c]);
        self.set(dst, value)
    }

    fn dot(&mut self, ins: &Instr, types: &[Type]) -> Res<()> {
        self.allow(ins, &["lo", "hi"])?;
        let &[a, b] = types else { return self.fail(format!("`{}` needs two types", ins.op.join("."))) };
        let scalar = match ins.name() {
            "dp4a" => Scalar::Dot4 { a: a.signed(), b: b.signed() },
            _ => Scalar::Dot2 { a: a.signed(), b: b.signed(), high: ins.has("hi") },
        };
        self.plain(ins, scalar, &[U32, U32, U32], U32)
    }
}
