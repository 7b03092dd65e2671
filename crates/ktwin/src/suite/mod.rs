//! Kernels found, and tested on devices several at a time. Tells what happens as events; prints nothing.

mod choice;
#[cfg(feature = "command")]
mod find;
mod guarded;
mod order;
mod registry;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ktwin_check::reach::at_home;
use ktwin_check::{
    Amount, Day, Device, Event, FailureReport, Finding, Kernel, KernelReport, Kind, Least, LoadError,
    Options, Policy, Registry, Repeat, RunStarted, SCHEMA, SourceKind, Terms, Totals, Verdict, Weaker,
    Weights, check, promise,
};
use ktwin_devices::{Limits, Registry as Devices};

#[cfg(feature = "command")]
pub use find::{FindError, kernels, sources};

use crate::catalogue;
use guarded::guarded;
use order::InOrder;

/// What is to be tested, and how.
#[derive(Clone, Debug, Default)]
pub struct Suite {
    /// Files of kernels.
    pub files: Vec<PathBuf>,
    /// Devices by name; one that does not run a kernel's language is left out for it, if another does. Where none is
    /// named, the first that runs a kernel's language.
    pub devices: Vec<String>,
    /// Devices that are run on beside those.
    pub required: Vec<String>,
    /// How much is planned.
    pub amount: Amount,
    /// The seed that the cases' seeds come from; drawn for each kernel where there is none.
    pub seed: Option<u64>,
    /// One case alone.
    pub case: Option<String>,
    /// Kernels at a time; as many as there are processors where it is 0.
    pub jobs: usize,
    /// How often each kernel is tested, with other seeds each time; once where it is 0.
    pub repeat: usize,
    /// Whether all kernels are tested again and again until one is wrong.
    pub until_fail: bool,
    /// Whether nothing more is begun when a kernel is wrong.
    pub fail_fast: bool,
    /// What a kernel in a child process may use.
    pub limits: Limits,
    /// Whether reports say what compiled kernels take of a card.
    pub resources: bool,
    /// Whether a sanitizer beside the device looks at one case of each kernel too.
    pub sanitize: bool,
    /// What kernels are held to, in the place of what their own contracts promise.
    pub terms: Option<Terms>,
    /// The least that their contracts must promise.
    pub least: Option<Least>,
    /// Whether others wrote the kernels, so that a contract reaches no further than its own folder.
    pub strange: bool,
    /// What decides in the place of the error bars, whatever the contracts say.
    pub policy: Option<Policy>,
    /// Whether the registry of a kernel's project counts: `ktwin.toml`. Never where others wrote the kernels.
    pub registry: bool,
    /// Arrays for inputs, in the place of drawn numbers.
    pub weights: Vec<Weights>,
    /// Whether nobody is told more of failures than what kinds of findings there are.
    pub untold: bool,
}

/// How often who has no more work looks whether the run is to stop.
const AWAKE: Duration = Duration::from_millis(10);

/// One kernel on one device.
struct Job<'a> {
    file: &'a PathBuf,
    device: usize,
}

/// Jobs that are handed out one by one, round after round.
struct Queue<'a> {
    jobs: Vec<Job<'a>>,
    rounds: Option<usize>,
    next: AtomicUsize,
    /// Set where the rest is left.
    over: AtomicBool,
}

