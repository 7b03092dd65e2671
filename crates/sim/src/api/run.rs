//! What a run returns. Plain data.

use super::counts::Counts;
use super::finding::{Finding, Severity};
use std::collections::BTreeMap;

/// The outcome of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// What was found, by line, errors first.
    pub findings: Vec<Finding>,
    /// What the launch cost.
    pub counts: Counts,
    /// The same by source line.
    pub by_line: BTreeMap<u32, Counts>,
    /// The parts of the program, and whether any lane came there.
    pub parts: Vec<Part>,
    /// What comparisons compared, where the options ask for it.
    pub compared: Vec<Compare>,
}

/// Some instructions of one line that run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// The line.
    pub line: u32,
    /// Which of the parts of its line it is.
    pub number: u32,
    /// Whether any lane came there.
    pub ran: bool,
}

/// What a comparison of the program compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compare {
    /// The line.
    pub line: u32,
    /// Which of the comparisons of the program it is.
    pub number: u32,
    /// Its two sides, if they were the same for all lanes and throughout the launch.
    pub sides: Option<Sides>,
}

/// The two sides of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sides {
    /// Integers.
    Whole(i64, i64),
    /// Floats.
    Real(f64, f64),
}

impl Run {
    /// The findings that are errors.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|f| f.severity == Severity::Error)
    }

    /// Whether nothing but notes was found.
    pub fn is_clean(&self) -> bool {
        self.errors().next().is_none()
    }
}
