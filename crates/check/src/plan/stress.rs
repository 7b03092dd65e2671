//! What takes hardware, or patience: the largest sizes that op and contract accept, one dimension at a time and all of
//! them together.

use ktwin_lang::Case as OpCase;
use ktwin_num::Regime;

use super::large::{LARGE, alone, launches};
use super::shapes::Shapes;
use super::solve::Palette;
use super::{Maker, sizes};

/// The largest size of a dimension that the contract does not limit.
const MOST: i64 = 1 << 24;
/// The work that such a case may be.
const WORK: f64 = (1 << 28) as f64;
/// Octaves of sizes that are large together, and the least work of them.
const OCTAVES: u64 = 13;
const LEAST: f64 = (1 << 22) as f64;

impl Maker<'_> {
    /// Cases for [`Amount::stress`](super::Amount::stress).
    pub(super) fn stress(&mut self, shapes: &Shapes) {
        for (dim, about) in shapes.solver.dims.iter().enumerate() {
            let limit = sizes::largest(self.kernel, &about.name);
            let most = limit.unwrap_or(MOST);
            let halves = std::iter::successors(Some(most), |size| Some(size / 2));
            let within = halves.take_while(|size| *size > LARGE);
            // a limit below that is tried itself, unless it was
            let sizes = self.cases.iter().flat_map(|(case, _)| &case.dims);
            let tried = sizes.filter(|(name, _)| *name == about.name).map(|(_, size)| *size).max();
            let small = limit.filter(|limit| *limit <= LARGE && tried < Some(*limit));
            let mut sizes = small.into_iter().chain(within);
            let largest = sizes.find_map(|size| {
                alone(shapes, dim, size, Palette::Least, WORK).filter(|shape| launches(self.kernel, shape))
            });
            if let Some(shape) = largest {
                let why = format!("stress: {} is as large as it may be", about.name);
                self.add(&shape, Regime::Normal, &[], &why);
                self.add(&shape, Regime::Mixed, &[], &why);
                self.stretch(shapes, 2);
            }
        }
        let heavy = |at: &OpCase| (LEAST..=WORK).contains(&at.points());
        let shape = shapes.solver.solve_for(&[], Palette::Octaves(OCTAVES), WORK, 0, &heavy);
        if let Some(shape) = shape.filter(|shape| launches(self.kernel, shape)) {
            self.add(&shape, Regime::Normal, &[], "stress: all sizes are large");
            self.stretch(shapes, 1);
        }
    }
}
