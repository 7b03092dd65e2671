//! A failure made small and explained: what it looks like, what it has in common with others, and what else is wrong.

use ktwin_num::Regime;

use crate::apart::{self, Apart};
use crate::case::Case;
use crate::check::Check;
use crate::event::{KernelReport, Note};
use crate::finding::{Finding, Kind};
use crate::languages::Code;
use crate::law::{Judge, LawReport};
use crate::pattern::{Pattern, Shows, What};
use crate::shrink::{Run, Shrunk};
use crate::trial::{self, Trial};
use crate::verdict::{CaseReport, Verdict};
use crate::{
    cleared, common, diagnose, digits, direction, first, folded, formula, held, keyed, misfit, misread,
    reads, relaid, report, rung, shrink, sift, spared, workgroups,
};

/// The most findings that are shown beside those of the smallest case.
const OTHERS: usize = 4;

/// What is wrong in fewer cases is not called coarse, where there are as many; and of fewer numbers no type is told
/// that they are kept in.
pub(crate) const SEVERAL: usize = 3;

/// Passing cases that differ most from 0 and 1 which a change of the op must explain.
const TELLING: usize = 6;

/// Failing cases of a random op, and passing ones, that a change of it must explain beside the first.
const LAWS: usize = 8;

impl<'a> Check<'a> {
    /// Shrinks the failure and says what it looks like.
    pub(crate) fn explain(&mut self, out: &mut KernelReport) {
        let Some(failing) = self.evidence.failing.take() else {
            return self.without_result(out);
        };
        let passed = |r: &&CaseReport| r.verdict == Verdict::Pass && r.is_sharp();
        let sharp = self.evidence.reports.iter().filter(passed).count();
        // what lanes make of a race says nothing of how they compute
        if failing.report.errors().all(|f| f.kind.is_of_values()) {
            out.behaves_like = rung::of_failure(&self.evidence.telling, &failing, out.cases.fail, sharp);
        }
        let (kernel, programs, functions) = (self.kernel, &self.programs, self.functions());
        // cases with other constants would need another program
        let one = |case: &Case| trial::run(kernel, programs.known(case)?, case, functions).ok();
        // who has to stop tells what is known already
        let run = |case: &Case| if self.stopped() { None } else { one(case) };
        // a law shows in many outcomes, never in fewer
        let law = failing.report.errors().all(|f| f.kind == Kind::WrongLaw);
        let alone = self.options.case.is_some() || law || self.options.untold;
        // what does not end would be waited for at every step
        let endless = failing.report.findings.iter().any(|f| f.is_endless());
        let first = failing.clone();
        let kinds = shrink::kinds(&first);
        let wanted = |t: &Trial| shrink::kinds(t).iter().any(|kind| kinds.contains(kind));
        let small = match alone || endless {
            true => Shrunk { trial: failing, passing: Vec::new() },
            false => shrink::edge(shrink::shrink(failing, &wanted, &run), &wanted, &run),
        };
        let mut failure = report::failure(&small.trial, &self.options.repeat);
        if law && !self.options.untold {
            failure.patterns.extend(self.other_law(&run).map(Pattern::from));
        }
        if !law && !self.options.untold {
            let rule = common::rule(kernel, &self.evidence.reports, &small, &run);
            let apart = (rule.is_none() && !alone && !endless).then(|| self.apart(&small, &run)).flatten();
            let mostly = || common::mostly(kernel, &self.evidence.reports, &small);
            let rule = rule.or_else(|| if apart.is_none() { mostly() } else { None });
            let groups = workgroups::told(kernel, &self.evidence.reports, rule.as_ref());
            let rule = groups.or(rule);
            failure.patterns = self.patterns(&small, &first, rule, apart.as_ref(), &run);
            failure.others.extend(apart.iter().flat_map(|apart| self.note_of(&apart.there.trial)));
            if self.remembers(&small.trial, &run) {
                failure.patterns.insert(0, What::Remembers.into());
                let whole = out.seed.and_then(|seed| self.options.repeat.all(seed));
                failure.repeat = whole.unwrap_or(failure.repeat);
            }
        }
        if !alone && !endless {
            let others = self.others(&small.trial, &failure.others, &run);
            failure.others.extend(others);
        }
        // what ends a case is said even where another is easier to explain
        let ended = self.evidence.reports.iter().find(|r| r.verdict.is_bad() && !r.reason.is_empty());
        if let Some(other) = ended.filter(|_| failure.reason.is_empty()) {
            failure.reason = format!("{}, in {}", other.reason, other.case);
            out.reason.clone_from(&failure.reason);
        }
        out.failure = Some(failure);
    }

