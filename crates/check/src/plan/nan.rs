//! NaN and infinities in places that say more than any other: where nothing is read, beside zeros, alone in a row.

use ktwin_lang::{Ty, Value};
use ktwin_num::{INF_BELOW, Regime, THEN_NAN, THEN_OPPOSITE, ZERO_BEFORE};

use super::Maker;
use super::large::bound;
use super::regimes::MODEST;
use super::shapes::{Shapes, USUAL};
use super::solve::{Palette, Shape};
use crate::accept;
use crate::case::Case;
use crate::contract::Nan;
use crate::inputs;
use crate::setup::Setup;

/// The shapes that they are the best of.
const DRAWS: usize = 16;
/// The work of one in which is looked for elements that nothing reads.
const SMALL: f64 = 4096.0;
/// Cases for each input with a NaN that nothing reads.
const UNREAD: usize = 4;
/// Cases with a NaN and a scalar that is zero.
const SCALARS: usize = 6;

impl Maker<'_> {
    /// Each input with a NaN where the op reads nothing of it, where sizes and scalars say what is read.
    pub(super) fn unread(&mut self, shapes: &Shapes) {
        let op = &self.kernel.op;
        let says = op.inputs.iter().any(|i| i.integer) || op.scalars.iter().any(|s| s.ty != Ty::Real);
        if !self.takes(Regime::Nan) || !says && self.places() {
            return;
        }
        let reals = inputs::reals(&self.kernel.op);
        for (number, input) in reals.iter().enumerate() {
            let solve = |turn| shapes.solver.solve(&[], Palette::Octaves(3), MODEST, turn);
            let drawn = (0..DRAWS).filter_map(|turn| solve(DRAWS * number + turn));
            let mut shapes: Vec<Shape> = drawn.filter(|shape| shape.work <= USUAL).collect();
            if !says && !shapes.iter().any(|shape| self.leaves_out(shape, *input)) {
                continue;
            }
            // few results of a large input leave most of it unread
            shapes.sort_by_cached_key(|shape| std::cmp::Reverse(self.parts(shape, *input)));
            for shape in shapes.into_iter().take(UNREAD) {
                let why = "a NaN where nothing is read, if there is such a place";
                self.chosen(&shape, Regime::Nan, reals.len() + number, why);
            }
        }
    }

    /// Where NaN must come out, each input with one beside zeros in the others: what skips products with zero loses it.
    pub(super) fn beside_zeros(&mut self, usual: &Shape) {
        let reals = inputs::reals(&self.kernel.op);
        let propagates = self.kernel.contract.promises.nan == Nan::Propagate && self.takes(Regime::Nan);
        if !propagates || reals.len() < 2 {
            return;
        }
        for regime in [Regime::Nan, Regime::Inf] {
            for number in 0..reals.len() {
                let why = "a NaN or an infinity in one input, zeros in the others";
                self.chosen(usual, regime, inputs::ZEROS_BESIDE * reals.len() + number, why);
            }
        }
    }

    /// The same of a scalar that may be zero, of a few: what it multiplies is left out by many.
    pub(super) fn beside_a_zero(&mut self, usual: &Shape) {
        let op = &self.kernel.op;
        let reals = inputs::reals(op);
        let propagates = self.kernel.contract.promises.nan == Nan::Propagate && self.takes(Regime::Nan);
        let scalars = op.scalars.iter().filter(|scalar| propagates && scalar.ty == Ty::Real);
        let pairs = scalars.flat_map(|scalar| (0..reals.len()).map(move |number| (&scalar.name, number)));
        for (scalar, number) in pairs.collect::<Vec<_>>().into_iter().rev().take(SCALARS) {
            self.chosen(usual, Regime::Nan, number, &format!("a NaN in one input, and {scalar} is zero"));
            let Some((mut case, why)) = self.cases.pop() else { continue };
            let slot = case.scalars.iter_mut().find(|(name, _)| name == scalar);
            slot.into_iter().for_each(|(_, value)| *value = Value::Real(0.0));
            if accept::fits(self.kernel, &case) {
                self.cases.push((case, why));
            }
        }
    }

    /// Where it must come out and elements are added up, or come one after the other: two in one row of which the first
    /// may be taken for all that there is to say.
    pub(super) fn in_pairs(&mut self, usual: &Shape) {
        let reals = inputs::reals(&self.kernel.op);
        let propagates = self.kernel.contract.promises.nan == Nan::Propagate && self.takes(Regime::Nan);
        let joins = |at: &ktwin_lang::Case| at.longest_sum() > 1 || at.longest_run() > 0 || at.chooses();
        if !propagates || bound(self.kernel, usual).is_none_or(|at| !joins(&at)) {
            return;
        }
        let pairs = [
            (Regime::Inf, THEN_NAN, "a NaN after an infinity"),
            (Regime::Inf, THEN_OPPOSITE, "two opposite infinities"),
            (Regime::Nan, ZERO_BEFORE, "a NaN after a zero"),
        ];
        for (regime, kind, why) in pairs {
            for number in 0..reals.len() {
                self.chosen(usual, regime, kind as usize * reals.len() + number, why);
            }
        }
    }

    /// Whether the op reads only a part of an input, whatever the sizes say.
    fn leaves_out(&self, shape: &Shape, input: usize) -> bool {
        let case = Case {
            dims: shape.dims.clone(),
            scalars: shape.scalars.clone(),
            regime: Regime::Normal,
            chosen: 0,
            seed: 1,
            layouts: Vec::new(),
        };
        let small = shape.work <= SMALL;
        let bound = bound(self.kernel, shape).filter(|_| small);
        bound.is_some_and(|at| Setup::of(self.kernel, &self.kernel.op).leaves_out(&case, &at, input))
    }

    /// The elements of an input for each element of the outputs, in 64ths.
    fn parts(&self, shape: &Shape, input: usize) -> usize {
        let Some(at) = bound(self.kernel, shape) else { return 0 };
        let count = |shape: &Vec<usize>| shape.iter().product::<usize>();
        64 * count(&at.input_shapes[input]) / at.output_shapes.iter().map(count).sum::<usize>().max(1)
    }

    /// Where it must come out, nothing but an infinity below zero: in each dimension of which there is one element, so
    /// that a row or a column is no more than that. What begins with the least finite number shows there.
    pub(super) fn lone(&mut self, shapes: &Shapes) {
        let propagates = self.kernel.contract.promises.nan == Nan::Propagate;
        if !propagates || inputs::reals(&self.kernel.op).len() != 1 || !self.takes(Regime::Inf) {
            return;
        }
        for dim in 0..shapes.solver.dims.len() {
            let one = shapes.each.iter().filter(|shape| shape.dims[dim].1 == 1);
            if let Some(shape) = one.min_by(|a, b| a.work.total_cmp(&b.work)) {
                self.kind(shape, Regime::Inf, INF_BELOW as usize);
            }
        }
    }
}
