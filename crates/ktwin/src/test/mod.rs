//! `ktwin test`: the command line, the choice of reporters and the exit code. Testing is the library's
//! business.

mod args;
mod choice;
mod dump;
mod github;
mod json;
mod junit;
mod last;
mod paint;
pub mod progress;
mod report;
pub mod stop;
mod terminal;
mod unfinished;
mod watch;
mod weights;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ktwin::catalogue;
use ktwin::explain::visible;
use ktwin::suite::{self, Suite};
use ktwin_check::{Amount, Case, Event, KernelReport, Least, Level, Policy, Terms, Totals};
use ktwin_devices::Limits;

use crate::outcome::{DONE, Failure, INTERRUPTED, Outcome, USAGE, WRONG, print, say, without_commands};
use crate::room;
pub use args::Args;
use args::Format;
use paint::Paint;
use stop::Stop;
use unfinished::Unfinished;

/// Nothing ran, or what ran could not have failed.
pub const NO_EVIDENCE: u8 = 3;

/// What may be required beside devices: that kernels run in a whole box.
const SANDBOX: &str = "sandbox";

/// Runs the subcommand.
pub fn run(args: &Args) -> Outcome {
    args.report.iter().try_for_each(|file| report::known(file)).map_err(Failure::usage)?;
    if args.format() == Format::Github {
        without_commands();
    }
    let stop = Stop::watching(args.time.map(Duration::from_secs));
    let terms = args.contract.as_ref().map(|file| Terms::load(file, catalogue::OPS)).transpose()?;
    let files = choice::files(args, terms.as_ref())?;
    args.report.iter().chain(&args.junit).try_for_each(|report| no_kernel(report, &files))?;
    writable(args).map_err(Failure::usage)?;
    if args.case.is_some() && files.len() > 1 {
        return Err(Failure::usage(format!("--case runs one case of one kernel; {} are named", files.len())));
    }
    if let Some(case) = &args.case {
        right_case(&files[0], case, terms.as_ref())?;
    }
    let least = args.min_promise.as_ref().map(|words| Least::read(words, catalogue::OPS)).transpose()?;
    let boxed = args.require.iter().any(|r| r == SANDBOX);
    let suite = Suite {
        policy: policy(args).map_err(Failure::usage)?,
        files,
        devices: args.device.clone(),
        required: args.require.iter().filter(|name| *name != SANDBOX).cloned().collect(),
        amount: if args.watch {
            Amount { level: Level::Quick, ..args.plan.amount() }
        } else {
            args.plan.amount()
        },
        seed: args.seed,
        case: args.case.clone(),
        jobs: args.jobs,
        repeat: args.repeat as usize,
        until_fail: args.until_fail,
        fail_fast: args.fail_fast,
        limits: Limits { time: Duration::from_secs(args.timeout.max(1)), boxed, ..Limits::default() },
        resources: args.verbose || args.format() == Format::Json,
        sanitize: args.sanitize,
        terms,
        strange: least.is_some() || boxed,
        least,
        registry: true,
        weights: weights::read(&args.weights).map_err(Failure::usage)?,
        untold: false,
    };
    if args.list {
        return list(&suite);
    }
    required(&suite)?;
    if args.watch {
        return watched(args, suite, &stop);
    }
    let ended = shown(args, &suite, &stop)?;
    last::keep(&ended.reports);
    write_reports(args, &ended)?;
    if let Some(folder) = &args.dump {
        let folders = dump::write(&ended.reports, folder)?;
        folders.iter().for_each(|folder| crate::outcome::tell(&format!("ktwin: wrote {}", folder.display())));
    }
    Ok(exit_code(&ended.totals, args.allow_skip, stop.is_late()))
}

/// What a run left.
#[derive(Default)]
struct Ended {
    reports: Vec<KernelReport>,
    totals: Totals,
    /// The cases that ran, with kernel and device.
    cases: Vec<(String, String, Case)>,
    /// What was begun, and did not end yet.
    unfinished: Unfinished,
}

/// Tests what changes, until it is to stop. Where a kernel failed, the case that failed comes first, and all others
/// only when that passes.
fn watched(args: &Args, mut suite: Suite, stop: &Stop) -> Outcome {
    let mut watch = watch::Watch::new(suite.files.clone());
    let mut failed: BTreeMap<PathBuf, String> = BTreeMap::new();
    loop {
        let is_bad = |ended: &Ended| ended.reports.iter().any(|report| report.verdict.is_bad());
        let first = match again(&suite, &failed) {
            Some(case) => Some(shown(args, &Suite { case: Some(case), ..suite.clone() }, stop)?),
            None => None,
        };
        let ended = match first.filter(is_bad) {
            Some(ended) => ended,
            None => shown(args, &suite, stop)?,
        };
        last::keep(&ended.reports);
        for report in &ended.reports {
            let case = report.failure.as_ref().and_then(|failure| failure.case.as_ref());
            match case {
                Some(case) => failed.insert(PathBuf::from(&report.kernel), case.to_string()),
                None => failed.remove(Path::new(&report.kernel)),
            };
        }
        crate::outcome::tell(&format!(
            "ktwin: watching {}; Ctrl-C ends",
            ktwin_num::plural(watch.files(), "kernel")
        ));
        match watch.changed(stop.asked()) {
            Some(files) => suite.files = files,
            None => return Ok(DONE),
        }
    }
}

