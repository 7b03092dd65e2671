//! Values that few numbers are, at places that few seeds choose: what is not finite at either end and inside, two equal
//! elements, nothing but zeros, numbers at the ends of types.

use ktwin_lang::Ty;
use ktwin_num::{IN_LANE, INF_BELOW, LOWEST, PAIRS, PLACES, ROW_BEGINS, Regime};

use super::large::bound;
use super::shapes::{Shapes, USUAL};
use super::solve::Shape;
use super::{Amount, Maker, reasons};
use crate::case::Case;
use crate::kernel::Kernel;
use crate::{accept, inputs, marks, scalars};

/// Inputs that have a NaN or an infinity in quick plans, and in others.
const INPUTS: [usize; 4] = [4, 8, 8, 8];
/// The largest number of types whose lowest is in no way far from others.
const NARROW: f64 = 1e6;
/// The kind of infinities that are one, inside of a row: where all that follows or precedes it must be right.
const INSIDE: usize = 2 * PLACES as usize;

impl Maker<'_> {
    /// NaN and infinities at the first, an inner and the last place: of each input in quick plans the one or the other.
    /// An infinity below zero beside the one above it where one input is put in order: either is an end.
    pub(super) fn specials(&mut self, usual: &Shape, amount: Amount) {
        if !self.takes(Regime::Nan) {
            return;
        }
        self.row_begins(usual, amount);
        let reals = inputs::reals(&self.kernel.op).len();
        if reals == 1 {
            self.kind(usual, Regime::Nan, 0);
            self.kind(usual, Regime::Inf, INSIDE);
            return self.kind(usual, Regime::Inf, INF_BELOW as usize);
        }
        let both = [Regime::Nan, Regime::Inf];
        for number in 0..reals.min(amount.of(INPUTS)) {
            let some = if amount.is_quick() { &both[number % 2..][..1] } else { &both };
            for regime in some {
                self.chosen(usual, *regime, number, &reasons::regime(*regime));
            }
        }
    }

    /// A NaN where an inner row begins, of each input that has rows: what takes a few elements past the end of the row
    /// before, and multiplies them by zero, gives NaN there.
    fn row_begins(&mut self, usual: &Shape, amount: Amount) {
        let reals = inputs::reals(&self.kernel.op);
        let op = &self.kernel.op;
        let rows = reals.iter().enumerate().filter(|(_, input)| op.inputs[**input].axes.len() > 1);
        let numbers: Vec<usize> = rows.map(|(number, _)| number).take(amount.of(INPUTS)).collect();
        for number in numbers {
            let why = "a NaN at the first place of an inner row";
            self.chosen(usual, Regime::Nan, ROW_BEGINS as usize * reals.len() + number, why);
        }
    }

    /// Far below zero and far above it, so that nothing that a kernel begins at or fills up with is as far. And, where
    /// something is chosen among numbers of a narrow type, nothing but the lowest of them, as masks have it: what is
    /// filled up with it counts as much as what is there. Of wider types, bars have no end there.
    pub(super) fn far_sides(&mut self, usual: &Shape) {
        self.kind(usual, Regime::Below, 1);
        self.kind(usual, Regime::Above, 1);
        let narrow = |input: &usize| {
            let dtype = self.kernel.dtype(&self.kernel.op.inputs[*input].name);
            dtype.float().is_some_and(|float| float.max_finite() < NARROW)
        };
        let chooses = bound(self.kernel, usual).is_some_and(|at| at.chooses());
        if chooses && inputs::reals(&self.kernel.op).iter().any(narrow) {
            self.kind(usual, Regime::Below, LOWEST as usize);
        }
    }

    /// Data around the numbers that the source compares them with.
    pub(super) fn marked(&mut self, usual: &Shape) {
        if !self.takes(Regime::Spread) || marks::of(self.kernel).is_empty() {
            return;
        }
        let reals = inputs::reals(&self.kernel.op).len();
        for input in 0..reals.min(marks::INPUTS) {
            self.add(usual, Regime::Spread, &[], "data around numbers of the source");
            if let Some((case, _)) = self.cases.last_mut() {
                case.chosen = marks::KIND * reals + input;
            }
        }
    }

    /// Small numbers, with the usual values of scalars and with others: what changes exponents alone goes wrong there.
    pub(super) fn tiny(&mut self, usual: &Shape) {
        let free = |info: &ktwin_lang::Scalar| info.ty == Ty::Real && self.kernel.fixed(&info.name).is_none();
        let turns = if self.kernel.op.scalars.iter().any(free) { 2 } else { 1 };
        for turn in 0..turns {
            self.add(usual, Regime::Tiny, &[], &reasons::regime(Regime::Tiny));
            if let Some((case, _)) = self.cases.last_mut() {
                *case = with_candidates(self.kernel, case, turn);
            }
        }
    }

    /// Where outputs are places, equal elements in the longest rows that are little work.
    pub(super) fn pairs(&mut self, shapes: &Shapes) {
        let row = |shape: &Shape| {
            let last = |i: usize| bound(self.kernel, shape)?.input_shapes[i].last().copied();
            inputs::reals(&self.kernel.op).into_iter().filter_map(last).max()
        };
        let modest = shapes.each.iter().filter(|shape| shape.work <= USUAL);
        let Some(shape) = modest.max_by_key(|shape| row(shape)).filter(|_| self.places()) else { return };
        let reals = inputs::reals(&self.kernel.op).len();
        let why = "the largest and the smallest of each row twice, the later one in a lower lane";
        self.chosen(shape, Regime::Ties, PAIRS as usize * reals, why);
        let why = "the largest of each row several times, all in one lane";
        self.chosen(shape, Regime::Ties, IN_LANE as usize * reals, why);
        self.count_most(shapes);
    }

    /// Nothing but zeros, where something is divided or a root or a logarithm is taken.
    pub(super) fn nothing(&mut self, usual: &Shape) {
        let singular = bound(self.kernel, usual).is_some_and(|at| at.is_singular());
        if singular && self.takes(Regime::Zeros) {
            self.add(usual, Regime::Zeros, &[], &reasons::regime(Regime::Zeros));
        }
    }
}

/// A case in which each real scalar that is free has its first value, or its second.
fn with_candidates(kernel: &Kernel, case: &Case, turn: usize) -> Case {
    let mut made = case.clone();
    for (number, info) in kernel.op.scalars.iter().enumerate() {
        let Ok(at) = made.bind(&kernel.op) else { return made };
        let values = scalars::candidates(kernel, number, at.scalar_domain(number));
        let Some(value) = values.get(turn.min(values.len().saturating_sub(1))) else { continue };
        let mut tried = made.clone();
        tried.set_scalar(&info.name, *value);
        if info.ty == Ty::Real && kernel.fixed(&info.name).is_none() && accept::fits(kernel, &tried) {
            made = tried;
        }
    }
    made
}
