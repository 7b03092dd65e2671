//! Sizes that the seed alone chooses, for kernels of strangers: every other size of a plan can be known beforehand, and
//! depends on the tiles that the contract names.

use ktwin_num::{Regime, Rng};

use super::large::launches;
use super::shapes::Shapes;
use super::solve::{Palette, Shape};
use super::{Amount, Maker, Plan, sizes};
use crate::kernel::Kernel;

/// Sizes that are drawn of each dimension, and shapes of all dimensions together.
const EACH: usize = 4;
const TOGETHER: usize = 8;
/// The same for random ops, of which each case is launched many times.
const OF_LAWS: usize = 2;
/// The octaves of a size beside others, and of one by itself where the contract names no end.
const OCTAVES: u64 = 9;
const ALONE: u64 = 16;
/// The work that such a case may be: any size tells, and judges have no time to lose.
const WORK: f64 = (1 << 17) as f64;

impl Plan {
    /// Adds cases of sizes that nobody knows who does not know the seed.
    pub fn hide(&mut self, kernel: &Kernel, seed: u64) -> Result<(), String> {
        let mut shapes = Shapes::choose(kernel, Amount::QUICK)?;
        // a tile that the contract makes up shall not make sizes dear
        shapes.solver.dims.iter_mut().for_each(|dim| (dim.tile, dim.least_tile) = (1, 1));
        let mut maker = Maker { kernel, count: seed as usize % 64, cases: Vec::new() };
        let mut rng = Rng::new(seed, 0x6869_6464);
        let (each, together) = if kernel.op.is_random() { (OF_LAWS, OF_LAWS) } else { (EACH, TOGETHER) };
        for dim in 0..shapes.solver.dims.len() {
            for number in 0..each {
                if let Some(shape) = drawn(&shapes, dim, number % 2 == 0, &mut rng) {
                    maker.add(&shape, Regime::Normal, &[], "a size that the seed chose");
                }
            }
        }
        for _ in 0..together {
            let turn = rng.next_u64() as usize;
            let shape = shapes.solver.solve(&[], Palette::Octaves(OCTAVES), WORK / 4.0, turn);
            if let Some(shape) = shape.filter(|shape| fits(kernel, shape)) {
                maker.add(&shape, Regime::Normal, &[], "sizes that the seed chose");
            }
        }
        let Plan { cases, why, .. } = maker.planned(Vec::new());
        for (case, why) in cases.into_iter().zip(why) {
            if !self.cases.contains(&case) {
                self.cases.push(case);
                self.why.push(why);
            }
        }
        Ok(())
    }
}

/// One dimension by itself: of any size up to its end, each octave as likely or each size; shorter where that is dear.
fn drawn(shapes: &Shapes, dim: usize, by_octave: bool, rng: &mut Rng) -> Option<Shape> {
    let kernel = shapes.solver.kernel;
    let of = &shapes.solver.dims[dim];
    let least = sizes::allowed(1, &of.limits)?;
    let end = sizes::largest(kernel, &of.name).unwrap_or(least.saturating_add(1 << ALONE));
    let span = (end - least).clamp(1, 1 << ALONE) as u64;
    let octave = 1u64 << rng.below(u64::from(span.ilog2()) + 1);
    let above = if by_octave { octave + rng.below(octave) } else { rng.below(span + 1) };
    let mut size = least.saturating_add(above as i64);
    while size > 0 {
        let given = sizes::allowed(size, &of.limits).map(|size| [(dim, size)]);
        let shape = given.and_then(|given| shapes.solver.solve(&given, Palette::Thin, WORK, size as usize));
        if let Some(shape) = shape.filter(|shape| fits(kernel, shape)) {
            return Some(shape);
        }
        size = size / 2 - rng.below(size as u64 / 8 + 1) as i64;
    }
    None
}

fn fits(kernel: &Kernel, shape: &Shape) -> bool {
    shape.work <= WORK && launches(kernel, shape)
}
