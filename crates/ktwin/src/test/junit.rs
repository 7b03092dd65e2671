//! Reports as JUnit XML: a test suite for each device, a test case for each kernel. Where the exit code is not 0, some
//! test case is a failure or an error.

use std::time::Duration;

use ktwin::explain::{explained, summary, visible};
use ktwin_check::{KernelReport, Totals, Verdict};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

/// What has no op or no device of its own is the run's.
const RUN: &str = "ktwin";

/// The whole document. What was skipped is an error unless skips are allowed.
pub fn document(reports: &[KernelReport], totals: &Totals, allow_skip: bool) -> Result<String, String> {
    let mut document = Report::new(RUN);
    document.set_time(seconds(totals.seconds));
    let mut devices: Vec<&str> = reports.iter().map(|r| r.device.as_str()).collect();
    devices.sort_unstable();
    devices.dedup();
    // skips are not a success if nothing passes
    let skips = allow_skip && totals.pass > 0 && !totals.stopped;
    for device in devices {
        let mut suite = TestSuite::new(device);
        let of = || reports.iter().filter(|r| r.device == device);
        suite.set_time(seconds(of().map(|r| r.seconds).sum()));
        suite.add_test_cases(of().map(|report| case(report, skips)));
        document.add_test_suite(suite);
    }
    if totals.stopped {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_type("interrupted").set_message("the run was stopped before its end");
        let mut suite = TestSuite::new(RUN);
        suite.add_test_case(named("the whole run", RUN, status));
        document.add_test_suite(suite);
    }
    document.to_string().map_err(|e| e.to_string())
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

fn named(name: &str, class: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname(class);
    case
}

fn case(report: &KernelReport, skips: bool) -> TestCase {
    let class = if report.op.is_empty() { RUN } else { &report.op };
    let mut case = named(&report.kernel, class, status(report, skips));
    case.set_time(seconds(report.seconds));
    if let Some(seed) = report.seed {
        case.add_property(("seed", seed.to_string().as_str()));
    }
    if let Some(policy) = report.promise.as_ref().and_then(|promise| promise.policy.as_deref()) {
        case.add_property(("policy", visible(policy).as_str()));
    }
    for one in &report.measures {
        for (name, value) in &one.values {
            case.add_property((format!("{}.{name}", one.output).as_str(), format!("{value:?}").as_str()));
        }
    }
    case
}

fn status(report: &KernelReport, skips: bool) -> TestCaseStatus {
    let kind = match report.verdict {
        Verdict::Pass => return TestCaseStatus::success(),
        // as pytest writes expected failures
        Verdict::Expected => return skipped(report),
        Verdict::Skip if skips => return skipped(report),
        verdict if verdict.is_bad() => NonSuccessKind::Failure,
        _ => NonSuccessKind::Error,
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(report.verdict.name()).set_message(message(report));
    let lines = explained(report);
    if !lines.is_empty() {
        status.set_description(lines.join("\n"));
    }
    status
}

fn skipped(report: &KernelReport) -> TestCaseStatus {
    let mut skipped = TestCaseStatus::skipped();
    skipped.set_message(report.reason.as_str());
    skipped
}

/// Why, in a line: there always is one.
fn message(report: &KernelReport) -> String {
    let first = report.reason.lines().next().filter(|line| !line.is_empty());
    first.map_or_else(|| summary(report), str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(verdicts: &[Verdict], totals: Totals, allow_skip: bool) -> String {
        let report = |(n, verdict): (usize, &Verdict)| KernelReport {
            kernel: format!("{n}<{verdict}>\u{1b}.wgsl"),
            device: "sim".into(),
            verdict: *verdict,
            seed: Some(7),
            ..KernelReport::default()
        };
        let reports: Vec<KernelReport> = verdicts.iter().enumerate().map(report).collect();
        document(&reports, &totals, allow_skip).unwrap()
    }

    #[test]
    fn every_verdict_has_its_element() {
        let all: Vec<Verdict> = Verdict::ALL.iter().map(|(_, verdict)| *verdict).collect();
        let text = written(&all, Totals { pass: 1, fail: 3, ..Totals::default() }, true);
        let count = |what: &str| text.matches(what).count();
        assert_eq!((count("<testcase"), count("<failure"), count("<error"), count("<skipped")), (9, 4, 2, 2));
        assert_eq!((count("name=\"seed\" value=\"7\""), count("classname=\"ktwin\"")), (9, 9), "{text}");
        assert!(text.contains("tests=\"9\" skipped=\"2\" errors=\"2\" failures=\"4\""), "{text}");
        assert!(text.contains("0&lt;pass&gt;") && !text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn a_skip_is_an_error_where_the_exit_code_is_not_0() {
        let skipped = [Verdict::Skip, Verdict::Pass];
        let totals = Totals { pass: 1, skip: 1, ..Totals::default() };
        assert!(written(&skipped, totals, true).contains("<skipped"));
        assert!(written(&skipped, totals, false).contains("<error"));
        let alone = Totals { skip: 1, ..Totals::default() };
        assert!(written(&skipped[..1], alone, true).contains("<error"));
    }

    #[test]
    fn an_interrupted_run_says_so() {
        let totals = Totals { pass: 1, stopped: true, ..Totals::default() };
        let text = written(&[Verdict::Pass], totals, false);
        assert!(text.contains("the whole run") && text.contains("stopped before its end"), "{text}");
    }
}