    /// Why there is nothing to look at.
    fn without_result(&mut self, out: &mut KernelReport) {
        let first = self.evidence.reports.iter().find(|r| r.verdict.is_bad());
        if let Some(misfit) = first.filter(|first| self.evidence.all_end_like(first)) {
            *out = self.nothing(Verdict::Invalid, misfit::told(self.kernel, &misfit.reason));
            return;
        }
        out.failure = first.map(|r| report::without_result(self.kernel, r, &self.options.repeat));
        out.reason = first.map_or(String::new(), |r| r.reason.clone());
    }

    /// The op with one thing changed whose law the kernel follows: in the case that breaks the law most, and in others
    /// that break it or tell much of it.
    fn other_law(&self, run: Run<'_, 'a>) -> Option<What> {
        let told = |bad: bool| {
            let reports = self.evidence.reports.iter().filter(|r| r.verdict.is_bad() == bad);
            let mut laws: Vec<(&LawReport, &Case)> =
                reports.filter_map(|r| Some((r.law.as_ref()?, &r.case))).collect();
            let least = |law: &LawReport| law.least.as_ref().map_or(1.0, |test| test.p);
            laws.sort_by(|(a, _), (b, _)| match bad {
                true => least(a).total_cmp(&least(b)),
                false => b.samples.cmp(&a.samples),
            });
            let cases = laws.into_iter().map(|(_, case)| case);
            cases.take(LAWS).filter_map(run).map(|trial| trial.prepared).collect::<Vec<_>>()
        };
        let (failing, passing) = (told(true), told(false));
        let program = self.programs.known(&failing.first()?.case)?;
        let together = (self.device.batch() / 2).max(1);
        Judge { program, share: 0.0, together, part: 1 }.changed(&failing, &passing)
    }

    /// Whether a case whose values were wrong after others is right by itself.
    fn remembers(&self, trial: &Trial<'a>, run: Run<'_, 'a>) -> bool {
        self.options.case.is_none()
            && trial.report.errors().all(|f| f.kind.is_of_values())
            && run(&trial.prepared.case).is_some_and(|alone| alone.report.verdict == Verdict::Pass)
    }

