//! Arithmetic over one block: functions of integers and of reals.

use super::blocks::Block;
use super::ints;
use super::lane::Lane;
use super::pool;
use super::run::{Machine, Trouble};
use super::value::{Ints, Reals, Truth};
use crate::bits::Bit;
use crate::code::{Code, CodeKind};
use crate::fold::{bits_of, is_modular, modular};
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
            // languages make different integers of NaN, and some any
            let open = |(v, b): (&f64, &f64)| *b > 0.0 || v.is_nan();
            if L::DOUBTS && reals.v.iter().zip(&reals.b).any(open) {
                self.doubted();
            }
            return Ok(match reals.len() {
                1 => Ints::Uniform(reals.v[0] as i64),
                _ => Ints::Column(reals.v.iter().map(|x| *x as i64).collect()),
            });
        }
        if let Func::BitsOf(_) = func {
            return self.bits_of(func, &args[0], block, mask);
        }
        if let Func::Wrap { .. } = func {
            let whole = self.modular(&args[0], block, mask)?;
            return ints::unary(func, &whole, block.n);
        }
        if let (Func::IntDiv | Func::Mod | Func::Bit(Bit::Shr), CodeKind::Apply(Func::Mul, factors)) =
            (func, &args[0].kind)
        {
            let parts = self.all_ints(factors.iter().chain([&args[1]]), block, mask)?;
            return ints::each(&parts, block.n, |values| ints::of_product(func, values));
        }
        ints::function(func, &self.all_ints(args, block, mask)?, block.n)
    }

    fn all_ints<'c>(
        &self,
        codes: impl IntoIterator<Item = &'c Code>,
        block: &Block,
        mask: Option<&[Truth]>,
    ) -> Result<Vec<Ints>, Trouble> {
        codes.into_iter().map(|code| self.ints(code, block, mask)).collect()
    }

    /// The bits of a real, in doubt where the real may be another.
    fn bits_of(
        &self,
        func: Func,
        arg: &Code,
        block: &Block,
        mask: Option<&[Truth]>,
    ) -> Result<Ints, Trouble> {
        let reals = self.reals(arg, block, mask)?;
        if L::DOUBTS && reals.b.iter().any(|b| *b > 0.0) {
            self.doubted();
        }
        let bits = |x: &f64| bits_of(func, *x).unwrap_or(0);
        Ok(match reals.len() {
            1 => Ints::Uniform(bits(&reals.v[0])),
            _ => Ints::Column(reals.v.iter().map(bits).collect()),
        })
    }

    /// An integer modulo 2^64: sums, differences and products in it may be as large as they like.
    fn modular(&self, code: &Code, block: &Block, mask: Option<&[Truth]>) -> Result<Ints, Trouble> {
        match &code.kind {
            CodeKind::Apply(func @ Func::Bit(Bit::Shl), args) => {
                let parts = [self.modular(&args[0], block, mask)?, self.ints(&args[1], block, mask)?];
                ints::each(&parts, block.n, |values| modular(*func, values))
            }
            CodeKind::Apply(func, args) if is_modular(*func) => {
                let parts = args.iter().map(|arg| self.modular(arg, block, mask));
                ints::each(&parts.collect::<Result<Vec<_>, _>>()?, block.n, |values| modular(*func, values))
            }
            _ => self.ints(code, block, mask),
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
            (Func::OfBits(float), [a]) => {
                let ints = self.ints(a, block, mask)?;
                let v: Vec<f64> = ints.lanes(block.n).map(|bits| float.decode(bits as u64)).collect();
                let b = if L::SECOND { vec![0.0; v.len()] } else { Vec::new() };
                Ok(Reals { v, b })
            }
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
