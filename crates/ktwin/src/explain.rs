//! Reports as text for people: a line on a kernel, and what is wrong with it. Makes strings; prints nothing.

use ktwin_check::{
    FailureReport, Finding, KernelReport, Kind, LawReport, Measures, Note, Pattern, Verdict, What,
};
use ktwin_num::{Regime, plural};

use crate::elements;
pub use crate::elements::output as wrong_output;

/// Whether a character acts on what shows it: control characters, and those that turn the direction of what follows.
fn acts(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text that somebody else wrote, as it can be shown on one line: control characters, and those that turn the
/// direction of what follows, as their numbers.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\t' => out.push_str("    "),
            c if acts(c) => out.push_str(&c.escape_unicode().to_string()),
            c => out.push(c),
        }
    }
    out
}

/// The same of several lines.
pub fn visible_lines(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}

/// A page as it is, but for what acts on the terminal that shows it: of one that was painted, colours of ours are left.
pub fn tamed(page: &str, painted: bool) -> String {
    const COLOURS: [&str; 5] = ["[0m", "[2m", "[31m", "[32m", "[33m"];
    let mut out = String::with_capacity(page.len());
    for (at, letter) in page.char_indices() {
        let rest = &page[at + letter.len_utf8()..];
        match letter {
            '\n' | '\t' => out.push(letter),
            '\x1b' if painted && COLOURS.iter().any(|colour| rest.starts_with(colour)) => out.push(letter),
            c if acts(c) => out.push_str(&c.escape_unicode().to_string()),
            c => out.push(c),
        }
    }
    out
}

