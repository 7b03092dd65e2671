//! A size between any two powers of two: where a kernel asks how many digits a size has, each number of them shows. One
//! such size for each octave in which no case of the plan has any.

use super::large::{LANES, lanes};
use super::shapes::Shapes;
use super::solve::{Palette, Shape};
use super::{Amount, Maker, everywhere, sizes};

/// The octaves: what is longer is `large`, and of fewer elements every plan has some.
const OCTAVES: std::ops::Range<u32> = 3..15;
/// The one that is looked at first, where kernels begin to do without what is shorter.
const FIRST: u32 = 9;
/// The work that such a case may be.
const WORK: f64 = (1 << 18) as f64;
/// Cases of such sizes, by the level of the plan.
const CASES: [usize; 4] = [4, 12, 24, 48];

impl Maker<'_> {
    /// Adds these sizes, those of several dimensions together where that is not dear.
    pub(super) fn octaves(&mut self, shapes: &Shapes, amount: Amount) {
        // a law takes thousands of outcomes in each case
        if self.kernel.op.is_random() {
            return;
        }
        let dims = shapes.solver.dims.len();
        let all = (0..OCTAVES.len() as u32)
            .map(|step| OCTAVES.start + (FIRST - OCTAVES.start + step) % OCTAVES.len() as u32);
        let each = all.flat_map(|octave| (0..dims).map(move |dim| (dim, octave)));
        let mut open: Vec<(usize, i64)> =
            each.filter_map(|(dim, octave)| self.missing(shapes, dim, octave)).collect();
        for number in 0..amount.of(CASES) {
            let Some(first) = open.first().copied() else { return };
            let mut given = Vec::new();
            let mut best: Option<Shape> = None;
            for next in [first].into_iter().chain(open.clone()) {
                if given.iter().any(|(dim, _)| *dim == next.0) {
                    continue;
                }
                let tried = [&given[..], &[next]].concat();
                let shape = shapes.solver.solve(&tried, Palette::Thin, WORK, number);
                let most = amount.of(LANES).max(LANES[1]);
                let fits = |shape: &Shape| shape.work <= WORK && lanes(self.kernel, shape) <= most;
                if let Some(shape) = shape.filter(fits) {
                    (given, best) = (tried, Some(shape));
                }
            }
            open.retain(|one| *one != first && !given.contains(one));
            if let Some(shape) = best {
                let name = |(dim, size): &(usize, i64)| format!("{} = {size}", shapes.solver.dims[*dim].name);
                let why = given.iter().map(name).collect::<Vec<_>>().join(", ");
                let regime = everywhere(number);
                self.add(
                    &shape,
                    regime,
                    &[],
                    &format!("{why}: between powers of two where no other size is"),
                );
            }
        }
    }

    /// A size of an octave in which no case has one, at an odd place.
    fn missing(&self, shapes: &Shapes, dim: usize, octave: u32) -> Option<(usize, i64)> {
        let is_of = |size: i64| size > 0 && size.ilog2() == octave;
        let of = &shapes.solver.dims[dim];
        let size = sizes::allowed(place(octave), &of.limits).filter(|size| is_of(*size))?;
        let has =
            self.cases.iter().flat_map(|(case, _)| &case.dims).any(|(n, size)| *n == of.name && is_of(*size));
        (!has).then_some((dim, size))
    }
}

/// An odd number a third of the way through an octave.
pub(super) fn place(octave: u32) -> i64 {
    ((137 << octave) / 100) | 1
}
