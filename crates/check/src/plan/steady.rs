//! Data that a recurrence keeps. Of numbers drawn anyhow, what came in at a step is nearly always gone a few dozen
//! steps later, or has grown so much that the bar says nothing any more: a kernel that forgets it, or stops there,
//! passes. So it is tried which inputs have to be near 1 and which small for the first steps to show at the last.

use ktwin_lang::{Case as OpCase, Elements, Meaning, Output};
use ktwin_num::{Regime, Tensor, steady};

use super::large::bound;
use super::shapes::{Shapes, USUAL};
use super::solve::{Palette, Shape};
use super::{Maker, sizes};
use crate::case::Case;
use crate::inputs;
use crate::setup::Setup;

/// The steps of the cases: alone, and beside several octaves of other sizes.
const LONG: i64 = 1025;
const BESIDE: [(i64, u64); 2] = [(257, 5), (130, 6)];
/// What all sizes of one more case are at least.
const WIDE: i64 = 17;
/// The work of a long case, and of one that is tried out.
const WORK: f64 = 8.0 * USUAL;
/// Bits of an input's kind in the kind of a case.
const BITS: usize = 2;
/// More inputs than this are not tried out.
const INPUTS: usize = 8;
/// The part of a value that its bar may be for a change of it to count.
const USEFUL: f64 = 1.0 / 1024.0;
/// Enough of the last elements tell of the first.
const ENOUGH: f64 = 0.75;
/// How often each input is tried out.
const ROUNDS: usize = 2;

/// The kind of an input, by its place among those that hold reals.
pub fn steady_kind(kind: usize, place: usize) -> u64 {
    match place < INPUTS {
        true => (kind >> (BITS * place) & ((1 << BITS) - 1)) as u64,
        false => 0,
    }
}

impl Maker<'_> {
    /// Long recurrences and products of such data.
    pub(super) fn steady(&mut self, shapes: &Shapes) {
        let reals = inputs::reals(&self.kernel.op).len();
        if !self.takes(Regime::Steady) || reals > INPUTS {
            return;
        }
        let Some((dim, long)) = self.runs(shapes) else { return };
        let (size, octaves) = BESIDE[1];
        let beside = |size, octaves| shapes.solver.solve(&[(dim, size)], Palette::Octaves(octaves), WORK, 1);
        let wide = |at: &OpCase| at.dims.iter().all(|size| *size >= WIDE);
        let wide = shapes.solver.solve_for(&[(dim, BESIDE[1].0)], Palette::Octaves(6), WORK, 2, &wide);
        let tried = beside(size, octaves).unwrap_or_else(|| long.clone());
        let Some(kind) = self.kept(&tried, &shapes.solver.dims[dim].name, reals) else { return };
        let others = BESIDE.iter().filter_map(|(size, octaves)| beside(*size, *octaves));
        for shape in others.chain(wide).chain([long]).filter(|shape| shape.work <= WORK) {
            self.add(&shape, Regime::Steady, &[], "what came in first shows in what comes out last");
            if let Some((case, _)) = self.cases.last_mut() {
                case.chosen = kind * reals;
            }
        }
    }

    /// The dimension that a recurrence or a product runs along, and a shape in which it is long.
    fn runs(&self, shapes: &Shapes) -> Option<(usize, Shape)> {
        (0..shapes.solver.dims.len()).find_map(|dim| {
            let size = sizes::allowed(LONG, &shapes.solver.dims[dim].limits)?;
            let shape = shapes.solver.solve(&[(dim, size)], Palette::Least, WORK, dim)?;
            let steps = bound(self.kernel, &shape)?.longest_run() as i64;
            (steps >= size).then_some((dim, shape))
        })
    }

    /// The kind of each input for which most of the last elements tell of the first, in one number.
    fn kept(&self, shape: &Shape, dim: &str, reals: usize) -> Option<usize> {
        let trial =
            Trial { setup: Setup::of(self.kernel, &self.kernel.op), at: bound(self.kernel, shape)?, dim };
        let case = |kind: usize| Case {
            dims: shape.dims.clone(),
            scalars: shape.scalars.clone(),
            regime: Regime::Steady,
            chosen: kind * reals,
            seed: 1,
            layouts: Vec::new(),
        };
        let (mut best, mut told) = (0, trial.told(&case(0)));
        for _ in 0..ROUNDS {
            for place in 0..reals {
                for kind in [steady::NEAR_ONE, steady::SLIGHT, steady::NEAR_IDENTITY] {
                    let other = best & !(3 << (BITS * place)) | (kind as usize) << (BITS * place);
                    if told >= ENOUGH {
                        return Some(best);
                    }
                    let tells = trial.told(&case(other));
                    if tells > told {
                        (best, told) = (other, tells);
                    }
                }
            }
        }
        (told > 0.0).then_some(best)
    }
}

/// What data are tried out with.
struct Trial<'a> {
    setup: Setup,
    at: OpCase<'a>,
    dim: &'a str,
}

impl Trial<'_> {
    /// The part of the last elements that have a useful bar, half of that counting; and of those that change by more
    /// than their bars with the first elements of the inputs, the other half.
    fn told(&self, case: &Case) -> f64 {
        let Ok(inputs) = self.setup.fill(case, &self.at) else { return 0.0 };
        let Some(before) = self.judged(&inputs) else { return 0.0 };
        let after = inputs.iter().enumerate().map(|(number, tensor)| self.otherwise(number, tensor));
        let Some(after) = self.judged(&after.collect::<Vec<_>>()) else { return 0.0 };
        let (mut count, mut useful, mut changed) = (0, 0, 0);
        for (number, (before, after)) in before.iter().zip(&after).enumerate() {
            let info = &self.at.op.outputs[number];
            for place in places(&before.shape, &info.axes, self.dim, true) {
                let (v, bar) = (before.values[place], before.bars[place]);
                let shows = (after.values[place] - v).abs() > 2.0 * bar;
                count += 1;
                useful += usize::from(bar <= USEFUL * v.abs());
                changed += usize::from(bar <= USEFUL * v.abs() && shows);
            }
        }
        (useful + changed) as f64 / (2 * count).max(1) as f64
    }

    fn judged(&self, inputs: &[Tensor]) -> Option<Vec<Output>> {
        let promise = self.setup.promise(&self.at, inputs, true);
        self.at.evaluate(inputs, &Meaning::Bars(promise), Elements::All).ok()
    }

    /// An input whose first elements along the dimension are half as large.
    fn otherwise(&self, number: usize, tensor: &Tensor) -> Tensor {
        let info = &self.at.op.inputs[number];
        if info.integer || tensor.dtype.float().is_none() {
            return tensor.clone();
        }
        let mut values = tensor.to_f64();
        for place in places(&tensor.shape, &info.axes, self.dim, false) {
            values[place] *= 0.5;
        }
        Tensor::from_f64(tensor.dtype, &tensor.shape, &values)
    }
}

/// The elements that are the first along an axis of this dimension, or the last; all where a tensor has no such axis
/// and the last are asked for.
fn places(shape: &[usize], axes: &[String], dim: &str, last: bool) -> Vec<usize> {
    let strides = ktwin_num::row_strides(shape);
    let along: Vec<usize> = (0..shape.len()).filter(|axis| axes[*axis] == dim).collect();
    let size: usize = shape.iter().product();
    let wanted = |place: usize| {
        let at = |axis: usize| place / strides[axis] % shape[axis];
        match last {
            true => along.iter().all(|axis| at(*axis) + 1 == shape[*axis]),
            false => along.iter().any(|axis| at(*axis) == 0),
        }
    };
    (0..size).filter(|place| wanted(*place)).collect()
}
