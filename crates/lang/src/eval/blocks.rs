//! Cuts a box of index values into blocks of lanes, and gives the values of each index in a block.

use std::ops::Range;

use smallvec::SmallVec;

use super::value::{Ints, LANES};
use crate::case::Axis;

/// Shortest innermost run for which blocks stay within it, so that outer indices are the same for all lanes.
const LONG_RUN: usize = 96;

/// Indices with their values; few enough to need no memory of their own.
pub type Vars = SmallVec<[(usize, Ints); 6]>;

/// A block: how many lanes, and the indices' values in them.
pub struct Block {
    pub n: usize,
    vars: Vars,
}

impl Block {
    pub fn new(n: usize, vars: Vars) -> Block {
        Block { n, vars }
    }

    /// The values of an index.
    pub fn var(&self, var: usize) -> &Ints {
        const NONE: &Ints = &Ints::Uniform(0);
        self.vars.iter().find(|(v, _)| *v == var).map_or(NONE, |(_, ints)| ints)
    }

    /// Some of its lanes alone.
    pub fn part(&self, lanes: Range<usize>) -> Block {
        let vars = self.vars.iter().map(|(var, ints)| (*var, ints.part(lanes.clone()))).collect();
        Block { n: lanes.len(), vars }
    }
}

/// The blocks of a box, in row-major order; `outer` are indices that are fixed, `align` the number of lanes
/// of which each
/// block but the last holds a multiple.
pub struct Blocks<'a> {
    outer: &'a [(usize, i64)],
    axes: &'a [Axis],
    total: usize,
    at: usize,
    step: usize,
    long: bool,
}

impl<'a> Blocks<'a> {
    pub fn new(outer: &'a [(usize, i64)], axes: &'a [Axis], align: usize) -> Blocks<'a> {
        let total = axes.iter().map(|a| a.extent).product();
        let inner = axes.last().map_or(1, |a| a.extent);
        let long = align == 1 && inner >= LONG_RUN;
        let step = if long { LANES } else { (LANES / align).max(1) * align };
        Blocks { outer, axes, total, at: 0, step, long }
    }

    /// The indices that are fixed.
    fn vars(&self) -> Vars {
        let mut vars = Vars::new();
        vars.extend(self.outer.iter().map(|(v, at)| (*v, Ints::Uniform(*at))));
        vars
    }

    fn long_block(&self) -> Block {
        let last = self.axes.len() - 1;
        let inner = self.axes[last].extent;
        let column = self.at % inner;
        let n = self.step.min(inner - column);
        let mut vars = self.vars();
        let mut row = self.at / inner;
        for axis in self.axes[..last].iter().rev() {
            vars.push((axis.var, Ints::Uniform(axis.lo + (row % axis.extent) as i64)));
            row /= axis.extent;
        }
        vars.push((self.axes[last].var, Ints::Run(self.axes[last].lo + column as i64, 1)));
        Block { n, vars }
    }

    fn mixed_block(&self) -> Block {
        let n = self.step.min(self.total - self.at);
        let mut vars = self.vars();
        let mut below = 1;
        for axis in self.axes.iter().rev() {
            vars.push((axis.var, axis_lanes(axis, self.at, n, below)));
            below *= axis.extent;
        }
        Block { n, vars }
    }
}

/// An index in `n` lanes from the `at`-th element of a box, where each of its values stands for `below`
/// elements.
fn axis_lanes(axis: &Axis, at: usize, n: usize, below: usize) -> Ints {
    let first = (at / below) % axis.extent;
    if n == 1 || axis.extent == 1 || at / below == (at + n - 1) / below {
        return Ints::Uniform(axis.lo + first as i64);
    }
    if below == 1 && first + n <= axis.extent {
        return Ints::Run(axis.lo + first as i64, 1);
    }
    let mut values = Vec::with_capacity(n);
    let (mut value, mut left) = (first, below - at % below);
    while values.len() < n {
        let run = left.min(n - values.len());
        values.resize(values.len() + run, axis.lo + value as i64);
        value = if value + 1 == axis.extent { 0 } else { value + 1 };
        left = below;
    }
    Ints::Column(values)
}

impl Iterator for Blocks<'_> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        if self.at >= self.total {
            return None;
        }
        let block = if self.long { self.long_block() } else { self.mixed_block() };
        self.at += block.n;
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_enumerate_every_element_once_in_order() {
        for extents in [[3, 5, 7], [1, 2, 600], [2, 100, 1], [700, 1, 1], [2, 3, 96]] {
            let axes: Vec<Axis> =
                extents.iter().enumerate().map(|(var, e)| Axis { var, lo: var as i64, extent: *e }).collect();
            let mut seen = Vec::new();
            for block in Blocks::new(&[], &axes, 1) {
                for lane in 0..block.n {
                    seen.push([0, 1, 2].map(|v| block.var(v).at(lane) - v as i64));
                }
            }
            let all = (0..extents[0] as i64).flat_map(|i| {
                (0..extents[1] as i64).flat_map(move |j| (0..extents[2] as i64).map(move |k| [i, j, k]))
            });
            assert!(seen.into_iter().eq(all));
        }
    }
}
