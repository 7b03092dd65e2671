//! The checklist of a release, answered from what runs have shown of a kernel and from nothing else. Plain data in,
//! plain data out: `evidence` has one function a question, `sizes` those about shapes.

mod evidence;
mod sizes;

use serde::Serialize;

use crate::event::{CaseEnded, KernelReport};
use crate::json::travels_by_name;
use crate::kernel::Kernel;
use crate::verdict::Verdict;
use crate::worth::Worth;

/// What is known of a kernel.
pub struct Seen<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// What was said of it, once for each device.
    pub reports: &'a [KernelReport],
    /// All cases that ran.
    pub cases: &'a [CaseEnded],
    /// What its policy is worth, where one decides.
    pub worth: Option<Result<Worth, String>>,
    /// The newest record of `ktwin bench` of this very text.
    pub bench: Option<Bench>,
}

/// What a record of measurements says.
pub struct Bench {
    /// Where it is.
    pub record: String,
    /// The largest case in it, with what was measured.
    pub largest: String,
    /// What was compared, and whether it came out slower.
    pub against: Vec<(String, bool)>,
}

/// What is said of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It was shown.
    Shown,
    /// It was not shown.
    Gap,
    /// The opposite was shown.
    Wrong,
}

impl Answer {
    /// Every answer in a word.
    pub const ALL: &[(&str, Answer)] =
        &[("shown", Answer::Shown), ("gap", Answer::Gap), ("wrong", Answer::Wrong)];

    /// The answer in a word.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, a)| *a == self).map_or("", |(n, _)| n)
    }

    /// The answer of this word.
    pub fn parse(name: &str) -> Option<Answer> {
        Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, a)| *a)
    }
}

travels_by_name!(Answer);

/// A question with its answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Item {
    /// Its name, for the command line.
    pub key: &'static str,
    /// The question, as a statement that a release wants to be true.
    pub statement: &'static str,
    /// What is said of it.
    pub answer: Answer,
    /// What was shown.
    pub evidence: Vec<String>,
    /// What was not, and why.
    pub gaps: Vec<String>,
}

/// What is to be said of a question.
#[derive(Default)]
struct Found {
    evidence: Vec<String>,
    gaps: Vec<String>,
    wrong: bool,
}

impl Found {
    fn shown(evidence: impl Into<String>) -> Found {
        Found { evidence: vec![evidence.into()], ..Found::default() }
    }

    fn gap(gap: impl Into<String>) -> Found {
        Found { gaps: vec![gap.into()], ..Found::default() }
    }

    fn wrong(evidence: impl Into<String>) -> Found {
        Found { wrong: true, ..Found::shown(evidence) }
    }
}

type Question = (&'static str, &'static str, fn(&Seen) -> Found);

/// Every question, in the order in which they are answered.
const QUESTIONS: &[Question] = &[
    ("right", "every case of the plan is right on every device", evidence::right),
    ("reference", "the reference is independent of the kernel", evidence::reference),
    ("tolerances", "every tolerance has its type and its reason", evidence::tolerances),
    (
        "shapes",
        "shapes: 1, small odd, tile, tiles, partial, prime, limit; both sides of a tile",
        sizes::shapes,
    ),
    ("types", "the types that are promised are those that ran", evidence::types),
    ("layouts", "every layout that is accepted ran", evidence::layouts),
    ("regimes", "adversarial data, NaN and infinity included, with seeds", evidence::regimes),
    ("guards", "shape, type and every element written come before any value", evidence::guards),
    ("precision", "a sharp case shows the promised rungs", evidence::precision),
    ("repeats", "repeated launches are bit equal", evidence::repeats),
    ("sanitizer", "a sanitizer found nothing", evidence::sanitizer),
    ("performance", "it was measured, and is no slower than the baseline", evidence::performance),
    ("resources", "registers and spills are known", evidence::resources),
];

/// The names of all questions.
pub fn keys() -> impl Iterator<Item = &'static str> {
    QUESTIONS.iter().map(|(key, ..)| *key)
}

/// Answers every question.
pub fn audit(seen: &Seen) -> Vec<Item> {
    let item = |(key, statement, answer): &Question| {
        let Found { evidence, gaps, wrong } = answer(seen);
        let answer = match (wrong, gaps.is_empty()) {
            (true, _) => Answer::Wrong,
            (false, true) => Answer::Shown,
            (false, false) => Answer::Gap,
        };
        Item { key, statement, answer, evidence, gaps }
    };
    QUESTIONS.iter().map(item).collect()
}

impl Seen<'_> {
    /// The cases that were right.
    fn right(&self) -> impl Iterator<Item = &CaseEnded> {
        self.cases.iter().filter(|case| matches!(case.verdict, Verdict::Pass | Verdict::Blind))
    }
}

#[cfg(test)]
mod tests;