impl<'a> Queue<'a> {
    fn take(&self, stop: &AtomicBool) -> Option<(usize, &Job<'a>)> {
        if stop.load(Ordering::Relaxed) || self.over.load(Ordering::Relaxed) || self.jobs.is_empty() {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let left = self.rounds.is_none_or(|rounds| number / self.jobs.len() < rounds);
        left.then(|| (number, &self.jobs[number % self.jobs.len()]))
    }

    /// How many jobs there are in all rounds, where those are counted.
    fn len(&self) -> usize {
        self.jobs.len() * self.rounds.unwrap_or(1)
    }
}

impl Suite {
    /// Runs all of it, and returns what is said of every kernel, in the order of the files.
    pub fn run(
        &self,
        emit: &(dyn Fn(Event) + Sync),
        stop: &AtomicBool,
    ) -> Result<(Vec<KernelReport>, Totals), String> {
        let started = Instant::now();
        let (names, devices) = self.open()?;
        let rounds = (!self.until_fail).then_some(self.repeat.max(1));
        let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let queue = Queue { jobs: self.jobs_on(&devices), rounds, next, over };
        emit(Event::Run(RunStarted { schema: SCHEMA, kernels: queue.len(), devices: names }));
        let told = InOrder::new(emit);
        let working = AtomicUsize::new(self.threads().min(queue.len().max(1)));
        let worker = || {
            while let Some((number, job)) = queue.take(stop) {
                let emit = |event| told.emit(number, event);
                let round = number / queue.jobs.len();
                let device = &*devices[job.device];
                let report =
                    guarded(job.file, device.name(), &emit, || self.one(job, round, device, &emit, stop));
                if report.verdict.is_bad() && (self.fail_fast || self.until_fail) {
                    queue.over.store(true, Ordering::Relaxed);
                }
            }
            // what a stopped run may never get to must not hold back what is known
            working.fetch_sub(1, Ordering::Relaxed);
            while working.load(Ordering::Relaxed) > 0 && !stop.load(Ordering::Relaxed) {
                std::thread::sleep(AWAKE);
            }
            if stop.load(Ordering::Relaxed) {
                told.rest();
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads().min(queue.len().max(1)) {
                scope.spawn(worker);
            }
            worker();
        });
        let stopped = stop.load(Ordering::Relaxed);
        let why = if stopped { STOPPED } else { "--fail-fast: a kernel before it is wrong" };
        let all = if self.until_fail { 0 } else { queue.len() };
        let reports = told.end(all, |number| {
            let job = &queue.jobs[number % queue.jobs.len()];
            untried(&job.file.display().to_string(), devices[job.device].name(), why)
        });
        let totals = Totals { stopped, seconds: started.elapsed().as_secs_f64(), ..totals(&reports) };
        emit(Event::Done(totals));
        Ok((reports, totals))
    }

    fn language_of(&self, file: &Path) -> Option<SourceKind> {
        self.terms.as_ref().map_or(SourceKind::of_path(file), |terms| terms.language_of(file))
    }

    fn threads(&self) -> usize {
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        if self.jobs == 0 { all } else { self.jobs }
    }

    fn one(
        &self,
        job: &Job,
        round: usize,
        device: &dyn Device,
        emit: &(dyn Fn(Event) + Sync),
        stop: &AtomicBool,
    ) -> KernelReport {
        let name = device.name().to_string();
        let told = |report: KernelReport| {
            emit(Event::Verdict(Box::new(report.clone())));
            report
        };
        let loaded = self
            .loaded(job.file)
            .and_then(|(mut kernel, registry)| kernel.take(&self.weights).map(|()| (kernel, registry)));
        let (kernel, registry) = match loaded {
            Ok(loaded) => loaded,
            Err(reason) => return told(unloadable(job.file, &name, reason)),
        };
        let weaker = self.least.as_ref().map_or(Vec::new(), |least| least.weaker(&kernel));
        if !weaker.is_empty() {
            return told(too_weak(&kernel, &name, &weaker));
        }
        let mut before = format!("ktwin test {}", quoted(&kernel.name));
        if device_for(kernel.source.kind).as_deref() != Some(&name) {
            before.push_str(&format!(" --device {name}"));
        }
        let mut after = self.policy.as_ref().map_or(String::new(), |policy| {
            format!(" --policy {} --why {}", quoted(&policy.text), quoted(&policy.why))
        });
        for one in &self.weights {
            after.push_str(&format!(" --weights {}", quoted(&format!("{}={}", one.input, one.from))));
        }
        let whole = format!("{before}{after}{}", self.amount.flags());
        if self.amount.stress {
            after.push_str(" --stress");
        }
        let options = Options {
            amount: self.amount,
            seed: self.seed.map(|seed| seed.wrapping_add(round as u64)),
            case: self.case.clone(),
            repeat: Repeat { whole, before: before + " --case ", after },
            resources: self.resources,
            sanitize: self.sanitize,
            // whom nobody trusts may know every size that does not hang on the seed
            hidden: self.terms.is_some() || self.least.is_some(),
            enough: None,
            untold: self.untold,
        };
        let emit = |event: Event| match event {
            Event::Verdict(report) => emit(Event::Verdict(Box::new(self.judged(*report, registry.as_ref())))),
            other => emit(other),
        };
        self.judged(check(&kernel, device, &options, &emit, stop), registry.as_ref())
    }

    /// A kernel as it is to be tested; a stranger's where it keeps to its folder.
    fn loaded(&self, file: &Path) -> Result<(Kernel, Option<Registry>), String> {
        let (kernel, registry) = self.found(file)?;
        match self.strange {
            true => Ok((at_home(kernel).map_err(|e| e.to_string())?, registry)),
            false => Ok((kernel, registry)),
        }
    }

