//! A search for the fastest: the kernel with every combination of some numbers of its contract, each verified before it
//! is measured, and the best of them against the kernel as it is.

use ktwin::catalogue;
use ktwin::explain::visible;
use ktwin_check::bench::Bench;
use ktwin_check::{Case, Device, Kernel, Setting, accepts};
use serde_json::{Value, json};

use super::row::{Against, Row};
use super::show::{aligned, compared, time};
use super::{Args, Format, measured, refused, versus};
use crate::outcome::{DONE, Failure, Outcome, WRONG, print, say};

/// Candidates that a command line may come to.
const MOST: usize = 256;

/// What became of one candidate.
struct Candidate {
    settings: Vec<Setting>,
    /// Its figures, or why it has none.
    found: Result<Vec<Row>, String>,
}

/// Measures every candidate, and the best beside the kernel as it is.
pub fn run(args: &Args, kernel: &Kernel, device: &dyn Device, cases: &[Case], seed: u64) -> Outcome {
    if !matches!(args.format, Format::Terminal | Format::Json) {
        return Err(Failure::usage("--tune prints a table or, with --format json, a document"));
    }
    let mut candidates = Vec::new();
    for settings in combinations(&args.tune).map_err(Failure::usage)? {
        let other = Kernel::load_with(&args.kernel, &settings, catalogue::OPS).map_err(Failure::usage)?;
        let mut one = Candidate { settings, found: Ok(Vec::new()) };
        crate::outcome::tell(&format!("ktwin: {}", one.name()));
        one.found = figures(args, &other, device, cases, seed);
        candidates.push(one);
    }
    let best = best(&candidates);
    let against = match best {
        Some(best) => beside(args, best, kernel, device, cases, seed)?,
        None => Vec::new(),
    };
    match args.format {
        Format::Json => print(&format!("{}\n", document(kernel, &candidates, best, &against))),
        _ => say(&shown(kernel, device, &candidates, best, &against)),
    }
    Ok(if best.is_some() { DONE } else { WRONG })
}

/// The figures of a candidate in all cases, or why it has none in one of them.
fn figures(
    args: &Args,
    kernel: &Kernel,
    device: &dyn Device,
    cases: &[Case],
    seed: u64,
) -> Result<Vec<Row>, String> {
    for case in cases {
        accepts(kernel, case).map_err(|why| format!("{}: {why}", case.seedless()))?;
    }
    let mut bench = Bench::new(kernel, device, seed);
    bench.compile(cases).map_err(|why| why.to_string())?;
    let seen = measured(args, kernel, device, &bench, cases);
    match seen.refused.into_iter().next() {
        Some((case, why)) => Err(format!("{case}: {why}")),
        None => Ok(seen.rows),
    }
}

