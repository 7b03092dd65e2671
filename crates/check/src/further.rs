//! Longer cases of a kernel that passed, where a simulated GPU counts how few steps it needs, or a call on the host
//! takes so little time that even one whose time grows with the square of the size ends soon: what plain loops would
//! take too long for is soon done then. Only kernels near that bound are run at other sizes on another machine.

use std::time::Duration;

use ktwin_num::math;

use crate::bench::{Measured, Timing};
use crate::case::Case;
use crate::check::{Check, seed_cases};
use crate::languages::Code;
use crate::plan::{Further, Plan, regrown};
use crate::trial;
use crate::verdict::Verdict;

/// Instructions of a warp for each element, up to which a kernel needs few steps: one that adds each prefix up by
/// itself needs thousands.
const FEW: f64 = 64.0;
/// Nanoseconds that a call on the host may take where its time grows with the square of the size: in quick plans, and
/// in others.
const SOON: [f64; 2] = [3e8, 2e9];

impl Check<'_> {
    /// Runs longer cases than the plan has, where that is soon done.
    pub(crate) fn further(&mut self, plan: &mut Plan, seed: u64) {
        let whole = self.options.case.is_none();
        let passed = self.evidence.verdict() == Verdict::Pass && !self.stopped();
        let told = self.device.counts() || self.kernel.source.kind.code() == Code::Machine;
        if !whole || !passed || !told {
            return;
        }
        let along = Further::all(self.kernel, &plan.cases);
        let mut far: Vec<Case> = along.into_iter().flat_map(|further| self.soon_done(further)).collect();
        if far.is_empty() {
            return;
        }
        seed_cases(&mut far, seed);
        let why = || "longer than plain loops allow: the kernel is quick".to_string();
        plan.why.extend(far.iter().map(|_| why()));
        plan.cases.extend(far.iter().cloned());
        regrown(self.kernel, plan);
        self.cases(&far);
    }

    /// Those of longer cases that end soon, by what a shorter one takes.
    fn soon_done(&mut self, Further { dim, near, mut far }: Further) -> Vec<Case> {
        let size = |case: &Case| case.dims.iter().find(|(name, _)| *name == dim).map_or(1.0, |d| d.1 as f64);
        match self.measured(&near) {
            Some(Measured::Counts(rows)) => {
                let instructions = rows.iter().find(|(name, _)| *name == "warp instructions");
                let few = instructions.is_some_and(|(_, count)| *count <= FEW * size(&near));
                far.retain(|_| few);
            }
            Some(Measured::Times(times)) => {
                let soon = SOON[usize::from(!self.options.amount.is_quick())];
                let call = times.warm.iter().chain(&times.cold).copied().fold(f64::INFINITY, f64::min);
                far.retain(|case| call * math::pow(size(case) / size(&near), 2.0) <= soon);
            }
            None => far.clear(),
        }
        if self.options.amount.is_quick() {
            // the longest one has most of what needs more than 16 bits
            far.drain(..far.len().saturating_sub(1));
        }
        far
    }

    /// What a device counts of a case, or how long a call takes.
    fn measured(&mut self, case: &Case) -> Option<Measured> {
        let number = self.programs.number(case).ok()?;
        let (_, mut launches) = trial::begin(self.kernel, case, self.functions()).ok()?;
        launches.truncate(1);
        let (least, most) = (Duration::ZERO, Duration::ZERO);
        let timing = Timing { samples: 1, precision: f64::INFINITY, least, most, calls: Some(1) };
        Some(self.programs.measure(number, launches, &timing).ok()?.0)
    }
}
