//! What is said of a case and of a kernel. Plain data.

use std::time::Duration;

use ktwin_num::Regime;

use crate::case::Case;
use crate::compare::Compared;
use crate::finding::Finding;
use crate::json::travels_by_name;
use crate::law::LawReport;
use crate::mutants::Mutant;

/// The outcome of a case or of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Right, and it could have been found wrong.
    Pass,
    /// Nothing wrong was seen, but nothing could have been: no evidence.
    Blind,
    /// Wrong, as the project's registry expects.
    Expected,
    /// Not run.
    Skip,
    /// ktwin itself could not do its part: nothing is known of the kernel.
    #[default]
    Error,
    /// Contract and kernel do not fit together, or no case fits the contract.
    Invalid,
    /// Wrong.
    Fail,
    /// It died.
    Crash,
    /// It did not end.
    Hang,
}

impl Verdict {
    /// Every verdict with its word, the best first.
    pub const ALL: &[(&str, Verdict)] = &[
        ("pass", Verdict::Pass),
        ("blind", Verdict::Blind),
        ("expected", Verdict::Expected),
        ("fail", Verdict::Fail),
        ("crash", Verdict::Crash),
        ("hang", Verdict::Hang),
        ("invalid", Verdict::Invalid),
        ("skip", Verdict::Skip),
        ("error", Verdict::Error),
    ];

    /// The verdict in a word.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, v)| *v == self).map_or("", |(n, _)| n)
    }

    /// The verdict of this word.
    pub fn parse(name: &str) -> Option<Verdict> {
        Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, v)| *v)
    }

    /// Whether the kernel is wrong.
    pub fn is_bad(self) -> bool {
        matches!(self, Verdict::Invalid | Verdict::Fail | Verdict::Crash | Verdict::Hang)
    }
}

travels_by_name!(Verdict);

/// One case that was run.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseReport {
    /// The case.
    pub case: Case,
    /// What is said of it.
    pub verdict: Verdict,
    /// What is wrong with it, and notes.
    pub findings: Vec<Finding>,
    /// Each output compared.
    pub outputs: Vec<Compared>,
    /// The mutants that it refuses.
    pub refuses: Vec<Mutant>,
    /// What was seen of the law of a random op.
    pub law: Option<LawReport>,
    /// The form of the op that judged it, where its own definitions did not, and how much wider its bars are at most.
    pub form: Option<(String, f64)>,
    /// Why it was not run, or how it ended.
    pub reason: String,
    /// Whether it was skipped since its device lacks what the kernel asks of it.
    pub unsupported: bool,
    /// How long it took, the twin included.
    pub took: Duration,
}

impl CaseReport {
    /// The largest share that any output uses of its bars, or of what a policy allows.
    pub fn ratio(&self) -> f64 {
        self.outputs.iter().fold(0.0, |m, o| m.max(o.ratio))
    }

    /// Whether an element of an output is wrong.
    pub fn has_wrong_values(&self) -> bool {
        self.outputs.iter().any(|output| !output.failing.is_empty())
    }

    /// Whether a kernel one rung coarser would have been refused.
    pub fn is_sharp(&self) -> bool {
        self.refuses.iter().any(|m| m.is_rung())
    }

    /// What is wrong, notes left out.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|f| !f.note)
    }
}

/// What is said of several cases together. Right is only what was run whole: a case that was left out could have been
/// the one that is wrong. That NaN comes out where it should says nothing of numbers that no case could refuse.
pub fn together(cases: &[CaseReport]) -> Verdict {
    let worst = cases.iter().map(|c| c.verdict).filter(|v| v.is_bad()).max();
    let has = |verdict| cases.iter().any(|c| c.verdict == verdict);
    let is_special = |c: &CaseReport| matches!(c.case.regime, Regime::Nan | Regime::Inf);
    let of_numbers = || cases.iter().any(|c| c.verdict == Verdict::Pass && !is_special(c));
    match worst {
        Some(verdict) => verdict,
        None if has(Verdict::Error) => Verdict::Error,
        None if has(Verdict::Skip) => Verdict::Skip,
        None if has(Verdict::Pass) && (of_numbers() || !has(Verdict::Blind)) => Verdict::Pass,
        None if has(Verdict::Blind) => Verdict::Blind,
        None => Verdict::Skip,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::without_result;
    use std::time::Instant;

    #[test]
    fn every_verdict_has_a_word_that_leads_back() {
        for (name, verdict) in Verdict::ALL {
            assert_eq!((verdict.name(), Verdict::parse(name)), (*name, Some(*verdict)));
        }
        assert_eq!(Verdict::parse("fine"), None);
    }

    #[test]
    fn a_kernel_is_right_only_if_every_case_ran() {
        use Verdict::{Blind, Crash, Error, Fail, Pass, Skip};
        let of = |verdicts: &[Verdict]| {
            let case = Case {
                dims: Vec::new(),
                scalars: Vec::new(),
                regime: Regime::Normal,
                chosen: 0,
                seed: 1,
                layouts: Vec::new(),
            };
            let report = |v: &Verdict| without_result(&case, *v, String::new(), Instant::now());
            together(&verdicts.iter().map(report).collect::<Vec<_>>())
        };
        assert_eq!(of(&[Blind, Pass]), Pass);
        assert_eq!(of(&[Pass, Skip]), Skip);
        assert_eq!(of(&[Pass, Error, Skip]), Error);
        assert_eq!(of(&[Pass, Error, Fail, Crash]), Crash);
        assert_eq!(of(&[]), Skip);
    }
}
