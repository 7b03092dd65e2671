//! A run as one page of HTML.

use std::path::Path;

use ktwin::explain::{explained, measures, summary};
use ktwin::suite;
use ktwin_check::coverage::{self, CLASSES};
use ktwin_check::{FailureReport, Finding, KernelReport, OutputReport, Plan};

use super::Told;
use crate::coverage as ours;
use crate::page::{escape, whole};
use crate::picture::{histogram_svg, map_svg};

/// Lines of the source on either side of a finding.
const BESIDE: u32 = 3;

/// The whole page.
pub fn page(told: &Told) -> String {
    let rows: String = told.reports.iter().enumerate().map(|(at, report)| row(at, report)).collect();
    let kernels: String =
        told.reports.iter().enumerate().map(|(at, report)| kernel(at, report, told)).collect();
    let body = format!(
        "<div class=\"wide\"><table><thead><tr><th>verdict<th>kernel<th>op\
         <th>device<th>cases<th>sharp<th>error/bar<th>seconds</tr></thead><tbody>\n{rows}</tbody></table></div>\n\
         {kernels}"
    );
    whole(&told.head(), &body)
}

fn row(at: usize, report: &KernelReport) -> String {
    format!(
        "<tr><td class=\"{0}\">{0}<td><a href=\"#k{at}\">{1}</a><td>{2}<td>{3}<td>{4}<td>{5}\
         <td>{6}<td>{7:.2}</tr>\n",
        report.verdict,
        escape(&report.kernel),
        escape(&report.op),
        escape(&report.device),
        report.cases.total(),
        report.sharp,
        // that of the cases that pass, which of a wrong kernel tells nothing
        if report.verdict.is_bad() { "-".to_owned() } else { format!("{:.2}", report.ratio) },
        report.seconds,
    )
}

/// All of one kernel: open where it is wrong.
fn kernel(at: usize, report: &KernelReport, told: &Told) -> String {
    let open = if report.verdict.is_bad() { " open" } else { "" };
    let mut text = format!(
        "<details id=\"k{at}\"{open}><summary><span class=\"{0}\">{0}</span> {1}</summary>\n",
        report.verdict,
        escape(&summary(report)),
    );
    if let Some(promise) = &report.promise {
        text.push_str(&format!("<p>Promised: {}</p>\n", escape(&promise.sentence())));
    }
    if let Some(failure) = &report.failure {
        text.push_str(&wrong(report, failure));
    }
    if !report.measures.is_empty() {
        text.push_str(&format!("<pre>{}</pre>\n", escape(&measures(report).join("\n"))));
    }
    if !report.gaps.is_empty() {
        let gaps: String = report.gaps.iter().map(|gap| format!("<li>{}</li>", escape(gap))).collect();
        text.push_str(&format!("<h3>Gaps</h3><ul>{gaps}</ul>\n"));
    }
    text.push_str(&covered(report, told).unwrap_or_default());
    text + "</details>\n"
}

fn wrong(report: &KernelReport, failure: &FailureReport) -> String {
    let lines = explained(report).join("\n");
    let mut text = format!("<pre>{}</pre>\n", escape(&lines));
    failure.outputs.iter().for_each(|output| text.push_str(&pictures(output)));
    let others = failure.others.iter().map(|other| &other.finding);
    for finding in failure.findings.iter().chain(others) {
        text.push_str(&source(report, finding).unwrap_or_default());
    }
    text
}

fn pictures(output: &OutputReport) -> String {
    format!(
        "<div class=\"pictures\"><figure><figcaption>{0}: <b class=\"pass\">right</b>, \
         <b class=\"blind\">some wrong</b>, <b class=\"fail\">all wrong</b></figcaption>{1}</figure>\
         <figure><figcaption>{0}: elements by error, in bars</figcaption>{2}</figure></div>\n",
        escape(&output.name),
        map_svg(&output.map),
        histogram_svg(&output.histogram),
    )
}