/// A page of which GitHub's runner takes no line for a workflow command.
pub fn unordered(page: &str) -> String {
    let lines = page.split('\n').map(|line| {
        let command = line.trim_start().starts_with("::");
        let line = line.replace("##[", "## [");
        if command { line.replacen("::", ": :", 1) } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// One line on a kernel.
pub fn summary(report: &KernelReport) -> String {
    let KernelReport { kernel, op, device, cases, .. } = report;
    let mut parts = Vec::new();
    match report.verdict {
        Verdict::Pass | Verdict::Blind => {
            match &report.law {
                Some(law) => parts.extend([plural(cases.total(), "case"), judged_law(law)]),
                None => parts.push(format!("{}, {} sharp", plural(cases.total(), "case"), report.sharp)),
            }
            let policy = report.promise.as_ref().and_then(|promise| promise.policy.as_ref());
            let allowed = if policy.is_some() { "what the policy allows" } else { "the bar" };
            parts.push(format!("error {} of {allowed}", share(report.ratio)));
            parts.extend(report.behaves_like.as_ref().map(|r| format!("behaves like {r}")));
            parts.extend(policy.map(|policy| format!("decided by {policy}")));
            parts.extend((!report.reason.is_empty()).then(|| report.reason.clone()));
            parts.extend(report.form.clone());
            parts.extend(gaps(&report.gaps));
        }
        Verdict::Skip | Verdict::Error | Verdict::Expected => parts.push(on_one_line(&report.reason)),
        _ if cases.total() > 0 => {
            parts.push(format!("{} of {} failed", cases.fail, plural(cases.total(), "case")))
        }
        _ => {}
    }
    let whole = |s: &&String| ["full", "driver"].contains(&s.as_str());
    parts.extend(report.sandbox.iter().filter(|s| !whole(s)).map(|s| format!("sandbox: {s}")));
    parts.extend(report.seed.filter(|_| cases.total() > 0).map(|seed| format!("seed {seed}")));
    parts.push(format!("{:.2} s", report.seconds));
    let on = if op.is_empty() { device.clone() } else { format!("{op} on {device}") };
    visible(&format!("{kernel}  {on}: {}", parts.join(", ")))
}

/// What a tool said in several lines, as a part of one.
fn on_one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("; ").replace(":; ", ": ")
}

/// The first gap, which is the largest, and how many there are.
fn gaps(gaps: &[String]) -> Option<String> {
    let first = shortened(gaps.first()?);
    Some(match gaps.len() {
        1 => format!("1 gap ({first})"),
        many => format!("{many} gaps (the largest: {first})"),
    })
}

/// Characters of a gap in a line that has other things to say.
const BRIEF: usize = 120;

/// A gap, and where the rest of a long one is.
fn shortened(gap: &str) -> String {
    let rest = gap.char_indices().nth(BRIEF).and_then(|(end, _)| gap[..end].rfind(", "));
    rest.map_or_else(|| gap.to_string(), |end| format!("{} …; -v has all", &gap[..end]))
}

/// What a kernel that is not wrong has promised: a pass is worth as much.
pub fn promised(report: &KernelReport) -> Option<String> {
    let seen = matches!(report.verdict, Verdict::Pass | Verdict::Blind);
    let promise = report.promise.as_ref().filter(|_| seen)?;
    let (sharp, all) = (report.sharp, plural(report.cases.total(), "case"));
    let seen = match &report.law {
        Some(law) => format!("refused by chance at most {:.0e} times", law.false_alarms),
        None => format!("{sharp} of {all} sharp"),
    };
    Some(visible(&format!("promised: {}; {seen}", promise.sentence())))
}

/// What a sanitizer beside the device ran: its commands, which can be copied, each after how it ended.
pub fn sanitized(report: &KernelReport) -> Vec<String> {
    let tools = report.sanitized.iter().flat_map(|said| &said.tools);
    tools
        .flat_map(|tool| [format!("{}: {}", tool.name, tool.summary), format!("  {}", tool.command)])
        .collect()
}

/// What was seen of a law, and how little would have been.
fn judged_law(law: &LawReport) -> String {
    format!(
        "law held in {} of {}, off by {:.1e} of 0.5 would show",
        plural(law.tests, "test"),
        plural(law.samples as usize, "outcome"),
        law.visible
    )
}

fn share(ratio: f64) -> String {
    if ratio == 0.0 { "0".to_string() } else { format!("{ratio:.2}") }
}

/// How far an output is off, by every measure.
pub fn measured(measures: &Measures) -> String {
    let shown = |(name, value): &(String, f64)| {
        let value = match *value {
            v if v.fract() == 0.0 && v.abs() < 1e5 || !v.is_finite() => format!("{v}"),
            // near 1 the digits that are missing are those that count
            v if ["correlation", "cosine"].contains(&name.as_str()) => format!("{v:.6}"),
            v if (1e-3..1e5).contains(&v.abs()) => format!("{v:.4}"),
            v => format!("{v:.2e}"),
        };
        format!("{name} {value}")
    };
    measures.values.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// The same of every output of a kernel, a line each.
pub fn measures(report: &KernelReport) -> Vec<String> {
    let line = |m: &Measures| format!("measures of {}, worst over all cases: {}", m.output, measured(m));
    report.measures.iter().map(|m| visible(&line(m))).collect()
}

/// Whether a policy decides, and not the error bars.
pub fn by_policy(report: &KernelReport) -> bool {
    report.promise.as_ref().is_some_and(|promise| promise.policy.is_some())
}

/// What is wrong with a kernel, line by line, what tells most first; nothing where nothing is.
pub fn explained(report: &KernelReport) -> Vec<String> {
    explained_in(report, 0)
}

/// The same, and how far its outputs are off by every measure.
pub fn told(report: &KernelReport) -> Vec<String> {
    let measures = if report.failure.is_some() { measures(report) } else { Vec::new() };
    [explained(report), measures].concat()
}

/// What is wrong on a terminal of so many columns: a wide one has room for small outputs beside maps of their errors.
pub fn explained_in(report: &KernelReport, columns: usize) -> Vec<String> {
    let Some(failure) = &report.failure else { return Vec::new() };
    let FailureReport { case, repeat, findings, kinds, others, inputs, outputs, patterns, reason } = failure;
    let mut out = Vec::new();
    let formula =
        |p: &&Pattern| matches!(p.what, What::Formula { .. } | What::Misread { .. } | What::Remembers);
    let pattern = |p: &Pattern| format!("pattern: {p}");
    out.extend(reason.lines().map(str::to_string));
    // what is said of values the table says again, and where they come by chance, what they look like tells little
    let in_table = |f: &Finding| f.line.is_none() && (f.kind.is_of_values() || f.kind == Kind::WrongLaw);
    let (plain, mut told): (Vec<&Finding>, Vec<&Finding>) = findings.iter().partition(|f| in_table(f));
    told.sort_by_key(|f| f.kind == Kind::NotRepeatable);
    let (notes, told): (Vec<&Finding>, Vec<&Finding>) = told.into_iter().partition(|f| f.kind.is_note());
    out.extend(placed(&told));
    let (caused, others): (Vec<&Note>, Vec<&Note>) =
        others.iter().partition(|o| o.finding.kind.leaves_chance() || o.finding.line.is_some());
    for other in caused {
        out.extend(if out.is_empty() { of_case(other, "smallest case:") } else { also(other) });
    }
    out.extend(patterns.iter().filter(formula).map(pattern));
    out.extend(placed(&notes));
    out.extend(behaves(report));
    out.extend(patterns.iter().filter(|p| !formula(p)).map(pattern));
    out.extend(case.iter().map(|case| format!("smallest failing case: {case}")));
    let special = case.as_ref().is_some_and(|case| matches!(case.regime, Regime::Nan | Regime::Inf));
    if special && kinds[..] == [Kind::WrongClass] {
        out.push(
            "its inputs hold a NaN or an infinity; where callers have none, `nan = \"never\"` says so".into(),
        );
    }
    out.extend(elements::inputs(inputs));
    outputs.iter().for_each(|o| out.extend(elements::output(o, columns >= elements::WIDE)));
    plain.into_iter().for_each(|f| out.extend(finding(f)));
    others.iter().for_each(|other| out.extend(also(other)));
    let told = |kind: &Kind| {
        findings.iter().chain(failure.others.iter().map(|o| &o.finding)).any(|f| f.kind == *kind)
    };
    let elsewhere: Vec<&str> = kinds.iter().filter(|kind| !told(kind)).map(|k| k.name()).collect();
    if !elsewhere.is_empty() {
        out.push(format!("in other cases: {}", elsewhere.join(", ")));
    }
    // a pass says it in its first line
    let policy = report.promise.as_ref().and_then(|promise| promise.policy.as_ref());
    out.extend(policy.map(|policy| format!("decided by {policy}")));
    if !repeat.is_empty() {
        out.push(format!("repeat: {repeat}"));
    }
    out.iter().map(|line| visible(line)).collect()
}

/// Findings with a line that are shown whole where a case has many.
const WHOLE: usize = 5;

/// Findings that tell where to look: of those with a line the first ones whole.
fn placed(findings: &[&Finding]) -> Vec<String> {
    let (lined, others): (Vec<&Finding>, Vec<&Finding>) = findings.iter().partition(|f| f.line.is_some());
    let (whole, rest) = lined.split_at(if lined.len() <= WHOLE + 1 { lined.len() } else { WHOLE });
    let told = whole.iter().flat_map(|f| finding(f)).chain(lines_of(rest));
    told.chain(others.into_iter().flat_map(finding)).collect()
}

/// Further findings by their lines alone: `and out of bounds in lines 12, 13; race in line 20`.
fn lines_of(findings: &[&Finding]) -> Option<String> {
    let mut kinds: Vec<(Kind, Vec<u32>)> = Vec::new();
    for (kind, line) in findings.iter().filter_map(|f| f.line.map(|line| (f.kind, line))) {
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, lines)) if lines.contains(&line) => {}
            Some((_, lines)) => lines.push(line),
            None => kinds.push((kind, vec![line])),
        }
    }
    let words = kinds.iter().map(|(kind, lines)| {
        let numbers = lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        format!("{kind} in line{} {numbers}", if lines.len() == 1 { "" } else { "s" })
    });
    let words = words.collect::<Vec<_>>().join("; ");
    (!words.is_empty()).then(|| format!("and {words}"))
}