    /// What the failure looks like, what tells most first.
    fn patterns(
        &self,
        shrunk: &Shrunk<'a>,
        first: &Trial<'a>,
        rule: Option<What>,
        apart: Option<&Apart<'a>>,
        run: Run<'_, 'a>,
    ) -> Vec<Pattern> {
        let small = &shrunk.trial;
        // what fails for another reason says nothing of this one
        let here = |trial: &&Trial| apart.is_none_or(|apart| !apart.rules[1].holds(&trial.prepared.case));
        let others =
            || [first].into_iter().chain(&self.evidence.largest).chain(&self.evidence.telling).filter(here);
        let seen: Vec<&Trial> = [small].into_iter().chain(others()).chain(&self.evidence.sharp).collect();
        let otherwise = self.otherwise(small, &seen, run);
        let left_out = if otherwise.is_some() { Vec::new() } else { self.reads(small, run) };
        let mut out: Vec<Pattern> = otherwise.into_iter().map(Pattern::from).chain(left_out).collect();
        out.extend(common::lines(self.kernel, &self.visited, &self.evidence.reports).map(Pattern::from));
        let larger = self.evidence.largest.as_ref().filter(here);
        let reports = &self.evidence.reports;
        let all: Vec<&Trial> = others().collect();
        let mut seen = diagnose::patterns(small, reports);
        seen.retain(|pattern| !sift::is_accident(pattern, larger, &all));
        // right numbers in another place leave nothing out
        let placed = |p: &Pattern| matches!(p.what, What::OtherOrder | What::OthersOfEquals);
        if seen.iter().any(placed) {
            let strewn = |shows: &Shows| {
                matches!(shows, Shows::LeftOut { .. } | Shows::Instead { .. } | Shows::ReadToo { .. })
            };
            out.retain(|p| !matches!(&p.what, What::Changed { shows } if strewn(shows)));
        }
        out.extend(seen.into_iter().map(|pattern| diagnose::of_its_case(pattern, small, &all)));
        // a case with ordinary data may tell where, if that with the most elements does not
        let more = larger.into_iter().chain(self.evidence.telling.iter().filter(here));
        let mut told = more.map(|trial| diagnose::more_patterns(small, trial, reports));
        out.extend(told.find(|told| !told.is_empty()).unwrap_or_default());
        self.of_one_number(&mut out, rule.is_none().then_some(run));
        self.coarse(&mut out, || digits::right([small].into_iter().chain(all.iter().copied())));
        let rules = common::subgroups(reports).into_iter().chain(rule).map(Pattern::from);
        out.splice(0..0, rules).for_each(drop);
        if apart.is_none()
            && !out.iter().any(|p| matches!(p.what, What::Formula { .. } | What::FailsWhen { .. }))
        {
            out.extend(common::data(reports).map(Pattern::from));
        }
        sift::functions_of_one_number(&mut out);
        // one change that explains all cases is one mistake
        let apart = apart.filter(|_| !out.iter().any(|p| matches!(p.what, What::Formula { .. })));
        out.extend(apart.into_iter().flat_map(|apart| self.patterns_apart(apart, run)));
        // what explains all cases leaves nothing to what one shows, unless that is said in a word
        let plain = |p: &Pattern| matches!(p.what, What::Transposed | What::EqualToInput { .. });
        if out.iter().any(|p| p.case.is_none() && p.what.explains_all()) {
            out.retain(|p| p.case.is_none() || plain(p));
        }
        // what one case shows may be chance, and with a NaN in it tells least
        let of_special = |p: &Pattern| p.case.as_ref().is_some_and(|case| case.regime.is_special());
        let of_one = |p: &Pattern| p.case.is_some() && !matches!(p.what, What::Changed { .. });
        out.sort_by_key(|p| (of_special(p), if of_one(p) { p.what.rank().max(2) } else { p.what.rank() }));
        out
    }

    /// Says what relates the wrong numbers of an output of one number to the right ones, and with which inputs alone
    /// it is wrong, where no size tells.
    fn of_one_number(&self, out: &mut Vec<Pattern>, run: Option<Run<'_, 'a>>) {
        let known =
            |p: &Pattern| matches!(p.what, What::Formula { .. } | What::Factor { .. } | What::AllOne { .. });
        if !out.iter().any(known) {
            let one = common::of_one_number(&self.evidence.reports);
            out.extend(one.filter(|one| out.iter().all(|p| p.what != one.what)));
        }
        if let Some(run) = run.filter(|_| !out.iter().any(|p| p.what.explains_all())) {
            out.extend(self.of_extremes(run).map(Pattern::from));
        }
    }

    /// The largest or smallest numbers of an input with which alone an output of one number is wrong.
    fn of_extremes(&self, run: Run<'_, 'a>) -> Option<What> {
        let outputs = &self.kernel.op.outputs;
        let alone = (0..outputs.len()).find(|output| outputs[*output].axes.is_empty())?;
        let trials: Vec<Trial> = self.failing_of_each(run).into_iter().chain(self.one_of_each(run)).collect();
        folded::of_one_number(&trials.iter().collect::<Vec<_>>(), alone)
    }

    /// Says that all is wrong by little, where that is so and nothing else tells why.
    fn coarse(&self, out: &mut Vec<Pattern>, digits: impl Fn() -> Option<f64>) {
        let reports = &self.evidence.reports;
        let by_little =
            |p: &Pattern| matches!(p.what, What::EveryElement | What::Where { .. }) || p.what.is_strewn();
        let failing = reports.iter().filter(|report| report.verdict.is_bad()).count();
        if !out.iter().all(by_little) || failing < SEVERAL && reports.len() >= SEVERAL {
            return;
        }
        if let Some(digits) = digits() {
            // an approximation moves where the op's value stays, and stays where that moves a little
            out.retain(|pattern| !pattern.what.is_strewn());
            out.push(What::Coarse { digits }.into());
        }
    }

