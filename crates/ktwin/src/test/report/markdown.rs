//! A run as Markdown, for pull requests: what is wrong first, what passes folded away.

use ktwin::explain::{explained, measures, promised, summary};
use ktwin_check::KernelReport;

use super::Told;

/// The whole page.
pub fn page(told: &Told) -> String {
    let (fine, bad): (Vec<_>, Vec<_>) = told.reports.iter().partition(|r| !r.verdict.is_bad());
    let mut text = format!("# ktwin: {}\n", told.head());
    for report in bad {
        text.push_str(&format!("\n## {}: {}\n\n", report.verdict, code(&summary(report))));
        let lines = [explained(report), measures(report)].concat().join("\n");
        // a fence is longer than any in the text
        let fence = "`".repeat(3 + lines.split(|c| c != '`').map(str::len).max().unwrap_or(0));
        text.push_str(&format!("{fence}text\n{lines}\n{fence}\n"));
    }
    if !fine.is_empty() {
        text.push_str("\n<details><summary>Not wrong</summary>\n\n");
        fine.into_iter().for_each(|report| text.push_str(&line(report)));
        text.push_str("\n</details>\n");
    }
    text
}

fn line(report: &KernelReport) -> String {
    let mut text = format!("- **{}** {}\n", report.verdict, code(&summary(report)));
    let gaps = report.gaps.iter().map(|gap| format!("gap: {gap}"));
    let more = promised(report).into_iter().chain(gaps).chain(measures(report));
    more.for_each(|more| text.push_str(&format!("  - {}\n", code(&ktwin::explain::visible(&more)))));
    text
}

/// A text as it is, whatever marks it holds.
fn code(text: &str) -> String {
    let ticks = "`".repeat(1 + text.split(|c| c != '`').map(str::len).max().unwrap_or(0));
    let space = if text.contains('`') { " " } else { "" };
    format!("{ticks}{space}{text}{space}{ticks}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_check::{FailureReport, Level, Totals, Verdict};

    #[test]
    fn no_text_of_a_kernel_ends_its_fence() {
        let failure = FailureReport { reason: "```\n# not a heading".into(), ..FailureReport::default() };
        let bad = KernelReport {
            kernel: "a`b.c".into(),
            verdict: Verdict::Fail,
            failure: Some(failure),
            ..KernelReport::default()
        };
        let good =
            KernelReport { verdict: Verdict::Pass, gaps: vec!["K > 9".into()], ..KernelReport::default() };
        let totals = Totals { pass: 1, fail: 1, ..Totals::default() };
        let told = Told {
            reports: &[bad, good],
            totals: &totals,
            cases: &[],
            allow_skip: false,
            level: Some(Level::Quick),
        };
        let text = page(&told);
        assert!(text.starts_with("# ktwin: 1 passed, 1 failed, quick plan\n"), "{text}");
        assert!(text.contains("``````text\n```\n# not a heading\n``````\n"), "{text}");
        assert!(text.contains("`` a`b.c") && text.contains("- `gap: K > 9`"), "{text}");
    }
}