/// The rungs that a wrong kernel behaves like, where those are not what it promises.
fn behaves(report: &KernelReport) -> Option<String> {
    let (like, promised) = report.behaves_like.zip(report.promised)?;
    (like != promised).then(|| format!("behaves like {like}, promised {promised}"))
}

/// A finding of another case.
fn also(other: &Note) -> Vec<String> {
    let mut lines = of_case(other, "smallest case:");
    lines.iter_mut().take(1).for_each(|line| line.insert_str(0, "also "));
    lines
}

/// A note, and the first case in which it was met.
pub fn note(note: &Note) -> Vec<String> {
    of_case(note, "first in")
}

/// A finding, and a case that shows it.
fn of_case(note: &Note, which: &str) -> Vec<String> {
    let mut lines = finding(&note.finding);
    lines.iter_mut().take(1).for_each(|line| line.push_str(&format!(" ({which} {})", note.case)));
    lines
}

/// A finding in one line or two.
fn finding(finding: &Finding) -> Vec<String> {
    let Finding { kind, line, text, message, place, count, .. } = finding;
    let mut out = Vec::new();
    let mut more: Vec<String> = place.iter().cloned().collect();
    if *count > 1 && line.is_some() {
        more.push(format!("{count} times"));
    }
    let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join("; ")) };
    match line {
        Some(line) => {
            out.push(format!("line {line}: {kind}: {message}{more}"));
            if !text.is_empty() {
                out.push(format!("  {line} | {text}"));
            }
        }
        None => out.push(format!("{kind}: {message}{more}")),
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_findings_some_are_lines_alone() {
        let at = |kind, line| Finding { line: Some(line), ..Finding::new(kind, "m") };
        let all = [at(Kind::OutOfBounds, 12), at(Kind::Race, 20), at(Kind::OutOfBounds, 13)];
        let told = lines_of(&all.iter().collect::<Vec<_>>());
        assert_eq!(told.as_deref(), Some("and out of bounds in lines 12, 13; race in line 20"));
        assert_eq!(lines_of(&[]), None);
    }

    #[test]
    fn what_others_wrote_cannot_move_the_cursor() {
        assert_eq!(visible("a\x1b[2Kb\r\nc\u{202e}d\u{9b}"), "a\\u{1b}[2Kb\\u{d}\\u{a}c\\u{202e}d\\u{9b}");
        assert_eq!(visible("köln 東京 ✓"), "köln 東京 ✓");
        assert_eq!(visible_lines("one\ntwo\x07"), "one\ntwo\\u{7}");
        assert_eq!(tamed("a\x1b[31m\nb", false), "a\\u{1b}[31m\nb");
        assert_eq!(tamed("a\x1b[31m\x1b[2K", true), "a\x1b[31m\\u{1b}[2K");
        let report = KernelReport {
            kernel: "a\nb.c".into(),
            verdict: Verdict::Fail,
            failure: Some(FailureReport { reason: "x\x1b[31m\ny".into(), ..FailureReport::default() }),
            ..KernelReport::default()
        };
        let lines = [vec![summary(&report)], explained(&report)].concat();
        assert!(lines.iter().all(|l| !l.chars().any(char::is_control)), "{lines:?}");
    }

    #[test]
    fn a_reason_of_several_lines_is_told_on_one() {
        let reason = "no such type:\n  at line 3\n\n".into();
        let skipped = summary(&KernelReport { verdict: Verdict::Skip, reason, ..KernelReport::default() });
        assert!(skipped.contains(": no such type: at line 3, 0.00 s"), "{skipped}");
    }

    #[test]
    fn a_box_that_is_not_whole_is_said() {
        let of = |s: &str| {
            let (verdict, sandbox) = (Verdict::Pass, Some(s.to_string()));
            summary(&KernelReport { verdict, sandbox, ..KernelReport::default() })
        };
        assert!(of("partial (missing: seccomp)").contains("sandbox: partial (missing: seccomp)"));
        assert!(!of("full").contains("sandbox"));
    }
}
