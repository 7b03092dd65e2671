//! Combinations of sizes: every size of every dimension, every two dimensions with either the larger, and pairs of
//! edges. Sizes that op and contract refuse together are never combined.

use ktwin_lang::Bound;

use super::amount::Level;
use super::sizes;
use super::solve::{Palette, Shape, Solver};
use super::{Amount, reasons};
use crate::kernel::Kernel;

/// The work that a shape may be.
pub const USUAL: f64 = (1 << 17) as f64;
/// The work of a shape where no smaller one is possible.
pub const DEAREST: f64 = (1 << 23) as f64;
/// The work that a shape may be which every regime and layout is tried at.
const MODEST: f64 = (1 << 13) as f64;
/// Tiles of a shape in which all are whole.
const WHOLE: i64 = 2;
/// Elements that are many.
const MANY: usize = 256;
/// Sizes up to this, and twice this, say what a constraint rules out.
const SMALL: i64 = 8;
/// Most shapes that are there for their pairs alone, by the level of the plan.
const PAIRED: [usize; 4] = [0, 12, 200, 1000];
/// Pairs of sizes that a gap names.
const NAMED: usize = 3;

/// The chosen shapes.
pub struct Shapes<'a> {
    /// What they are made with.
    pub solver: Solver<'a>,
    /// Every shape; those that cover single sizes first.
    pub each: Vec<Shape>,
    /// How many those are.
    pub single: usize,
    /// Sizes and pairs that are left out.
    pub gaps: Vec<String>,
}

