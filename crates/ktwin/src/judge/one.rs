//! One submission in a process of its own, started by the batch: whatever becomes of it, the batch goes on.
//! It says what it found in one line of JSON, and nothing of hidden inputs.

use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ktwin::catalogue;
use ktwin::explain::{explained, visible};
use ktwin::suite::{self, Suite};
use ktwin_check::{Event, Finding, KernelReport, Pattern, Task, Verdict};
use ktwin_devices::Limits;

use super::journal::{Record, Wrong};
use crate::outcome::{DONE, Failure, INTERRUPTED, Outcome, print};

/// Judges a file by a task.
pub fn run(task: &Path, file: &Path) -> Outcome {
    ends_with_its_parent();
    let task = Task::load(task, catalogue::OPS)?;
    say(&judged(&task, file))?;
    Ok(DONE)
}

/// Says what is known. The last line counts: of a submission that is wrong its first failing case is said at once,
/// since the time may be up before more is known of it.
fn say(record: &Record) -> Result<(), Failure> {
    let line = serde_json::to_string(record).map_err(Failure::usage)?;
    print(&format!("{line}\n"));
    Ok(())
}

/// What is said as soon as a case fails.
struct First<'t> {
    task: &'t Task,
    /// Cases so far, and how many of them passed.
    counts: Mutex<[usize; 2]>,
    told: AtomicBool,
}

impl First<'_> {
    fn hear(&self, event: &Event) {
        let Event::Case(case) = event else { return };
        let counts = {
            let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
            counts[0] += 1;
            counts[1] += usize::from(case.verdict == Verdict::Pass);
            *counts
        };
        if case.verdict.is_bad() && !self.told.swap(true, Ordering::Relaxed) {
            let record = Record {
                verdict: case.verdict,
                devices: vec![case.device.clone()],
                reason: "a case fails, and the task's limit was up before more was known of it".into(),
                cases: counts[0],
                passed: counts[1],
                wrong: case.findings.iter().filter(|f| !f.note).map(|f| wrong(self.task, f, false)).collect(),
                ..Record::default()
            };
            // what cannot be said now is said at the end
            let _ = say(&record);
        }
    }
}

/// A finding, as far as the task shows it.
fn wrong(task: &Task, f: &Finding, open: bool) -> Wrong {
    Wrong {
        kind: f.kind,
        line: f.line,
        text: visible(&f.text),
        message: (open || task.shows("cases")).then(|| visible(&f.message)),
    }
}

/// Standard input ends when the batch does, or when it wants this to end.
pub fn ends_with_its_parent() {
    std::thread::spawn(|| {
        let mut none = [0];
        while std::io::stdin().read(&mut none).is_ok_and(|n| n > 0) {}
        ktwin_devices::stop_all();
        ktwin_devices::leave_nothing();
        std::process::exit(i32::from(INTERRUPTED));
    });
}

fn judged(task: &Task, file: &Path) -> Record {
    let kind = task.terms.language_of(file);
    if !kind.is_some_and(|kind| task.languages.contains(&kind)) {
        let names = task.languages.iter().map(|kind| kind.row().name).collect::<Vec<_>>().join(", ");
        let reason = format!("the task allows {names}");
        return Record { verdict: Verdict::Invalid, reason, ..Record::default() };
    }
    if let Some(reason) = reaches_out(file, task) {
        return Record { verdict: Verdict::Invalid, reason, ..Record::default() };
    }
    let suite = Suite {
        files: vec![file.to_path_buf()],
        devices: task.devices.clone(),
        amount: task.plan.into(),
        seed: Some(task.seed),
        jobs: 1,
        limits: Limits {
            time: Duration::from_secs_f64(task.limits.launch),
            memory: task.limits.memory << 20,
            ..Limits::default()
        },
        terms: Some(task.terms.clone()),
        untold: task.show.is_empty(),
        ..Suite::default()
    };
    let first = First { task, counts: Mutex::default(), told: AtomicBool::new(false) };
    match suite.run(&|event| first.hear(&event), &AtomicBool::new(false)) {
        Ok((reports, _)) => together(task, &reports),
        Err(reason) => Record { verdict: Verdict::Error, reason, ..Record::default() },
    }
}

/// Why a submission with headers is refused: CUDA's are read outside of the box that its compiler is in.
fn reaches_out(file: &Path, task: &Task) -> Option<String> {
    let kernel = suite::load(file, Some(&task.terms)).ok()?;
    if !kernel.source.kind.takes("include") {
        return None;
    }
    let text = kernel.source.text().replace("\\\n", "").replace("\\\r\n", "");
    let away = |rest: &str| {
        let line = rest.split('\n').next().unwrap_or("").trim_start();
        line.starts_with(['"', '<', '/']) && ["..", "\"/", "</"].iter().any(|path| line.contains(path))
    };
    let included = text.split("include").skip(1).any(away);
    let reason = "a submission is a single file: it may include the toolkit's headers, but nothing by a path that \
                  leads elsewhere";
    (included || !kernel.contract.include.is_empty()).then(|| reason.to_string())
}

