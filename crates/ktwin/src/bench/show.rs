//! Rows as text: a table for people, Markdown, CSV.

use super::row::{Against, Row, Series};

/// The heads of the table of times.
pub const HEADS: [&str; 11] =
    ["case", "cache", "median", "interval", "min", "p95", "GFLOP/s", "GB/s", "FLOP/B", "of roof", "bound"];

/// A time with three digits and its unit.
pub fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        _ if ns >= 1e9 => (ns / 1e9, "s"),
        _ if ns >= 1e6 => (ns / 1e6, "ms"),
        _ if ns >= 1e3 => (ns / 1e3, "µs"),
        _ => (ns, "ns"),
    };
    format!("{} {unit}", digits(value))
}

/// Three digits, or all before the point.
pub fn digits(value: f64) -> String {
    match value {
        _ if value >= 100.0 || value == 0.0 => format!("{value:.0}"),
        _ if value >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A line of it.
pub fn cells(row: &Row, series: &Series) -> [String; 11] {
    let (t, r) = (&series.times, &series.rates);
    [
        row.case.clone(),
        series.cache.into(),
        time(t.median),
        match t.is_bounded() {
            true => {
                let (below, above) = (1.0 - t.low / t.median, t.high / t.median - 1.0);
                format!("-{:.1} % +{:.1} %", 100.0 * below, 100.0 * above)
            }
            false => "-".into(),
        },
        time(t.min),
        time(t.p95),
        digits(r.flops),
        digits(r.bytes),
        digits(r.intensity),
        r.share.map_or("-".into(), |share| format!("{:.0} %", 100.0 * share)),
        r.bound.map_or("-".into(), |bound| bound.to_string()),
    ]
}

fn table(rows: &[Row]) -> Vec<[String; 11]> {
    rows.iter().flat_map(|row| row.series.iter().map(|series| cells(row, series))).collect()
}

/// Lines of cells below their heads, every column as wide as its widest cell.
pub fn aligned(heads: &[String], lines: &[Vec<String>]) -> String {
    let wide = |cell: &String| cell.chars().count();
    let widest =
        |at: usize| lines.iter().map(|line| wide(&line[at])).max().unwrap_or(0).max(wide(&heads[at]));
    let widths: Vec<usize> = (0..heads.len()).map(widest).collect();
    let line = |cells: &[String]| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("  {}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    std::iter::once(line(heads)).chain(lines.iter().map(|cells| line(cells))).collect()
}

/// The table for people, and below it what else there is to say.
pub fn terminal(rows: &[Row]) -> String {
    let mut text = String::new();
    let lines: Vec<Vec<String>> = table(rows).iter().map(|line| line.to_vec()).collect();
    if !lines.is_empty() {
        text.push_str(&aligned(&HEADS.map(str::to_owned), &lines));
    }
    for row in rows {
        if !row.counts.is_empty() {
            text.push_str(&format!("  {}\n", row.case));
            let width = row.counts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
            row.counts
                .iter()
                .for_each(|(name, n)| text.push_str(&format!("    {name:<width$}  {}\n", count(*n))));
        }
        row.notes.iter().for_each(|note| text.push_str(&format!("  {}: {note}\n", row.case)));
        text.push_str(&compared(&row.case, &row.against));
    }
    text
}

/// What comparisons in a case said.
pub fn compared(case: &str, against: &[Against]) -> String {
    let each = against.iter().map(|a| {
        let interval = a.interval.map_or(String::new(), |(low, high)| format!(" ({low:.3} to {high:.3})"));
        format!("  {case}: {}: {}, {:.3} times as much{interval}\n", a.what, a.words(), a.ratio)
    });
    each.collect()
}

/// A count as it is read.
pub fn count(n: f64) -> String {
    if n.fract() == 0.0 { format!("{n}") } else { format!("{n:.3}") }
}

/// A table in Markdown. What others wrote ends no cell.
pub fn table_of(heads: &[&str], lines: &[Vec<String>]) -> String {
    let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
    let rule = vec!["---".to_owned(); heads.len()];
    let line = |cells: &Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    [&heads, &rule].into_iter().chain(lines).map(line).collect()
}

/// The same as a table in Markdown.
pub fn markdown(rows: &[Row]) -> String {
    let mut text = String::new();
    let lines: Vec<Vec<String>> = table(rows).iter().map(|line| line.to_vec()).collect();
    if !lines.is_empty() {
        text.push_str(&table_of(&HEADS, &lines));
    }
    for row in rows.iter().filter(|row| !row.counts.is_empty()) {
        text.push_str(&format!("| {} | count |\n| --- | --- |\n", row.case));
        row.counts.iter().for_each(|(name, n)| text.push_str(&format!("| {name} | {} |\n", count(*n))));
    }
    rows.iter().for_each(|row| text.push_str(&compared(&row.case, &row.against)));
    text
}

/// The same as CSV: one line a case and kind of cache, times in nanoseconds; or one a count.
pub fn csv(rows: &[Row]) -> String {
    let mut text = "case,figure,median,low,high,min,p95,samples,gflops,gbytes,roof\n".to_owned();
    for row in rows {
        let case = format!("\"{}\"", row.case);
        for Series { cache, times: t, rates: r } in &row.series {
            let share = r.share.map_or(String::new(), |share| format!("{share:.4}"));
            let numbers = [t.median, t.low, t.high, t.min, t.p95].map(|ns| format!("{ns:.1}")).join(",");
            text.push_str(&format!(
                "{case},{cache},{numbers},{},{:.4},{:.4},{share}\n",
                t.samples, r.flops, r.bytes
            ));
        }
        row.counts.iter().for_each(|(name, n)| text.push_str(&format!("{case},{name},{n},,,,,,,,\n")));
    }
    text
}
