//! Results as a table and as a text on each submission. Makes strings; prints nothing.

use std::collections::BTreeMap;

use ktwin::explain::visible;
use ktwin_check::Verdict;
use ktwin_num::plural;

use super::journal::{Record, Speed};
use crate::bench::show::time;

fn place(record: &Record) -> Option<usize> {
    Verdict::ALL.iter().position(|(_, verdict)| *verdict == record.verdict)
}

/// What ranks one that passed: its speed where the task asks, times before counts and both before none; else how large
/// its errors are.
fn worth(record: &Record) -> (u8, f64) {
    match &record.speed {
        None => (0, record.ratio),
        Some(speed) => match speed.figure {
            Some(figure) => (u8::from(!speed.is_time), figure),
            None => (2, record.ratio),
        },
    }
}

/// The best first: passing ones by what they are worth, all others by verdict.
fn ranked<'r>(records: &[&'r Record]) -> Vec<(Option<usize>, &'r Record)> {
    let mut all: Vec<&Record> = records.to_vec();
    all.sort_by(|a, b| {
        let ((kind, one), (other_kind, other)) = (worth(a), worth(b));
        let worth = if a.verdict == Verdict::Pass {
            kind.cmp(&other_kind).then(one.total_cmp(&other))
        } else {
            std::cmp::Ordering::Equal
        };
        place(a).cmp(&place(b)).then(worth).then_with(|| a.submission.cmp(&b.submission))
    });
    let mut out: Vec<(Option<usize>, &Record)> = Vec::new();
    for (number, record) in all.into_iter().enumerate() {
        let equal = out.last().filter(|(_, last)| worth(last) == worth(record)).and_then(|(rank, _)| *rank);
        let rank = (record.verdict == Verdict::Pass).then(|| equal.unwrap_or(number + 1));
        out.push((rank, record));
    }
    out
}

/// For each submission that is another's text except for comments and blanks, the first of them.
fn alike<'r>(records: &[&'r Record]) -> BTreeMap<&'r str, &'r str> {
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    let mut sorted: Vec<&Record> = records.to_vec();
    sorted.sort_by(|a, b| a.submission.cmp(&b.submission));
    let mut out = BTreeMap::new();
    for record in sorted {
        let known = *first.entry(&record.code).or_insert(&record.submission);
        if known != record.submission {
            out.insert(record.submission.as_str(), known);
        }
    }
    out
}