/// The case in which the only kernel failed when it was last run, if it is still one of its cases.
fn again(suite: &Suite, failed: &BTreeMap<PathBuf, String>) -> Option<String> {
    let [file] = &suite.files[..] else { return None };
    let case = failed.get(file).filter(|_| suite.case.is_none())?;
    right_case(file, case, suite.terms.as_ref()).is_ok().then(|| case.clone())
}

/// The policy that decides, with its reason.
fn policy(args: &Args) -> Result<Option<Policy>, String> {
    let Some(text) = &args.policy else { return Ok(None) };
    match args.why.as_deref().map(str::trim) {
        Some(why) if !why.is_empty() => Ok(Some(Policy::parse(text)?.because(why))),
        _ => Err("--why: say why the error bars are not to decide".into()),
    }
}

/// Prints what would run, one kernel and device a line.
fn list(suite: &Suite) -> Outcome {
    for (file, device) in suite.list().map_err(Failure::usage)? {
        let op = suite::load(&file, suite.terms.as_ref()).map_or("invalid".into(), |kernel| kernel.op.name);
        say(&format!("{}  {op} on {device}\n", visible(&file.display().to_string())));
    }
    Ok(DONE)
}

/// What the run is to leave can be written.
fn writable(args: &Args) -> Result<(), String> {
    let reports = || args.report.iter().chain(&args.junit);
    room::apart(reports())?;
    reports().try_for_each(|file| room::report(file))?;
    args.dump.iter().try_for_each(|folder| room::folder(folder))
}

/// A report takes no kernel's place.
fn no_kernel(report: &Path, files: &[PathBuf]) -> Result<(), Failure> {
    let whole = |path: &Path| path.canonicalize().ok();
    let is_kernel = files.iter().any(|file| whole(file).is_some_and(|file| whole(report) == Some(file)));
    match is_kernel {
        true => Err(Failure::usage(format!(
            "{}: this is a kernel, which a report would replace",
            report.display()
        ))),
        false => Ok(()),
    }
}

/// Writes every report in a file that was asked for.
fn write_reports(args: &Args, ended: &Ended) -> Result<(), Failure> {
    let Ended { reports, totals, cases, .. } = ended;
    if let Some(file) = &args.junit {
        let text = junit::document(reports, totals, args.allow_skip).map_err(Failure::usage)?;
        std::fs::write(file, text)
            .map_err(|e| Failure::usage(format!("{}: {}", file.display(), ktwin_num::reason(&e))))?;
    }
    let level = args.case.is_none().then_some(args.plan.amount().level);
    let told = report::Told { reports, totals, cases, allow_skip: args.allow_skip, level };
    args.report.iter().try_for_each(|file| report::write(file, &told)).map_err(Failure::usage)
}

/// What is required is there, and what is asked for can be done.
fn required(suite: &Suite) -> Result<(), Failure> {
    suite.a_sanitizer_if_asked().map_err(Failure::usage)?;
    if suite.limits.boxed {
        whole_sandbox()?;
    }
    for name in &suite.required {
        let device = ktwin_devices::find(name, suite.limits).map_err(Failure::usage)?;
        if let Err(absent) = device.probe() {
            return Err(Failure { message: Some(format!("{name} is required: {absent}")), code: WRONG });
        }
    }
    Ok(())
}

/// Kernels run in a box that lacks nothing, or not at all.
fn whole_sandbox() -> Result<(), Failure> {
    let wrong = |what: String| Failure { message: Some(format!("sandbox is required: {what}")), code: WRONG };
    let standing = ktwin_devices::sandbox().map_err(|e| wrong(e.to_string()))?;
    if standing.is_whole() { Ok(()) } else { Err(wrong(format!("here it is {standing}"))) }
}

/// A case that the kernel cannot have is wrong usage; a kernel that cannot be loaded is told of later.
fn right_case(file: &Path, case: &str, terms: Option<&Terms>) -> Result<(), Failure> {
    let Ok(kernel) = suite::load(file, terms) else { return Ok(()) };
    let parsed = Case::parse(&kernel, case).map_err(Failure::usage)?;
    ktwin_check::accepts(&kernel, &parsed).map_err(|why| Failure::usage(format!("{case}: {why}")))
}

