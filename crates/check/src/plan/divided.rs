//! Long inputs that others divide into parts: where parts begin past 16 bits.

use ktwin_lang::Case as OpCase;
use ktwin_num::Regime;

use super::Maker;
use super::large::{LARGE, launches};
use super::shapes::Shapes;
use super::solve::Palette;

/// Places that divide, at least: of fewer none may lie far out.
const SEVERAL: usize = 8;
/// The work of such a case.
const WORK: f64 = (1 << 20) as f64;

impl Maker<'_> {
    /// Each dimension past 16 bits, in several parts.
    pub(super) fn divided(&mut self, shapes: &Shapes) {
        let op = &self.kernel.op;
        let divides = |at: &usize| op.inputs[*at].integer && op.inputs[*at].domain.sorted.is_some();
        let all: Vec<usize> = (0..op.inputs.len()).filter(divides).collect();
        let count = |at: &OpCase, input: usize| at.input_shapes[input].iter().product::<usize>();
        let several = |at: &OpCase| all.iter().any(|input| count(at, *input) >= SEVERAL);
        for (dim, about) in shapes.solver.dims.iter().enumerate().filter(|_| !all.is_empty()) {
            let shape = shapes.solver.solve_for(&[(dim, LARGE)], Palette::Octaves(4), WORK, dim, &several);
            let sound = shape.filter(|shape| shape.work <= WORK && launches(self.kernel, shape));
            if let Some(shape) = sound {
                self.add(
                    &shape,
                    Regime::Normal,
                    &[],
                    &format!("{} is past 16 bits, in several parts", about.name),
                );
            }
        }
    }
}
