//! What is supported: which languages `ktwin new` writes a kernel of each op in, and which devices run them.

use ktwin::catalogue;
use ktwin_check::languages::LANGUAGES;
use ktwin_devices::{Limits, Registry};

use crate::new::begins_with;
use crate::outcome::Failure;

/// Both tables.
pub fn text() -> Result<String, Failure> {
    let registry = Registry::new(Limits::default());
    let languages: Vec<_> = LANGUAGES.iter().filter(|row| row.comments.is_some()).collect();
    let names = || languages.iter().map(|row| row.name.to_string());
    let mut rows =
        vec![std::iter::once("language".into()).chain(["devices".into()]).collect::<Vec<String>>()];
    for row in LANGUAGES {
        let devices: Vec<String> =
            registry.running(row.kind).map(|device| device.name().to_string()).collect();
        if !devices.is_empty() {
            rows.push(vec![row.name.to_string(), devices.join(", ")]);
        }
    }
    let mut ops: Vec<Vec<String>> = vec![std::iter::once("op".to_string()).chain(names()).collect()];
    for (name, _) in catalogue::OPS {
        let op = catalogue::op(name)?;
        let cells = languages.iter().map(|row| begins_with(&op, row.kind).unwrap_or("-").to_string());
        ops.push(std::iter::once(name.to_string()).chain(cells).collect());
    }
    let legend = "own: a kernel of this project; draft: plain loops made of the formula (`ktwin new`)\n";
    Ok(format!("{}\n{}\n{legend}", table(&rows), table(&ops)))
}

fn table(rows: &[Vec<String>]) -> String {
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(String::len).max().unwrap_or(0);
    let line = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(at, cell)| format!("{cell:<width$}", width = width(at)));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    rows.iter().map(line).collect()
}