/// Runs the suite with the reporter that was asked for. What is known when the run is cut short is told, too.
fn shown(args: &Args, suite: &Suite, stop: &Stop) -> Result<Ended, Failure> {
    let format = args.format();
    let reporter = Arc::new(Mutex::new(match format {
        Format::Terminal | Format::Github => {
            // one case is of no plan
            let level = if suite.case.is_some() { Level::Usual } else { suite.amount.level };
            Some(terminal::Reporter::new(args.verbose, level, Paint::new(args.color)))
        }
        Format::Json | Format::Junit => None,
    }));
    let seen = Arc::new(Mutex::new(Ended::default()));
    let (at_end, so_far, own) = (Arc::clone(&reporter), Arc::clone(&seen), args.clone());
    let (started, late) = (Instant::now(), stop.clone());
    let jobs = suite.list().map_err(Failure::usage)?;
    let jobs: Vec<_> = jobs.into_iter().map(|(file, device)| (file.display().to_string(), device)).collect();
    stop.at_the_end(move || {
        let totals = cut_short(&own, &at_end, &so_far, (&jobs, started))?;
        Some(exit_code(&totals, own.allow_skip, late.is_late()))
    });
    let emit = |event: Event| {
        lock(&seen).unfinished.see(&event);
        match format {
            Format::Terminal | Format::Github => {
                lock(&reporter).iter_mut().for_each(|reporter| reporter.see(&event))
            }
            Format::Json => json::write(&event),
            Format::Junit => {}
        }
        match event {
            Event::Verdict(report) => {
                if format == Format::Github {
                    print(&github::annotations(&report));
                }
                lock(&seen).reports.push(*report);
            }
            Event::Case(case) if !args.report.is_empty() => {
                lock(&seen).cases.push((case.kernel, case.device, case.case));
            }
            _ => {}
        }
    };
    let (reports, totals) = suite.run(&emit, stop.asked()).map_err(Failure::usage)?;
    stop.is_over();
    if format == Format::Junit {
        print(&junit::document(&reports, &totals, args.allow_skip).map_err(Failure::usage)?);
    }
    let cases = std::mem::take(&mut lock(&seen).cases);
    Ok(Ended { reports, totals, cases, unfinished: Unfinished::default() })
}

/// The last words of a run that does not end by itself: what is known of every kernel, also of those that did not end.
fn cut_short(
    args: &Args,
    reporter: &Mutex<Option<terminal::Reporter>>,
    seen: &Mutex<Ended>,
    (jobs, started): (&[(String, String)], Instant),
) -> Option<Totals> {
    let (mut reporter, mut seen) = (soon(reporter)?, soon(seen)?);
    let left = seen.unfinished.reports(jobs, &seen.reports);
    seen.reports.extend(left.iter().cloned());
    let seconds = started.elapsed().as_secs_f64();
    let totals = Totals { stopped: true, seconds, ..suite::totals(&seen.reports) };
    let last = left.into_iter().map(|report| Event::Verdict(Box::new(report))).chain([Event::Done(totals)]);
    match args.format() {
        Format::Terminal | Format::Github => {
            last.for_each(|event| reporter.iter_mut().for_each(|r| r.see(&event)));
        }
        Format::Json => last.for_each(|event| json::write(&event)),
        Format::Junit => {
            if let Ok(text) = junit::document(&seen.reports, &totals, args.allow_skip) {
                print(&text);
            }
        }
    }
    seen.totals = totals;
    last::keep(&seen.reports);
    let _ = write_reports(args, &seen);
    Some(totals)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The lock, unless somebody keeps it: who has to leave does not wait for long.
fn soon<T>(mutex: &Mutex<T>) -> Option<std::sync::MutexGuard<'_, T>> {
    (0..20).find_map(|_| {
        mutex.try_lock().ok().or_else(|| {
            std::thread::sleep(Duration::from_millis(5));
            None
        })
    })
}

fn exit_code(totals: &Totals, allow_skip: bool, late: bool) -> u8 {
    match totals {
        Totals { stopped: true, .. } if !late => INTERRUPTED,
        Totals { fail: 1.., .. } => WRONG,
        Totals { invalid: 1.., .. } => USAGE,
        Totals { stopped: true, .. } => NO_EVIDENCE,
        Totals { error: 1.., .. } | Totals { blind: 1.., .. } => NO_EVIDENCE,
        Totals { pass: 0, expected: 0, .. } => NO_EVIDENCE,
        Totals { skip: 1.., .. } if !allow_skip => NO_EVIDENCE,
        _ => DONE,
    }
}
