//! In which order cases run, how many go together, when no more are run, and what is run again after a pass.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::again::{self, Cases};
use crate::case::Case;
use crate::check::Check;
use crate::law::{FALSE_ALARMS, Judge, SHOWN};
use crate::spent::Spent;
use crate::verdict::{CaseReport, Verdict};
use crate::{batch, footprint, leftover, processes, trial};

/// Crashes after which the rest is left. One that does not end is enough: each takes all the time that there is.
const PATIENCE: usize = 3;
/// Of so many cases one is run once enough are wrong: the largest come last, and may show more.
const FEW: usize = 4;
/// The time after which the rest is left where something is wrong.
const LONG: Duration = Duration::from_secs(60);
/// No group of cases counts for more.
const TURN: Duration = Duration::from_secs(5);
/// Once the law has shown, of the outcomes of other cases one in so many is looked at: in usual plans, in quick ones.
const LATER: [usize; 2] = [2, 4];

impl Check<'_> {
    /// Runs the cases, and only a few of them once enough are wrong.
    pub(crate) fn cases(&mut self, cases: &[Case]) {
        let mut spent = Spent::in_turns_of(TURN);
        let rest = self.until(self.options.enough.unwrap_or(usize::MAX), cases, &mut spent);
        let few: Vec<Case> = rest.iter().skip(FEW - 1).step_by(FEW).cloned().collect();
        self.until(usize::MAX, &few, &mut spent);
    }

    /// Runs cases until so many are wrong: the first alone, then as many together as the device likes, for as long as
    /// none dies. What it returns is left.
    fn until<'c>(&mut self, enough: usize, mut cases: &'c [Case], spent: &mut Spent) -> &'c [Case] {
        let together = (self.device.batch() / 2).max(1);
        while !cases.is_empty() {
            let died = self.evidence.count(|v| matches!(v, Verdict::Crash | Verdict::Hang));
            let wrong = self.evidence.count(Verdict::is_bad);
            let slow = spent.so_far() > LONG && wrong > 0;
            let hung = self.evidence.count(|v| v == Verdict::Hang) > 0;
            let mut found = self.evidence.reports.iter().flat_map(|r| &r.findings);
            if slow
                || wrong >= enough
                || self.stopped()
                || died >= PATIENCE
                || hung
                || found.any(|f| f.is_endless())
            {
                return cases;
            }
            let now = if self.evidence.reports.is_empty() || died > 0 { 1 } else { together };
            let now = footprint::together(self.kernel, &cases[..now.min(cases.len())]);
            let (group, rest) = cases.split_at(now);
            self.group(group);
            cases = rest;
        }
        cases
    }

    /// Runs some cases, those of one program together.
    pub(crate) fn group(&mut self, cases: &[Case]) {
        if self.kernel.op.is_random() {
            return cases.iter().for_each(|case| self.random(case));
        }
        let mut begun = Vec::new();
        for case in cases {
            match self.programs.number(case) {
                Ok(program) => match trial::begin(self.kernel, case, self.functions()) {
                    Ok((made, launches)) => begun.push((program, made, launches)),
                    Err(report) => self.ended(*report),
                },
                Err(failure) => self.ended(trial::failed(case, &failure)),
            }
        }
        for number in 0..self.programs.count() {
            let (mine, others): (Vec<_>, Vec<_>) = begun.into_iter().partition(|(p, _, _)| *p == number);
            begun = others;
            let (made, launches): (Vec<_>, Vec<_>) =
                mine.into_iter().map(|(_, made, its)| (made, its)).unzip();
            if made.is_empty() {
                continue;
            }
            let mut results = self.programs.run(number, launches.into_iter().flatten().collect()).into_iter();
            for one in made {
                let ran: Vec<_> = results.by_ref().take(2).collect();
                self.visited.note(one.case(), ran.iter().flatten().map(|ran| &ran.parts));
                let report = match one.finish(ran, true) {
                    Ok(trial) => self.evidence.keep(trial),
                    Err(report) => *report,
                };
                self.ended(report);
            }
        }
    }

    /// Runs one case of a random op: by itself, then with as many seeds as its law takes.
    fn random(&mut self, case: &Case) {
        let (kernel, functions, share) =
            (self.kernel, self.functions(), FALSE_ALARMS / self.planned.max(1) as f64);
        let (together, started) = ((self.device.batch() / 2).max(1), Instant::now());
        let shown =
            self.evidence.reports.iter().any(|r| r.law.as_ref().is_some_and(|law| law.samples >= SHOWN));
        let part = if shown { LATER[usize::from(self.options.amount.is_quick())] } else { 1 };
        let judged = match self.programs.of(case) {
            Ok(program) => trial::run(kernel, program, case, functions)
                .and_then(|trial| Judge { program, share, together, part }.judge(trial)),
            Err(failure) => Err(Box::new(trial::failed(case, &failure))),
        };
        let report = match judged {
            Ok(trial) => self.evidence.keep(trial),
            Err(report) => *report,
        };
        self.ended(CaseReport { took: started.elapsed(), ..report });
    }

    /// Calls a kernel that passed so far more often than a plan does, where it could remember that.
    pub(crate) fn again(&mut self) {
        let stress = self.options.amount.stress;
        let remembers = stress || self.device.remembers() || self.programs.all().any(|p| p.remembers());
        // what a buffer holds from the call before, any kernel may take for its own
        let holds = remembers || !self.kernel.contract.scratch.is_empty();
        if self.stopped() || !holds || self.evidence.verdict() != Verdict::Pass {
            return;
        }
        let passed = self.evidence.reports.iter().filter(|r| r.verdict == Verdict::Pass).map(|r| &r.case);
        let Some(case) = again::chosen(self.kernel, passed.clone()).cloned() else { return };
        let Some(number) = self.programs.known_number(&case) else { return };
        let same = |other: &Case| self.programs.known_number(other) == Some(number);
        let passed = passed.filter(|case| same(case));
        // scratch alone needs no case beside this one
        let (larger, smaller) = match remembers {
            true => (
                again::larger(self.kernel, &case, passed.clone()).cloned(),
                again::smaller(self.kernel, &case, passed).cloned(),
            ),
            false => (None, None),
        };
        let functions = self.functions();
        let Some(program) = self.programs.known(&case) else { return };
        let cases = Cases { case: &case, larger: larger.as_ref(), smaller: smaller.as_ref() };
        let count = again::LAUNCHES[usize::from(stress)];
        let mut found = match remembers {
            true => again::test(self.kernel, (program, &same), cases, functions, count),
            false => Ok(None),
        };
        if matches!(found, Ok(None)) {
            found = leftover::test(self.kernel, program, &case, functions);
        }
        if remembers && matches!(found, Ok(None)) {
            found = processes::test(self.kernel, program, larger.as_ref().unwrap_or(&case), functions);
        }
        let report = match found {
            Ok(None) => return,
            Ok(Some(report)) => *report,
            Err(failure) => trial::failed(&case, &failure),
        };
        self.ended(report);
    }

    /// Tests the promise `batch_invariant`; what it returns is why it could not be tested.
    pub(crate) fn batch_invariance(&mut self, cases: &[Case]) -> Option<String> {
        if !self.kernel.contract.promises.batch_invariant || self.evidence.verdict() != Verdict::Pass {
            return None;
        }
        let dim = batch::dimension(self.kernel)?;
        let mut why = "no case has several rows".to_string();
        let mut tested = 0;
        for case in &batch::cases(self.kernel, cases, &dim) {
            if self.stopped() {
                break;
            }
            let Ok(program) = self.programs.of(case) else { continue };
            match batch::test(self.kernel, program, case) {
                Ok(None) => tested += 1,
                Ok(Some(finding)) => {
                    let mut report =
                        trial::without_result(case, Verdict::Fail, finding.to_string(), Instant::now());
                    report.findings.push(finding);
                    self.ended(report);
                    return None;
                }
                Err(batch::Why::Untestable(reason)) => why = reason,
                Err(batch::Why::Failed(failure)) => {
                    self.ended(trial::failed(case, &failure));
                    return None;
                }
            }
        }
        (tested == 0).then(|| format!("batch_invariant is not tested: {why}"))
    }

    /// Whether the user stopped the run.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
