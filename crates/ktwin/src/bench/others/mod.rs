//! Figures that other programs measured, `--beside FILE`, in ktwin's units: read here, shown in a table of their own.
//! Nothing of them is verified. Each format is a file.

mod google;
mod llama;
mod nvbench;

use std::path::Path;

use ktwin::explain::visible;
use serde_json::{Value, json};

use super::show::{digits, time};
use crate::page::{harmless, quoted};

/// The heads of their table.
pub const HEADS: [&str; 6] = ["measured by others", "from", "time", "GFLOP/s", "GB/s", "Gitems/s"];

/// One figure that another program measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Other {
    /// What it is of, in the program's own words.
    pub name: String,
    /// The program.
    pub from: &'static str,
    /// Nanoseconds of a call.
    pub ns: f64,
    /// Operations a nanosecond, where it says so.
    pub gflops: Option<f64>,
    /// Bytes a nanosecond, where it says so.
    pub gbytes: Option<f64>,
    /// Items a nanosecond, where it says so.
    pub gitems: Option<f64>,
}

/// What reads a file's text; nothing where it is of another format.
type Reader = fn(&str) -> Option<Vec<Other>>;

const READERS: &[Reader] = &[google::read, nvbench::read, llama::csv, llama::console];

/// The figures in a file. The error says which formats there are.
pub fn read(file: &Path) -> Result<Vec<Other>, String> {
    let text = ktwin_check::read_text(file).map_err(|e| format!("--beside {}: {e}", file.display()))?;
    let Some(mut all) = READERS.iter().find_map(|reader| reader(&text)) else {
        return Err(format!(
            "--beside {}: it is neither the JSON of Google Benchmark or nvbench, nor the CSV or console output of \
             llama.cpp's `test-backend-ops perf`",
            file.display()
        ));
    };
    let found = all.len();
    all.retain(|one| one.ns.is_finite() && one.ns > 0.0);
    match (found, all.len()) {
        (_, 0) => Err(format!("--beside {}: it has no time of anything", file.display())),
        _ => Ok(all),
    }
}

/// A figure that may be there, if it can be one.
fn rate(n: Option<f64>, scale: f64) -> Option<f64> {
    n.map(|n| n * scale).filter(|n| n.is_finite() && *n > 0.0)
}

/// Lines of their table.
pub fn lines(others: &[Other]) -> Vec<Vec<String>> {
    let rate = |n: Option<f64>| n.map_or("-".into(), digits);
    let line = |o: &Other| {
        vec![visible(&o.name), o.from.to_owned(), time(o.ns), rate(o.gflops), rate(o.gbytes), rate(o.gitems)]
    };
    others.iter().map(line).collect()
}

/// For programs.
pub fn document(others: &[Other]) -> Vec<Value> {
    let one = |o: &Other| {
        json!({
            "name": o.name, "from": o.from, "time_ns": o.ns, "gflops": o.gflops, "gbytes": o.gbytes,
            "gitems": o.gitems,
        })
    };
    others.iter().map(one).collect()
}

/// Lines below those of a run, with the same columns; the program is in the place of the cache.
pub fn csv(others: &[Other]) -> String {
    let rate = |n: Option<f64>| n.map_or(String::new(), |n| format!("{n:.4}"));
    let line = |o: &Other| {
        let (name, time) = (quoted(&harmless(&o.name)), format!("{:.1}", o.ns));
        format!("{name},{},{time},,,,,,{},{},\n", o.from, rate(o.gflops), rate(o.gbytes))
    };
    others.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Vec<Other>, String> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("theirs");
        std::fs::write(&file, text).unwrap();
        read(&file)
    }

    #[test]
    fn a_file_of_no_known_format_is_refused_with_those_that_are() {
        for text in ["", "{", "[]", "a,b\n1,2\n", "{\"benchmarks\": 3}", "{\"cases\": []}", "some words\n"] {
            let why = of(text).unwrap_err();
            assert!(why.contains("neither the JSON of Google Benchmark"), "{text}: {why}");
        }
        let none = of("{\"context\": {}, \"benchmarks\": []}").unwrap_err();
        assert!(none.contains("no time of anything"), "{none}");
        let zero = "{\"benchmarks\": [{\"name\": \"a\", \"real_time\": 0.0, \"time_unit\": \"ns\"}]}";
        assert!(of(zero).unwrap_err().contains("no time of anything"));
    }

    #[test]
    fn lines_have_the_columns_of_the_table() {
        let one = Other {
            name: "=a,\"b\"".into(),
            from: "nvbench",
            ns: 1500.0,
            gbytes: Some(2.5),
            ..Other::default()
        };
        assert_eq!(
            lines(std::slice::from_ref(&one))[0],
            ["=a,\"b\"", "nvbench", "1.50 µs", "-", "2.50", "-"]
        );
        assert_eq!(csv(&[one]), "\"'=a,\"\"b\"\"\",nvbench,1500.0,,,,,,,2.5000,\n");
    }
}
