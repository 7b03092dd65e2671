//! Reports as JUnit XML: a test suite for each device, a test case for each kernel.

use ktwin::explain::explained;
use ktwin_check::{KernelReport, Totals};

/// The whole document.
pub fn document(reports: &[KernelReport], totals: &Totals) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let (all, failures) = (reports.len(), totals.fail + totals.invalid);
    let (time, errors) = (totals.seconds, totals.error);
    out.push_str(&format!(
        "<testsuites name=\"ktwin\" tests=\"{all}\" failures=\"{failures}\" errors=\"{errors}\" \
         time=\"{time:.3}\">\n"
    ));
    let mut devices: Vec<&str> = reports.iter().map(|r| r.device.as_str()).collect();
    devices.sort_unstable();
    devices.dedup();
    for device in devices {
        let of: Vec<&KernelReport> = reports.iter().filter(|r| r.device == device).collect();
        out.push_str(&suite(device, &of));
    }
    out.push_str("</testsuites>\n");
    out
}

fn is_bad(report: &KernelReport) -> bool {
    matches!(report.verdict.as_str(), "fail" | "crash" | "hang" | "invalid")
}

fn suite(device: &str, reports: &[&KernelReport]) -> String {
    let failures = reports.iter().filter(|r| is_bad(r)).count();
    let skipped = reports.iter().filter(|r| matches!(r.verdict.as_str(), "skip" | "blind")).count();
    let errors = reports.iter().filter(|r| r.verdict == "error").count();
    let time: f64 = reports.iter().map(|r| r.seconds).sum();
    let mut out = format!(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" \
         skipped=\"{skipped}\" time=\"{time:.3}\">\n",
        escaped(device),
        reports.len()
    );
    reports.iter().for_each(|r| out.push_str(&case(r)));
    out.push_str("  </testsuite>\n");
    out
}

fn case(report: &KernelReport) -> String {
    let (name, class, time) = (escaped(&report.kernel), escaped(&report.op), report.seconds);
    let head = format!("    <testcase name=\"{name}\" classname=\"{class}\" time=\"{time:.3}\"");
    let verdict = escaped(&report.verdict);
    if is_bad(report) {
        let text = escaped(&explained(report).join("\n"));
        return format!("{head}>\n      <failure type=\"{verdict}\">{text}</failure>\n    </testcase>\n");
    }
    match report.verdict.as_str() {
        "pass" => format!("{head}/>\n"),
        "error" => {
            let reason = escaped(&report.reason);
            format!("{head}>\n      <error type=\"error\">{reason}</error>\n    </testcase>\n")
        }
        _ => {
            let reason = escaped(&report.reason);
            format!("{head}>\n      <skipped message=\"{verdict}: {reason}\"/>\n    </testcase>\n")
        }
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML 1.0 has no place for other control characters
            c if c < ' ' && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("a<b & \"c\"\u{1b}"), "a&lt;b &amp; &quot;c&quot;\u{fffd}");
    }

    #[test]
    fn every_verdict_has_its_element() {
        let report = |verdict: &str| KernelReport {
            kernel: format!("{verdict}.wgsl"),
            device: "sim".into(),
            verdict: verdict.into(),
            ..KernelReport::default()
        };
        let reports: Vec<KernelReport> =
            ["pass", "fail", "skip", "blind", "hang", "error"].map(report).into();
        let text = document(&reports, &Totals { pass: 1, fail: 2, ..Totals::default() });
        assert_eq!(text.matches("<testcase").count(), 6);
        assert_eq!(text.matches("<error").count(), 1);
        assert_eq!(text.matches("<failure").count(), 2);
        assert_eq!(text.matches("<skipped").count(), 2);
    }
}
