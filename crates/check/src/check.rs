//! One kernel on one device, from plan to report. Tells what happens as events; prints nothing.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ktwin_num::Language;

use crate::accept::accepts;
use crate::case::Case;
use crate::device::{Device, Failure, Program};
use crate::event::{CaseEnded, Event, KernelReport, KernelStarted};
use crate::kernel::Kernel;
use crate::plan::{Amount, Plan, plan};
use crate::resources::Resources;
use crate::trial::{self, Trial};
use crate::verdict::{CaseReport, Verdict, together};
use crate::{again, batch, measure};

/// How a kernel is tested.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How much is planned.
    pub amount: Amount,
    /// The seed; drawn after the kernel is loaded where there is none.
    pub seed: Option<u64>,
    /// One case alone, as [`Case`] shows it.
    pub case: Option<String>,
    /// How a user repeats a case.
    pub repeat: Repeat,
    /// Whether the report says what the compiled kernel takes of a card.
    pub resources: bool,
}

/// How a user repeats a case: what to write before it and after it.
#[derive(Clone, Debug, Default)]
pub struct Repeat {
    /// Before the case.
    pub before: String,
    /// After it.
    pub after: String,
}

impl Repeat {
    /// All of it.
    pub fn of(&self, case: &Case) -> String {
        format!("{}{case}{}", self.before, self.after)
    }
}

/// Crashes and hangs after which the rest is left.
const PATIENCE: usize = 3;

/// A seed that nobody knows beforehand, short enough to type.
pub fn draw_seed() -> u64 {
    RandomState::new().build_hasher().finish() & 0xffff_ffff
}

/// The seed of a case: another one for each.
pub(crate) fn case_seed(seed: u64, number: usize) -> u64 {
    let mut x = seed.wrapping_add((number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ (x >> 31)) & 0xffff_ffff
}

/// The constants that a program is compiled with: names and values.
pub(crate) type Constants = Vec<(String, String)>;

/// Programs by what they are compiled with.
pub(crate) struct Programs {
    pub(crate) all: Vec<(Constants, Box<dyn Program>)>,
}

/// The run of one kernel.
pub(crate) struct Check<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) device: &'a dyn Device,
    pub(crate) options: &'a Options,
    pub(crate) emit: &'a (dyn Fn(Event) + Sync),
    pub(crate) stop: &'a AtomicBool,
    pub(crate) programs: Programs,
    pub(crate) reports: Vec<CaseReport>,
    /// The first failing trial, and passing ones that are sharp.
    pub(crate) failing: Option<Trial<'a>>,
    /// The failing trial with the most elements: it tells most of where.
    pub(crate) largest: Option<Trial<'a>>,
    pub(crate) sharp: Vec<Trial<'a>>,
    /// Failing trials that tell of a rung.
    pub(crate) telling: Vec<Trial<'a>>,
    /// What the compiled kernel takes of a card.
    pub(crate) resources: Vec<Resources>,
}

/// Tests a kernel.
pub fn check(
    kernel: &Kernel,
    device: &dyn Device,
    options: &Options,
    emit: &(dyn Fn(Event) + Sync),
    stop: &AtomicBool,
) -> KernelReport {
    let started = Instant::now();
    let programs = Programs { all: Vec::new() };
    let (reports, sharp, telling, resources) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (failing, largest) = (None, None);
    let mut check = Check {
        kernel,
        device,
        options,
        emit,
        stop,
        programs,
        reports,
        failing,
        largest,
        sharp,
        telling,
        resources,
    };
    let mut report = check.run();
    report.seconds = started.elapsed().as_secs_f64();
    emit(Event::Verdict(Box::new(report.clone())));
    report
}

/// Cases in which rows are run alone.
const BATCHES: usize = 8;

