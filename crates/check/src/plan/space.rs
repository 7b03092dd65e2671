//! All the cases that a kernel can have, for those who draw their own: property tests, fuzzers.

use ktwin_num::Regime;

use super::shapes::Shapes;
use super::solve::{Shape, Solver};
use super::{Amount, Maker, accepted_layouts, sizes};
use crate::accept::accepts;
use crate::case::Case;
use crate::kernel::Kernel;

/// Numbers that stand for a case. Any will do: sizes are moved to the nearest that the contract takes.
#[derive(Clone, Debug)]
pub struct Draw {
    /// A size for each dimension of [`Space::dims`].
    pub sizes: Vec<i64>,
    /// How inputs are filled.
    pub regime: Regime,
    /// Which of their values scalars take, and which input the regime is about.
    pub turn: usize,
    /// 0 for rows alone; else which of the layouts that the contract accepts.
    pub layout: usize,
    /// The seed of the inputs.
    pub seed: u64,
}

/// All sizes and scalars that a kernel takes, few of which a plan holds.
pub struct Domain<'a> {
    solver: Solver<'a>,
}

impl<'a> Domain<'a> {
    /// The domain of a kernel; the error says why it is empty.
    pub fn of(kernel: &'a Kernel) -> Result<Domain<'a>, String> {
        Ok(Domain { solver: Solver::new(kernel)? })
    }

    /// One of its cases: sizes of up to sixteen octaves, each as likely.
    pub fn case(&self, turn: usize) -> Option<Case> {
        let shape = self.solver.draw(16, turn)?;
        let mut maker = Maker { kernel: self.solver.kernel, count: turn, cases: Vec::new() };
        maker.add(&shape, Regime::Normal, &[], "");
        maker.cases.pop().map(|(case, _)| case)
    }
}

/// The cases of a kernel.
pub struct Space<'a> {
    kernel: &'a Kernel,
    shapes: Shapes<'a>,
    dims: Vec<String>,
}

impl<'a> Space<'a> {
    /// The space of a kernel; the error says why it is empty.
    pub fn of(kernel: &'a Kernel) -> Result<Space<'a>, String> {
        let dims = kernel.op.free_dims().iter().map(|d| kernel.op.dims[*d].name.clone()).collect();
        Ok(Space { kernel, shapes: Shapes::choose(kernel, Amount::QUICK)?, dims })
    }

    /// The dimensions that have sizes of their own.
    pub fn dims(&self) -> &[String] {
        &self.dims
    }

    /// The case that a draw stands for; none where op and contract do not take its sizes together.
    pub fn case(&self, draw: &Draw) -> Option<Case> {
        let size = |(dim, size): (&String, &i64)| {
            let size = sizes::allowed((*size).max(1), &sizes::limits(self.kernel, dim))?;
            Some((dim.clone(), size))
        };
        let dims: Vec<(String, i64)> = self.dims.iter().zip(&draw.sizes).map(size).collect::<Option<_>>()?;
        let layouts = accepted_layouts(self.kernel);
        let layout: Vec<_> = match draw.layout % (layouts.len() + 1) {
            0 => Vec::new(),
            n => vec![layouts[n - 1].clone()],
        };
        if dims.len() != self.dims.len() {
            return None;
        }
        let scalars = self.shapes.solver.scalars.clone();
        let mut maker = Maker { kernel: self.kernel, count: draw.turn, cases: Vec::new() };
        let shape = Shape { dims, scalars, work: 0.0, why: String::new() };
        maker.add(&shape, draw.regime, &layout, "");
        let case = Case { seed: draw.seed, ..maker.cases.pop()?.0 };
        accepts(self.kernel, &case).is_ok().then_some(case)
    }
}
