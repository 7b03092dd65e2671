//! Exact numbers of other kinds than those that show in what a kernel sums up.

use ktwin_lang::Ty;
use ktwin_num::{DType, HALVES, HALVES_OF_ALL, POWERS, Regime};

use super::Maker;
use super::large::bound;
use super::shapes::Shapes;
use super::solve::Shape;

impl Maker<'_> {
    /// Numbers that lie halfway between two, where reals are cut to whole ones, and multiples of what integers are
    /// divided by.
    pub(super) fn halves(&mut self, shapes: &Shapes) {
        let (usual, other) = (shapes.usual(), &shapes.each[shapes.each.len() / 2]);
        for (shape, kind) in [(usual, HALVES), (other, HALVES), (usual, HALVES_OF_ALL)] {
            let Some(at) = bound(self.kernel, shape) else { continue };
            let divided = kind == HALVES && at.divides() && self.counts();
            if at.cuts() || divided {
                self.kind(shape, Regime::Exact, kind as usize);
            }
        }
    }

    /// Factors whose long products neither overflow nor vanish, so that each of them counts to the end.
    pub(super) fn products(&mut self, shapes: &Shapes) {
        let factors = |shape: &Shape| bound(self.kernel, shape).map_or(0, |at| at.longest_product());
        if factors(shapes.usual()) > 0
            && let Some(shape) = shapes.each.iter().max_by_key(|shape| factors(shape))
        {
            self.kind(shape, Regime::Exact, POWERS as usize);
        }
    }

    /// Whether whole numbers go in, among them some scalar.
    fn counts(&self) -> bool {
        let (op, stored) = (&self.kernel.op, |name: &str| self.kernel.dtype(name));
        let whole = op.inputs.iter().any(|input| matches!(stored(&input.name), DType::Int { .. }));
        whole && op.scalars.iter().any(|scalar| scalar.ty == Ty::Int)
    }
}