impl<'a> Check<'a> {
    fn run(&mut self) -> KernelReport {
        let kernel = self.kernel;
        let name = self.device.name().to_string();
        if !self.device.accepts(kernel.source.kind) {
            let reason = format!("{name} does not run .{} files", extension(kernel));
            return self.nothing(Verdict::Skip, reason);
        }
        let mut plan = match self.plan() {
            Ok(plan) => plan,
            Err(reason) => return self.nothing(Verdict::Invalid, reason),
        };
        if let Err(failure) = self.compile(&plan.cases) {
            return self.nothing(trial::verdict_of(&failure), failure.to_string());
        }
        // the kernel is loaded: now nobody can know the seed any more
        let seed = self.options.seed.unwrap_or_else(draw_seed);
        if self.options.case.is_none() {
            plan.cases.iter_mut().enumerate().for_each(|(n, case)| case.seed = case_seed(seed, n));
        }
        (self.emit)(Event::Kernel(KernelStarted {
            kernel: kernel.name.clone(),
            op: kernel.op.name.clone(),
            device: name,
            cases: plan.cases.len(),
            seed,
        }));
        self.cases(&plan.cases);
        self.sharpen(seed);
        self.again();
        self.take_stock();
        let gap = self.batch_invariance(&plan.cases);
        plan.gaps.extend(gap);
        self.conclude(plan, seed)
    }

    /// Calls a kernel that passed so far more often than a plan does, where it could remember that.
    fn again(&mut self) {
        let stopped = self.stop.load(Ordering::Relaxed);
        let remembers = self.device.remembers() || self.programs.all.iter().any(|(_, p)| p.remembers());
        if stopped || !remembers || together(&self.reports) != Verdict::Pass {
            return;
        }
        let passed = self.reports.iter().filter(|r| r.verdict == Verdict::Pass).map(|r| &r.case);
        let Some(case) = again::chosen(self.kernel, passed).cloned() else { return };
        let Ok(program) = self.program_of(&case) else { return };
        let report = match again::test(self.kernel, &*self.programs.all[program].1, &case, self.functions()) {
            Ok(None) => return,
            Ok(Some(report)) => *report,
            Err(failure) => trial::failed(&case, &failure),
        };
        self.ended(report);
    }

