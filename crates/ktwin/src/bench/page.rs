//! Figures as one page of HTML: the table, the plots and what else there is to say.

use super::others::{self, Other};
use super::plots::{against_size, bar, distributions, roofline};
use super::report::Told;
use super::row::{Against, Row};
use super::show::{HEADS, cells, count};
use crate::page::{escape, table, whole};

/// Which cell of a line has the share of the roof.
const SHARE: usize = 8;

/// The whole page.
pub fn page(told: &Told) -> String {
    let parts = [
        times(told.rows),
        counts(told.rows),
        theirs(told.others),
        plots(told.rows),
        compared(told.rows),
        list("Not measured", "fail", told.refused.iter().map(|(case, why)| format!("{case}: {why}"))),
        list("Notes", "", told.rows.iter().flat_map(|r| r.notes.iter().map(|n| format!("{}: {n}", r.case)))),
    ];
    whole(&told.head(), &parts.concat())
}

fn times(rows: &[Row]) -> String {
    let lines = rows.iter().flat_map(|row| {
        row.series.iter().map(|series| {
            let mut line = cells(row, series).map(|cell| escape(&cell)).to_vec();
            if let Some(share) = series.rates.share {
                line[SHARE] = format!("{} {}", bar(share), line[SHARE]);
            }
            line
        })
    });
    let lines: Vec<Vec<String>> = lines.collect();
    if lines.is_empty() { String::new() } else { table(&HEADS, &lines) }
}

/// What a simulator counted: a line a count, a column a case.
fn counts(rows: &[Row]) -> String {
    let Some(first) = rows.iter().find(|row| !row.counts.is_empty()) else { return String::new() };
    let names: Vec<String> = rows.iter().map(|row| escape(&row.case)).collect();
    let heads: Vec<&str> = std::iter::once("count").chain(names.iter().map(String::as_str)).collect();
    let line = |name: &str| {
        let own =
            |row: &Row| row.counts.iter().find(|(n, _)| *n == name).map_or("-".into(), |(_, n)| count(*n));
        std::iter::once(escape(name)).chain(rows.iter().map(own)).collect::<Vec<String>>()
    };
    let lines: Vec<Vec<String>> = first.counts.iter().map(|(name, _)| line(name)).collect();
    table(&heads, &lines)
}

/// What other programs measured.
fn theirs(others: &[Other]) -> String {
    let lines = others::lines(others).into_iter();
    let lines: Vec<Vec<String>> = lines.map(|line| line.iter().map(|cell| escape(cell)).collect()).collect();
    match lines[..] {
        [] => String::new(),
        _ => format!("<h3>Measured by others, and not verified</h3>{}", table(&others::HEADS, &lines)),
    }
}

fn plots(rows: &[Row]) -> String {
    let names: String = rows.iter().map(|row| format!("<li>{}</li>", escape(&row.case))).collect();
    let key = "<b class=\"one\">cold</b>, <b class=\"two\">warm</b>";
    let key = if rows.iter().any(|row| !row.series.is_empty()) { key } else { "counted" };
    let both = [("Roofline", roofline(rows)), ("Against size", against_size(rows))];
    let figures = both.into_iter().filter_map(|(what, svg)| {
        Some(format!(
            "<figure class=\"plot\"><figcaption>{what}: {key}</figcaption>{}<figcaption><ol>{names}</ol>\
             </figcaption></figure>",
            svg?
        ))
    });
    let figures: String = figures.collect();
    if figures.is_empty() { figures } else { format!("<div class=\"pictures\">{figures}</div>\n") }
}

/// What comparisons said, and the times of both sides.
fn compared(rows: &[Row]) -> String {
    let all = || rows.iter().flat_map(|row| row.against.iter().map(move |a| (row, a)));
    let lines: Vec<Vec<String>> = all().map(|(row, a)| line(row, a)).collect();
    if lines.is_empty() {
        return String::new();
    }
    let figures: String = all().filter_map(|(row, a)| figure(row, a)).collect();
    let head = table(&["case", "compared", "outcome", "times as much", "99 % interval"], &lines);
    format!("<h3>Compared</h3>{head}<div class=\"pictures\">{figures}</div>\n")
}

fn line(row: &Row, a: &Against) -> Vec<String> {
    let interval = a.interval.map_or("-".into(), |(low, high)| format!("{low:.3} to {high:.3}"));
    let ratio = format!("{:.3}", a.ratio);
    vec![escape(&row.case), escape(&a.what), escape(&a.words()), ratio, interval]
}

fn figure(row: &Row, a: &Against) -> Option<String> {
    let (svg, beyond) = distributions(&a.sides)?;
    let beyond = if beyond > 0 { format!("; {beyond} took longer") } else { String::new() };
    Some(format!(
        "<figure class=\"plot\"><figcaption>{}: {}: <b class=\"one\">this kernel</b>, <b class=\"two\">the other</b>\
         {beyond}</figcaption>{svg}</figure>",
        escape(&row.case),
        escape(&a.what)
    ))
}

fn list(what: &str, class: &str, lines: impl Iterator<Item = String>) -> String {
    let items: String = lines.map(|line| format!("<li class=\"{class}\">{}</li>", escape(&line))).collect();
    if items.is_empty() { items } else { format!("<h3>{what}</h3><ul>{items}</ul>\n") }
}
