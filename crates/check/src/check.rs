//! One kernel on one device, from plan to report. Tells what happens as events; prints nothing.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ktwin_num::Language;

use crate::accept::accepts;
use crate::case::Case;
use crate::constants;
use crate::device::{Device, Failure};
use crate::event::{CaseEnded, Event, KernelReport, KernelStarted};
use crate::evidence::Evidence;
use crate::huge;
use crate::kernel::Kernel;
use crate::misfit;
use crate::mutants::Mutant;
use crate::plan::{Amount, Plan, plan};
use crate::programs::Programs;
use crate::resources::Resources;
use crate::seek::Visited;
use crate::trial;
use crate::verdict::{CaseReport, Verdict};
use crate::weights;

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
    /// Whether a sanitizer beside the device looks at one case too.
    pub sanitize: bool,
    /// Whether the seed chooses some sizes too: for kernels of strangers, who know all others.
    pub hidden: bool,
    /// Wrong cases after which only a few of the rest are run, for those in a hurry: a diagnosis knows less then.
    pub enough: Option<usize>,
    /// Whether nobody is told more of a failure than what kinds of findings there are: then it is not made smaller.
    pub untold: bool,
}

/// How a user repeats a case: what to write before it and after it.
#[derive(Clone, Debug, Default)]
pub struct Repeat {
    /// Before the case.
    pub before: String,
    /// After it.
    pub after: String,
    /// The whole run, all but its seed; nothing where that cannot be written.
    pub whole: String,
}

impl Repeat {
    /// All of it.
    pub fn of(&self, case: &Case) -> String {
        format!("{}{case}{}", self.before, self.after)
    }

    /// The whole run, where it can be repeated.
    pub fn all(&self, seed: u64) -> Option<String> {
        (!self.whole.is_empty()).then(|| format!("{} --seed {seed}", self.whole))
    }
}

/// A seed that nobody knows beforehand, short enough to type.
pub fn draw_seed() -> u64 {
    RandomState::new().build_hasher().finish() & 0xffff_ffff
}

/// A number that a case has in every plan that it is in: its data stay when the plan grows.
fn own_number(case: &Case) -> u64 {
    let digest = hmac_sha256::Hash::hash(case.seedless().as_bytes());
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The seed of a case: another one for each.
pub(crate) fn case_seed(seed: u64, number: u64) -> u64 {
    let mut x = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ (x >> 31)) & 0xffff_ffff
}

/// Gives each case of a plan the seed that it has in a run with this one.
pub fn seed_cases(cases: &mut [Case], seed: u64) {
    cases.iter_mut().for_each(|case| case.seed = case_seed(seed, own_number(case)));
}

/// The run of one kernel.
pub(crate) struct Check<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) device: &'a dyn Device,
    pub(crate) options: &'a Options,
    pub(crate) emit: &'a (dyn Fn(Event) + Sync),
    pub(crate) stop: &'a AtomicBool,
    pub(crate) programs: Programs<'a>,
    pub(crate) evidence: Evidence<'a>,
    /// Which parts of the source ran.
    pub(crate) visited: Visited,
    /// The cases of the plan.
    pub(crate) planned: usize,
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
    let one = |kernel: &Kernel| {
        let (programs, evidence, visited) =
            (Programs::new(kernel, device), Evidence::default(), Visited::default());
        let (planned, resources) = (0, Vec::new());
        Check { kernel, device, options, emit, stop, programs, evidence, visited, planned, resources }.run()
    };
    let mut report =
        if kernel.contract.others.is_empty() { one(kernel) } else { constants::each(kernel, one) };
    report.seconds = started.elapsed().as_secs_f64();
    emit(Event::Verdict(Box::new(report.clone())));
    report
}

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
        let hides = self.options.hidden && self.options.case.is_none();
        let hidden = hides.then(|| self.options.seed.unwrap_or_else(draw_seed));
        if let Some(Err(reason)) = hidden.map(|seed| plan.hide(kernel, seed)) {
            return self.nothing(Verdict::Invalid, reason);
        }
        if let Err(failure) = self.programs.compile(&plan.cases) {
            let told = match &failure {
                Failure::Mismatch(_) => misfit::told(kernel, &failure.to_string()),
                other => other.to_string(),
            };
            let report = self.nothing(trial::verdict_of(&failure), told);
            return KernelReport { unsupported: matches!(failure, Failure::Unsupported(_)), ..report };
        }
        // once the kernel is loaded nobody can know the seed any more; that of hidden sizes is drawn before
        let seed = self.options.seed.or(hidden).unwrap_or_else(draw_seed);
        if self.options.case.is_none() {
            seed_cases(&mut plan.cases, seed);
        }
        (self.emit)(Event::Kernel(KernelStarted {
            kernel: kernel.name.clone(),
            op: kernel.op.name.clone(),
            device: name,
            cases: plan.cases.len(),
            seed,
        }));
        self.planned = plan.cases.len();
        self.cases(&plan.cases);
        self.sharpen(seed);
        self.seek(&mut plan, seed);
        self.further(&mut plan, seed);
        self.again();
        self.take_stock();
        let gap = self.batch_invariance(&plan.cases);
        plan.gaps.extend(gap);
        plan.gaps.extend(huge::gaps(self.kernel, &plan.cases));
        self.conclude(plan, seed)
    }

    fn plan(&self) -> Result<Plan, String> {
        match &self.options.case {
            None => Ok(self.with_weights(plan(self.kernel, self.options.amount)?)),
            Some(text) => {
                let case = Case::parse(self.kernel, text)?;
                accepts(self.kernel, &case)?;
                Ok(Plan { cases: vec![case], why: vec!["asked for".into()], gaps: Vec::new() })
            }
        }
    }

    /// A plan with cases in which given arrays are whole.
    fn with_weights(&self, mut plan: Plan) -> Plan {
        if self.kernel.weights.is_empty() {
            return plan;
        }
        match weights::whole(self.kernel, &plan.cases) {
            Ok(cases) => {
                plan.why.extend(cases.iter().map(|_| "the given arrays, whole".to_string()));
                plan.cases.extend(cases);
            }
            Err(why) => plan.gaps.insert(0, format!("the given arrays are in no case as a whole: {why}")),
        }
        plan
    }

    pub(crate) fn ended(&mut self, report: CaseReport) {
        let device = self.device.name().to_string();
        let blind = Mutant::ALL.iter().filter(|(_, m)| !report.refuses.contains(m));
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
        self.evidence.reports.push(report);
    }

    pub(crate) fn functions(&self) -> Language {
        self.device.functions(self.kernel.rules())
    }
}

fn extension(kernel: &Kernel) -> String {
    kernel.source.path.extension().map_or(String::new(), |e| e.to_string_lossy().into_owned())
}
