//! What takes hardware, or patience: the largest sizes that op and contract accept, one dimension at a time and all of
//! them together.

use ktwin_lang::Case as OpCase;
use ktwin_num::Regime;

use super::large::{LARGE, alone, bound, launches};
use super::shapes::Shapes;
use super::solve::{Palette, Shape};
use super::{Maker, sizes};
use crate::chain::Started;
use crate::contract::{Expr, Link};
use crate::kernel::Kernel;

/// The largest size of a dimension that the contract does not limit.
const MOST: i64 = 1 << 24;
/// The work that such a case may be.
const WORK: f64 = (1 << 28) as f64;
/// Octaves of sizes that are large together, and the least work of them.
const OCTAVES: u64 = 13;
const LEAST: f64 = (1 << 22) as f64;
/// Shapes among which one with large workgroups or much shared memory is looked for.
const DRAWN: usize = 64;

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
        self.widest(shapes);
    }

    /// The most lanes of a workgroup, and the most dynamic shared memory, where the contract computes these from sizes.
    fn widest(&mut self, shapes: &Shapes) {
        let draw = |turn| shapes.solver.solve(&[], Palette::Octaves(OCTAVES), WORK, turn);
        let ends = (0..shapes.solver.dims.len()).filter_map(|dim| {
            let most = sizes::largest(self.kernel, &shapes.solver.dims[dim].name)?;
            alone(shapes, dim, most, Palette::Least, WORK)
        });
        let mut all: Vec<Shape> = (0..DRAWN).filter_map(draw).chain(ends).collect();
        all.retain(|shape| shape.work <= WORK && launches(self.kernel, shape));
        all.sort_by(|a, b| a.work.total_cmp(&b.work));
        let kinds: [(fn(&Link) -> Vec<&Expr>, &str); 2] = [
            (|link| link.block.iter().flatten().collect(), "stress: workgroups are as large as they come"),
            (|link| link.shared.iter().collect(), "stress: there is as much shared memory as there may be"),
        ];
        for (asked, why) in kinds {
            let most = |shape: &&Shape| asked_for(self.kernel, shape, asked);
            let least = all.iter().map(|shape| most(&shape)).min();
            // of several, that with the least work
            let best = all.iter().rev().max_by_key(most).filter(|shape| Some(most(shape)) > least);
            if let Some(best) = best.cloned() {
                self.add(&best, Regime::Normal, &[], why);
            }
        }
    }
}

/// The largest product of some expressions that a launch of these sizes has.
fn asked_for(kernel: &Kernel, shape: &Shape, asked: fn(&Link) -> Vec<&Expr>) -> i64 {
    let Some(at) = bound(kernel, shape) else { return 0 };
    let one = |(link, numbers): &Started| {
        let each = asked(link).into_iter().map(|expr| kernel.whole_beside(expr, &at, numbers).unwrap_or(0));
        each.fold(1, i64::saturating_mul)
    };
    kernel.launches(&at).map_or(0, |all| all.iter().map(one).max().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::super::tests::kernel;
    use super::super::{Amount, plan};

    #[test]
    fn workgroups_and_shared_memory_are_as_large_as_they_come() {
        let toml = "op = 'turn'\nargs = ['x', 'y']\ngrid = ['T', 1, 1]\n\
                    block = ['min(32 * ceil(D / 32), 1024)', 1, 1]\nshared = '4 * T'\n\
                    dims = { T = '..=3000', D = '..=5000' }";
        let plan = plan(&kernel(toml), Amount { stress: true, ..Amount::QUICK }).unwrap();
        let size = |why: &str, dim: usize| {
            let found = plan.cases.iter().zip(&plan.why).find(|(_, reason)| reason.contains(why));
            found.map(|(case, _)| case.dims[dim].1)
        };
        assert!(size("workgroups are as large", 1) >= Some(993), "{:?}", plan.why);
        assert!(size("as much shared memory", 0) >= Some(2900), "{:?}", plan.why);
    }
}
