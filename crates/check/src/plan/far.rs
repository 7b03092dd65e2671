//! Each input in turn far from zero: what is lost of its deviations is lost of that one alone.

use ktwin_num::Regime;

use super::shapes::Shapes;
use super::solve::Shape;
use super::{Amount, Maker, reasons};
use crate::accept;
use crate::case::Case;
use crate::inputs;
use crate::kernel::Kernel;

/// Inputs that are far from zero in turn.
const EACH_FAR: usize = 4;
/// The sizes of short rows, and of as few of them.
const FEW: std::ops::RangeInclusive<i64> = 2..=33;

impl Maker<'_> {
    /// In quick plans, each input in turn far from zero: what is lost of its deviations is lost of that one alone.
    pub(super) fn each_far(&mut self, usual: &Shape, amount: Amount) {
        let reals = inputs::reals(&self.kernel.op);
        if !amount.is_quick() || reals.len() < 2 || !self.takes(Regime::Far) {
            return;
        }
        for number in 0..reals.len().min(EACH_FAR) {
            self.chosen(usual, Regime::Far, number, &reasons::regime(Regime::Far));
        }
    }

    /// Each input in turn far from zero in short rows, with scalars as they usually are: in long ones the bar of a
    /// variance is as wide as the variance, and what a large `eps` is added to hides it.
    pub(super) fn few_far(&mut self, shapes: &Shapes) {
        let reals = inputs::reals(&self.kernel.op).len();
        let few = |shape: &&Shape| shape.dims.iter().all(|(_, n)| FEW.contains(n));
        let shape = shapes.each.iter().filter(few).max_by(|a, b| a.work.total_cmp(&b.work));
        let Some(shape) = shape.filter(|_| self.takes(Regime::Far)) else { return };
        for number in 0..reals.min(EACH_FAR) {
            for kind in [0, 2] {
                self.chosen(shape, Regime::Far, number + kind * reals, &reasons::regime(Regime::Far));
                if let Some((case, _)) = self.cases.last_mut() {
                    *case = with_defaults(self.kernel, case);
                }
            }
        }
    }
}

/// A case whose scalars have their defaults, as far as it is one then.
fn with_defaults(kernel: &Kernel, case: &Case) -> Case {
    let mut made = case.clone();
    for info in &kernel.op.scalars {
        let mut tried = made.clone();
        if let Some(default) = info.default.filter(|_| kernel.fixed(&info.name).is_none()) {
            tried.set_scalar(&info.name, default);
            made = if accept::fits(kernel, &tried) { tried } else { made };
        }
    }
    made
}
