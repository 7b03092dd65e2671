//! Which regimes meet which shapes: all of them one size, and those that show most with few elements, or with data far
//! from zero, several.

use ktwin_num::{DType, Float, NEAR_HALVES, Regime, Rng, TWICE};

use super::large::{alone, bound};
use super::shapes::{Shapes, USUAL};
use super::solve::{Palette, Shape};
use super::{Amount, Maker, reasons};
use crate::contract::Nan;
use crate::inputs;
use crate::setup::Setup;

/// Regimes that are tried at one size.
const ONCE: [Regime; 16] = [
    Regime::Uniform,
    Regime::Zeros,
    Regime::Constant,
    Regime::Large,
    Regime::Sparse,
    Regime::Outliers,
    Regime::Below,
    Regime::Above,
    Regime::Wide,
    Regime::Far,
    Regime::Spread,
    Regime::Small,
    Regime::Ties,
    Regime::Neighbours,
    Regime::Twins,
    Regime::Peaks,
];
/// Regimes that are tried at one size in quick plans.
const QUICK: [Regime; 11] = [
    Regime::Exact,
    Regime::Normal,
    Regime::Mixed,
    Regime::Large,
    Regime::Below,
    Regime::Far,
    Regime::Spread,
    Regime::Small,
    Regime::Ties,
    Regime::Twins,
    Regime::Peaks,
];
/// Regimes and shapes that are drawn together: how many of each.
const DRAWN: [(Regime, usize); 10] = [
    (Regime::Peaks, 6),
    (Regime::Far, 7),
    (Regime::Ties, 3),
    (Regime::Spread, 2),
    (Regime::Small, 3),
    (Regime::Neighbours, 2),
    (Regime::Twins, 2),
    (Regime::Below, 2),
    (Regime::Nan, 2),
    (Regime::Inf, 1),
];
/// A type whose normal numbers end above this is coarse.
const COARSE: f64 = 1e-30;
/// Dimensions that are narrow in turn.
const NARROW: usize = 3;
/// The kind of peaks that are alone.
const LONE: usize = 8;
/// The kind of far data past what many take for as good as infinite, below zero.
pub(super) const BEYOND: usize = 6;
/// Lanes of a warp.
const WARP: i64 = 32;
/// The work that such a shape may be.
pub(super) const MODEST: f64 = USUAL / 16.0;

/// Whether what is subnormal in a type is an ordinary number to finer arithmetic.
fn is_coarse(dtype: DType) -> bool {
    dtype.float().is_some_and(|float| float.min_normal() > COARSE)
}

