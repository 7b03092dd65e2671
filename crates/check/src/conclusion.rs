//! What all cases of a kernel together say: its report.

use crate::check::Check;
use crate::event::{Counts, FailureReport, KernelReport};
use crate::law::LawReport;
use crate::plan::Plan;
use crate::verdict::{CaseReport, Verdict};
use crate::{promise, report, rung, signature, weak, weights, wider};

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
        let ran = self.evidence.reports.len();
        let cut = (ran < planned || self.stopped()) && !verdict.is_bad();
        let verdict = if cut { Verdict::Skip } else { verdict };
        let (verdict, weak) = weak::judged(self, verdict);
        let mut out = self.empty(verdict, Some(seed));
        out.cases = Counts::of(self.evidence.reports.iter().map(|r| r.verdict));
        let lacking = |r: &CaseReport| r.verdict == Verdict::Skip && r.unsupported;
        out.unsupported = verdict == Verdict::Skip && self.evidence.reports.iter().any(lacking);
        out.sharp = self.evidence.reports.iter().filter(|r| r.is_sharp()).count();
        out.ratio =
            self.evidence.reports.iter().filter(|r| !r.verdict.is_bad()).fold(0.0, |m, r| m.max(r.ratio()));
        out.measures = report::measures(&self.evidence.reports);
        out.law = LawReport::together(self.evidence.reports.iter().filter_map(|r| r.law.as_ref()));
        out.gaps = plan.gaps;
        if self.options.case.is_none() {
            out.gaps.extend(report::gaps(self.kernel, &self.evidence.reports, plan.cases.len()));
            // where nothing shows the promised arithmetic, no size that was left out is a larger gap
            out.gaps.sort_by_key(|gap| {
                !report::is_of_evidence(gap) && (out.sharp > 0 || !report::is_of_rungs(gap))
            });
        }
        out.resources = std::mem::take(&mut self.resources);
        out.notes = report::notes(self.kernel, &self.evidence.reports);
        out.form = wider::sentence(&self.evidence.sharp, &self.evidence.reports);
        let sums =
            self.evidence.sharp.iter().chain(&self.evidence.failing).any(|t| t.prepared.at.longest_sum() > 1);
        if verdict.is_bad() {
            self.explain(&mut out);
            if let Some(failure) = &mut out.failure {
                if let Some(cause) = signature::mismatch(self.kernel) {
                    let ended = std::mem::take(&mut failure.reason);
                    failure.reason = if ended.is_empty() { cause } else { format!("{ended}; {cause}") };
                    out.reason.clone_from(&failure.reason);
                }
                failure.kinds = report::kinds(&self.evidence.reports);
            }
        } else {
            out.behaves_like =
                rung::of(&self.evidence.sharp.iter().collect::<Vec<_>>()).map(|pair| rung::rungs(pair, sums));
            out.reason = report::reason(&self.evidence.reports, verdict);
        }
        out.reason = weak.unwrap_or(out.reason);
        if verdict == Verdict::Pass && out.reason.is_empty() {
            out.reason = weights::given(self.kernel);
        }
        if cut {
            out.reason = match ran < planned {
                true => format!("stopped after {ran} of {planned} cases, none wrong"),
                false => format!("stopped after all {planned} cases, before what follows them; none wrong"),
            };
        }
        self.sanitize(&mut out);
        out
    }
}
