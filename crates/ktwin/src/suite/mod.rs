//! Kernels found, and tested on devices several at a time. Tells what happens as events; prints nothing.

mod find;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use ktwin_check::{
    Amount, Device, Event, FailureReport, FindingReport, Kernel, KernelReport, Least, LoadError, Options,
    RunStarted, SCHEMA, SourceKind, Terms, Totals, Weaker, check, promise,
};
use ktwin_devices::{Limits, Registry};

pub use find::{FindError, kernels, sources};

use crate::catalogue;

/// What is to be tested, and how.
#[derive(Clone, Debug, Default)]
pub struct Suite {
    /// Files of kernels.
    pub files: Vec<PathBuf>,
    /// Devices by name; one that does not run a kernel's language is left out for it, if another does. Where none is
    /// named, the first that runs a kernel's language.
    pub devices: Vec<String>,
    /// Every size and every regime once, and no more.
    pub quick: bool,
    /// The seed that the cases' seeds come from; drawn for each kernel where there is none.
    pub seed: Option<u64>,
    /// One case alone.
    pub case: Option<String>,
    /// Kernels at a time; as many as there are processors where it is 0.
    pub jobs: usize,
    /// What a kernel in a child process may use.
    pub limits: Limits,
    /// Whether reports say what compiled kernels take of a card.
    pub resources: bool,
    /// What kernels are held to, in the place of what their own contracts promise.
    pub terms: Option<Terms>,
    /// The least that their contracts must promise.
    pub least: Option<Least>,
}

/// One kernel on one device.
struct Job<'a> {
    file: &'a PathBuf,
    device: usize,
}

impl Suite {
    /// Runs all of it, and returns what is said of every kernel, in the order of the files.
    pub fn run(
        &self,
        emit: &(dyn Fn(Event) + Sync),
        stop: &AtomicBool,
    ) -> Result<(Vec<KernelReport>, Totals), String> {
        let started = Instant::now();
        let registry = Registry::new(self.limits);
        let names =
            if self.devices.is_empty() { self.first_devices(&registry) } else { self.devices.clone() };
        let devices = names.iter().map(|name| registry.find(name)).collect::<Result<Vec<_>, _>>()?;
        let jobs = self.jobs_on(&devices);
        emit(Event::Run(RunStarted { schema: SCHEMA, kernels: jobs.len(), devices: names }));
        let done: Mutex<Vec<(usize, KernelReport)>> = Mutex::new(Vec::new());
        let next = AtomicUsize::new(0);
        let worker = || {
            while let Some((number, job)) = take(&next, &jobs) {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let report = self.one(job, &*devices[job.device], emit, stop);
                done.lock().unwrap_or_else(|e| e.into_inner()).push((number, report));
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads().min(jobs.len().max(1)) {
                scope.spawn(worker);
            }
            worker();
        });
        let mut done = done.into_inner().unwrap_or_else(|e| e.into_inner());
        for (number, job) in jobs.iter().enumerate() {
            if !done.iter().any(|(n, _)| *n == number) {
                let report = untried(job.file, devices[job.device].name());
                emit(Event::Verdict(Box::new(report.clone())));
                done.push((number, report));
            }
        }
        done.sort_by_key(|(number, _)| *number);
        let reports: Vec<KernelReport> = done.into_iter().map(|(_, report)| report).collect();
        let totals = totals(&reports, stop.load(Ordering::Relaxed), started);
        emit(Event::Done(totals));
        Ok((reports, totals))
    }

    /// The first device for every language there is.
    fn first_devices(&self, registry: &Registry) -> Vec<String> {
        let first =
            |file: &PathBuf| Some(registry.running(SourceKind::of_path(file)?).next()?.name().to_string());
        let found: Vec<String> = self.files.iter().filter_map(first).collect();
        let mut names: Vec<String> = registry.all().iter().map(|d| d.name().to_string()).collect();
        names.retain(|n| found.contains(n));
        if names.is_empty() { vec!["sim".to_string()] } else { names }
    }

    fn threads(&self) -> usize {
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        if self.jobs == 0 { all } else { self.jobs }
    }