/// What the devices say together: the first that does not pass speaks for all.
fn together(task: &Task, reports: &[KernelReport]) -> Record {
    let Some(report) = reports.iter().find(|r| r.verdict != Verdict::Pass).or(reports.last()) else {
        let reason = "no device ran it".to_string();
        return Record { verdict: Verdict::Error, reason, ..Record::default() };
    };
    // before the first launch nobody knows an input; afterwards, what a kernel or a case says could tell of
    // them
    let early = report.cases.total() == 0;
    let open = early || task.shows("values");
    // of the contract and the machine, not of inputs
    let quiet = matches!(report.verdict, Verdict::Blind | Verdict::Skip | Verdict::Error | Verdict::Invalid);
    let failure = report.failure.as_ref();
    let wrong = |f: &Finding| wrong(task, f, open);
    let kinds = failure.map_or(Vec::new(), |f| f.kinds.clone());
    let mut found: Vec<Wrong> = failure.map_or(Vec::new(), |f| f.findings.iter().map(wrong).collect());
    for kind in kinds.into_iter().filter(|kind| !found.iter().any(|f| f.kind == *kind)).collect::<Vec<_>>() {
        found.push(Wrong { kind, line: None, text: String::new(), message: None });
    }
    // the device is there: what it cannot run is the submission's own affair
    let verdict = if report.unsupported { Verdict::Invalid } else { report.verdict };
    // how far a wrong output is off tells of what was due
    let measured = open || report.verdict == Verdict::Pass;
    let told = |what: &str| if open || quiet { visible(what) } else { String::new() };
    Record {
        verdict,
        devices: reports.iter().map(|r| r.device.clone()).collect(),
        reason: told(&report.reason),
        cases: reports.iter().map(|r| r.cases.total()).sum(),
        passed: reports.iter().map(|r| r.cases.pass).sum(),
        sharp: reports.iter().map(|r| r.sharp).sum(),
        ratio: reports.iter().map(|r| r.ratio).filter(|r| r.is_finite()).fold(0.0, f64::max),
        measures: if measured { report.measures.clone() } else { Vec::new() },
        promise: report.promise.as_ref().map_or(String::new(), |p| visible(&p.sentence())),
        behaves_like: report.behaves_like.map(|rungs| rungs.to_string()),
        sandbox: report.sandbox.clone(),
        wrong: found,
        more: more(task, report, early),
        ..Record::default()
    }
}

/// What else a report tells, as far as the task shows it.
fn more(task: &Task, report: &KernelReport, early: bool) -> Vec<String> {
    if early || task.shows("values") {
        // a function that has no contract is no kernel to test
        let is_told = |line: &String| task.terms.problem.is_none() || !line.starts_with("repeat: ");
        return explained(report).into_iter().filter(is_told).collect();
    }
    let Some(failure) = report.failure.as_ref().filter(|_| task.shows("cases")) else { return Vec::new() };
    let case = failure.case.iter().map(|case| format!("smallest failing case: {}", case.seedless()));
    let patterns = failure.patterns.iter().map(|p| format!("pattern: {}", hidden(p)));
    case.chain(patterns).map(|line| visible(&line)).collect()
}

/// A pattern that names no case: the seed of one would tell of its inputs.
fn hidden(pattern: &Pattern) -> String {
    let case = pattern.case.as_ref().map_or(String::new(), |case| format!(" (in {})", case.seedless()));
    format!("{}{case}", Pattern { case: None, ..pattern.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuda_includes_nothing_of_the_judge() {
        let dir = tempfile::tempdir().unwrap();
        let task = "op = 'silu'\nsecret = 'nobody knows'\n";
        let task = Task::parse("task.toml", task, catalogue::OPS).unwrap();
        let contract =
            "/*--- ktwin\nargs = ['x', 'y', { N = 'u32' }]\ngrid = [1]\nblock = [32]\nMORE\n---*/\n";
        let path = dir.path().join("k.cu");
        std::fs::create_dir(dir.path().join("headers")).unwrap();
        for (more, text, away) in [
            ("", "#include <cuda_fp16.h>\n#include \"cuda_runtime.h\"\n", false),
            ("", "#include \"/etc/passwd\"\n", true),
            ("", "# include <../../secret>\n", true),
            ("", "#inc\\\nlude \"x/..\\\n/y\"\n", true),
            ("include = ['headers']", "", true),
            ("", "// it includes a / b ...\n", false),
        ] {
            std::fs::write(&path, format!("{}{text}", contract.replace("MORE", more))).unwrap();
            assert_eq!(reaches_out(&path, &task).is_some(), away, "{more}{text}");
        }
    }

    #[test]
    fn seeds_do_not_show() {
        let case = ktwin_check::Case {
            dims: vec![("N".into(), 1)],
            scalars: Vec::new(),
            regime: ktwin_num::Regime::Normal,
            chosen: 0,
            seed: 25,
            layouts: Vec::new(),
        };
        let pattern = Pattern { case: Some(case), ..ktwin_check::What::AllZero.into() };
        assert_eq!(hidden(&pattern), "every wrong element is zero (in N=1,regime=normal)");
    }
}
