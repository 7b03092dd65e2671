//! Longer cases of a kernel that passed, where a simulated GPU counts how few steps it needs: what plain loops would
//! take too long for is soon done then. What counts is the same on every machine, and so is what is run.

use std::time::Duration;

use crate::bench::{Measured, Timing};
use crate::case::Case;
use crate::check::{Check, seed_cases};
use crate::plan::{Further, Plan, regrown};
use crate::trial;
use crate::verdict::Verdict;

/// Instructions of a warp for each element, up to which a kernel needs few steps: one that adds each prefix up by
/// itself needs thousands.
const FEW: f64 = 64.0;

impl Check<'_> {
    /// Runs longer cases than the plan has, where that is soon done.
    pub(crate) fn further(&mut self, plan: &mut Plan, seed: u64) {
        let whole = self.options.case.is_none() && !self.options.amount.is_quick();
        let passed = self.evidence.verdict() == Verdict::Pass && !self.stopped();
        if !whole || !passed || !self.device.counts() {
            return;
        }
        let Some(Further { near, mut far }) = Further::of(self.kernel) else { return };
        if self.instructions(&near).is_none_or(|count| count > FEW * near.dims[0].1 as f64) {
            return;
        }
        seed_cases(&mut far, seed);
        let why = || "longer than plain loops allow: few steps are enough".to_string();
        plan.why.extend(far.iter().map(|_| why()));
        plan.cases.extend(far.iter().cloned());
        regrown(self.kernel, plan);
        self.cases(&far);
    }

    /// The instructions of warps that a case takes, if the device counts them.
    fn instructions(&mut self, case: &Case) -> Option<f64> {
        let number = self.programs.number(case).ok()?;
        let (_, mut launches) = trial::begin(self.kernel, case, self.functions()).ok()?;
        launches.truncate(1);
        let timing = Timing { most: Duration::ZERO, ..Timing::default() };
        match self.programs.measure(number, launches, &timing).ok()?.0 {
            Measured::Counts(rows) => {
                rows.into_iter().find(|(name, _)| *name == "warp instructions").map(|r| r.1)
            }
            Measured::Times(_) => None,
        }
    }
}