impl<'a> Shapes<'a> {
    /// Chooses shapes for a kernel.
    pub fn choose(kernel: &'a Kernel, amount: Amount) -> Result<Shapes<'a>, String> {
        let solver = Solver::new(kernel)?;
        let mut shapes = Shapes { solver, each: Vec::new(), single: 0, gaps: Vec::new() };
        shapes.singles();
        shapes.single = shapes.each.len();
        if shapes.single == 0 {
            let dear = shapes.solver.solve(&[], Palette::Edges, f64::INFINITY, 0).map(|shape| {
                let sizes: Vec<String> =
                    shape.dims.iter().map(|(name, size)| format!("{name}={size}")).collect();
                let (work, case) = (shape.work, sizes.join(","));
                let alone =
                    if work.is_finite() { format!("; `--case {case}` runs it alone") } else { String::new() };
                format!("too much work for a plan: about {work:.0e} operations in its smallest case{alone}")
            });
            let none = || "no sizes fit the op's constraints and the contract's limits together".to_owned();
            let tiles: Vec<String> =
                kernel.contract.tile.iter().map(|(dim, n)| format!("{} = {n}", dim.text)).collect();
            let with = format!("; sizes are chosen for `tile = {{ {} }}`", tiles.join(", "));
            return Err(dear.unwrap_or_else(none) + if tiles.is_empty() { "" } else { &with });
        }
        shapes.orders();
        if !amount.is_quick() {
            shapes.pairs(amount);
        }
        Ok(shapes)
    }

    /// The shape that regimes and layouts are tried at: the dearest that is not dear.
    pub fn usual(&self) -> &Shape {
        let modest = self.each.iter().filter(|s| s.work <= MODEST);
        let several = |s: &Shape| s.dims.iter().filter(|(_, n)| *n > 1).count();
        let dearest = modest.max_by(|a, b| several(a).cmp(&several(b)).then(a.work.total_cmp(&b.work)));
        // a shape of one element shows nothing: of larger ones the cheapest
        let larger = self.each.iter().filter(|s| several(s) > 0 && s.work <= USUAL);
        let cheapest = || larger.min_by(|a, b| a.work.total_cmp(&b.work));
        dearest.filter(|s| several(s) > 0).or_else(cheapest).or(dearest).unwrap_or(&self.each[0])
    }

    /// The shape in which most dimensions end in the middle of a tile after a whole one, where a tile that the contract
    /// does not name is 8; of those, the one with the least work.
    pub fn partial(&self) -> Option<&Shape> {
        let ends = |shape: &Shape| {
            let sizes = shape.dims.iter().zip(&self.solver.dims).map(|((_, n), dim)| (*n, dim.tile));
            let tiled = sizes.map(|(n, tile)| (n, if tile > 1 { tile } else { 8 }));
            tiled.filter(|(n, tile)| n > tile && n % tile != 0).count()
        };
        let some = self.each.iter().filter(|shape| shape.work <= USUAL && ends(shape) > 0);
        some.max_by(|a, b| ends(a).cmp(&ends(b)).then(b.work.total_cmp(&a.work)))
    }

    /// A shape of whole tiles, where there are tiles.
    pub fn whole(&self) -> Option<Shape> {
        let dims = self.solver.dims.iter().enumerate().filter(|(_, dim)| dim.tile > 1);
        let given: Vec<(usize, i64)> = dims.map(|(at, dim)| (at, WHOLE * dim.tile)).collect();
        let sound = given.iter().all(|(at, n)| sizes::allowed(*n, &self.solver.dims[*at].limits) == Some(*n));
        let shape = self.solver.solve(&given, Palette::Octaves(4), MODEST, 0).filter(|_| sound)?;
        Some(shape).filter(|shape| !given.is_empty() && shape.work <= USUAL)
    }

    /// Many elements with one dimension narrow: what is left over where kernels take four or eight at a time is a large
    /// part of it.
    pub fn narrow(&self, dim: usize) -> Option<Shape> {
        let size = sizes::allowed(7, &self.solver.dims[dim].limits)?;
        let many = |at: &ktwin_lang::Case| {
            let elements = at.input_shapes.iter().map(|shape| shape.iter().product::<usize>());
            elements.max().unwrap_or(0) >= MANY
        };
        let shape = self.solver.solve_for(&[(dim, size)], Palette::Octaves(8), MODEST, dim, &many)?;
        Some(shape).filter(|shape| shape.work <= USUAL)
    }

    /// Shapes of modest work with several sizes above 1, the dearest first.
    pub fn several(&self, most: usize) -> Vec<&Shape> {
        let wide = |shape: &&Shape| shape.dims.iter().any(|(_, n)| *n > 1) && shape.work <= USUAL;
        let mut some: Vec<&Shape> = self.each.iter().filter(wide).collect();
        some.sort_by(|a, b| b.work.total_cmp(&a.work));
        some.truncate(most);
        some
    }

    fn size(shape: &Shape, dim: usize) -> i64 {
        shape.dims[dim].1
    }

    /// Shapes that hold every size of every dimension once.
    fn singles(&mut self) {
        for dim in 0..self.solver.dims.len() {
            for turn in 0..self.solver.dims[dim].sizes.len() {
                let size = self.solver.dims[dim].sizes[turn];
                if self.each.iter().any(|s| Self::size(s, dim) == size) {
                    continue;
                }
                match self.solver.solve(&[(dim, size)], Palette::Edges, USUAL, turn) {
                    Some(shape) if shape.work <= DEAREST => {
                        let why = reasons::size(self.solver.kernel, &self.solver.dims[dim], size);
                        self.each.push(Shape { why, ..shape });
                    }
                    Some(_) => self.gaps.push(format!(
                        "{} = {size} is not run: it takes too long",
                        self.solver.dims[dim].name
                    )),
                    // the op itself takes none such
                    None if self.is_no_multiple(dim, size) => {}
                    None => self.gaps.push(format!(
                        "{} = {size} is not run: no other sizes fit with it",
                        self.solver.dims[dim].name
                    )),
                }
            }
        }
        if self.solver.dims.is_empty() {
            let only = self.solver.solve(&[], Palette::Thin, USUAL, 0);
            self.each.extend(only.map(|shape| Shape { why: "the only sizes".into(), ..shape }));
        }
    }

    /// Whether the op wants multiples of something of which a size is none.
    fn is_no_multiple(&self, dim: usize, size: i64) -> bool {
        let own = self.solver.dims[dim].number;
        let bounds = self.solver.kernel.op.bounds();
        let mut units = bounds.into_iter().filter(|(of, _)| *of == own).map(|(_, bound)| bound);
        units.any(|bound| matches!(bound, Bound::Multiple(unit) if size % unit != 0))
    }

    /// Every two dimensions with either the larger, both above 1 and above their tiles.
    fn orders(&mut self) {
        let count = self.solver.dims.len();
        for (a, b) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))).filter(|(a, b)| a != b) {
            if self.each.iter().any(|s| self.ordered(s, a, b)) || !self.varies(a) || !self.varies(b) {
                continue;
            }
            let name = |dim: usize| &self.solver.dims[dim].name;
            let why = format!("{} < {}, both above 1 and above their tiles", name(a), name(b));
            match self.order(a, b) {
                Some(shape) => self.each.push(Shape { why, ..shape }),
                None if self.is_ruled_out(a, b) => {}
                None => self.gaps.push(order_gap(name(a), name(b))),
            }
        }
    }

    /// Whether a constraint on both dimensions is why the first is never the smaller: that leaves nothing untested.
    fn is_ruled_out(&self, a: usize, b: usize) -> bool {
        let kernel = self.solver.kernel;
        let limits = kernel.contract.limits.iter().map(|limit| limit.text.clone());
        let all: Vec<String> = kernel.op.constraints_shown().into_iter().chain(limits).collect();
        let both = related(&all, &self.solver.dims[a].name, &self.solver.dims[b].name);
        let free =
            |x: i64, y: i64| self.solver.solve(&[(a, x), (b, y)], Palette::Thin, f64::INFINITY, 0).is_some();
        both && !(2..=SMALL).any(|x| (x + 1..=2 * SMALL).any(|y| free(x, y)))
    }

    /// Whether a dimension has more than one size.
    fn varies(&self, dim: usize) -> bool {
        self.solver.dims[dim].sizes.len() > 1
    }

    /// Whether a shape has the first dimension smaller than the second, both above 1 and above their tiles.
    fn ordered(&self, shape: &Shape, a: usize, b: usize) -> bool {
        let (small, large) = (Self::size(shape, a), Self::size(shape, b));
        let above = |size: i64, dim: usize| size > self.solver.dims[dim].tile.max(1);
        small < large && above(small, a) && above(large, b)
    }

    fn order(&self, a: usize, b: usize) -> Option<Shape> {
        let tile = |dim: usize| self.solver.dims[dim].tile;
        let near = |size: i64, dim: usize| sizes::allowed(size, &self.solver.dims[dim].limits);
        let mut turn = 0;
        let mut found: Option<Shape> = None;
        for more in [1, 2, 4, 5, 8, 13, 32] {
            let Some(small) = near(tile(a).saturating_add(more), a) else { continue };
            for far in [1, 2, 3, 7, 16, small] {
                turn += 1;
                let least = small.saturating_add(far).max(tile(b).saturating_add(far));
                let Some(large) = near(least, b) else { continue };
                let shape = self.solver.solve(&[(a, small), (b, large)], Palette::Thin, USUAL, turn);
                let shape = shape.filter(|s| self.ordered(s, a, b) && s.work <= DEAREST);
                match shape {
                    Some(shape) if shape.work <= USUAL => return Some(shape),
                    shape => found = found.or(shape),
                }
            }
        }
        found
    }

    /// The gap of pairs of sizes that are in no case, by name where they are few, some of them from all over else.
    fn pair_gap(&self, missing: &[(usize, i64, usize, i64)], all: usize, amount: Amount) -> String {
        let name = |dim: usize| &self.solver.dims[dim].name;
        let step = missing.len().div_ceil(NAMED);
        let some = missing
            .iter()
            .step_by(step)
            .map(|(a, x, b, y)| format!("{} = {x} with {} = {y}", name(*a), name(*b)));
        let named = some.collect::<Vec<_>>().join(", ");
        let such = if step > 1 { ", such as" } else { ":" };
        let more = match amount.level {
            Level::Quick | Level::Usual => "; --standard covers more, --thorough most",
            Level::Standard => "; --thorough covers more",
            Level::Thorough => "",
        };
        format!("{} of {all} size pairs are not covered{such} {named}{more}", missing.len())
    }

    /// Shapes for pairs of sizes that are not together yet.
    fn pairs(&mut self, amount: Amount) {
        let (mut all, mut missing) = (0, Vec::new());
        let until = self.each.len() + amount.of(PAIRED);
        let count = self.solver.dims.len();
        for (a, b) in (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))) {
            let sizes = |dim: usize| self.solver.dims[dim].sizes.clone();
            for (turn, (x, y)) in product(&sizes(a), &sizes(b)).enumerate() {
                all += 1;
                if self.each.iter().any(|s| Self::size(s, a) == x && Self::size(s, b) == y) {
                    continue;
                }
                let more = self.each.len() < until;
                let made =
                    more.then(|| self.solver.solve(&[(a, x), (b, y)], Palette::Edges, USUAL, turn)).flatten();
                let name = |dim: usize| &self.solver.dims[dim].name;
                let why = || format!("{} = {x} meets {} = {y}", name(a), name(b));
                match made.filter(|s| s.work <= USUAL) {
                    Some(shape) => self.each.push(Shape { why: why(), ..shape }),
                    None => missing.push((a, x, b, y)),
                }
            }
        }
        if !missing.is_empty() {
            self.gaps.push(self.pair_gap(&missing, all, amount));
        }
    }
}

/// Whether constraints have to do with two names, through others if need be.
fn related(constraints: &[String], a: &str, b: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let each = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        each.filter(|word| word.starts_with(char::is_alphabetic)).map(str::to_string).collect()
    };
    let mut known = vec![a.to_string()];
    for _ in constraints {
        for text in constraints {
            let names = words(text);
            if names.iter().any(|name| known.contains(name)) {
                known.extend(names);
            }
        }
    }
    known.iter().any(|name| name == b)
}

/// The gap of two dimensions of which the first is never the smaller.
pub fn order_gap(a: &str, b: &str) -> String {
    format!("no case has 1 < {a} < {b} above their tiles")
}

fn product<'a>(a: &'a [i64], b: &'a [i64]) -> impl Iterator<Item = (i64, i64)> + 'a {
    a.iter().flat_map(move |x| b.iter().map(move |y| (*x, *y)))
}
