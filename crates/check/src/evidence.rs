//! What was seen of a kernel so far: a report of every case, and the few trials that tell more than the others.

use ktwin_num::Regime;

use crate::rung;
use crate::trial::Trial;
use crate::verdict::{CaseReport, Verdict, together};

/// Elements of a trial that is still looked at for where they are wrong, if there is another.
const LARGE: usize = 1 << 17;

/// What was seen of a kernel.
#[derive(Default)]
pub(crate) struct Evidence<'a> {
    /// Every case, in the order in which they ended.
    pub(crate) reports: Vec<CaseReport>,
    /// The first failing trial, one without NaN and Inf if there is any: it tells more of what is wrong.
    pub(crate) failing: Option<Trial<'a>>,
    /// Of the other failing trials the one with the most elements, among those whose numbers do not depend on their
    /// place if there are any: it tells most of where.
    pub(crate) largest: Option<Trial<'a>>,
    /// Passing trials that are sharp.
    pub(crate) sharp: Vec<Trial<'a>>,
    /// Failing trials that tell of a rung.
    pub(crate) telling: Vec<Trial<'a>>,
    /// Further cases that were looked through for sharp ones, by the twin alone.
    pub(crate) looked_through: usize,
}

impl<'a> Evidence<'a> {
    /// What all cases together say.
    pub(crate) fn verdict(&self) -> Verdict {
        together(&self.reports)
    }

    /// Whether no case was run at all, each for this reason: the contract does not fit, whatever the sizes.
    pub(crate) fn all_end_like(&self, misfit: &CaseReport) -> bool {
        let same = |r: &CaseReport| r.verdict == Verdict::Invalid && r.reason == misfit.reason;
        self.reports.iter().all(same)
    }

    /// How many cases have a verdict of this kind.
    pub(crate) fn count(&self, of: impl Fn(Verdict) -> bool) -> usize {
        self.reports.iter().filter(|r| of(r.verdict)).count()
    }

    /// Keeps a trial if it tells more than others, and hands its report on.
    pub(crate) fn keep(&mut self, trial: Trial<'a>) -> CaseReport {
        let report = trial.report.clone();
        if trial.report.verdict.is_bad() {
            self.failed(trial);
        } else if trial.report.is_sharp() {
            rung::keep(&mut self.sharp, trial);
        }
        report
    }

    fn failed(&mut self, trial: Trial<'a>) {
        rung::keep_telling(&mut self.telling, &trial);
        let size = |t: &Trial| t.report.outputs.iter().map(|o| o.total).sum::<usize>();
        // what is very large takes long to look at, and tells no more
        let tells = |t: &Trial| (size(t) <= LARGE, t.prepared.case.regime != Regime::Peaks, size(t));
        let ordinary = |t: &Trial| !matches!(t.prepared.case.regime, Regime::Nan | Regime::Inf);
        if self.failing.as_ref().is_none_or(|first| ordinary(&trial) && !ordinary(first)) {
            self.failing = Some(trial);
        } else if self.largest.as_ref().is_none_or(|l| tells(&trial) > tells(l)) {
            self.largest = Some(trial);
        }
    }
}
