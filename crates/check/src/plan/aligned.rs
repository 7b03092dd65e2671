//! Whole tiles in all dimensions at once, and equal sizes: kernels have faster ways for them that leave out every check
//! of an edge, and two sizes that are taken for each other show where they differ, or where they do not.

use ktwin_num::Regime;

use super::large::{bound, lanes};
use super::shapes::Shapes;
use super::solve::{Palette, Shape};
use super::{Amount, Maker, sizes};
use crate::kernel::Kernel;

/// Elements that kernels take at a time along a dimension for which the contract names no tile; the second only in
/// plans that are not quick.
const UNITS: [i64; 2] = [32, 64];
/// Whole tiles in a dimension, by its number: in every second turn the other way round. Many where that is not too much
/// work, so that what is done in the last of several goes wrong.
const TILES: [[i64; 3]; 2] = [[1, 2, 3], [2, 3, 5]];
/// Tiles of equal sizes: two, or one where two are too much work.
const EQUAL: [i64; 2] = [2, 1];
/// Cases of tiles, by the level of the plan, and of pairs of equal sizes.
const TURNS: [usize; 4] = [2, 3, 3, 3];
const PAIRS: [usize; 4] = [3, 10, 30, 100];
/// The work that such a case may be, by the level of the plan.
const WORK: [f64; 4] = [(1 << 18) as f64, (1 << 22) as f64, (1 << 23) as f64, (1 << 24) as f64];
/// The terms that all lanes add where each adds up the longest sum, as in tiles of which most is outside.
const TILED: f64 = (1 << 28) as f64;
/// Regimes of the cases, in turn.
const REGIMES: [Regime; 2] = [Regime::Normal, Regime::Mixed];

impl Maker<'_> {
    /// Adds these cases.
    pub(super) fn aligned(&mut self, shapes: &Shapes, amount: Amount) {
        let (count, most) = (shapes.solver.dims.len(), amount.of(WORK));
        if count < 2 {
            return;
        }
        let units = if amount.is_quick() { &UNITS[..1] } else { &UNITS[..] };
        for (&unit, turn) in units.iter().flat_map(|unit| (0..amount.of(TURNS)).map(move |turn| (unit, turn)))
        {
            let place = |dim: usize| if turn % 2 == 1 { 2 - dim % 3 } else { (dim + turn / 2) % 3 };
            let few = TILES.iter().filter_map(|tiles| {
                filled(shapes, turn, most, &|dim| tiles[place(dim)] * tile(shapes, dim, unit))
            });
            if let Some((_, shape)) = few.max_by_key(|(count, _)| *count) {
                self.add(&shape, REGIMES[turn % REGIMES.len()], &[], "whole tiles in all dimensions");
            }
        }
        let largest = (0..count).map(|dim| tile(shapes, dim, UNITS[0])).max().unwrap_or(1);
        let equal = EQUAL.iter().rev().filter_map(|tiles| filled(shapes, 0, most, &|_| tiles * largest));
        if let Some((_, shape)) = equal.max_by_key(|(count, _)| *count) {
            self.add(&shape, Regime::Normal, &[], "equal sizes in all dimensions");
        }
        if let Some((_, shape)) = filled(shapes, 0, most, &|_| 2 * largest - 1) {
            self.add(&shape, Regime::Normal, &[], "equal sizes in all dimensions, no whole tiles");
        }
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        let both = |(a, b): (usize, usize)| {
            let size = |dim: usize| allowed(shapes, dim, EQUAL[0] * largest).map(|size| (dim, size));
            let shape = shapes.solver.solve(&[size(a)?, size(b)?], Palette::Least, most, 0);
            Some(((a, b), shape.filter(|shape| shape.work <= most)?))
        };
        let found: Vec<_> = pairs.filter_map(both).take(amount.of(PAIRS)).collect();
        for ((a, b), shape) in found {
            let name = |dim: usize| &shapes.solver.dims[dim].name;
            self.add(&shape, Regime::Normal, &[], &format!("{} = {}, both whole tiles", name(a), name(b)));
        }
    }
}

/// The smallest tile of a dimension, or else so many elements.
fn tile(shapes: &Shapes, dim: usize, unit: i64) -> i64 {
    let tile = shapes.solver.dims[dim].least_tile;
    if tile > 1 { tile } else { unit }
}

/// The very size, where the dimension takes it.
fn allowed(shapes: &Shapes, dim: usize, size: i64) -> Option<i64> {
    sizes::allowed(size, &shapes.solver.dims[dim].limits).filter(|near| *near == size)
}

/// A shape in which as many dimensions as go together have their size, in order of a turn, and how many they are; the
/// others are the least.
fn filled(shapes: &Shapes, turn: usize, most: f64, size: &dyn Fn(usize) -> i64) -> Option<(usize, Shape)> {
    let count = shapes.solver.dims.len();
    let (mut given, mut found): (Vec<(usize, i64)>, Option<Shape>) = (Vec::new(), None);
    for dim in (0..count).map(|at| (at + turn) % count) {
        let Some(size) = allowed(shapes, dim, size(dim)) else { continue };
        given.push((dim, size));
        let shape = shapes.solver.solve(&given, Palette::Least, most, turn);
        match shape.filter(|shape| shape.work <= most && tiled(shapes.solver.kernel, shape) <= TILED) {
            Some(shape) => found = Some(shape),
            None => {
                given.pop();
            }
        }
    }
    found.filter(|_| given.len() > 1).map(|shape| (given.len(), shape))
}

/// What all lanes add at most.
fn tiled(kernel: &Kernel, shape: &Shape) -> f64 {
    let longest = bound(kernel, shape).map_or(0, |at| at.longest_sum());
    lanes(kernel, shape) * longest as f64
}
