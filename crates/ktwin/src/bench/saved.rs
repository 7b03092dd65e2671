//! Figures that are kept in the user's project, to compare later runs with.

use std::fs;
use std::path::{Path, PathBuf};

use ktwin::links;
use ktwin_check::bench::{Summary, compare_counts, compare_runs};
use ktwin_check::hash_of;
use serde_json::{Value, json};

use super::row::{Against, Row};
use crate::room;

/// Where they are kept, seen from where ktwin is called.
pub const FOLDER: &str = ".ktwin/bench";

fn path(name: &str) -> Result<PathBuf, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
        return Err(format!("`{name}` cannot be the name of a file: write letters, digits, - and _"));
    }
    Ok(PathBuf::from(FOLDER).join(format!("{name}.json")))
}

/// Whether a run can be kept under a name, before it is measured.
pub fn writable(name: &str) -> Result<(), String> {
    let path = path(name)?;
    links::refuse(Path::new(""), &path)?;
    match fs::create_dir_all(FOLDER) {
        Ok(()) => room::file(&path),
        Err(e) => Err(format!("{FOLDER}: {e}: `--save` keeps figures there")),
    }
}

/// How the line begins that has a hash of all others.
const SEAL: &str = "  \"text\": \"";

/// A text with that line.
fn sealed(text: &str) -> String {
    text.replacen("{\n", &format!("{{\n{SEAL}{}\",\n", hash_of(&[text.as_bytes()])), 1)
}

/// Whether a text is as it was kept; nothing where it has no hash of itself.
pub fn untouched(text: &str) -> Option<bool> {
    let line = text.lines().find(|line| line.starts_with(SEAL))?;
    let rest = text.replacen(&format!("{line}\n"), "", 1);
    Some(line[SEAL.len()..].trim_end_matches("\",") == hash_of(&[rest.as_bytes()]))
}

/// Keeps a run under a name.
pub fn save(name: &str, run: &Value) -> Result<PathBuf, String> {
    let path = path(name)?;
    links::refuse(Path::new(""), &path)?;
    let text = sealed(&(serde_json::to_string_pretty(run).unwrap_or_default() + "\n"));
    let written = fs::create_dir_all(FOLDER).and_then(|()| fs::write(&path, text));
    written.map(|()| path.clone()).map_err(|e| format!("{}: {e}", path.display()))
}

/// What was kept under a name.
pub fn load(name: &str) -> Result<Value, String> {
    let path = path(name)?;
    let text = fs::read_to_string(&path)
        .map_err(|e| format!("{}: {e}; keep a run with --save {name} first", path.display()))?;
    if untouched(&text) == Some(false) {
        return Err(format!(
            "{}: it was changed after it was saved; keep another run with --save {name}",
            path.display()
        ));
    }
    serde_json::from_str(&text)
        .map_err(|e| format!("{}: {e}; keep another run with --save {name}", path.display()))
}

/// Puts beside each row what it was then. The error says why the two are not comparable.
pub fn compare(name: &str, then: &Value, now: &Value, rows: &mut [Row]) -> Result<(), String> {
    for key in ["device", "op"] {
        let (then, now) = (&then[key], &now[key]);
        if then != now {
            return Err(format!(
                "the baseline `{name}` is of {key} {then}, not {now}: they are not compared"
            ));
        }
    }
    let empty = Vec::new();
    let cases = then["cases"].as_array().unwrap_or(&empty);
    for row in rows {
        let Some(old) = cases.iter().find(|case| case["case"] == row.case.as_str()) else {
            row.notes.push(format!("the baseline `{name}` has no such case"));
            continue;
        };
        row.against.extend(beside(name, old, row));
    }
    Ok(())
}

fn beside(name: &str, old: &Value, row: &Row) -> Vec<Against> {
    let mut found = Vec::new();
    let named = |what: &str| format!("{what}, against `{name}`");
    let empty = Vec::new();
    for series in &row.series {
        let old = old["times"].as_array().unwrap_or(&empty).iter().find(|t| t["cache"] == series.cache);
        if let Some(then) = old.and_then(|old| summary_of(old, &series.times)) {
            let comparison = compare_runs(&series.times, &then);
            found.push(Against::of(named(series.cache), &comparison, Default::default()));
        }
    }
    // of counts, more is worse only for what is a cost
    for (what, now) in
        row.counts.iter().filter(|(what, _)| *what == "warp instructions" || *what == "sectors")
    {
        if let Some(then) = old["counts"][*what].as_f64() {
            found.push(Against::plain(named(what), compare_counts(*now, then)));
        }
    }
    found
}

/// Times as they were kept; an older ktwin measured in one process, and kept fewer numbers.
fn summary_of(old: &Value, now: &Summary) -> Option<Summary> {
    let number = |key: &str| old[key].as_f64();
    let then = Summary {
        median: number("median_ns")?,
        low: number("low_ns")?,
        high: number("high_ns")?,
        processes: old["processes"].as_u64().map_or(1, |n| n as usize),
        step: number("step_ns").unwrap_or(now.step),
        samples: old["samples"].as_u64().map_or(now.samples, |n| n as usize),
        ..*now
    };
    (then.median > 0.0 && then.low > 0.0).then_some(then)
}

/// The run as it is kept, and as `--format json` prints it.
pub fn document(
    kernel: &ktwin_check::Kernel,
    device: &str,
    rows: &[Row],
    refused: &[(String, String)],
) -> Value {
    let refused = refused.iter().map(|(case, why)| json!({ "case": case, "why": why }));
    json!({
        "kernel": kernel.name,
        "content": hash_of(&[&kernel.source.bytes]),
        "op": kernel.content.hash,
        "device": device,
        "cases": rows.iter().map(Row::json).collect::<Vec<_>>(),
        "refused": refused.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_that_is_changed_by_hand_shows() {
        let text = sealed("{\n  \"cases\": [\n    { \"median_ns\": 1250.5 }\n  ]\n}\n");
        assert_eq!(untouched(&text), Some(true));
        assert!(serde_json::from_str::<Value>(&text).is_ok_and(|value| value["text"].is_string()));
        assert_eq!(untouched(&text.replace("1250.5", "250.5")), Some(false));
        assert_eq!(untouched("{\n  \"cases\": []\n}\n"), None);
    }
}
