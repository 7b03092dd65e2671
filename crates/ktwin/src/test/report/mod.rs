//! Reports in files, `--report FILE`, as many as are asked for: the extension says which. Each is made of the same
//! run.

mod csv;
mod html;
mod markdown;

use std::path::Path;

use ktwin_check::{Case, KernelReport, Level, Totals};

use super::junit;
use super::terminal::{counted, planned};
use crate::page::kind;

/// What a run left to be told.
pub struct Told<'a> {
    pub reports: &'a [KernelReport],
    pub totals: &'a Totals,
    /// Every case that ran, with its kernel's file and its device.
    pub cases: &'a [(String, String, Case)],
    pub allow_skip: bool,
    /// How thorough the plans were; none where one case was asked for.
    pub level: Option<Level>,
}

impl Told<'_> {
    /// How many kernels of each verdict, and by which plan where it is not the usual one.
    fn head(&self) -> String {
        counted(self.totals) + &self.level.map_or_else(String::new, planned)
    }
}

type Writer = fn(&Told) -> Result<String, String>;

/// The kinds of report, by extension.
const KINDS: &[(&str, Writer)] = &[
    ("html", |told| Ok(html::page(told))),
    ("md", |told| Ok(markdown::page(told))),
    ("csv", |told| Ok(csv::table(told))),
    ("xml", |told| junit::document(told.reports, told.totals, told.allow_skip)),
];

/// Whether there is such a report, before anything runs.
pub fn known(file: &Path) -> Result<(), String> {
    kind(file, KINDS).map(|_| ())
}

/// Writes one report.
pub fn write(file: &Path, told: &Told) -> Result<(), String> {
    let text = kind(file, KINDS)?(told)?;
    std::fs::write(file, text).map_err(|e| format!("{}: {}", file.display(), ktwin_num::reason(&e)))
}