    /// What else the kernel computes, if that explains all that was seen: the op with one thing changed, another op, an
    /// input that is read otherwise, a rounding of its own; or for which numbers it is wrong.
    fn otherwise(&self, small: &Trial<'a>, seen: &[&Trial<'a>], run: Run<'_, 'a>) -> Option<What> {
        let (more, more_failing) = (|| self.one_of_each(run), || self.failing_of_each(run));
        // what lanes that do not meet leave behind fits many formulas, and so does what they make in another order; of
        // what runs alone it is what lies outside of inputs
        let alone = self.kernel.source.kind.code() == Code::Machine;
        let by_chance =
            |f: &Finding| f.kind == Kind::DivergentBarrier || f.kind == Kind::NotRepeatable && !alone;
        let formula = match small.report.errors().any(by_chance) {
            true => None,
            false => formula::change(seen, &more, Some(&more_failing)),
        };
        let formula = formula.or_else(|| formula::other(seen, &more));
        let everywhere = |what: &What| matches!(what, What::Formula { .. } | What::OtherOp { .. });
        let otherwise = formula.clone().filter(everywhere).or_else(|| misread::misread(seen, &more));
        let otherwise = otherwise.or_else(|| relaid::relaid(seen, &more)).or(formula);
        let otherwise = otherwise.or_else(|| held::subnormal(seen)).or_else(|| direction::told(seen));
        otherwise.or_else(|| keyed::told(seen, &more_failing))
    }

    /// What shows when inputs and buffers are changed. What the kernel leaves out or reads besides is looked for in the
    /// failing case with most wrong elements, or with most inputs, of those that are small enough, or else in the
    /// smallest.
    fn reads(&self, small: &Trial<'a>, run: Run<'_, 'a>) -> Vec<Pattern> {
        let elements = |case: &Case| {
            let at = case.bind(&self.kernel.op).ok()?;
            let all: usize = at.input_shapes.iter().map(|shape| shape.iter().product::<usize>()).sum();
            (!case.regime.is_special() && all <= reads::MOST).then_some(all)
        };
        let failing = self.evidence.reports.iter().filter(|report| report.has_wrong_values());
        // in data that overflow or cancel, what is left out and what is lost look alike
        let plain = |case: &Case| matches!(case.regime, Regime::Normal | Regime::Uniform);
        let sized = failing.filter_map(|r| {
            let wrong: usize = r.outputs.iter().map(|o| o.failing.len()).sum();
            // where there is one of something, much cancels
            let several = r.case.dims.iter().all(|(_, size)| *size > 1);
            Some(((plain(&r.case), several, wrong, elements(&r.case)?), &r.case))
        });
        let most = sized.max_by_key(|(size, _)| *size).map(|(_, case)| case);
        let told = |trial: &Trial<'a>| {
            let program = self.programs.known(&trial.prepared.case);
            reads::told(trial, &|launches| Some(program?.run(launches)))
        };
        let of_case = |trial: Trial<'a>| {
            let case = Some(trial.prepared.case.clone());
            let all = told(&trial).into_iter().map(|what| Pattern { case: case.clone(), ..shown(what) });
            all.collect::<Vec<_>>()
        };
        let program = self.programs.known(&small.prepared.case);
        let runs = |launches| Some(program?.run(launches));
        let cleared = cleared::told(small, &runs);
        if let Some(what) =
            cleared.or_else(|| spared::told(small, &runs)).or_else(|| first::told(small, &runs))
        {
            return vec![shown(what)];
        }
        let larger = most.filter(|case| **case != small.prepared.case).and_then(run).map(of_case);
        let larger = larger.filter(|told| !told.is_empty());
        larger.unwrap_or_else(|| told(small).into_iter().map(shown).collect())
    }

    /// Another mistake than that of the smallest case, where the failing cases show two.
    fn apart(&self, small: &Shrunk<'a>, run: Run<'_, 'a>) -> Option<Apart<'a>> {
        apart::apart(self.kernel, &self.evidence.reports, small, run)
    }

    /// When each of two mistakes shows, and what the other one looks like.
    fn patterns_apart(&self, apart: &Apart<'a>, run: Run<'_, 'a>) -> Vec<Pattern> {
        let there = &apart.there.trial;
        let case = Some(there.prepared.case.clone());
        let of_it = |what| Pattern { case: case.clone(), ..Pattern::from(what) };
        let mut out: Vec<Pattern> =
            apart.rules.iter().map(|rule| What::FailsWhenever { rule: rule.clone() }.into()).collect();
        let more = || self.one_of_each(run);
        out.extend(formula::change(&[there], &more, None).map(of_it));
        let seen = diagnose::patterns(there, &[]).into_iter();
        out.extend(seen.map(|pattern| Pattern { case: case.clone(), ..pattern }));
        out
    }

    /// The first finding of a trial.
    fn note_of(&self, trial: &Trial<'a>) -> Option<Note> {
        let finding = report::findings(self.kernel, trial.report.errors().take(1)).pop()?;
        Some(Note { finding, case: trial.prepared.case.clone() })
    }

    /// The first case of every regime in which the kernel passes, run again, and those whose sizes and scalars differ
    /// most from 0 and 1, which many changes need to show.
    fn one_of_each(&self, run: Run<'_, 'a>) -> Vec<Trial<'a>> {
        let passed = |report: &CaseReport| report.verdict == Verdict::Pass;
        let plain = self.evidence.reports.iter().filter(|r| passed(r) && !r.case.regime.is_special());
        let mut telling: Vec<&Case> = plain.map(|r| &r.case).collect();
        let alike = |case: &Case| {
            let sizes = case.dims.iter().filter(|(_, size)| *size <= 1).count();
            sizes + case.scalars.iter().filter(|(_, value)| [0.0, 1.0].contains(&value.to_f64())).count()
        };
        telling.sort_by_key(|case| alike(case));
        let mut out = self.first_of_each(&passed, run);
        out.extend(telling.into_iter().take(TELLING).filter_map(run));
        out
    }

    /// The same of cases in which values are wrong.
    fn failing_of_each(&self, run: Run<'_, 'a>) -> Vec<Trial<'a>> {
        self.first_of_each(&CaseReport::has_wrong_values, run)
    }

    fn first_of_each(&self, wanted: &dyn Fn(&CaseReport) -> bool, run: Run<'_, 'a>) -> Vec<Trial<'a>> {
        let mut seen = Vec::new();
        let cases = self.evidence.reports.iter().filter(|r| wanted(r)).map(|r| &r.case);
        let first = cases.filter(|case| {
            let new = !seen.contains(&case.regime);
            seen.extend(new.then_some(case.regime));
            new
        });
        first.filter_map(run).collect()
    }

    /// Findings of other cases that the smallest one does not show, each with the smallest case that does.
    fn others(&self, small: &Trial<'a>, told: &[Note], run: Run<'_, 'a>) -> Vec<Note> {
        let key = |f: &Finding| (f.kind, f.line);
        let told = told.iter().map(|note| &note.finding);
        let mut seen: Vec<_> = small.report.errors().chain(told).map(key).collect();
        let mut out = Vec::new();
        for report in self.evidence.reports.iter().filter(|r| r.verdict.is_bad()) {
            for finding in report.errors() {
                if out.len() == OTHERS || seen.contains(&key(finding)) || finding.is_endless() {
                    continue;
                }
                seen.push(key(finding));
                let wanted = |t: &Trial| t.report.errors().any(|f| key(f) == key(finding));
                let Some(trial) = run(&report.case).filter(wanted) else { continue };
                let trial = shrink::shrink(trial, &wanted, run).trial;
                let shown = trial.report.errors().find(|f| key(f) == key(finding)).unwrap_or(finding);
                let case = trial.prepared.case.clone();
                out.extend(
                    report::findings(self.kernel, [shown])
                        .into_iter()
                        .map(|finding| Note { finding, case: case.clone() }),
                );
            }
        }
        out
    }
}

fn shown(shows: Shows) -> Pattern {
    What::Changed { shows }.into()
}
