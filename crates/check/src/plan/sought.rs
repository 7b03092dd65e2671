//! Sizes and scalars for those who look for what a kernel does nowhere else: small ones, among them the numbers of its
//! source, all drawn at once or with some of them changed. Drawn by a fixed sequence.

use ktwin_lang::{Ty, Value};
use ktwin_num::{Domain, Rng};

use super::literal::scalar;
use super::shapes::Shapes;
use super::{Amount, everywhere, sizes};
use crate::accept;
use crate::case::Case;
use crate::kernel::Kernel;
use crate::{literals, scalars};

/// The work that such a case may be.
const WORK: f64 = (1 << 14) as f64;
/// Draws for each of them: constraints refuse most.
const TRIES: usize = 100;
/// The largest small size, and the octaves of others; how many times a number of the source a size may be.
const SMALL: u64 = 40;
const TIMES: u64 = 8;
const OCTAVES: u64 = 12;
/// The largest number of the source that is tried: seeds have 32 bits.
const MOST: f64 = (1u64 << 32) as f64;
/// Of so many sizes and scalars of a case that is changed, one is.
const CHANGED: u64 = 2;
/// What real numbers are that have no bounds: up to this, and as far below one.
const MAGNITUDE: i32 = 10;

/// Draws cases.
pub(crate) struct Sought<'a> {
    shapes: Shapes<'a>,
    /// The numbers of the source.
    numbers: Vec<f64>,
    rng: Rng,
    drawn: usize,
}

