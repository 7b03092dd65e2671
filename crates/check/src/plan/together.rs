//! Dimensions that are long together. Two of them, the others as small as they can be: where a loop over one is left
//! early or forgets what another has done so far, only sizes past a tile in both show it. And all of them.

use ktwin_lang::{Case as OpCase, Ty, Value};
use ktwin_num::Regime;

use super::large::{bound, lanes, launches};
use super::shapes::Shapes;
use super::solve::{Palette, Shape};
use super::{Amount, Maker, sizes};
use crate::accept;

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

/// Sizes of all dimensions at once, each past a common tile, and the work that such a case may be: in every plan, and
/// in those that are not quick.
const ALL: ([i64; 3], f64) = ([129, 77, 67], (1 << 21) as f64);
const ALL_LONGER: ([i64; 3], f64) = ([333, 300, 259], (1 << 25) as f64);

/// Sizes of two dimensions whose product is past 20 bits, each past the tiles of most kernels, or at least that; the
/// others thin. Pairs, by the level of the plan, and the work of one.
const LARGE: [[i64; 2]; 2] = [[1041, 1027], [523, 519]];
const LARGE_PAIRS: [usize; 4] = [0, 1, 3, 10];
const LARGE_WORK: f64 = (1 << 22) as f64;

/// The same where scalars have few values, and how many values those are.
const EACH: [[i64; 3]; 3] = [ALL.0, [52, 45, 43], [22, 19, 17]];
const VALUES: i64 = 8;

impl Maker<'_> {
    /// Every value of whole scalars that have few, at sizes as long as they can be together.
    pub(super) fn each_value(&mut self, shapes: &Shapes) {
        let long: Vec<Shape> = EACH.iter().filter_map(|all| self.long_at(shapes, all, 0, ALL.1)).collect();
        for (number, info) in self.kernel.op.scalars.iter().enumerate() {
            let Some(at) = long.first().and_then(|shape| bound(self.kernel, shape)) else { return };
            let domain = at.scalar_domain(number);
            if info.ty != Ty::Int || !domain.is_bounded() || self.kernel.fixed(&info.name).is_some() {
                continue;
            }
            let values = domain.lo as i64..domain.hi as i64 + i64::from(!domain.hi_open);
            if values.end - values.start > VALUES {
                continue;
            }
            for value in values {
                let why = format!("{} is {value} where sizes are long", info.name);
                long.iter().any(|shape| self.with_value(shapes, shape, (&info.name, value), &why));
            }
        }
    }

    /// Adds a case in which a scalar has this value, if that goes with the sizes and is not too much work.
    fn with_value(&mut self, shapes: &Shapes, shape: &Shape, (name, value): (&str, i64), why: &str) -> bool {
        self.add(shape, Regime::Normal, &[], why);
        let Some((case, _)) = self.cases.last_mut() else { return false };
        case.set_scalar(name, Value::Int(value));
        let work = case.bind(&self.kernel.op).map_or(f64::INFINITY, |at| shapes.solver.work(&at));
        let fits = work <= ALL.1 && accept::fits(self.kernel, case);
        if !fits {
            self.cases.pop();
        }
        fits
    }

    /// A shape of which each dimension has one of these sizes, in turn.
    fn long_at(&self, shapes: &Shapes, all: &[i64; 3], turn: usize, most: f64) -> Option<Shape> {
        let dims = &shapes.solver.dims;
        let size = |dim: usize| sizes::allowed(all[(dim + turn) % all.len()], &dims[dim].limits);
        let given: Option<Vec<_>> = (0..dims.len()).map(|dim| Some((dim, size(dim)?))).collect();
        let shape = shapes.solver.solve(&given?, Palette::Least, most, turn)?;
        (shape.work <= most).then_some(shape)
    }

    /// Cases in which every dimension is long, each with the longest size in turn.
    pub(super) fn all_long(&mut self, shapes: &Shapes, amount: Amount) {
        let count = shapes.solver.dims.len();
        if count < 2 {
            return;
        }
        let more = if amount.is_quick() { None } else { Some(ALL_LONGER) };
        for (all, most) in std::iter::once(ALL).chain(more) {
            for turn in 0..count.min(all.len()) {
                if let Some(shape) = self.long_at(shapes, &all, turn, most) {
                    self.add(&shape, Regime::Normal, &[], "all dimensions are long together");
                }
            }
        }
    }

    /// Cases in which two dimensions are large together, those first that give the largest outputs: the number of an
    /// element that is kept in too few bits wraps around, and panels of hundreds of rows have others beside them.
    pub(super) fn large_together(&mut self, shapes: &Shapes, amount: Amount) {
        let count = shapes.solver.dims.len();
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        let few = |shape: &Shape| lanes(self.kernel, shape) <= LARGE_WORK && launches(self.kernel, shape);
        let with = |(a, b): (usize, usize), [more, less]: [i64; 2]| {
            let size = |dim: usize, least: i64| {
                sizes::allowed(least, &shapes.solver.dims[dim].limits).filter(|size| *size >= least)
            };
            let given = [(a, size(a, more)?), (b, size(b, less)?)];
            let shape = shapes.solver.solve(&given, Palette::Thin, LARGE_WORK, 1)?;
            (shape.work <= LARGE_WORK && few(&shape)).then_some((shape, (a, b)))
        };
        let mut found: Vec<(Shape, (usize, usize))> =
            pairs.filter_map(|pair| LARGE.into_iter().find_map(|sizes| with(pair, sizes))).collect();
        let outputs = |shape: &Shape| {
            let of = |at: OpCase| at.output_shapes.iter().map(|s| s.iter().product::<usize>()).max();
            bound(self.kernel, shape).and_then(of).unwrap_or(0)
        };
        found.sort_by_cached_key(|(shape, _)| std::cmp::Reverse(outputs(shape)));
        for (shape, (a, b)) in found.into_iter().take(amount.of(LARGE_PAIRS)) {
            let name = |dim: usize| &shapes.solver.dims[dim].name;
            let why = format!("{} and {} are large together", name(a), name(b));
            self.add(&shape, Regime::Normal, &[], &why);
        }
    }

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