/// The table.
pub fn table(records: &[&Record]) -> String {
    let alike = alike(records);
    let head =
        ["rank", "verdict", "cases", "sharp", "error", "behaves like", "seconds", "speed", "submission"];
    let mut rows = vec![head.map(String::from)];
    for (rank, record) in ranked(records) {
        let Record { verdict, cases, passed, sharp, ratio, behaves_like, same_as, .. } = record;
        let mut name = visible(&record.submission);
        let same = same_as.as_ref().map(|first| format!("  (the same file as {})", visible(first)));
        let text =
            || Some(format!("  (the same code as {})", visible(alike.get(record.submission.as_str())?)));
        name.push_str(&same.or_else(text).unwrap_or_default());
        rows.push([
            rank.map_or("-".to_string(), |rank| rank.to_string()),
            verdict.to_string(),
            format!("{passed}/{cases}"),
            sharp.to_string(),
            if *verdict == Verdict::Pass { format!("{ratio:.2}") } else { "-".to_string() },
            behaves_like.as_deref().map_or("-".to_string(), visible),
            format!("{:.1}", record.seconds),
            record.speed.as_ref().map_or("-".to_string(), speed),
            name,
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    // a task that asks for no speed has no such column
    let is_shown = |at: usize| head[at] != "speed" || records.iter().any(|r| r.speed.is_some());
    let columns: Vec<usize> = (0..head.len()).filter(|at| is_shown(*at)).collect();
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut out = String::new();
    for row in &rows {
        let cell = |at: &usize| format!("{:<width$}", row[*at], width = widths[*at]);
        let cells: Vec<String> = columns.iter().map(cell).collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    let count = |wanted: Verdict| records.iter().filter(|r| r.verdict == wanted).count();
    let counts = Verdict::ALL.iter().map(|(name, verdict)| (name, count(*verdict)));
    let counts: Vec<String> =
        counts.filter(|(_, n)| *n > 0).map(|(verdict, n)| format!("{n} {verdict}")).collect();
    let twice =
        records.iter().filter(|r| r.same_as.is_some() || alike.contains_key(r.submission.as_str())).count();
    let twice = if twice > 0 { format!(" ({twice} like others)") } else { String::new() };
    out.push_str(&format!("{}: {}{twice}\n", plural(records.len(), "submission"), counts.join(", ")));
    out
}

fn speed(speed: &Speed) -> String {
    match speed.figure {
        Some(figure) if speed.is_time => time(figure),
        Some(figure) => format!("{figure:.0} instructions"),
        None => "none".to_string(),
    }
}

/// The text on one submission.
pub fn report(record: &Record) -> String {
    let mut out = format!("{}: {}\n", visible(&record.submission), record.verdict);
    let mut line = |text: String| out.push_str(&format!("{text}\n"));
    if !record.promise.is_empty() {
        line(format!("held to: {}", record.promise));
    }
    let Record { cases, passed, sharp, .. } = record;
    line(format!("{passed} of {} passed, {sharp} sharp", plural(*cases, "case")));
    if !record.reason.is_empty() && record.more.is_empty() {
        line(record.reason.clone());
    }
    for wrong in &record.wrong {
        let at = wrong.line.map_or(String::new(), |line| format!("line {line}: "));
        let message = wrong.message.as_ref().map_or(String::new(), |message| format!(": {message}"));
        line(format!("{at}{}{message}", wrong.kind));
        if let Some(number) = wrong.line.filter(|_| !wrong.text.is_empty()) {
            line(format!("  {number} | {}", wrong.text));
        }
    }
    record.more.iter().for_each(|text| line(text.clone()));
    if let Some(speed) = &record.speed {
        let unit =
            |figure: f64| if speed.is_time { time(figure) } else { format!("{figure:.0} instructions") };
        speed
            .cases
            .iter()
            .for_each(|(case, figure)| line(format!("{case}: {} on {}", unit(*figure), speed.device)));
        speed.why.iter().for_each(|why| line(format!("it has no speed: {}", visible(why))));
    }
    if let Some(first) = &record.same_as {
        line(format!("the same file as {}", visible(first)));
    }
    out
}

/// A name for that text: the submission's, in letters that every system takes, and what no other has.
pub fn file_name(record: &Record) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let name: String = record.submission.chars().map(plain).collect();
    let last: String = name.chars().rev().take(80).collect::<Vec<_>>().into_iter().rev().collect();
    let unlike = ktwin_check::hash_of(&[record.submission.as_bytes()]);
    format!("{}-{}.txt", last.trim_start_matches(['.', '_', '-']), &unlike[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, verdict: Verdict, ratio: f64, code: &str) -> Record {
        let (submission, code) = (name.to_string(), code.to_string());
        Record { submission, verdict, ratio, code, ..Record::default() }
    }

    #[test]
    fn the_best_come_first() {
        let all = [
            record("d.c", Verdict::Error, 0.0, "4"),
            record("a.c", Verdict::Fail, 0.0, "1"),
            record("b.c", Verdict::Pass, 0.5, "2"),
            record("c.c", Verdict::Pass, 0.1, "3"),
            record("e.c", Verdict::Pass, 0.5, "3"),
        ];
        let all: Vec<&Record> = all.iter().collect();
        let names: Vec<(Option<usize>, &str)> =
            ranked(&all).into_iter().map(|(rank, r)| (rank, r.submission.as_str())).collect();
        assert_eq!(
            names,
            [(Some(1), "c.c"), (Some(2), "b.c"), (Some(2), "e.c"), (None, "a.c"), (None, "d.c")]
        );
        let table = table(&all);
        assert!(table.contains("e.c  (the same code as c.c)"), "{table}");
        assert!(table.ends_with("5 submissions: 3 pass, 1 fail, 1 error (1 like others)\n"), "{table}");
    }

    #[test]
    fn names_of_reports_are_plain() {
        let name = file_name(&record("../../a b\n.c", Verdict::Pass, 0.0, ""));
        assert!(name.starts_with("a_b_.c-") && name.ends_with(".txt") && !name.contains('/'), "{name}");
        let twice = [record("a/b.c", Verdict::Pass, 0.0, ""), record("a_b.c", Verdict::Pass, 0.0, "")];
        assert_ne!(file_name(&twice[0]), file_name(&twice[1]));
    }
}
