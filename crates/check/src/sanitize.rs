//! A sanitizer beside a device, on one case of a kernel: what it finds is added to what was found without it.

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::check::Check;
use crate::event::{FailureReport, KernelReport};
use crate::finding::Finding;
use crate::report;
use crate::trial;
use crate::verdict::Verdict;

/// The points that the case of a kernel that passes may have: a sanitizer slows a kernel down a hundredfold.
const MOST: f64 = (1 << 16) as f64;

/// What a sanitizer said of one case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Sanitized {
    /// Each of its tools, in the order in which they ran.
    pub tools: Vec<SanitizerTool>,
    /// What they found, all of it.
    pub findings: Vec<Finding>,
}

/// One tool of a sanitizer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SanitizerTool {
    /// Its name.
    pub name: String,
    /// The command that ran, for a shell.
    pub command: String,
    /// The line that it ends with.
    pub summary: String,
}

impl Check<'_> {
    /// Runs the sanitizer, where one is asked for. A pass stays one only where it ran and found nothing.
    pub(crate) fn sanitize(&self, out: &mut KernelReport) {
        if !self.options.sanitize || self.stopped() {
            return;
        }
        let Some(case) = self.sanitized_case(out) else { return };
        let command = self.options.repeat.of(&case);
        match self.device.sanitize(&self.kernel.source, &command) {
            Ok(None) => {}
            Ok(Some(said)) => self.sanitized(out, case, said),
            Err(failure) if matches!(out.verdict, Verdict::Pass | Verdict::Blind) => {
                out.verdict = trial::verdict_of(&failure);
                out.reason = format!("no sanitizer ran: {failure}");
            }
            Err(failure) => out.gaps.insert(0, format!("no sanitizer ran: {failure}")),
        }
    }

    /// The smallest failing case, or a sharp one with as many points as are soon done.
    fn sanitized_case(&self, out: &KernelReport) -> Option<Case> {
        if out.verdict.is_bad() {
            return out.failure.as_ref()?.case.clone();
        }
        let passed = self.evidence.reports.iter().filter(|r| r.verdict == Verdict::Pass && r.is_sharp());
        let sized = passed.filter_map(|r| Some((r.case.bind(&self.kernel.op).ok()?.points(), &r.case)));
        let few = sized.filter(|(points, _)| *points <= MOST);
        few.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, case)| case.clone())
    }

    fn sanitized(&self, out: &mut KernelReport, case: Case, said: Sanitized) {
        let findings = report::findings(self.kernel, &said.findings);
        let wrong: Vec<Finding> = findings.iter().filter(|f| !f.note).cloned().collect();
        out.sanitized = Some(Sanitized { findings, ..said });
        if wrong.is_empty() {
            return;
        }
        if !out.verdict.is_bad() {
            // what its results were like explains nothing
            (out.verdict, out.reason, out.behaves_like) = (Verdict::Fail, String::new(), None);
            let repeat = self.options.repeat.of(&case);
            out.failure = Some(FailureReport { case: Some(case), repeat, ..FailureReport::default() });
        }
        let Some(failure) = &mut out.failure else { return };
        for finding in wrong {
            let known = |f: &Finding| (f.kind, f.line) == (finding.kind, finding.line);
            if !failure.findings.iter().any(known) {
                failure.kinds.push(finding.kind);
                failure.findings.push(finding);
            }
        }
        failure.kinds.sort();
        failure.kinds.dedup();
    }
}
