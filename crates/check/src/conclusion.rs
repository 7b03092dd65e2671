//! What all cases of a kernel together say: its report, with the failure made small and explained.

use crate::case::Case;
use crate::check::Check;
use crate::event::{Counts, FailureReport, KernelReport, Note};
use crate::finding::{Finding, Kind};
use crate::law::LawReport;
use crate::pattern::Pattern;
use crate::plan::Plan;
use crate::shrink::{Run, Shrunk};
use crate::trial::{self, Trial};
use crate::verdict::{CaseReport, Verdict};
use crate::{
    common, diagnose, formula, misfit, misread, promise, report, rung, shrink, signature, weak, weights,
    wider,
};

/// The most findings that are shown beside those of the smallest case.
const OTHERS: usize = 4;

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
        out.form = wider::sentence(&self.evidence.sharp);
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
            out.reason =
                format!("stopped after {} of {planned} cases, none wrong", self.evidence.reports.len());
        }
        self.sanitize(&mut out);
        out
    }

    /// Shrinks the failure and says what it looks like.
    fn explain(&mut self, out: &mut KernelReport) {
        let Some(failing) = self.evidence.failing.take() else {
            let first = self.evidence.reports.iter().find(|r| r.verdict.is_bad());
            if let Some(misfit) = first.filter(|first| self.evidence.all_end_like(first)) {
                *out = self.nothing(Verdict::Invalid, misfit::told(self.kernel, &misfit.reason));
                return;
            }
            out.failure = first.map(|r| report::without_result(self.kernel, r, &self.options.repeat));
            out.reason = first.map_or(String::new(), |r| r.reason.clone());
            return;
        };
        let passed = |r: &&CaseReport| r.verdict == Verdict::Pass && r.is_sharp();
        let sharp = self.evidence.reports.iter().filter(passed).count();
        out.behaves_like = rung::of_failure(&self.evidence.telling, &failing, out.cases.fail, sharp);
        let (kernel, programs, functions) = (self.kernel, &self.programs, self.functions());
        // cases with other constants would need another program
        let one = |case: &Case| trial::run(kernel, programs.known(case)?, case, functions).ok();
        // who has to stop tells what is known already
        let run = |case: &Case| if self.stopped() { None } else { one(case) };
        // a law shows in many outcomes, never in fewer
        let law = failing.report.errors().all(|f| f.kind == Kind::WrongLaw);
        let alone = self.options.case.is_some() || law;
        // what does not end would be waited for at every step
        let endless = failing.report.findings.iter().any(|f| f.is_endless());
        let first = failing.clone();
        let kinds = shrink::kinds(&first);
        let wanted = |t: &Trial| shrink::kinds(t).iter().any(|kind| kinds.contains(kind));
        let small = match alone || endless {
            true => Shrunk { trial: failing, passing: Vec::new() },
            false => shrink::edge(shrink::shrink(failing, &wanted, &run), &wanted, &run),
        };
        let mut failure = report::failure(&small.trial, &self.options.repeat);
        if !alone && !endless {
            failure.others = self.others(&small.trial, &run);
        }
        failure.patterns = if law { Vec::new() } else { self.patterns(&small, &first, &run) };
        // what ends a case is said even where another is easier to explain
        let ended = self.evidence.reports.iter().find(|r| r.verdict.is_bad() && !r.reason.is_empty());
        if let Some(other) = ended.filter(|_| failure.reason.is_empty()) {
            failure.reason = format!("{}, in {}", other.reason, other.case);
            out.reason.clone_from(&failure.reason);
        }
        out.failure = Some(failure);
    }

    /// What the failure looks like, what tells most first.
    fn patterns(&self, shrunk: &Shrunk<'a>, first: &Trial<'a>, run: Run<'_, 'a>) -> Vec<Pattern> {
        let (small, more) = (&shrunk.trial, || self.one_of_each(run));
        let seen = [small, first]
            .into_iter()
            .chain(&self.evidence.largest)
            .chain(&self.evidence.telling)
            .chain(&self.evidence.sharp);
        let seen: Vec<&Trial> = seen.collect();
        let otherwise = formula::change(&seen, &more).or_else(|| misread::misread(&seen, &more));
        let mut out: Vec<Pattern> = otherwise.into_iter().map(Pattern::from).collect();
        out.extend(common::lines(&self.visited, &self.evidence.reports).map(Pattern::from));
        let accident =
            |p: &Pattern| self.evidence.largest.as_ref().is_some_and(|l| diagnose::by_accident(p, l));
        let reports = &self.evidence.reports;
        let others = [first].into_iter().chain(&self.evidence.largest).chain(&self.evidence.telling);
        let others: Vec<&Trial> = others.collect();
        let seen = diagnose::patterns(small, reports).into_iter().filter(|pattern| !accident(pattern));
        out.extend(seen.map(|pattern| diagnose::of_its_case(pattern, small, &others)));
        // a case with ordinary data may tell where, if that with the most elements does not
        let mut larger = self
            .evidence
            .largest
            .iter()
            .chain(&self.evidence.telling)
            .map(|trial| diagnose::more_patterns(small, trial, reports));
        out.extend(larger.find(|told| !told.is_empty()).unwrap_or_default());
        let shared = common::rule(self.kernel, &self.evidence.reports, shrunk, run);
        let subgroups = common::subgroups(&self.evidence.reports);
        out.extend(subgroups.into_iter().chain(shared).map(Pattern::from));
        out
    }

    /// The first case of every regime in which the kernel passes, run again.
    fn one_of_each(&self, run: Run<'_, 'a>) -> Vec<Trial<'a>> {
        let mut seen = Vec::new();
        let passing = self.evidence.reports.iter().filter(|r| r.verdict == Verdict::Pass).map(|r| &r.case);
        let first = passing.filter(|case| {
            let new = !seen.contains(&case.regime);
            seen.extend(new.then_some(case.regime));
            new
        });
        first.filter_map(run).collect()
    }

    /// Findings of other cases that the smallest one does not show, each with the smallest case that does.
    fn others(&self, small: &Trial<'a>, run: Run<'_, 'a>) -> Vec<Note> {
        let key = |f: &Finding| (f.kind, f.line);
        let mut seen: Vec<_> = small.report.errors().map(key).collect();
        let mut out = Vec::new();
        for report in self.evidence.reports.iter().filter(|r| r.verdict.is_bad()) {
            for finding in report.errors() {
                if out.len() == OTHERS || seen.contains(&key(finding)) || finding.is_endless() {
                    continue;
                }
                seen.push(key(finding));
                let wanted = |t: &Trial| t.report.errors().any(|f| key(f) == key(finding));
                let Some(trial) = run(&report.case).filter(wanted) else { continue };
                let trial = shrink::shrink(trial, &wanted, run).trial;
                let shown = trial.report.errors().find(|f| key(f) == key(finding)).unwrap_or(finding);
                let case = trial.prepared.case.clone();
                out.extend(
                    report::findings(self.kernel, [shown])
                        .into_iter()
                        .map(|finding| Note { finding, case: case.clone() }),
                );
            }
        }
        out
    }
}
