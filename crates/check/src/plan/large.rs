//! One case past 65536 elements, where 16 bits end and grids have to turn back, of kernels with one dimension.

use ktwin_num::Regime;

use super::mixed::work;
use super::shapes::Shapes;
use super::{Maker, sizes};
use crate::case::Case;
use crate::contract::Limit;
use crate::kernel::Kernel;

/// A size past 16 bits, of no tile.
const LARGE: i64 = (1 << 16) + 77;
/// Operations that it may take.
const WORK: f64 = (1 << 23) as f64;
/// Workgroups that every device launches in one direction.
const GROUPS: i64 = 65_535;

impl Maker<'_> {
    /// Adds the case where it is not too dear; says which accepted sizes are not run.
    pub(super) fn large(&mut self, shapes: &Shapes) -> Vec<String> {
        if let [(dim, _)] = shapes.usual() {
            let limits = sizes::limits(self.kernel, dim);
            let size = sizes::allowed(LARGE, &limits).filter(|size| *size > 1 << 15);
            if let Some(case) = size.and_then(|size| self.affordable(dim, size)) {
                self.cases.push(case);
            }
        }
        let dims = shapes.usual().iter().map(|(dim, _)| dim);
        dims.filter_map(|dim| self.not_run(dim)).collect()
    }

    fn affordable(&mut self, dim: &str, size: i64) -> Option<Case> {
        let before = self.cases.len();
        self.add(&[(dim.to_string(), size)], Regime::Normal, &[]);
        let case = self.cases.split_off(before).pop()?;
        let fits = super::accepts(self.kernel, &case) && work(self.kernel, &case) <= WORK;
        (fits && launches(self.kernel, &case)).then_some(case)
    }

    /// The largest accepted size of a dimension, where nothing near it is run.
    fn not_run(&self, dim: &str) -> Option<String> {
        let highest = |limit: Limit| if let Limit::Range(_, hi) = limit { hi } else { None };
        let most = sizes::limits(self.kernel, dim).into_iter().filter_map(highest).min()?;
        let sizes = self.cases.iter().flat_map(|c| &c.dims).filter(|(name, _)| name == dim);
        let run = sizes.map(|(_, size)| *size).max()?;
        (run < most / 2).then(|| format!("{dim} is accepted up to {most}, and run up to {run}"))
    }
}

/// Whether every launch has as many workgroups as devices take.
fn launches(kernel: &Kernel, case: &Case) -> bool {
    let Ok(at) = case.bind(&kernel.op) else { return false };
    let grids = kernel.contract.stages.iter().flat_map(|stage| &stage.grid);
    grids.into_iter().all(|expr| kernel.whole(expr, &at).is_ok_and(|groups| groups <= GROUPS))
}