/// A finding beside the lines that it is about.
fn source(report: &KernelReport, finding: &Finding) -> Option<String> {
    let line = finding.line?;
    let text = ktwin_check::read_text(Path::new(&report.kernel)).ok()?;
    let from = line.saturating_sub(BESIDE).max(1);
    let mut out = String::new();
    for (number, content) in (1u32..).zip(text.lines()).skip(from as usize - 1).take(2 * BESIDE as usize + 1)
    {
        let shown = format!("{number:>5} | {}", escape(content));
        let marked = if number == line { format!("<mark>{shown}</mark>\n") } else { format!("{shown}\n") };
        out.push_str(&marked);
    }
    Some(format!("<h3>{}</h3><pre>{out}</pre>\n", escape(&finding.to_string())))
}

/// What the cases that ran cover: how many have sizes of each class, and all else that a plan tells.
fn covered(report: &KernelReport, told: &Told) -> Option<String> {
    let mine =
        told.cases.iter().filter(|(kernel, device, _)| *kernel == report.kernel && *device == report.device);
    let cases: Vec<_> = mine.map(|(_, _, case)| case.clone()).collect();
    let kernel = suite::load(Path::new(&report.kernel), None).ok().filter(|_| !cases.is_empty())?;
    let plan = Plan { cases, ..Plan::default() };
    let head: String = CLASSES.iter().map(|class| format!("<th>{}", escape(class))).collect();
    let row = |row: coverage::Row| {
        let cells = row.cases.iter().map(|n| format!("<td>{}", n.map_or("-".into(), |n| n.to_string())));
        format!("<tr><th>{}{}</tr>", escape(&row.dim), cells.collect::<String>())
    };
    let body: String = coverage::rows(&kernel, &plan).into_iter().map(row).collect();
    let regimes = ours::regimes(&plan.cases).into_iter();
    let regimes: Vec<String> = regimes.map(|(count, regime)| format!("{} {count}", regime.name())).collect();
    let layouts = ours::layouts(&plan.cases);
    let lines = [
        ("Pairs of dimensions", ours::pairs(&kernel, &plan).join("; ")),
        ("Types", ours::types(&kernel)),
        (
            "Layouts",
            if layouts.is_empty() { "row alone".into() } else { format!("row, {}", layouts.join(", ")) },
        ),
        ("Cases by regime", regimes.join(", ")),
    ];
    let items = lines.iter().filter(|(_, text)| !text.is_empty());
    let items: String = items.map(|(what, text)| format!("<li>{what}: {}</li>", escape(text))).collect();
    Some(format!(
        "<h3>Cases by size</h3><div class=\"wide\"><table><thead><tr><th>{head}</tr></thead><tbody>{body}</tbody>\
         </table></div>\n<ul>{items}</ul>\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_check::{Level, Totals, Verdict};

    #[test]
    fn no_text_of_a_kernel_becomes_markup() {
        let reason = "<script>alert(1)</script> & \"so on\"".to_string();
        let failure = FailureReport {
            outputs: vec![OutputReport {
                name: "<y>".into(),
                shape: vec![2],
                total: 2,
                failing: 1,
                worst: Vec::new(),
                map: vec![".#".into()],
                histogram: vec![1, 0, 1],
                whole: Vec::new(),
                levels: None,
            }],
            reason,
            ..FailureReport::default()
        };
        let bad = KernelReport {
            kernel: "a<b>.c".into(),
            verdict: Verdict::Fail,
            failure: Some(failure),
            ..KernelReport::default()
        };
        let totals = Totals { fail: 1, ..Totals::default() };
        let text = page(&Told {
            reports: &[bad],
            totals: &totals,
            cases: &[],
            allow_skip: false,
            level: Some(Level::Quick),
        });
        assert!(!text.contains("<script") && !text.contains("<y>") && !text.contains("a<b>"), "{text}");
        assert!(text.contains("a&lt;b&gt;.c") && text.contains("<h1>1 failed, quick plan</h1>"), "{text}");
        assert_eq!(text.matches("<svg").count(), 2);
    }
}