/// The best in turns with the kernel as it is, in each case. Where that one is wrong there is nothing to compare with.
fn beside(
    args: &Args,
    best: &Candidate,
    kernel: &Kernel,
    device: &dyn Device,
    cases: &[Case],
    seed: u64,
) -> Result<Vec<(String, Vec<Against>)>, Failure> {
    let fastest = Kernel::load_with(&args.kernel, &best.settings, catalogue::OPS).map_err(Failure::usage)?;
    let (mut this, mut other) = (Bench::new(&fastest, device, seed), Bench::new(kernel, device, seed));
    this.compile(cases).map_err(refused)?;
    if let Err(why) = other.compile(cases) {
        crate::outcome::tell(&format!("ktwin: the kernel as it is: {}", visible(&why.to_string())));
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for case in cases {
        match versus::versus("the kernel as it is", case, [&this, &other], args.rounds.into(), seed) {
            Ok(found) => all.push((case.seedless(), found)),
            Err(why) => crate::outcome::tell(&format!("ktwin: {}: {}", case.seedless(), visible(&why))),
        }
    }
    Ok(all)
}

fn shown(
    kernel: &Kernel,
    device: &dyn Device,
    candidates: &[Candidate],
    best: Option<&Candidate>,
    against: &[(String, Vec<Against>)],
) -> String {
    let mut text = format!("{}  {} on {}\n", visible(&kernel.name), kernel.op.name, device.name());
    text.push_str(&table(candidates));
    match best {
        Some(best) => text.push_str(&format!(
            "  best: {}; test it where tiles end, too, once it is in the contract\n",
            best.name()
        )),
        None => text.push_str("  none of them can be measured\n"),
    }
    against.iter().for_each(|(case, found)| text.push_str(&compared(case, found)));
    text
}

fn document(
    kernel: &Kernel,
    candidates: &[Candidate],
    best: Option<&Candidate>,
    against: &[(String, Vec<Against>)],
) -> Value {
    let settings = |c: &Candidate| -> serde_json::Map<String, Value> {
        c.settings.iter().map(|(name, value)| (name.clone(), json!(value))).collect()
    };
    let each = candidates.iter().map(|c| match &c.found {
        Ok(rows) => {
            let rows: Vec<Value> = rows.iter().map(Row::json).collect();
            json!({ "settings": settings(c), "cases": rows })
        }
        Err(why) => json!({ "settings": settings(c), "refused": why }),
    });
    let against = against.iter().map(|(case, found)| {
        json!({ "case": case, "against": found.iter().map(Against::json).collect::<Vec<_>>() })
    });
    json!({
        "kernel": kernel.name, "op": kernel.op.name, "candidates": each.collect::<Vec<_>>(),
        "best": best.map(settings), "beside": against.collect::<Vec<_>>(),
    })
}

impl Candidate {
    /// Its numbers as they are given on the command line.
    fn name(&self) -> String {
        let each = self.settings.iter().map(|(name, value)| format!("{name}={value}"));
        each.collect::<Vec<_>>().join(" ")
    }

    /// What is least in the best: the geometric mean over cases of its time, or of the instructions a simulator
    /// counted. None where a case has no figures.
    fn score(&self) -> Option<f64> {
        let rows = self.found.as_ref().ok()?;
        let figures = rows.iter().map(figure).collect::<Option<Vec<f64>>>()?;
        let logs: f64 = figures.iter().map(|n| n.ln()).sum();
        (!figures.is_empty()).then(|| (logs / figures.len() as f64).exp())
    }
}

/// The figure of a case that counts: its time in a warm cache, or the instructions of warps.
fn figure(row: &Row) -> Option<f64> {
    let warm = row.series.iter().find(|series| series.cache == "warm").map(|series| series.times.median);
    warm.or(super::sizes::counted(&row.counts)).filter(|n| *n > 0.0)
}

/// Every combination of what is given as NAME=NUMBERS.
fn combinations(given: &[String]) -> Result<Vec<Vec<Setting>>, String> {
    let mut all: Vec<Vec<Setting>> = vec![Vec::new()];
    for text in given {
        let how = || format!("`{text}`: write NAME=NUMBERS, as in TILE=8,16,32");
        let (name, numbers) = text.split_once('=').ok_or_else(how)?;
        let numbers = super::sizes::list(numbers).map_err(|why| format!("{text}: {why}"))?;
        if all.iter().flatten().any(|(own, _)| own == name) {
            return Err(format!("`{name}` is given twice"));
        }
        let with = |one: &Vec<Setting>, n: i64| [one.clone(), vec![(name.to_owned(), n)]].concat();
        all = all.iter().flat_map(|one| numbers.iter().map(|n| with(one, *n)).collect::<Vec<_>>()).collect();
        if all.len() > MOST {
            return Err(format!("these are more than {MOST} candidates: give fewer numbers"));
        }
    }
    Ok(all)
}

/// The best of them, where there is one.
fn best(candidates: &[Candidate]) -> Option<&Candidate> {
    let scored = candidates.iter().filter_map(|candidate| Some((candidate.score()?, candidate)));
    scored.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, candidate)| candidate)
}

/// A table of all, the best of each column marked.
fn table(candidates: &[Candidate]) -> String {
    let Some(cases) = candidates.iter().find_map(|c| c.found.as_ref().ok()) else {
        return refusals(candidates);
    };
    let names = cases.iter().map(|row| row.case.clone());
    let heads: Vec<String> = std::iter::once("candidate".to_owned()).chain(names).collect();
    let least: Vec<f64> = (0..cases.len())
        .map(|at| candidates.iter().filter_map(|c| cell(c, at)).map(|(n, _)| n).fold(f64::INFINITY, f64::min))
        .collect();
    let line = |c: &Candidate| {
        let figures = least.iter().enumerate().map(|(at, least)| match cell(c, at) {
            Some((n, text)) => format!("{text}{}", if n <= *least { " *" } else { "" }),
            None => "-".into(),
        });
        std::iter::once(c.name()).chain(figures).collect::<Vec<_>>()
    };
    let lines: Vec<Vec<String>> = candidates.iter().map(line).collect();
    format!("{}{}", aligned(&heads, &lines), refusals(candidates))
}

fn cell(candidate: &Candidate, at: usize) -> Option<(f64, String)> {
    let row = candidate.found.as_ref().ok()?.get(at)?;
    let n = figure(row)?;
    Some((n, if row.series.is_empty() { format!("{n}") } else { time(n) }))
}

fn refusals(candidates: &[Candidate]) -> String {
    let each = candidates
        .iter()
        .filter_map(|c| Some(format!("  {}: {}\n", c.name(), visible(c.found.as_ref().err()?))));
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_is_tried_once() {
        let all = combinations(&["TILE=8,16".into(), "block=32..=128".into()]).unwrap();
        assert_eq!(all.len(), 6);
        assert_eq!(all[1], [("TILE".to_owned(), 8), ("block".to_owned(), 64)]);
        for wrong in ["TILE", "TILE=x", "TILE=0"] {
            assert!(combinations(&[wrong.into()]).is_err(), "{wrong}");
        }
        assert!(combinations(&["A=1".into(), "A=2".into()]).is_err_and(|why| why.contains("given twice")));
        assert!(combinations(&["A=1..=1000+1".into()]).is_err_and(|why| why.contains("candidates")));
    }
}