    /// Tests the promise `batch_invariant`; what it returns is why it could not be tested.
    fn batch_invariance(&mut self, cases: &[Case]) -> Option<String> {
        if !self.kernel.contract.promises.batch_invariant || together(&self.reports) != Verdict::Pass {
            return None;
        }
        let dim = batch::dimension(self.kernel)?;
        let mut why = "no case has several rows".to_string();
        let mut tested = 0;
        // the largest cases are at the end: there rows share most; where sums are exact, their order does not show
        let telling = |c: &&Case| c.regime.rounds() && batch::alone(c, &dim).is_some();
        for case in cases.iter().rev().filter(telling).take(BATCHES) {
            let Ok(program) = self.program_of(case) else { continue };
            match batch::test(self.kernel, &*self.programs.all[program].1, case) {
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

    fn plan(&self) -> Result<Plan, String> {
        match &self.options.case {
            None => plan(self.kernel, self.options.amount),
            Some(text) => {
                let case = Case::parse(self.kernel, text)?;
                accepts(self.kernel, &case)?;
                Ok(Plan { cases: vec![case], why: vec!["asked for".into()], gaps: Vec::new() })
            }
        }
    }

    /// Compiles for every set of constants that the cases ask for.
    fn compile(&mut self, cases: &[Case]) -> Result<(), Failure> {
        for case in cases {
            self.program_of(case)?;
        }
        Ok(())
    }

    /// The number of the program of a case, compiled if it is the first of its kind.
    fn program_of(&mut self, case: &Case) -> Result<usize, Failure> {
        let wrong = |e: String| Failure::Mismatch(e);
        let at = case.bind(&self.kernel.op).map_err(|e| wrong(e.to_string()))?;
        let mut key = Vec::new();
        for (name, expr) in &self.kernel.contract.define {
            key.push((name.text.clone(), self.kernel.value(expr, &at).map_err(wrong)?.to_string()));
        }
        if let Some(found) = self.programs.all.iter().position(|(k, _)| *k == key) {
            return Ok(found);
        }
        let prepared = crate::inputs::prepare(self.kernel, case).map_err(wrong)?;
        let (launch, _) = prepared.launch(0).map_err(wrong)?;
        let build = prepared.build(&launch.steps).map_err(wrong)?;
        let program = self.device.compile(&self.kernel.source, &build)?;
        crate::launch::blocks_agree(&launch.steps, &*program)?;
        self.programs.all.push((key, program));
        Ok(self.programs.all.len() - 1)
    }

    /// Runs the cases: the first alone, then as many together as the device likes, for as long as none dies.
    fn cases(&mut self, mut cases: &[Case]) {
        let together = (self.device.batch() / 2).max(1);
        while !cases.is_empty() {
            let died = self.reports.iter().filter(|r| matches!(r.verdict, Verdict::Crash | Verdict::Hang));
            let died = died.count();
            let dear = self.reports.iter().any(|r| r.findings.iter().any(|f| f.kind.is_endless()));
            if self.stop.load(Ordering::Relaxed) || dear || died >= PATIENCE {
                return;
            }
            let now = if self.reports.is_empty() || died > 0 { 1 } else { together };
            let (group, rest) = cases.split_at(now.min(cases.len()));
            self.group(group);
            cases = rest;
        }
    }

    pub(crate) fn group(&mut self, cases: &[Case]) {
        let mut begun = Vec::new();
        for case in cases {
            match self.program_of(case) {
                Ok(program) => match trial::begin(self.kernel, case, self.functions()) {
                    Ok((made, launches)) => begun.push((program, made, launches)),
                    Err(report) => self.ended(*report),
                },
                Err(failure) => self.ended(trial::failed(case, &failure)),
            }
        }
        for number in 0..self.programs.all.len() {
            let (mine, others): (Vec<_>, Vec<_>) = begun.into_iter().partition(|(p, _, _)| *p == number);
            begun = others;
            let mut made = Vec::new();
            let mut launches = Vec::new();
            for (_, one, its) in mine {
                made.push(one);
                launches.extend(its);
            }
            if made.is_empty() {
                continue;
            }
            let mut results = self.programs.all[number].1.run(launches).into_iter();
            for one in made {
                let two: Vec<_> = results.by_ref().take(2).collect();
                match one.finish(two, true) {
                    Ok(trial) => self.finished(trial),
                    Err(report) => self.ended(*report),
                }
            }
        }
    }

    fn finished(&mut self, trial: Trial<'a>) {
        let report = trial.report.clone();
        if report.verdict.is_bad() {
            self.failed(trial);
        } else if report.is_sharp() {
            measure::keep(&mut self.sharp, trial);
        }
        self.ended(report);
    }

    fn failed(&mut self, trial: Trial<'a>) {
        measure::keep_telling(&mut self.telling, &trial);
        let size = |t: &Trial| t.report.outputs.iter().map(|o| o.total).sum::<usize>();
        if self.failing.is_none() {
            self.failing = Some(trial);
        } else if self.largest.as_ref().is_none_or(|l| size(&trial) > size(l)) {
            self.largest = Some(trial);
        }
    }

    pub(crate) fn ended(&mut self, report: CaseReport) {
        let device = self.device.name().to_string();
        let blind = crate::mutants::Mutant::ALL.iter().filter(|(_, m)| !report.refuses.contains(m));
        let known = matches!(report.verdict, Verdict::Pass | Verdict::Blind);
        (self.emit)(Event::Case(CaseEnded {
            kernel: self.kernel.name.clone(),
            device,
            case: report.case.clone(),
            repeat: self.options.repeat.of(&report.case),
            verdict: report.verdict,
            ratio: report.ratio(),
            measures: crate::report::measures(std::slice::from_ref(&report)),
            sharp: report.is_sharp(),
            blind_to: if known { blind.map(|(_, m)| *m).collect() } else { Vec::new() },
            findings: crate::report::findings(self.kernel, &report.findings),
            reason: report.reason.clone(),
            seconds: report.took.as_secs_f64(),
        }));
        self.reports.push(report);
    }

    pub(crate) fn functions(&self) -> Language {
        self.device.functions(self.kernel.rules())
    }
}

fn extension(kernel: &Kernel) -> String {
    kernel.source.path.extension().map_or(String::new(), |e| e.to_string_lossy().into_owned())
}
