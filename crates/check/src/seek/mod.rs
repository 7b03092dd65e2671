//! Cases in which a kernel does what it does in hardly any of the plan's: where parts of its source ran in no case, or
//! in few, small cases are drawn, and others are made toward what comparisons hardly ever came to; those that run such
//! parts become cases like any other. What is left is a gap, by its lines.

mod aims;
mod free;
mod line;

use crate::case::Case;
use crate::check::{Check, seed_cases};
use crate::device::{Failure, Launch, Visit};
use crate::inputs::prepare;
use crate::languages::Code;
use crate::parts::{Part, Parts, spans};
use crate::plan::{Plan, Sought, everywhere};
use crate::verdict::Verdict;
use aims::Aims;

/// Parts that ran in fewer cases are looked for.
const FEW: u32 = 6;
/// Cases that are drawn, and how many in a row may show nothing new, by the level of the plan.
const DRAWN: [usize; 4] = [256, 512, 1024, 2048];
const PATIENCE: [usize; 4] = [160, 256, 512, 1024];
/// The most cases that are added.
const ADDED: [usize; 4] = [16, 32, 64, 128];
/// Launches that are visited together: what comes of them shapes the next; and how many beside them go toward what
/// comparisons hardly ever came to.
const TOGETHER: usize = 16;
const AIMED: usize = 8;
/// The most cases that are added for a comparison that came out as in no other case, with no part of the source of its
/// own.
const OUTCOMES: usize = 4;
/// The points up to which a case of the plan is run once more for what it visits, where a device must.
const WORK: f64 = (1 << 18) as f64;
/// The same of a few large ones, where parts of the source are in use at large sizes alone.
const MUCH: f64 = (1 << 26) as f64;
const LARGE: usize = 4;
/// Lines after another among which one that belongs to it is looked for.
const NEAR: u32 = 8;

/// Which parts of the source each case ran, and in how many cases each part did.
#[derive(Default)]
pub(crate) struct Visited {
    cases: Vec<(Case, Parts)>,
    all: Parts,
    /// Whether a device that could say what runs cannot for this kernel.
    hidden: bool,
}

impl Visited {
    /// Notes what the launches of a case ran, where anything is known of it.
    pub(crate) fn note<'p>(&mut self, case: &Case, launches: impl Iterator<Item = &'p Parts>) {
        let mut parts = Parts::default();
        launches.for_each(|one| parts.join(one));
        if !parts.is_empty() {
            self.all.join(&parts);
            self.cases.push((case.clone(), parts));
        }
    }

    /// What a case ran, if that is known.
    pub(crate) fn of(&self, case: &Case) -> Option<&Parts> {
        self.cases.iter().find(|(own, _)| own == case).map(|(_, parts)| parts)
    }

    /// The cases that run what few do.
    fn rare(&self) -> Vec<&Case> {
        self.cases.iter().filter(|(_, parts)| self.all.lacks(parts, FEW)).map(|(case, _)| case).collect()
    }
}

