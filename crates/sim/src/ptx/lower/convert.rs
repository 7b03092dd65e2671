//! `cvt`: conversions between all types.

use super::build::Lower;
use super::float::{format, rounding};
use super::operand::held;
use crate::ir::scalar::{How, Num, Scalar};
use crate::ir::{Op, Ty};
use crate::ptx::ast::{Base, Instr, Type};
use crate::ptx::parse::Res;

const MODIFIERS: &[&str] = &[
    "rn",
    "rz",
    "rm",
    "rp",
    "rna",
    "rni",
    "rzi",
    "rmi",
    "rpi",
    "ftz",
    "sat",
    "relu",
    "satfinite",
    "e4m3x2",
    "e5m2x2",
    "pack",
];

/// Two numbers of 8 bits.
fn small(modifier: &str) -> Option<Num> {
    match modifier {
        "e4m3x2" => Some(Num::E4m3),
        "e5m2x2" => Some(Num::E5m2),
        _ => None,
    }
}

impl Lower {
    pub fn convert(&mut self, ins: &Instr) -> Res<()> {
        self.allow(ins, MODIFIERS)?;
        if ins.has("pack") {
            return self.unsupported("`cvt.pack` is not supported");
        }
        let mut round = rounding(ins);
        let whole = ["rni", "rzi", "rmi", "rpi"].iter().any(|m| ins.has(m));
        let types = ins.types();
        let ends: Vec<&String> =
            ins.op.iter().skip(1).filter(|m| Type::named(m).is_some() || small(m).is_some()).collect();
        let &[to, from] = &ends[..] else {
            return self.fail(format!("`{}` needs two types", ins.op.join(".")));
        };
        let tiny = (small(to), small(from));
        if tiny != (None, None) || types.iter().any(|t| t.pair) {
            return self.convert_pair(ins, to, from);
        }
        let (to, from) = (types[0], types[1]);
        if to.is_float() && !from.is_float() && round.is_none()
            || !to.is_float() && from.is_float() && round.is_none()
        {
            return self.fail(format!("`{}` needs a rounding mode", ins.op.join(".")));
        }
        let how = How {
            round: round.take().unwrap_or_default(),
            flush: ins.has("ftz"),
            sat: ins.has("sat"),
            relu: ins.has("relu"),
            finite: ins.has("satfinite"),
            whole: whole && to.is_float(),
        };
        let [dst, a] = self.args(ins)?;
        let value = self.src(a, Type { bits: from.bits.max(16), ..from })?;
        let (f, t) = (format(from), format(to));
        let value = match self.quick(from, to, how) {
            Some(None) => value,
            Some(Some(op)) => self.emit(op, held(to), &[value]),
            None => {
                // a signed result fills registers that are wider than it
                let wide = self.bits(dst, to.bits) == 64 || to.bits == 64;
                let held = if wide { if to.is_float() { held(to) } else { Ty::U64 } } else { held(to) };
                self.emit(Op::Scalar(Scalar::Convert(f, t, how)), held, &[value])
            }
        };
        self.set(dst, value)
    }

    /// Conversions that the machine has as one operation, or that change nothing.
    fn quick(&self, from: Type, to: Type, how: How) -> Option<Option<Op>> {
        let plain = how == How::default();
        let int = |ty: Type| match (ty.base, ty.bits) {
            (Base::Signed, 32) => Some(Ty::I32),
            (Base::Unsigned | Base::Bits, 32) => Some(Ty::U32),
            (Base::Signed, 64) => Some(Ty::I64),
            (Base::Unsigned | Base::Bits, 64) => Some(Ty::U64),
            _ => None,
        };
        if let (Some(f), Some(t)) = (int(from), int(to))
            && plain
        {
            return Some(match (f.wide(), t.wide()) {
                (false, true) => Some(Op::Convert(f, t)),
                (true, false) => Some(Op::Scalar(Scalar::Low)),
                _ => None,
            });
        }
        let single = |ty: Type| ty == Type::new(Base::Float, 32);
        let double = |ty: Type| ty == Type::new(Base::Float, 64);
        match (int(from), int(to)) {
            (Some(f @ (Ty::I32 | Ty::U32)), None) if plain && (single(to) || double(to)) => {
                Some(Some(Op::Convert(f, held(to))))
            }
            (None, None) if plain && single(from) && double(to) => Some(Some(Op::Convert(Ty::F32, Ty::F64))),
            _ => None,
        }
    }

    /// Two numbers in one register, on one side or on both.
    fn convert_pair(&mut self, ins: &Instr, to: &str, from: &str) -> Res<()> {
        let num = |name: &str| small(name).or_else(|| Type::named(name).map(format));
        let (Some(t), Some(f)) = (num(to), num(from)) else { return self.fail("unknown types") };
        let how = How {
            round: rounding(ins).unwrap_or_default(),
            flush: ins.has("ftz"),
            relu: ins.has("relu"),
            finite: ins.has("satfinite"),
            ..How::default()
        };
        let single = Type::new(Base::Float, 32);
        let word = Type::new(Base::Bits, 32);
        match &ins.args[..] {
            [dst, a, b] => {
                let (a, b) = (self.src(a, single)?, self.src(b, single)?);
                let value = self.emit(Op::Scalar(Scalar::ConvertPair(f, t, how)), Ty::U32, &[a, b]);
                self.set(dst, value)
            }
            [dst, a] => {
                let a = self.src(a, word)?;
                let value = self.emit(Op::Scalar(Scalar::ConvertHalves(f, t, how)), Ty::U32, &[a]);
                self.set(dst, value)
            }
            _ => self.fail("wrong number of operands"),
        }
    }
}
