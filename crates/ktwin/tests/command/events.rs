//! What real runs tell: every line of `--format json` is an event that is read back as it was and that the committed
//! schema accepts, and JUnit agrees with the exit code.

use std::path::{Path, PathBuf};

use crate::support::{folder, ktwin};
use ktwin::check::{Event, Kind, Verdict};
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn validator() -> jsonschema::Validator {
    let text = std::fs::read_to_string(root().join("docs/events.schema.json")).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
}

/// A kernel that passes, some that fail in their own ways, one that no device named runs, and one without a valid
/// contract.
fn paths(dir: &Path) -> Vec<String> {
    let invalid = dir.join("it's invalid.wgsl");
    std::fs::write(&invalid, "/*--- ktwin\nop = \"scale\"\ngrdi = [1]\n---*/\n").unwrap();
    let mut all: Vec<String> = [
        "kernels/wgsl/rmsnorm.wgsl",
        "kernels/c/silu.c",
        "faults/rmsnorm_row_short.wgsl",
        "faults/rmsnorm_no_barrier_in_tree.wgsl",
        "faults/attention_no_max.wgsl",
        "faults/silu_tail.wgsl",
    ]
    .map(|file| root().join(file).display().to_string())
    .into();
    all.push(invalid.display().to_string());
    all
}

fn events(args: &[&str]) -> (i32, Vec<Event>) {
    let run = ktwin(args);
    let validator = validator();
    let read = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        if let Err(error) = validator.validate(&value) {
            panic!("{error} at {}: {line}", error.instance_path());
        }
        let event: Event = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        assert_eq!(serde_json::to_value(&event).unwrap(), value);
        event
    };
    (run.code, run.out.lines().map(read).collect())
}

#[test]
fn every_line_of_a_run_is_an_event() {
    let files = paths(&folder("events"));
    let mut args = vec!["test", "--quick", "--seed", "3", "--device", "sim", "--format", "json"];
    args.extend(files.iter().map(String::as_str));
    let (code, events) = events(&args);
    assert_eq!(code, 1);
    assert!(matches!(&events[0], Event::Run(run) if run.schema == 2 && run.kernels == files.len()));
    assert!(matches!(events.last(), Some(Event::Done(totals)) if totals.invalid == 1 && totals.fail >= 3));
    let reports = || events.iter().filter_map(|e| if let Event::Verdict(r) = e { Some(r) } else { None });
    assert_eq!(reports().count(), files.len());
    for wanted in [Verdict::Pass, Verdict::Fail, Verdict::Skip, Verdict::Invalid] {
        assert!(reports().any(|r| r.verdict == wanted), "{wanted}");
    }
    // a case and a failure say what is wrong in one shape
    let met = |kind: Kind| {
        let in_case =
            |e: &Event| matches!(e, Event::Case(case) if case.findings.iter().any(|f| f.kind == kind));
        let in_failure = reports().filter_map(|r| r.failure.as_ref()).flat_map(|f| &f.findings);
        events.iter().any(in_case) && in_failure.into_iter().any(|f| f.kind == kind)
    };
    assert!(met(Kind::Race) && met(Kind::Unwritten));
}

#[test]
fn what_is_not_an_event_is_refused() {
    let validator = validator();
    let event = |verdict: &str| {
        serde_json::json!({
            "event": "done", "pass": 1, "fail": 0, "invalid": 0, "blind": 0, "skip": 0, "error": 0,
            "stopped": verdict, "seconds": 1.0
        })
    };
    assert!(!validator.is_valid(&event("no")));
    let mut right = event("no");
    right["stopped"] = false.into();
    assert!(validator.is_valid(&right));
}

/// How many elements of a JUnit document are failures or errors.
fn bad(text: &str) -> usize {
    text.matches("<failure").count() + text.matches("<error").count()
}

#[test]
fn junit_agrees_with_the_exit_code() {
    let dir = folder("junit");
    let all = paths(&dir);
    let report = dir.join("report.xml").display().to_string();
    let skips = [all[0].as_str(), all[1].as_str()];
    let runs: [(&[&str], &[&str]); 4] = [
        (&all[..1].iter().map(String::as_str).collect::<Vec<_>>(), &[]),
        (&skips, &[]),
        (&skips, &["--allow-skip"]),
        (&[&all[2]], &[]),
    ];
    for (files, more) in runs {
        let mut args = vec!["test", "--quick", "--seed", "3", "--device", "sim", "--junit", &report];
        args.extend(files);
        args.extend(more);
        let run = ktwin(&args);
        let text = std::fs::read_to_string(&report).unwrap();
        assert_eq!(run.code == 0, bad(&text) == 0, "{}: {text}", run.code);
        assert_eq!(text.matches("<testcase").count(), files.len());
        assert_eq!(text.matches("classname=").count(), files.len());
        assert_eq!(text.matches("name=\"seed\" value=\"3\"").count(), files.len(), "{text}");
    }
}
