//! What a run is told as, on the terminal and in files, `--report FILE`: the extension says which. All are made of the
//! same rows.

use std::path::Path;

use ktwin::explain::visible;
use ktwin_check::Kernel;

use super::others::{self, Other};
use super::row::Row;
use super::{page, saved, show};
use crate::page::kind;
use crate::room;

/// What a run left to be told.
pub struct Told<'a> {
    pub kernel: &'a Kernel,
    /// What it is compared with.
    pub vs: Option<&'a str>,
    /// The device, in words.
    pub device: &'a str,
    pub rows: &'a [Row],
    /// Cases without figures, and why.
    pub refused: &'a [(String, String)],
    /// What other programs measured.
    pub others: &'a [Other],
}

impl Told<'_> {
    /// What was measured, and where.
    pub fn head(&self) -> String {
        let vs = self.vs.map_or(String::new(), |vs| format!(", against {}", visible(vs)));
        format!("{}  {} on {}{vs}", visible(&self.kernel.name), self.kernel.op.name, self.device)
    }

    pub fn terminal(&self) -> String {
        let theirs = match self.others {
            [] => String::new(),
            others => show::aligned(&others::HEADS.map(str::to_owned), &others::lines(others)),
        };
        format!("{}\n{}{theirs}", self.head(), show::terminal(self.rows))
    }

    pub fn markdown(&self) -> String {
        let theirs = match self.others {
            [] => String::new(),
            others => format!("\n{}", show::table_of(&others::HEADS, &others::lines(others))),
        };
        show::markdown(self.rows) + &theirs
    }

    pub fn csv(&self) -> String {
        show::csv(self.rows) + &others::csv(self.others)
    }

    pub fn json(&self) -> String {
        let mut document = saved::document(self.kernel, self.device, self.rows, self.refused);
        if !self.others.is_empty() {
            document["others"] = others::document(self.others).into();
        }
        format!("{document}\n")
    }

    /// Markdown with all that stands beside the table elsewhere.
    fn markdown_page(&self) -> String {
        let notes =
            self.rows.iter().flat_map(|row| row.notes.iter().map(|note| format!("{}: {note}", row.case)));
        let refused = self.refused.iter().map(|(case, why)| format!("{case}: {why}"));
        let lines: String = notes.chain(refused).map(|line| format!("- {}\n", visible(&line))).collect();
        format!("# {}\n\n{}\n{lines}", self.head(), self.markdown())
    }
}

type Writer = fn(&Told) -> String;

/// The kinds of report, by extension.
const KINDS: &[(&str, Writer)] = &[
    ("html", |told| page::page(told)),
    ("md", |told| told.markdown_page()),
    ("csv", |told| told.csv()),
    ("json", |told| told.json()),
];

/// Whether there is such a report and it can be written, before anything is measured.
pub fn writable(file: &Path) -> Result<(), String> {
    kind(file, KINDS)?;
    room::report(file)
}

/// Writes one report.
pub fn write(file: &Path, told: &Told) -> Result<(), String> {
    let text = kind(file, KINDS)?(told);
    std::fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()))
}
