//! Two dimensions that are long together, the others as small as they can be: where a loop over one is left early or
//! forgets what another has done so far, only sizes past a tile in both show it.

use ktwin_num::Regime;

use super::shapes::Shapes;
use super::solve::{Palette, Shape};
use super::{Amount, Maker, sizes};

/// Sizes of two such dimensions: one past several tiles of many kernels, one past two.
const SIZES: [i64; 2] = [257, 130];
/// What a dimension with an upper limit must reach.
const LEAST: i64 = 96;
/// Pairs, by the level of the plan.
const MOST: [usize; 4] = [8, 20, 40, 100];
/// The work that such a case may be.
const WORK: f64 = (1 << 18) as f64;
/// Regimes of the second case.
const SECOND: [Regime; 2] = [Regime::Normal, Regime::Peaks];

impl Maker<'_> {
    /// Cases of two long dimensions, those next to each other first.
    pub(super) fn together(&mut self, shapes: &Shapes, amount: Amount) {
        let count = shapes.solver.dims.len();
        let pairs = (1..count).flat_map(|apart| (0..count - apart).map(move |a| (a, a + apart)));
        let found =
            pairs.enumerate().filter_map(|(turn, pair)| Some((turn, pair, both(shapes, pair, turn)?)));
        for (turn, (a, b), [least, thin]) in found.take(amount.of(MOST)) {
            let name = |dim: usize| &shapes.solver.dims[dim].name;
            let why = format!("{} and {} are long together", name(a), name(b));
            self.add(&least, Regime::Normal, &[], &why);
            self.add(&thin, SECOND[turn % SECOND.len()], &[], &why);
            self.stretch(shapes, 2);
        }
    }
}

/// Shapes with both long, each the longer in one: the others as small as can be, and a little larger.
fn both(shapes: &Shapes, (a, b): (usize, usize), turn: usize) -> Option<[Shape; 2]> {
    let size = |dim: usize, wanted: i64| {
        sizes::allowed(wanted, &shapes.solver.dims[dim].limits).filter(|size| *size >= LEAST)
    };
    let with = |[first, second]: [i64; 2], palette| {
        let given = [(a, size(a, first)?), (b, size(b, second)?)];
        shapes.solver.solve(&given, palette, WORK, turn).filter(|shape| shape.work <= WORK)
    };
    let [most, more] = SIZES;
    Some([with([most, more], Palette::Least)?, with([more, most], Palette::Thin)?])
}
