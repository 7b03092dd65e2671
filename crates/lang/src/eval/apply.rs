//! Arithmetic over one block: functions of integers and of reals.

use super::blocks::Block;
use super::ints;
use super::lane::Lane;
use super::pool;
use super::run::{Machine, Trouble};
use super::value::{Ints, Reals, Truth};
use crate::code::{Code, CodeKind};
use crate::func::Func;
use crate::node::Ty;

impl<L: Lane> Machine<'_, L> {
    pub(super) fn integer(
        &self,
        func: Func,
        args: &[Code],
        block: &Block,
        mask: Option<&[Truth]>,
    ) -> Result<Ints, Trouble> {
        if func == Func::ToInt {
            let reals = self.lane.unary(Func::Trunc, self.reals(&args[0], block, mask)?);
            if reals.b.iter().any(|b| *b > 0.0) {
                self.doubted();
            }
            return Ok(match reals.len() {
                1 => Ints::Uniform(reals.v[0] as i64),
                _ => Ints::Column(reals.v.iter().map(|x| *x as i64).collect()),
            });
        }
        let a = self.ints(&args[0], block, mask)?;
        match args.get(1) {
            Some(b) => ints::binary(func, &a, &self.ints(b, block, mask)?, block.n),
            None => ints::unary(func, &a, block.n),
        }
    }

    pub(super) fn real(
        &self,
        func: Func,
        args: &[Code],
        block: &Block,
        mask: Option<&[Truth]>,
    ) -> Result<Reals, Trouble> {
        match (func, args) {
            (Func::ToReal, [a]) => Ok(self.lane.unary(Func::ToReal, self.reals(a, block, mask)?)),
            (Func::Pow, [a, Code { kind: CodeKind::Int(n), .. }]) => {
                let base = self.reals(a, block, mask)?;
                Ok(self.power(base, *n))
            }
            (Func::Add | Func::Sub, [a, b]) => match self.try_fused(func, a, b, block, mask)? {
                Some(fused) => Ok(fused),
                None => self.binary(func, args, block, mask),
            },
            (_, [a]) => Ok(self.lane.unary(func, self.reals(a, block, mask)?)),
            _ => self.binary(func, args, block, mask),
        }
    }

    /// A function of two arguments; an argument that is one number for all lanes stays so where the lane type takes it.
    fn binary(
        &self,
        func: Func,
        args: &[Code],
        block: &Block,
        mask: Option<&[Truth]>,
    ) -> Result<Reals, Trouble> {
        let (mut a, mut b) = (self.reals(&args[0], block, mask)?, self.reals(&args[1], block, mask)?);
        let n = a.len().max(b.len());
        if matches!(func, Func::Add | Func::Sub) {
            self.lane.joined((&mut a, args[0].terms), (&mut b, args[1].terms));
        }
        if a.len() < n && matches!(func, Func::Add | Func::Mul) {
            std::mem::swap(&mut a, &mut b);
        }
        if b.len() < n && !self.lane.takes_one(func) {
            b = b.spread(n);
        }
        let out = self.lane.binary(func, a.spread(n), &b);
        b.recycle();
        Ok(out)
    }

    /// A whole power by multiplications, as kernels write it; large ones by `pow`.
    fn power(&self, base: Reals, n: i64) -> Reals {
        match n {
            0 => Reals::uniform(self.lane.constant(1.0), L::SECOND),
            1 => base,
            2..=4 => {
                let mut out = Reals { v: pool::copied(&base.v), b: pool::copied(&base.b) };
                for _ in 1..n {
                    out = self.lane.binary(Func::Mul, out, &base);
                }
                base.recycle();
                out
            }
            _ => {
                let exponent = Reals::uniform(self.lane.constant(n as f64), L::SECOND).spread(base.len());
                self.lane.binary(Func::Pow, base, &exponent)
            }
        }
    }

    /// `a * b + c` in one rounding, where the lane type fuses.
    fn try_fused(
        &self,
        func: Func,
        a: &Code,
        b: &Code,
        block: &Block,
        mask: Option<&[Truth]>,
    ) -> Result<Option<Reals>, Trouble> {
        let CodeKind::Apply(Func::Mul, factors) = &a.kind else { return Ok(None) };
        if a.ty != Ty::Real
            || self.lane.fused(&Reals::default(), &Reals::default(), &Reals::default(), false).is_none()
        {
            return Ok(None);
        }
        let (x, y) = self.pair(factors, block, mask)?;
        let c = self.reals(b, block, mask)?;
        let n = x.len().max(c.len());
        Ok(self.lane.fused(&x.spread(n), &y.spread(n), &c.spread(n), func == Func::Sub))
    }

    /// Two arguments with as many lanes.
    pub fn pair(
        &self,
        args: &[Code],
        block: &Block,
        mask: Option<&[Truth]>,
    ) -> Result<(Reals, Reals), Trouble> {
        let (a, b) = (self.reals(&args[0], block, mask)?, self.reals(&args[1], block, mask)?);
        let n = a.len().max(b.len());
        Ok((a.spread(n), b.spread(n)))
    }
}
