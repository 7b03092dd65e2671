//! What all cases of a kernel together say: its report, with the failure made small and explained.

use crate::case::Case;
use crate::check::Check;
use crate::event::{Counts, FailureReport, KernelReport};
use crate::pattern::Pattern;
use crate::plan::Plan;
use crate::trial;
use crate::verdict::Verdict;
use crate::{common, diagnose, promise, report, rung, shrink, weak, wider};

impl<'a> Check<'a> {
    pub(crate) fn nothing(&self, verdict: Verdict, reason: String) -> KernelReport {
        let mut report = self.empty(verdict, self.options.seed);
        if verdict.is_bad() {
            let failure = FailureReport { reason: reason.clone(), ..FailureReport::default() };
            report.failure = Some(failure);
        }
        report.reason = reason;
        report
    }

    fn empty(&self, verdict: Verdict, seed: Option<u64>) -> KernelReport {
        let contract = &self.kernel.contract;
        KernelReport {
            kernel: self.kernel.name.clone(),
            op: self.kernel.op.name.clone(),
            device: self.device.name().to_string(),
            verdict,
            promised: Some(rung::rungs((contract.compute, contract.accumulate), true)),
            promise: Some(promise::promise(self.kernel)),
            sandbox: self.device.sandbox(),
            seed,
            ..KernelReport::default()
        }
    }

    pub(crate) fn conclude(&mut self, plan: Plan, seed: u64) -> KernelReport {
        let (verdict, planned) = (self.evidence.verdict(), plan.cases.len());
        // what was seen so far says nothing about the rest
        let cut = self.evidence.reports.len() < planned && !verdict.is_bad();
        let verdict = if cut { Verdict::Skip } else { verdict };
        let (verdict, weak) = weak::judged(self, verdict);
        let mut out = self.empty(verdict, Some(seed));
        let count = |f: &dyn Fn(Verdict) -> bool| self.evidence.count(f);
        out.cases = Counts {
            pass: count(&|v| v == Verdict::Pass),
            blind: count(&|v| v == Verdict::Blind),
            skip: count(&|v| v == Verdict::Skip),
            error: count(&|v| v == Verdict::Error),
            fail: count(&Verdict::is_bad),
        };
        out.sharp = self.evidence.reports.iter().filter(|r| r.is_sharp()).count();
        out.ratio =
            self.evidence.reports.iter().filter(|r| !r.verdict.is_bad()).fold(0.0, |m, r| m.max(r.ratio()));
        out.measures = report::measures(&self.evidence.reports);
        out.gaps = plan.gaps;
        if self.options.case.is_none() {
            out.gaps.extend(report::gaps(self.kernel, &self.evidence.reports, plan.cases.len()));
        }
        out.resources = std::mem::take(&mut self.resources);
        out.notes = report::notes(self.kernel, &self.evidence.reports);
        out.form = wider::sentence(&self.evidence.sharp);
        let sums =
            self.evidence.sharp.iter().chain(&self.evidence.failing).any(|t| t.prepared.at.longest_sum() > 1);
        if verdict.is_bad() {
            self.explain(&mut out, sums);
            if let Some(failure) = &mut out.failure {
                failure.kinds = report::kinds(&self.evidence.reports);
            }
        } else {
            out.behaves_like =
                rung::of(&self.evidence.sharp.iter().collect::<Vec<_>>()).map(|pair| rung::rungs(pair, sums));
            out.reason = report::reason(&self.evidence.reports, verdict);
        }
        out.reason = weak.unwrap_or(out.reason);
        if cut {
            out.reason =
                format!("stopped after {} of {planned} cases, none wrong", self.evidence.reports.len());
        }
        out
    }

    /// Shrinks the failure and says what it looks like.
    fn explain(&mut self, out: &mut KernelReport, sums: bool) {
        let Some(failing) = self.evidence.failing.take() else {
            let first = self.evidence.reports.iter().find(|r| r.verdict.is_bad());
            out.failure = first.map(|r| report::without_result(self.kernel, r, &self.options.repeat));
            out.reason = first.map_or(String::new(), |r| r.reason.clone());
            return;
        };
        let sums = sums || self.evidence.telling.iter().any(|t| t.prepared.at.longest_sum() > 1);
        let like = rung::of_failure(&self.evidence.telling);
        out.behaves_like = like.map(|pair| rung::rungs(pair, sums));
        let (kernel, programs, functions) = (self.kernel, &self.programs, self.functions());
        // cases with other constants would need another program
        let run = |case: &Case| trial::run(kernel, programs.known(case)?, case, functions).ok();
        let alone = self.options.case.is_some();
        // what does not end would be waited for at every step
        let endless = failing.report.findings.iter().any(|f| f.kind.is_endless());
        let small = if alone || endless { failing } else { shrink::shrink(failing, &run) };
        let mut failure = report::failure(&small, &self.options.repeat);
        if let Some(larger) = &self.evidence.largest {
            failure.patterns.extend(diagnose::more_patterns(&small, larger));
        }
        let shared = common::rule(self.kernel, &self.evidence.reports, &small.prepared.case);
        failure
            .patterns
            .extend(common::subgroups(&self.evidence.reports).into_iter().chain(shared).map(Pattern::from));
        out.failure = Some(failure);
    }
}
