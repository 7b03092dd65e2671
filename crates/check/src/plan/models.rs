//! Shapes of language models: what their matrices, rows and heads measure, by the names that ops give their dimensions.
//! An op that has all dimensions of a row is tried at it; its other dimensions are small.

use ktwin_num::Regime;

use super::large::launches;
use super::shapes::Shapes;
use super::solve::{Dim, Palette};
use super::{Amount, Maker};
use crate::accept::accepts;
use crate::case::Case;
use crate::kernel::Kernel;

/// Sizes by name, and where they are met.
type Row = (&'static str, &'static [(&'static str, i64)]);

const ROWS: &[Row] = &[
    ("decoding, a projection", &[("M", 1), ("N", 4096), ("K", 4096)]),
    ("decoding, a projection", &[("M", 4096), ("N", 1), ("K", 4096)]),
    ("decoding four at a time, a head's projection", &[("M", 4), ("N", 128), ("K", 14336)]),
    ("decoding, a matrix and a vector", &[("N", 4096), ("K", 4096)]),
    ("prefill, a head's projection", &[("M", 512), ("N", 128), ("K", 128)]),
    ("prefill, a projection", &[("M", 128), ("N", 4096), ("K", 4096)]),
    ("decoding, one row", &[("R", 1), ("D", 4096)]),
    ("decoding, rows of eight sequences", &[("R", 8), ("D", 14336)]),
    ("prefill, the rows of a prompt", &[("R", 512), ("D", 4096)]),
    ("a vocabulary", &[("R", 2), ("D", 128_256)]),
    ("a vocabulary", &[("R", 1), ("V", 128_256)]),
    ("a vocabulary", &[("T", 2), ("V", 128_256)]),
    ("a table of embeddings", &[("T", 8), ("V", 32_000), ("D", 64)]),
    ("decoding, attention to a cache", &[("H", 8), ("G", 2), ("S", 1), ("T", 4096), ("D", 128)]),
    ("prefill, attention", &[("H", 4), ("G", 1), ("S", 128), ("T", 128), ("D", 64)]),
    ("prefill, attention", &[("H", 32), ("G", 8), ("S", 512), ("T", 512), ("D", 128)]),
    ("decoding, heads", &[("T", 1), ("H", 32), ("D", 128)]),
    ("prefill, heads", &[("T", 512), ("H", 32), ("D", 128)]),
    ("the hidden state of a prompt", &[("N", 512 * 4096)]),
];
/// The work that such a case may be in a standard plan, and in a thorough one.
const WORK: [f64; 2] = [(1 << 25) as f64, (1u64 << 32) as f64];

/// The sizes of a row by the numbers of dimensions, where the op has all of them and the contract allows it.
fn met(dims: &[Dim], sizes: &[(&str, i64)]) -> Option<Vec<(usize, i64)>> {
    let place = |name: &str| dims.iter().position(|dim| dim.name == name);
    let given = sizes.iter().map(|(name, size)| Some((place(name)?, *size)));
    // one dimension alone is the op's whole shape
    let given = given.collect::<Option<Vec<_>>>().filter(|given| given.len() > 1 || dims.len() == 1)?;
    let allowed = |(dim, size): &(usize, i64)| dims[*dim].limits.iter().all(|limit| limit.allows(*size));
    given.iter().all(allowed).then_some(given)
}

/// The largest shape that a language model has for a kernel, by its work. The error says why there is none.
pub fn production(kernel: &Kernel) -> Result<Case, String> {
    let shapes = Shapes::choose(kernel, Amount::QUICK)?;
    let rows = ROWS.iter().enumerate().filter_map(|(number, (_, sizes))| {
        let given = met(&shapes.solver.dims, sizes)?;
        let shape = shapes.solver.solve(&given, Palette::Least, f64::INFINITY, number)?;
        let (dims, scalars) = (shape.dims.clone(), shape.scalars.clone());
        let case = Case { dims, scalars, regime: Regime::Normal, chosen: 0, seed: 0, layouts: Vec::new() };
        (launches(kernel, &shape) && accepts(kernel, &case).is_ok()).then_some((shape.work, case))
    });
    let largest = rows.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, case)| case);
    largest.ok_or_else(|| {
        format!("no shape of a language model is known for op {} that its contract takes", kernel.op.name)
    })
}

impl Maker<'_> {
    /// Adds the shapes that the op has the dimensions for; returns those that are left out, and why.
    pub(super) fn models(&mut self, shapes: &Shapes, amount: Amount) -> Vec<String> {
        let [standard, thorough] = WORK;
        let most = amount.of([0.0, 0.0, standard, thorough]);
        let dims = &shapes.solver.dims;
        let mut gaps = Vec::new();
        for (number, (what, sizes)) in ROWS.iter().enumerate() {
            let Some(given) = met(dims, sizes) else { continue };
            let shown: Vec<String> = sizes.iter().map(|(name, size)| format!("{name}={size}")).collect();
            let shown = shown.join(" ");
            let Some(shape) = shapes.solver.solve(&given, Palette::Least, most, number) else { continue };
            if shape.work <= most && launches(self.kernel, &shape) {
                let why = format!("{what}: {shown}");
                self.add(&shape, Regime::Normal, &[], &why);
                self.add(&shape, Regime::Peaks, &[], &why);
                self.stretch(shapes, 2);
            } else if amount.is_standard() {
                let cure = if shape.work <= thorough { "--thorough runs it" } else { "it takes too long" };
                gaps.push(format!("{what} is not run, {shown}: {cure}"));
            }
        }
        gaps
    }
}
