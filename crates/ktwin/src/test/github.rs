//! Annotations for GitHub's CI, at the line of the kernel that a finding names.

use ktwin::explain::{summary, told, visible};
use ktwin_check::{KernelReport, Verdict};

/// The workflow commands of a report; none for a kernel that passes.
pub fn annotations(report: &KernelReport) -> String {
    let level = match report.verdict {
        Verdict::Pass | Verdict::Expected => return String::new(),
        Verdict::Blind | Verdict::Skip => "warning",
        _ => "error",
    };
    let findings = report.failure.iter().flat_map(|failure| &failure.findings);
    let line = findings.filter_map(|finding| finding.line).next().unwrap_or(1);
    let lines = told(report);
    let said = if lines.is_empty() { summary(report) } else { lines.join("\n") };
    let title = format!("ktwin: {}: {}", report.verdict, report.op);
    let file = report.kernel.trim_start_matches("./");
    format!("::{level} file={},line={line},title={}::{}\n", property(file), property(&title), data(&said))
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(&visible(text)).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_check::{FailureReport, Finding, Kind};

    #[test]
    fn a_finding_is_at_its_line_and_nothing_breaks_out() {
        let mut finding = Finding::new(Kind::Race, "two lanes write tile[3] 100%\n::error::x");
        finding.line = Some(12);
        let failure = FailureReport { findings: vec![finding], ..FailureReport::default() };
        let report = KernelReport {
            kernel: "./a,b:c.wgsl".into(),
            verdict: Verdict::Fail,
            failure: Some(failure),
            ..KernelReport::default()
        };
        let text = annotations(&report);
        assert!(text.starts_with("::error file=a%2Cb%3Ac.wgsl,line=12,title=ktwin%3A fail"), "{text}");
        assert!(text.contains("100%25") && text.lines().count() == 1, "{text}");
        assert_eq!(annotations(&KernelReport { verdict: Verdict::Pass, ..KernelReport::default() }), "");
    }
}