impl<'a> Sought<'a> {
    /// Of a kernel; none where it takes no sizes at all.
    pub fn of(kernel: &'a Kernel) -> Option<Sought<'a>> {
        let shapes = Shapes::choose(kernel, Amount::QUICK).ok()?;
        let numbers = literals::of(kernel).0.into_iter().map(|literal| literal.value).collect();
        Some(Sought { shapes, numbers, rng: Rng::new(0x736f_7567, 0), drawn: 0 })
    }

    /// A case, or another with some of its sizes and scalars changed.
    pub fn draw(&mut self, of: Option<&Case>) -> Option<Case> {
        let mut case = (0..TRIES).find_map(|_| self.tried(of))?;
        case.regime = everywhere(self.drawn);
        self.drawn += 1;
        Some(case)
    }

    fn tried(&mut self, of: Option<&Case>) -> Option<Case> {
        let kernel = self.shapes.solver.kernel;
        let mut sizes_of = Vec::new();
        for at in 0..self.shapes.solver.dims.len() {
            let kept = self.kept(of).and_then(|case| case.dims.get(at)).map(|(_, size)| *size);
            let drawn = self.size(at);
            sizes_of.push(kept.unwrap_or(drawn?));
        }
        let mut case = self.shapes.solver.case(&sizes_of, self.shapes.solver.scalars.clone());
        for (number, info) in kernel.op.scalars.iter().enumerate() {
            if kernel.fixed(&info.name).is_some() {
                continue;
            }
            let domain = case.domain_of(&kernel.op, number).unwrap_or(Domain::ALL_REALS);
            let named =
                |case: &Case| case.scalars.iter().find(|(name, _)| *name == info.name).map(|(_, v)| *v);
            match self.kept(of).map(named) {
                // one that is left out has its default
                Some(kept) => kept.into_iter().for_each(|value| case.set_scalar(&info.name, value)),
                None => case.set_scalar(&info.name, self.value(number, domain)?),
            }
        }
        self.takes(&case).then_some(case)
    }

    /// Whether a case is accepted, and little work.
    pub fn takes(&self, case: &Case) -> bool {
        let solver = &self.shapes.solver;
        let cheap = |case: &Case| case.bind(&solver.kernel.op).is_ok_and(|at| solver.work(&at) <= WORK);
        accept::accepts(solver.kernel, case).is_ok() && cheap(case)
    }

    /// The case whose size or value is kept, if it is.
    fn kept<'c>(&mut self, of: Option<&'c Case>) -> Option<&'c Case> {
        of.filter(|_| self.rng.below(CHANGED) > 0)
    }

    /// One of the numbers of the source.
    fn number(&mut self) -> Option<f64> {
        self.numbers.get(self.rng.below(self.numbers.len().max(1) as u64) as usize).copied()
    }

    /// A number of the source that is whole, or one beside it.
    fn whole(&mut self) -> Option<i64> {
        let number = self.number()?.floor().clamp(-MOST, MOST) as i64;
        Some(if self.rng.below(2) == 0 { number } else { number + self.rng.below(3) as i64 - 1 })
    }

    /// A whole number of so many octaves.
    fn long(&mut self, octaves: u64) -> i64 {
        let base = match self.rng.below(3) {
            0 => self.whole().unwrap_or(1).saturating_mul(1 + self.rng.below(TIMES) as i64),
            1 => 1 << self.rng.below(octaves),
            _ => 1 + self.rng.below(SMALL) as i64,
        };
        let more = match self.rng.below(4) {
            0 => self.rng.below(base.unsigned_abs() / 2 + 1) as i64,
            1 => self.rng.below(4) as i64 - 1,
            _ => 0,
        };
        base.saturating_add(more)
    }

    fn size(&mut self, dim: usize) -> Option<i64> {
        let size = self.long(OCTAVES).clamp(1, WORK as i64);
        sizes::allowed(size, &self.shapes.solver.dims[dim].limits)
    }

    fn value(&mut self, number: usize, domain: Domain) -> Option<Value> {
        let kernel = self.shapes.solver.kernel;
        let info = &kernel.op.scalars[number];
        let usual = scalars::candidates(kernel, number, domain);
        if info.ty == Ty::Bool || self.rng.below(3) == 0 {
            return usual.get(self.rng.below(usual.len().max(1) as u64) as usize).copied();
        }
        let share = self.rng.below(1 << 20) as f64 / f64::from(1 << 20);
        let within = domain.lo + share * (domain.hi - domain.lo);
        let sign = if domain.contains(-1.0) && self.rng.below(2) == 0 { -1.0 } else { 1.0 };
        let source = if self.rng.below(2) == 0 { None } else { self.number() };
        let value = match source {
            _ if info.ty == Ty::Int && (source.is_some() || !domain.is_bounded()) => {
                sign * self.long(OCTAVES + 4) as f64
            }
            Some(number) => number * (0.9 + 0.2 * share),
            None if domain.is_bounded() => within,
            None => {
                let size = f64::powi(2.0, self.rng.below(2 * MAGNITUDE as u64) as i32 - MAGNITUDE);
                sign * size * (1.0 + share)
            }
        };
        let value = if info.ty == Ty::Int { value.floor() } else { value };
        domain.contains(value).then(|| scalar(kernel, info, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: &[(&str, &str)] =
        &[("scaled", "op scaled(x[R, D]; s in 0.0..4.0 = 2.0) -> y[R, D]\ny[r, d] = x[r, d] * s\n")];

    #[test]
    fn a_scalar_without_a_default_is_kept_once() {
        let ops = [("plus", "op plus(x[N]; a) -> y[N]\ny[n] = x[n] + a\n")];
        let toml = "op = 'plus'\nargs = ['x', 'y', { N = 'u32' }, { a = 'f32' }]";
        let kernel = Kernel::of_contract("k", toml, &ops).unwrap();
        let mut sought = Sought::of(&kernel).unwrap();
        let mut of = sought.draw(None).unwrap();
        of.set_scalar("a", Value::Real(0.8125));
        let changed: Vec<Case> = (0..30).filter_map(|_| sought.draw(Some(&of))).collect();
        let kept = changed.iter().filter(|case| case.scalars == of.scalars).count();
        assert!((8..23).contains(&kept), "{kept} of {}: {changed:?}", changed.len());
    }

    #[test]
    fn what_is_drawn_is_accepted_and_varied() {
        let toml = "op = 'scaled'\nargs = ['x', 'y', { R = 'u32' }, { D = 'u32' }, { s = 'f32' }]";
        let kernel = Kernel::of_contract("k", toml, OPS).unwrap();
        let mut sought = Sought::of(&kernel).unwrap();
        let cases: Vec<Case> = (0..50).filter_map(|_| sought.draw(None)).collect();
        assert!(cases.len() > 40);
        assert!(cases.iter().all(|case| accept::accepts(&kernel, case).is_ok()));
        let mut shapes: Vec<_> = cases.iter().map(|case| (case.dims.clone(), case.scalars.clone())).collect();
        shapes.dedup();
        assert!(shapes.len() > 40, "{shapes:?}");
        let changed: Vec<Case> = (0..30).filter_map(|_| sought.draw(Some(&cases[0]))).collect();
        let same = |case: &&Case| case.dims[0] == cases[0].dims[0] || case.dims[1] == cases[0].dims[1];
        assert!(changed.iter().filter(same).count() > 15, "{changed:?}");
    }
}
