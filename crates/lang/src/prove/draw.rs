//! Sizes and scalars drawn at random: no default is left alone, since what is always the same proves nothing.

use ktwin_num::{Domain, Rng};

use crate::example::Example;
use crate::fold::Known;
use crate::node::Ty;
use crate::op::{Op, Scalar, Value};

/// Sizes that are drawn: powers of two and their neighbours, small odd ones, blocks and what is just past them.
const SIZES: [i64; 16] = [1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 24, 32, 33, 64, 65, 130];
/// Draws for one example.
const TRIES: u64 = 3000;

impl Op {
    /// The example that a seed draws, if one of its draws makes a case of at most `most` points.
    pub(crate) fn drawn(&self, seed: u64, most: f64) -> Option<Example> {
        let mut rng = Rng::new(0x6472_6177, seed);
        (0..TRIES).find_map(|_| self.draw(&mut rng, most))
    }

    fn draw(&self, rng: &mut Rng, most: f64) -> Option<Example> {
        let size = |rng: &mut Rng| SIZES[rng.below(SIZES.len() as u64) as usize];
        let free = self.free_dims();
        let dims: Vec<(String, i64)> =
            free.into_iter().map(|at| (self.dims[at].name.clone(), size(rng))).collect();
        let mut example = Example { dims, scalars: self.usual(rng) };
        // the domains of some scalars follow from sizes and other scalars: drawn again once these are known
        if let Some(case) = self.bind_example(&example) {
            let drawn = self.scalars.iter().enumerate().map(|(at, info)| {
                let longest = example.dims.iter().map(|(_, size)| *size).max().unwrap_or(1);
                (info.name.clone(), scalar(info, case.scalar_domain(at), longest, rng))
            });
            let redrawn = Example { scalars: drawn.collect(), dims: example.dims.clone() };
            if self.bind_example(&redrawn).is_some() {
                example = redrawn;
            }
        }
        self.bind_example(&example).filter(|case| case.points() <= most).map(|_| example)
    }

    /// Defaults, and something for scalars without.
    fn usual(&self, rng: &mut Rng) -> Vec<(String, Value)> {
        let open = self.scalars.iter().filter(|s| s.default.is_none());
        let nothing = Known { dims: vec![None; self.dims.len()], scalars: vec![None; self.scalars.len()] };
        let domain = |s: &Scalar| self.domain(&s.domain, &nothing).unwrap_or(Domain::ALL_REALS);
        open.map(|s| (s.name.clone(), scalar(s, domain(s), 8, rng))).collect()
    }
}

/// A value of a scalar: often its default, near a size, or anywhere in its domain.
fn scalar(info: &Scalar, domain: Domain, longest: i64, rng: &mut Rng) -> Value {
    let kept = info.default.filter(|_| rng.below(3) == 0);
    if let Some(default) = kept {
        return default;
    }
    match info.ty {
        Ty::Bool => Value::Bool(rng.below(2) == 0),
        Ty::Int => {
            let any = rng.below(longest.unsigned_abs().max(1) + 3) as f64;
            Value::Int(domain.fold(any) as i64)
        }
        Ty::Real => Value::Real(f64::from(real(info, domain, rng) as f32)),
    }
}

/// A real: a share of a bounded domain, else the usual value or 1 times something between 1/8 and 8.
fn real(info: &Scalar, domain: Domain, rng: &mut Rng) -> f64 {
    let share = rng.below(1 << 20) as f64 / f64::from(1 << 20);
    if domain.is_bounded() {
        return domain.lo + (0.02 + 0.96 * share) * (domain.hi - domain.lo);
    }
    let usual = info.default.map_or(1.0, Value::to_f64);
    let size = if usual == 0.0 { 1.0 } else { usual };
    let drawn = size * (0.125 + 7.875 * share);
    if domain.contains(-drawn) && rng.below(4) == 0 { -drawn } else { drawn }
}
