//! Which object an access goes to: the one that its address can be in; where there are several, the address decides
//! as the program runs.

use super::build::{Lower, Object};
use super::memory::{U32, U64};
use super::origin::{Set, UNKNOWN};
use crate::ir::scalar::Scalar;
use crate::ir::{Bin, Op, Reg, Term, Ty};
use crate::ptx::ast::{Arg, Space};
use crate::ptx::parse::Res;

impl Lower {
    /// The objects that an address may be in.
    fn candidates(&self, base: &Arg, space: Space) -> Vec<usize> {
        let set: Set = match base {
            Arg::Reg(reg) => self.sets[*reg as usize] & !UNKNOWN,
            Arg::Var(var) if (*var as usize) < self.params.len() => 1 << (self.objects.len() - 1),
            Arg::Var(var) => self.by_var.get(var).map_or(0, |&at| 1 << at),
            Arg::Name(name, _) => self.by_name.get(name).map_or(0, |&at| 1 << at),
            _ => 0,
        };
        let fits = |o: &Object| o.space == space || space == Space::Generic && o.space != Space::Param;
        let all = || (0..self.objects.len()).filter(|&at| fits(&self.objects[at]));
        let named: Vec<usize> = (0..self.objects.len())
            .filter(|&at| set >> at & 1 == 1 && (fits(&self.objects[at]) || space == Space::Generic))
            .collect();
        if named.is_empty() { all().collect() } else { named }
    }

    /// Does an access to whatever object its address is in: the callback gets the object, the address there and a
    /// constant to add.
    pub fn access(
        &mut self,
        address: &Arg,
        space: Space,
        f: &mut dyn FnMut(&mut Lower, &Object, Reg, u32) -> Res<()>,
    ) -> Res<()> {
        let Arg::Addr(base, offset) = address else { return self.fail("expected an address in brackets") };
        let found = self.candidates(base, space);
        let Some(&last) = found.last() else {
            return self.fail(
                format!("an access to {space:?} memory, of which the kernel declares none").to_lowercase(),
            );
        };
        let last = self.objects[last].clone();
        let zero = self.u32(0);
        if let Arg::Var(var) = **base
            && let Some(start) = self.params.get(var as usize)
        {
            let at = i64::from(*start) + *offset;
            return f(self, &last, zero, at as u32);
        }
        if let Arg::Var(_) | Arg::Name(..) = **base {
            return f(self, &last, zero, *offset as u32);
        }
        let narrow = self.bits(base, 64) != 64;
        let reg = self.src(base, if narrow { U32 } else { U64 })?;
        self.access_at(base, reg, *offset, space, f)
    }

    /// The same for an address in a register, which was made of an operand.
    pub fn access_at(
        &mut self,
        base: &Arg,
        reg: Reg,
        offset: i64,
        space: Space,
        f: &mut dyn FnMut(&mut Lower, &Object, Reg, u32) -> Res<()>,
    ) -> Res<()> {
        let found = self.candidates(base, space);
        let Some((&last, others)) = found.split_last() else {
            return self.fail(
                format!("an access to {space:?} memory, of which the kernel declares none").to_lowercase(),
            );
        };
        let objects: Vec<Object> = others.iter().map(|&at| self.objects[at].clone()).collect();
        let last = self.objects[last].clone();
        let narrow = !self.prog.wide(reg);
        if objects.is_empty() {
            let start = self.base(&last, space);
            let at = self.relative(reg, start);
            return f(self, &last, at, offset as u32);
        }
        let reg = if narrow { self.emit(Op::Convert(Ty::U32, Ty::U64), Ty::U64, &[reg]) } else { reg };
        let offset = self.constant(Ty::U64, offset as u64);
        let sum = self.emit(Op::Bin(Bin::Add, Ty::U64), Ty::U64, &[reg, offset]);
        let after = self.block();
        for object in &objects {
            let start = self.base(object, space);
            let from = self.constant(Ty::U64, start);
            let is = if object.space == Space::Global {
                self.emit(Op::Scalar(Scalar::Near), Ty::Bool, &[sum, from])
            } else {
                let size = self.constant(Ty::U64, u64::from(object.size));
                self.emit(Op::Scalar(Scalar::Within), Ty::Bool, &[sum, from, size])
            };
            let next = self.block();
            self.cut(|here| Term::Branch(is, here, next))?;
            let at = self.relative(sum, start);
            f(self, object, at, 0)?;
            self.end(Term::Jump(after));
            self.open(next);
        }
        let start = self.base(&last, space);
        let at = self.relative(sum, start);
        f(self, &last, at, 0)?;
        self.end(Term::Jump(after));
        self.open(after);
        Ok(())
    }

    /// An address less the start of its object, as 32 bits; what is too far is past every object's end.
    fn relative(&mut self, address: Reg, start: u64) -> Reg {
        if self.prog.wide(address) {
            let start = self.constant(Ty::U64, start);
            return self.emit(Op::Scalar(Scalar::Resolve), Ty::U32, &[address, start]);
        }
        if start == 0 {
            return address;
        }
        let start = self.u32(start as u32);
        self.emit(Op::Bin(Bin::Sub, Ty::U32), Ty::U32, &[address, start])
    }
}
