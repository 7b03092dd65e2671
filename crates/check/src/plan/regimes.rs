//! Which regimes meet which shapes: all of them one size, and those that show most with few elements, or with data far
//! from zero, several.

use ktwin_num::{DType, Regime, Rng};

use super::shapes::{Shapes, USUAL};
use super::solve::{Palette, Shape};
use super::{Amount, Maker};
use crate::inputs;

/// Regimes that are tried at one size.
const ONCE: [Regime; 17] = [
    Regime::Uniform,
    Regime::Zeros,
    Regime::Constant,
    Regime::Large,
    Regime::Tiny,
    Regime::Sparse,
    Regime::Outliers,
    Regime::Below,
    Regime::Above,
    Regime::Wide,
    Regime::Far,
    Regime::Spread,
    Regime::Ties,
    Regime::Neighbours,
    Regime::Twins,
    Regime::Nan,
    Regime::Inf,
];
/// Regimes that are tried at one size in quick plans.
const QUICK: [Regime; 9] = [
    Regime::Exact,
    Regime::Normal,
    Regime::Mixed,
    Regime::Large,
    Regime::Below,
    Regime::Far,
    Regime::Spread,
    Regime::Ties,
    Regime::Twins,
];
/// Regimes and shapes that are drawn together: how many of each.
const DRAWN: [(Regime, usize); 6] = [
    (Regime::Far, 7),
    (Regime::Ties, 3),
    (Regime::Spread, 2),
    (Regime::Neighbours, 2),
    (Regime::Twins, 2),
    (Regime::Below, 1),
];
/// The work that such a shape may be.
const MODEST: f64 = USUAL / 16.0;

impl Maker<'_> {
    /// The regimes that are tried at one size.
    pub(super) fn once(&mut self, usual: &Shape, amount: Amount) {
        if amount.quick {
            let several = inputs::reals(self.kernel).len() > 1;
            let all = QUICK.iter().filter(|regime| several || **regime != Regime::Twins);
            return all.for_each(|regime| self.add(usual, *regime, &[]));
        }
        let reals = inputs::reals(self.kernel);
        let infos = &self.kernel.op.inputs;
        let holds_nan = |i: &usize| matches!(self.kernel.dtype(&infos[*i].name), DType::Float(_));
        let (any, special) = (!reals.is_empty(), reals.iter().all(holds_nan) && !reals.is_empty());
        for regime in ONCE {
            let wanted = match regime {
                Regime::Nan | Regime::Inf => special,
                Regime::Ties => true,
                Regime::Twins => reals.len() > 1,
                _ => any,
            };
            if wanted {
                self.add(usual, regime, &[]);
            }
        }
    }

    /// Regimes and shapes drawn together, sizes of 1 among them.
    pub(super) fn drawn(&mut self, shapes: &Shapes) {
        let reals = inputs::reals(self.kernel).len();
        let mut rng = Rng::new(0x7265_6769, 0);
        let mut turn = 0;
        for (regime, count) in DRAWN {
            if (reals == 0 && regime != Regime::Ties) || (regime == Regime::Twins && reals < 2) {
                continue;
            }
            for kind in 0..count {
                turn += 1;
                let palette = Palette::Octaves(2 + rng.below(6));
                let shape = shapes.solver.solve(&[], palette, MODEST, turn);
                if let Some(shape) = shape.filter(|s| s.work <= USUAL) {
                    self.kind(&shape, regime, kind);
                }
            }
        }
    }

    /// One more case, of this kind of the regime.
    fn kind(&mut self, shape: &Shape, regime: Regime, kind: usize) {
        self.add(shape, regime, &[]);
        let reals = inputs::reals(self.kernel).len().max(1);
        if let Some(case) = self.cases.last_mut() {
            case.chosen += kind * reals;
        }
    }
}
