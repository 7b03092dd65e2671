//! Kernels that are known to be wrong, held against what a run says of them. Whatever is no longer as it was registered
//! is a failure, so that the registry stays true.

use super::{Day, Entry, Registry};
use crate::event::{FailureReport, KernelReport};
use crate::finding::{Finding, Kind};
use crate::verdict::Verdict;

/// How a kernel is known to be wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// Fail, crash or hang.
    pub verdict: Verdict,
    /// What must be found.
    pub finding: Option<Kind>,
    /// The device on which; any where none is named.
    pub device: Option<String>,
    /// The last day on which it may be so.
    pub until: Option<Day>,
}

impl Expectation {
    /// In a few words: `fail (race) until 2026-12-31`.
    pub fn sentence(&self) -> String {
        let finding = self.finding.map_or(String::new(), |kind| format!(" ({})", kind.name()));
        let device = self.device.as_ref().map_or(String::new(), |device| format!(" on {device}"));
        let until = self.until.map_or(String::new(), |day| format!(" until {day}"));
        format!("{}{finding}{device}{until}", self.verdict)
    }
}

impl Registry {
    /// What becomes of a report where its kernel is known to be wrong. `whole`: all of the plan ran, so that a pass
    /// says that the kernel was mended.
    pub fn judged(&self, mut report: KernelReport, whole: bool, today: Day) -> KernelReport {
        let file = std::path::PathBuf::from(&report.kernel);
        let Some((entry, expect)) = self.expectation(&file, &report.device) else { return report };
        let at = self.at(entry);
        if report.verdict == Verdict::Pass {
            if whole {
                let message =
                    format!("it passes, though {at} expects {}: remove that entry", expect.sentence());
                return wrong(report, Finding::new(Kind::UnexpectedPass, message));
            }
            let note = format!("{at} expects {}, which these cases do not show", expect.sentence());
            report.reason =
                [std::mem::take(&mut report.reason), note].join("; ").trim_start_matches("; ").into();
            return report;
        }
        if !report.verdict.is_bad() {
            return report;
        }
        let kinds = report.failure.iter().flat_map(|f| &f.kinds);
        let found = report.failure.iter().flat_map(|f| &f.findings).map(|f| &f.kind).chain(kinds);
        let fits = expect.verdict == report.verdict
            && expect.finding.is_none_or(|kind| found.into_iter().any(|k| *k == kind));
        match (fits, expect.until.filter(|day| *day < today)) {
            (true, None) => {
                report.verdict = Verdict::Expected;
                report.reason = expected(&at, entry, expect);
                report
            }
            (true, Some(day)) => {
                let what =
                    format!("{at} expected this until {day}, which is past: fix it, or set a new date");
                said(report, what)
            }
            (false, _) => {
                let what = format!("{at} expects {}, and this is something else", expect.sentence());
                said(report, what)
            }
        }
    }
}

fn expected(at: &str, entry: &Entry, expect: &Expectation) -> String {
    format!("{}, as {at} expects, since {}", expect.sentence(), entry.why)
}

/// A report that is wrong for a reason of the registry's own.
fn wrong(mut report: KernelReport, finding: Finding) -> KernelReport {
    report.verdict = Verdict::Fail;
    report.reason = finding.message.clone();
    let kinds = vec![finding.kind];
    report.failure = Some(FailureReport { findings: vec![finding], kinds, ..FailureReport::default() });
    report
}

/// A report that stays as bad as it is, with a word on why it does not count as expected.
fn said(mut report: KernelReport, what: String) -> KernelReport {
    if let Some(failure) = &mut report.failure {
        failure.reason = [what.as_str(), &failure.reason].join("\n").trim_end().to_string();
    }
    report.reason = what;
    report
}