    /// Every file on every device that runs its language; on the first where none does.
    fn jobs_on<'a>(&'a self, devices: &[Arc<dyn Device>]) -> Vec<Job<'a>> {
        let mut jobs = Vec::new();
        for file in &self.files {
            let kind = SourceKind::of_path(file);
            let runs = |d: &&usize| kind.is_some_and(|k| devices[**d].accepts(k));
            let all: Vec<usize> = (0..devices.len()).collect();
            let mut able: Vec<usize> = all.iter().filter(runs).copied().collect();
            if able.is_empty() {
                able.push(0);
            }
            jobs.extend(able.into_iter().map(|device| Job { file, device }));
        }
        jobs
    }

    fn one(
        &self,
        job: &Job,
        device: &dyn Device,
        emit: &(dyn Fn(Event) + Sync),
        stop: &AtomicBool,
    ) -> KernelReport {
        let name = device.name().to_string();
        let told = |report: KernelReport| {
            emit(Event::Verdict(Box::new(report.clone())));
            report
        };
        let kernel = match load(job.file, self.terms.as_ref()) {
            Ok(kernel) => kernel,
            Err(error) => return told(unloadable(job.file, &name, error.to_string())),
        };
        let weaker = self.least.as_ref().map_or(Vec::new(), |least| least.weaker(&kernel));
        if !weaker.is_empty() {
            return told(too_weak(&kernel, &name, &weaker));
        }
        let mut repeat = format!("ktwin test {}", kernel.name);
        if device_for(kernel.source.kind).as_deref() != Some(&name) {
            repeat.push_str(&format!(" --device {name}"));
        }
        let options = Options {
            amount: Amount { quick: self.quick },
            seed: self.seed,
            case: self.case.clone(),
            repeat,
            resources: self.resources,
        };
        check(&kernel, device, &options, emit, stop)
    }
}

/// A kernel by its own contract, or under terms.
pub fn load(file: &std::path::Path, terms: Option<&Terms>) -> Result<Kernel, LoadError> {
    match terms {
        Some(terms) => Kernel::load_under(file, terms, catalogue::OPS),
        None => Kernel::load(file, catalogue::OPS),
    }
}

fn take<'j, 'a>(next: &AtomicUsize, jobs: &'j [Job<'a>]) -> Option<(usize, &'j Job<'a>)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    jobs.get(number).map(|job| (number, job))
}

/// The name of the device that runs a language where none is named.
pub fn device_for(kind: SourceKind) -> Option<String> {
    Registry::new(Limits::default()).running(kind).next().map(|device| device.name().to_string())
}

fn unloadable(file: &std::path::Path, device: &str, reason: String) -> KernelReport {
    KernelReport {
        kernel: file.display().to_string(),
        device: device.to_string(),
        verdict: "invalid".to_string(),
        failure: Some(FailureReport { reason: reason.clone(), ..FailureReport::default() }),
        reason,
        ..KernelReport::default()
    }
}

/// A kernel that promises less than it must is wrong, whatever it computes.
fn too_weak(kernel: &Kernel, device: &str, weaker: &[Weaker]) -> KernelReport {
    let finding = |weaker: &Weaker| {
        let line = weaker.spot.map(|spot| spot.line as u32);
        FindingReport {
            kind: "weak promise".to_string(),
            line,
            text: line.map_or(String::new(), |line| kernel.line(line).to_string()),
            message: weaker.text.clone(),
            place: None,
            count: 1,
        }
    };
    let findings = weaker.iter().map(finding).collect();
    let mut report = unloadable(&kernel.source.path, device, "it promises less than it must".to_string());
    report.op = kernel.op.name.clone();
    report.verdict = "fail".to_string();
    report.promise = Some(promise(kernel));
    report.failure = report.failure.map(|failure| FailureReport { findings, ..failure });
    report
}

fn untried(file: &std::path::Path, device: &str) -> KernelReport {
    KernelReport {
        kernel: file.display().to_string(),
        device: device.to_string(),
        verdict: "skip".to_string(),
        reason: "not run: the run was stopped before its turn".to_string(),
        ..KernelReport::default()
    }
}

fn totals(reports: &[KernelReport], stopped: bool, started: Instant) -> Totals {
    let count = |verdicts: &[&str]| reports.iter().filter(|r| verdicts.contains(&r.verdict.as_str())).count();
    Totals {
        pass: count(&["pass"]),
        fail: count(&["fail", "crash", "hang"]),
        invalid: count(&["invalid"]),
        blind: count(&["blind"]),
        skip: count(&["skip"]),
        error: count(&["error"]),
        stopped,
        seconds: started.elapsed().as_secs_f64(),
    }
}