impl Check<'_> {
    /// Looks for cases that run what hardly any case has run so far, and runs them.
    pub(crate) fn seek(&mut self, plan: &mut Plan, seed: u64) {
        if self.options.case.is_some() || self.evidence.verdict() != Verdict::Pass {
            return;
        }
        let mut aims = Aims::of(self.kernel);
        let unknown = self.visited.all.is_empty();
        if unknown || self.visited.all.has_rare(FEW) {
            self.visit_planned(&plan.cases, unknown, &mut aims);
        }
        if self.visited.hidden && self.visited.all.is_empty() {
            plan.gaps
                .insert(0, "which of its lines ran is not known: it does not load with marks in it".into());
        }
        if !self.visited.all.has_rare(FEW) {
            return;
        }
        let found = self.sought(&mut aims, seed);
        plan.why.extend(found.iter().map(|_| "runs what hardly any other case runs".to_string()));
        plan.cases.extend(found.iter().cloned());
        self.cases(&found);
        // nothing of the plan is a larger gap
        if let Some(idle) = self.idle() {
            plan.gaps.insert(0, idle);
        }
    }

    /// Notes what the cases of a plan compare, and what they run, where that is unknown: the first ones alone where
    /// those run all of it often enough.
    fn visit_planned(&mut self, planned: &[Case], unknown: bool, aims: &mut Aims) {
        let mut cheap: Vec<Case> = planned.iter().filter(|case| self.points(case) <= WORK).cloned().collect();
        if !unknown {
            cheap.retain(|case| self.visited.of(case).is_some());
            let every = cheap.len().div_ceil(TOGETHER).max(1);
            cheap = cheap.into_iter().step_by(every).collect();
        }
        for some in cheap.chunks(TOGETHER) {
            let told = self.visits(some);
            for (case, told) in some.iter().zip(told) {
                let Some(Visit { parts, comparisons }) = told else { continue };
                if unknown {
                    self.visited.note(case, [&parts].into_iter());
                }
                aims.note(case, comparisons);
            }
            if self.stopped() || !self.visited.all.has_rare(FEW) {
                return;
            }
        }
        if unknown {
            self.visit_large(planned);
        }
    }

    /// Notes what large cases of a plan run, as long as a part of the source ran in no other.
    fn visit_large(&mut self, planned: &[Case]) {
        let is_large = |case: &&Case| (WORK..MUCH).contains(&self.points(case));
        let large: Vec<Case> = planned.iter().rev().filter(is_large).take(LARGE).cloned().collect();
        for case in large {
            if self.stopped() || self.idle().is_none() {
                return;
            }
            if let Some(Some(Visit { parts, .. })) = self.visits(std::slice::from_ref(&case)).pop() {
                self.visited.note(&case, [&parts].into_iter());
            }
        }
    }

    fn points(&self, case: &Case) -> f64 {
        case.points(&self.kernel.op)
    }

    /// What each of some cases does; nothing is known of those that the device says nothing of.
    fn visits(&mut self, cases: &[Case]) -> Vec<Option<Visit>> {
        let mut out: Vec<Option<Visit>> = vec![None; cases.len()];
        let launched =
            |case: &Case| -> Option<Launch> { Some(prepare(self.kernel, case).ok()?.launch(0).ok()?.0) };
        for (number, program) in self.programs.all().enumerate() {
            let mine = (0..cases.len()).filter(|at| self.programs.known_number(&cases[*at]) == Some(number));
            let (places, launches): (Vec<usize>, Vec<Launch>) =
                mine.filter_map(|at| Some((at, launched(&cases[at])?))).unzip();
            if launches.is_empty() {
                continue;
            }
            for (at, told) in places.into_iter().zip(program.visit(launches)) {
                out[at] = match told {
                    Ok(visit) => Some(visit),
                    // what ends it is nowhere else
                    Err(Failure::Crash(_) | Failure::Hang { .. }) => Some(ended()),
                    Err(Failure::Compile { .. } | Failure::Mismatch(_)) => {
                        self.visited.hidden = true;
                        None
                    }
                    Err(_) => None,
                };
            }
        }
        out
    }

    /// Cases that run what few do.
    fn sought(&mut self, aims: &mut Aims, seed: u64) -> Vec<Case> {
        let level = self.options.amount.level as usize;
        let Some(mut sought) = Sought::of(self.kernel) else { return Vec::new() };
        let (mut found, mut since, mut outcomes): (Vec<Case>, usize, usize) = (Vec::new(), 0, 0);
        for turn in 0..DRAWN[level].div_ceil(TOGETHER) {
            let over = found.len() >= ADDED[level] || since >= PATIENCE[level];
            if over || !self.visited.all.has_rare(FEW) || self.stopped() {
                break;
            }
            let mut drawn = self.drawn(&mut sought, aims, turn);
            seed_cases(&mut drawn, seed);
            drawn.retain(|case| self.programs.known(case).is_some() && self.visited.of(case).is_none());
            // the larger ones first: they show most
            drawn.sort_by(|a, b| self.points(b).total_cmp(&self.points(a)));
            let told = self.visits(&drawn);
            since += TOGETHER;
            for (case, told) in drawn.into_iter().zip(told) {
                let Some(Visit { parts, comparisons }) = told else { continue };
                let (lacks, is_new) = (self.visited.all.lacks(&parts, FEW), aims.is_new(&comparisons));
                aims.note(&case, comparisons);
                let by_outcome = !lacks && is_new && outcomes < OUTCOMES;
                if found.contains(&case) || !lacks && !by_outcome {
                    continue;
                }
                outcomes += usize::from(by_outcome);
                self.visited.note(&case, [&parts].into_iter());
                found.push(case);
                since = 0;
            }
        }
        found.truncate(ADDED[level]);
        found
    }

    /// Cases to visit next: drawn ones, from what led somewhere as often as from nothing, and some that are made toward
    /// what comparisons hardly ever came to.
    fn drawn(&self, sought: &mut Sought, aims: &mut Aims, turn: usize) -> Vec<Case> {
        let rare = self.visited.rare();
        let of = |at: usize| rare.get((turn * TOGETHER + at) / 2 % rare.len().max(1)).filter(|_| at % 2 == 1);
        let mut drawn: Vec<Case> = (0..TOGETHER).filter_map(|at| sought.draw(of(at).copied())).collect();
        let lines = self.visited.all.rare_lines(FEW);
        let aimed = aims.draw(AIMED, &lines, &|case| sought.takes(case)).into_iter();
        drawn.extend((turn..).zip(aimed).map(|(at, case)| Case { regime: everywhere(at), ..case }));
        drawn
    }

    /// Whether a compiler may have moved a line's work elsewhere, and left it in a copy that nothing runs: the line
    /// before or after it, in the same block by its indentation, ran.
    fn is_moved(&self, line: u32) -> bool {
        let all = &self.visited.all;
        let text =
            |line: u32| self.kernel.text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
        let indent = |line: u32| text(line).len() - text(line).trim_start().len();
        let branches =
            ["else", "case", "default", "}"].iter().any(|word| text(line).trim_start().starts_with(word));
        let before = (1..line).rev().find(|other| all.has_line(*other));
        let after = (line + 1..=line + NEAR).find(|other| all.has_line(*other));
        let ran = |other: &u32| indent(*other) == indent(line) && all.ran_line(*other);
        self.kernel.source.kind.row().code == Code::Ptx && !branches && before.iter().chain(&after).any(ran)
    }

    /// The lines that ran in no case.
    fn idle(&self) -> Option<String> {
        let all = &self.visited.all;
        let mut lines = all.idle_lines();
        // where a block ends nothing is missing
        let text = |line: u32| self.kernel.line(line);
        let is_mark = |line: u32| !text(line).is_empty() && !text(line).contains(char::is_alphanumeric);
        lines.retain(|line| !self.is_moved(*line) && !is_mark(*line));
        match lines[..] {
            [] => None,
            [line] => Some(format!("line {line} ran in no case: {}", self.kernel.line(line).trim())),
            _ => Some(format!("lines {} ran in no case", spans(&lines, &|line| all.has_line(line)))),
        }
    }
}

/// What did not end well has one part.
fn ended() -> Visit {
    let mut visit = Visit::default();
    visit.parts.add(Part { line: 0, number: 0 }, true);
    visit
}