    /// A kernel with the policy that decides, and the registry of its project.
    fn found(&self, file: &Path) -> Result<(Kernel, Option<Registry>), String> {
        let heeded = self.registry && self.terms.is_none();
        if heeded && self.policy.is_none() {
            return governed(file);
        }
        let mut kernel = load(file, self.terms.as_ref()).map_err(|e| e.to_string())?;
        kernel.contract.policy = self.policy.clone().or(kernel.contract.policy);
        let registry = if heeded { registry::of(file)? } else { None };
        Ok((kernel, registry))
    }

    /// What becomes of a report where the registry expects a failure. It excuses none where a least promise is asked.
    fn judged(&self, report: KernelReport, registry: Option<&Registry>) -> KernelReport {
        let whole = !self.amount.is_quick() && self.case.is_none();
        match registry.filter(|_| self.least.is_none()) {
            Some(registry) => registry.judged(report, whole, Day::today()),
            None => report,
        }
    }
}

/// A path as a shell takes it.
pub fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    let bare = !path.is_empty() && path.chars().all(plain);
    if bare { path.to_string() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// A kernel by its own contract, or under terms.
pub fn load(file: &std::path::Path, terms: Option<&Terms>) -> Result<Kernel, LoadError> {
    match terms {
        Some(terms) => Kernel::load_under(file, terms, catalogue::OPS),
        None => Kernel::load(file, catalogue::OPS),
    }
}

/// A kernel of one's own, by its contract and by the registry of its project.
pub fn governed(file: &Path) -> Result<(Kernel, Option<Registry>), String> {
    let mut kernel = load(file, None).map_err(|e| e.to_string())?;
    let registry = registry::of(file)?;
    registry.as_ref().map_or(Ok(()), |registry| registry.govern(&mut kernel))?;
    Ok((kernel, registry))
}

/// The name of the device that runs a language where none is named.
pub fn device_for(kind: SourceKind) -> Option<String> {
    Devices::new(Limits::default()).running(kind).next().map(|device| device.name().to_string())
}

fn unloadable(file: &std::path::Path, device: &str, reason: String) -> KernelReport {
    KernelReport {
        kernel: file.display().to_string(),
        device: device.to_string(),
        verdict: Verdict::Invalid,
        failure: Some(FailureReport { reason: reason.clone(), ..FailureReport::default() }),
        reason,
        ..KernelReport::default()
    }
}

/// A kernel that promises less than it must is wrong, whatever it computes.
fn too_weak(kernel: &Kernel, device: &str, weaker: &[Weaker]) -> KernelReport {
    let finding = |weaker: &Weaker| {
        let line = weaker.spot.map(|spot| spot.line as u32);
        let text = line.map_or(String::new(), |line| kernel.line(line).to_string());
        Finding { line, text, ..Finding::new(Kind::WeakPromise, weaker.text.clone()) }
    };
    let findings = weaker.iter().map(finding).collect();
    let mut report = unloadable(&kernel.source.path, device, "it promises less than it must".to_string());
    report.op = kernel.op.name.clone();
    report.verdict = Verdict::Fail;
    report.promise = Some(promise(kernel));
    report.failure = report.failure.map(|failure| FailureReport { findings, ..failure });
    report
}

/// Why kernels were not run that had no turn.
pub const STOPPED: &str = "the run was stopped before any case of it ran (by hand or by --time)";

/// What is said of a kernel that was not run on a device.
pub fn untried(kernel: &str, device: &str, why: &str) -> KernelReport {
    KernelReport {
        kernel: kernel.to_string(),
        device: device.to_string(),
        verdict: Verdict::Skip,
        reason: format!("not run: {why}"),
        ..KernelReport::default()
    }
}

/// Kernels by verdict.
pub fn totals(reports: &[KernelReport]) -> Totals {
    let count = |verdicts: &[Verdict]| reports.iter().filter(|r| verdicts.contains(&r.verdict)).count();
    Totals {
        pass: count(&[Verdict::Pass]),
        fail: count(&[Verdict::Fail, Verdict::Crash, Verdict::Hang]),
        invalid: count(&[Verdict::Invalid]),
        blind: count(&[Verdict::Blind]),
        skip: count(&[Verdict::Skip]),
        error: count(&[Verdict::Error]),
        expected: count(&[Verdict::Expected]),
        ..Totals::default()
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn paths_are_quoted_for_shells() {
        assert_eq!(quoted("kernels/c/a-1.c"), "kernels/c/a-1.c");
        assert_eq!(quoted("my kernels/a.c"), "'my kernels/a.c'");
        assert_eq!(quoted("it's $HOME.c"), r"'it'\''s $HOME.c'");
    }
}
