//! Arithmetic on scalars and, component by component, on vectors.

use super::{Build, Res, Value};
use crate::ir::{Bin, Op, Reg, Ty, Un};

impl Build {
    /// Per component; a side with one component goes with all of the other.
    pub fn zip(&mut self, op: Op, out: Ty, a: &[Reg], b: &[Reg]) -> Res<Value> {
        let len = a.len().max(b.len());
        let at = |side: &[Reg], i: usize| side[if side.len() == 1 { 0 } else { i }];
        (0..len).map(|i| self.emit(op, out, &[at(a, i), at(b, i)])).collect()
    }

    pub fn bin(&mut self, bin: Bin, ty: Ty, a: Reg, b: Reg) -> Res<Reg> {
        let out = if comparison(bin) { Ty::Bool } else { ty };
        self.emit(Op::Bin(bin, ty), out, &[a, b])
    }

    pub fn un(&mut self, un: Un, ty: Ty, a: Reg) -> Res<Reg> {
        self.emit(Op::Un(un, ty), ty, &[a])
    }

    /// All scalars joined by one operation, from left to right.
    pub fn fold(&mut self, bin: Bin, ty: Ty, value: &[Reg]) -> Res<Reg> {
        let mut sum = value[0];
        for &v in &value[1..] {
            sum = self.bin(bin, ty, sum, v)?;
        }
        Ok(sum)
    }

    /// The sum of products.
    pub fn dot(&mut self, ty: Ty, a: &[Reg], b: &[Reg]) -> Res<Reg> {
        let mut sum = self.bin(Bin::Mul, ty, a[0], b[0])?;
        for (&x, &y) in a.iter().zip(b).skip(1) {
            let product = self.bin(Bin::Mul, ty, x, y)?;
            sum = self.bin(Bin::Add, ty, product, sum)?;
        }
        Ok(sum)
    }

    /// Per component: `condition ? yes : no`.
    pub fn select(&mut self, condition: &[Reg], yes: &[Reg], no: &[Reg]) -> Res<Value> {
        let mut out = Vec::new();
        for (i, (&yes, &no)) in yes.iter().zip(no).enumerate() {
            let condition = condition[if condition.len() == 1 { 0 } else { i }];
            out.push(self.pick(condition, yes, no)?);
        }
        Ok(out)
    }

    pub fn pick(&mut self, condition: Reg, yes: Reg, no: Reg) -> Res<Reg> {
        let ty = self.prog.regs[yes as usize].ty;
        self.emit(Op::Select(ty.wide()), ty, &[condition, yes, no])
    }

    /// Copies of registers that may change later.
    pub fn snapshot(&mut self, regs: &[Reg]) -> Res<Value> {
        let mut out = Vec::new();
        for &reg in regs {
            let ty = self.prog.regs[reg as usize].ty;
            out.push(self.emit(Op::Move(ty.wide()), ty, &[reg])?);
        }
        Ok(out)
    }

    /// The same number in another type.
    pub fn convert(&mut self, from: Ty, to: Ty, value: Reg) -> Res<Reg> {
        let same_bits = |ty| match ty {
            Ty::U32 => Ty::I32,
            Ty::U64 => Ty::I64,
            other => other,
        };
        if same_bits(from) == same_bits(to) {
            return Ok(value);
        }
        self.emit(Op::Convert(from, to), to, &[value])
    }
}

/// Whether the result is a truth value.
pub fn comparison(bin: Bin) -> bool {
    matches!(bin, Bin::Eq | Bin::Ne | Bin::Lt | Bin::Le | Bin::Gt | Bin::Ge)
}