impl Maker<'_> {
    /// The regimes that are tried at one size.
    pub(super) fn once(&mut self, usual: &Shape, amount: Amount) {
        if amount.is_quick() {
            // what a quick plan has for inputs of any kind
            for regime in QUICK {
                if regime != Regime::Twins || self.takes(regime) {
                    self.add(usual, regime, &[], &reasons::regime(regime));
                }
            }
            self.specials(usual, amount);
            self.far_sides(usual);
            self.nothing(usual);
            // the last of all, and the edges of tiles
            self.kind(usual, Regime::Peaks, 1);
            self.extremes(usual);
            self.slight(usual);
            let everywhere = self.everywhere(usual);
            return self.stored(usual, everywhere);
        }
        self.extremes(usual);
        self.specials(usual, amount);
        self.far_sides(usual);
        self.slight(usual);
        self.edges(usual);
        for regime in ONCE {
            if self.takes(regime) {
                self.add(usual, regime, &[], &reasons::regime(regime));
            }
        }
        if self.takes(Regime::Tiny) {
            self.tiny(usual);
        }
        self.everywhere(usual);
    }

    /// What is right in the middle of a type may be wrong further out. Where numbers are added up, the largest of them
    /// is all that counts; where a run of them is multiplied, what is out of range depends on the order.
    /// Whether there is such a case.
    fn everywhere(&mut self, usual: &Shape) -> bool {
        let long = bound(self.kernel, usual).is_none_or(|at| at.longest_sum() > 1 || at.longest_run() > 0);
        let takes = self.takes(Regime::Wide) && !long;
        if takes {
            self.kind(usual, Regime::Wide, 1);
        }
        takes
    }

    /// What thresholds take for nothing, and a zero below zero as the largest of all.
    fn slight(&mut self, usual: &Shape) {
        if self.takes(Regime::Small) {
            [1, 2, 3].into_iter().for_each(|kind| self.kind(usual, Regime::Small, kind));
            // blocks whose sum is zero, and which are not
            self.kind(usual, Regime::Mixed, 1);
        }
        self.kind(usual, Regime::Ties, 1);
        self.near_halves(usual);
    }

    /// What is chosen among sums, where some of them are equal; in two lanes, and in one of a warp.
    pub(super) fn equal_sums(&mut self, shapes: &Shapes, usual: &Shape) {
        if !self.places() || bound(self.kernel, usual).is_none_or(|at| !at.chooses() || at.longest_sum() < 2)
        {
            return;
        }
        self.kind(usual, Regime::Ties, TWICE as usize);
        for dim in 0..shapes.solver.dims.len() {
            if let Some(shape) = alone(shapes, dim, 2 * WARP, Palette::Octaves(5), USUAL) {
                self.kind(&shape, Regime::Ties, TWICE as usize);
            }
        }
    }

    /// Lone peaks in shapes of several kinds, where a part that is left out of a maximum or of a norm holds some of
    /// them; and data far below zero where tiles end in the middle, so that what idle lanes bring is the largest.
    pub(super) fn apart(&mut self, shapes: &Shapes, amount: Amount) {
        if !self.takes(Regime::Peaks) {
            return;
        }
        let count = amount.of([4, 8, 16, 32]);
        for (number, shape) in shapes.several(count).into_iter().enumerate() {
            // in every fourth below zero, and in every fourth as high as each other
            self.kind(shape, Regime::Peaks, LONE + [0, 8, 0, 4][number % 4]);
        }
        if let Some(shape) = shapes.partial() {
            self.kind(shape, Regime::Far, 0);
            self.kind(shape, Regime::Far, BEYOND);
        }
        for dim in 0..shapes.solver.dims.len().min(NARROW) {
            if let Some(shape) = shapes.narrow(dim) {
                self.kind(&shape, Regime::Spread, 0);
                // lanes that have no element of a narrow row bring nothing to its maximum
                self.kind(&shape, Regime::Far, 0);
                self.kind(&shape, Regime::Peaks, LONE);
                // what is small and below zero is the largest of few alone
                if self.takes(Regime::Tiny) {
                    self.kind(&shape, Regime::Tiny, 0);
                }
            }
        }
    }

    /// In quick plans, regimes that are for what the kernel stores: places, integers, narrow floats. Small numbers are
    /// for what is right everywhere as well.
    fn stored(&mut self, usual: &Shape, everywhere: bool) {
        let op = &self.kernel.op;
        if self.places() {
            self.add(usual, Regime::Neighbours, &[], &reasons::regime(Regime::Neighbours));
        }
        let dtypes = || op.outputs.iter().map(|o| self.kernel.dtype(&o.name));
        let whole = dtypes().any(|dtype| dtype.is_integer());
        let blocks = op.inputs.iter().any(|i| matches!(self.kernel.dtype(&i.name), DType::Block(_)));
        let narrow = blocks || dtypes().any(is_coarse);
        if whole && self.takes(Regime::Far) {
            self.kind(usual, Regime::Far, 1);
        }
        if (narrow || everywhere || self.places()) && self.takes(Regime::Tiny) {
            self.tiny(usual);
        }
        self.edges(usual);
    }

    /// What becomes the largest number of f16, or an infinity.
    fn edges(&mut self, usual: &Shape) {
        let op = &self.kernel.op;
        let float = |name: &str| self.kernel.dtype(name).float();
        let halves = op.outputs.iter().any(|o| float(&o.name) == Some(Float::F16));
        let wide = |i: usize| matches!(float(&op.inputs[i].name), Some(Float::F32 | Float::F64));
        if halves && inputs::reals(op).into_iter().all(wide) && self.takes(Regime::Ties) {
            self.kind(usual, Regime::Ties, 2);
        }
    }

    /// What lies beside the middle of two numbers of a narrow type, where all that goes in has more digits.
    fn near_halves(&mut self, usual: &Shape) {
        let digits = |name: &str| self.kernel.dtype(name).float().map(Float::precision);
        let (op, reals) = (&self.kernel.op, inputs::reals(&self.kernel.op));
        let fewest = reals.into_iter().map(|i| digits(&op.inputs[i].name).unwrap_or(0)).min().unwrap_or(0);
        if op.outputs.iter().any(|output| digits(&output.name).is_some_and(|own| own < fewest)) {
            self.kind(usual, Regime::Ties, NEAR_HALVES as usize);
        }
    }

    /// What is equal though its bits are not, where outputs are places; and integers at the ends of their type: at both
    /// side by side, and at each alone.
    fn extremes(&mut self, usual: &Shape) {
        if self.places() && self.takes(Regime::Zeros) {
            self.kind(usual, Regime::Zeros, 1);
            self.kind(usual, Regime::Zeros, 3);
        }
        if self.integers() && self.takes(Regime::Large) {
            [1, 3, 5].into_iter().for_each(|kind| self.kind(usual, Regime::Large, kind));
        }
        self.nearly_too_large(usual);
    }

    /// One input of a narrow type alone as large as that type holds: what is out of its range on the way to a result
    /// within it.
    fn nearly_too_large(&mut self, usual: &Shape) {
        let setup = Setup::of(self.kernel, &self.kernel.op);
        let reals = inputs::reals(&self.kernel.op);
        for (number, _) in reals.iter().enumerate().filter(|(_, i)| reals.len() > 1 && setup.is_narrow(**i)) {
            let why = "one input alone is as large as its type holds";
            self.chosen(usual, Regime::Large, reals.len() + number, why);
        }
    }

    /// Whether any input that is not an index is stored as integers.
    pub(super) fn integers(&self) -> bool {
        let infos = &self.kernel.op.inputs;
        let stored = |i: usize| self.kernel.dtype(&infos[i].name);
        inputs::reals(&self.kernel.op).into_iter().any(|i| matches!(stored(i), DType::Int { .. }))
    }

    /// Whether outputs are places in inputs.
    pub(super) fn places(&self) -> bool {
        self.kernel.op.outputs.iter().any(|output| output.integer)
    }

    /// Whether the kernel has inputs that a regime is for.
    pub(super) fn takes(&self, regime: Regime) -> bool {
        let reals = inputs::reals(&self.kernel.op);
        let infos = &self.kernel.op.inputs;
        let holds_nan = |i: &usize| matches!(self.kernel.dtype(&infos[*i].name), DType::Float(_));
        match regime {
            Regime::Nan | Regime::Inf => {
                let never = self.kernel.contract.promises.nan == Nan::Never;
                !never && !reals.is_empty() && reals.iter().all(holds_nan)
            }
            Regime::Ties => true,
            Regime::Twins => reals.len() > 1,
            _ => !reals.is_empty(),
        }
    }

    /// Regimes and shapes drawn together, sizes of 1 among them.
    pub(super) fn drawn(&mut self, shapes: &Shapes) {
        let mut rng = Rng::new(0x7265_6769, 0);
        let mut turn = 0;
        for (regime, count) in DRAWN {
            if !self.takes(regime) {
                continue;
            }
            for kind in 0..count {
                turn += 1;
                let palette = Palette::Octaves(2 + rng.below(6));
                let drawn = || shapes.solver.solve(&[], palette, MODEST, turn);
                // the edges of tiles are those of several tiles
                let at_edges = regime == Regime::Peaks && kind > 0 && kind < 3;
                let shape = if at_edges { Some(shapes.usual().clone()) } else { drawn() };
                if let Some(shape) = shape.filter(|s| s.work <= USUAL) {
                    self.kind(&shape, regime, kind);
                }
            }
        }
    }

    /// One input alone tiny, where its type is much coarser than the arithmetic: what is subnormal in it is an ordinary
    /// number to the kernel, which has to decode it; in quick plans only what is packed.
    pub(super) fn small(&mut self, shapes: &Shapes, amount: Amount) {
        if self.kernel.contract.compute.min_normal() > COARSE {
            return;
        }
        let reals = inputs::reals(&self.kernel.op);
        for (number, input) in reals.iter().enumerate() {
            let dtype = self.kernel.dtype(&self.kernel.op.inputs[*input].name);
            let coarse = match dtype {
                DType::Block(_) => true,
                other => !amount.is_quick() && is_coarse(other),
            };
            let shape = shapes.solver.solve(&[], Palette::Octaves(6), MODEST, number);
            if let Some(shape) = shape.filter(|s| coarse && reals.len() > 1 && s.work <= USUAL) {
                self.add(
                    &shape,
                    Regime::Tiny,
                    &[],
                    "one input alone is tiny, and ordinary once it is decoded",
                );
                if let Some((case, _)) = self.cases.last_mut() {
                    case.chosen = reals.len() + number;
                }
            }
        }
    }

    /// A case with a regime of which this input, of this kind, is the chosen one.
    pub(super) fn chosen(&mut self, shape: &Shape, regime: Regime, chosen: usize, why: &str) {
        self.add(shape, regime, &[], why);
        if let Some((case, _)) = self.cases.last_mut() {
            case.chosen = chosen;
        }
    }

    /// One more case, of this kind of the regime.
    pub(super) fn kind(&mut self, shape: &Shape, regime: Regime, kind: usize) {
        self.add(shape, regime, &[], &reasons::regime(regime));
        let reals = inputs::reals(&self.kernel.op).len().max(1);
        if let Some((case, _)) = self.cases.last_mut() {
            case.chosen += kind * reals;
        }
    }
}
