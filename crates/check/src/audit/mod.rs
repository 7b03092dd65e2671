//! The checklist of a release, answered from what runs have shown of a kernel and from nothing else. Plain data in,
//! plain data out: `evidence` has one function a question, `sizes` those about shapes.

mod evidence;
mod sizes;

use serde::Serialize;

use crate::bench::Outcome;
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
    pub bench: Option<&'a Bench>,
}

/// What a record of measurements says.
#[derive(Default)]
pub struct Bench {
    /// Where it is.
    pub record: String,
    /// The device that it was measured on.
    pub device: String,
    /// The largest case in it, with what was measured.
    pub largest: String,
    /// Whether that has times: the simulator counts.
    pub timed: bool,
    /// Every case in it that has figures, without seeds.
    pub cases: Vec<String>,
    /// What was compared, and what came of it.
    pub against: Vec<(String, Outcome)>,
    /// Whether the record is as it was written; nothing where it has no hash of itself.
    pub untouched: Option<bool>,
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
    /// The question itself.
    pub question: &'static str,
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
    ("right", "is every case of the plan right, on every device?", evidence::right),
    ("reference", "is the reference independent of the kernel?", evidence::reference),
    ("tolerances", "has every tolerance its type and its reason?", evidence::tolerances),
    (
        "shapes",
        "did every class of size run: 1, small odd, tile, tiles, partial, prime, limit, both sides of a tile?",
        sizes::shapes,
    ),
    ("types", "did the promised types run?", evidence::types),
    ("layouts", "did every accepted layout run?", evidence::layouts),
    ("regimes", "did adversarial data run, NaN and infinity included, with seeds?", evidence::regimes),
    ("guards", "do shape, type and every element written come before any value?", evidence::guards),
    ("precision", "does a sharp case show the promised rungs?", evidence::precision),
    ("repeats", "are repeated launches bit equal?", evidence::repeats),
    ("sanitizer", "did a sanitizer run, and find nothing?", evidence::sanitizer),
    ("performance", "was it measured, and is it no slower than the baseline?", evidence::performance),
    ("resources", "are registers and spills known?", evidence::resources),
];

/// The names of all questions.
pub fn keys() -> impl Iterator<Item = &'static str> {
    QUESTIONS.iter().map(|(key, ..)| *key)
}

/// Answers every question.
pub fn audit(seen: &Seen) -> Vec<Item> {
    let item = |(key, question, answer): &Question| {
        let Found { evidence, gaps, wrong } = answer(seen);
        let answer = match (wrong, gaps.is_empty()) {
            (true, _) => Answer::Wrong,
            (false, true) => Answer::Shown,
            (false, false) => Answer::Gap,
        };
        Item { key, question, answer, evidence, gaps }
    };
    QUESTIONS.iter().map(item).collect()
}

impl Seen<'_> {
    /// The cases that ran to their end, right or wrong.
    fn ran(&self) -> impl Iterator<Item = &CaseEnded> {
        let ended = |case: &&CaseEnded| match case.verdict {
            Verdict::Pass | Verdict::Blind => true,
            // what could not be compiled has a reason and no result
            Verdict::Fail => case.reason.is_empty(),
            _ => false,
        };
        self.cases.iter().filter(ended)
    }

    /// The cases that were right.
    fn right(&self) -> impl Iterator<Item = &CaseEnded> {
        self.cases.iter().filter(|case| matches!(case.verdict, Verdict::Pass | Verdict::Blind))
    }
}

#[cfg(test)]
mod tests;
