//! Every kernel of `faults/` has one known mistake, and must get the finding that its line `fault:` names.

use std::path::PathBuf;

use ktwin_check::KernelReport;

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// What a file says it must get.
fn wanted(path: &PathBuf) -> Option<String> {
    let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
    let line = text.lines().find_map(|l| l.split_once("fault:"))?.1.trim().to_string();
    Some(line)
}

/// Whether a report has a finding of this kind, or ends this way.
fn has(report: &KernelReport, wanted: &str) -> bool {
    let mut kinds = report.failure.iter().flat_map(|f| &f.kinds);
    let ended = report.failure.as_ref().is_some_and(|f| f.reason.contains(wanted));
    kinds.any(|k| k == wanted) || report.verdict == wanted || ended
}

#[test]
fn every_fault_gets_its_finding() {
    let mut files = ktwin::suite::kernels(&[folder("faults")], None).unwrap();
    // those in CUDA are the devices' tests to run: they need a compiler that may be missing
    files.retain(|file| file.extension().is_none_or(|e| e != "cu"));
    assert!(files.len() >= 25, "{} faults", files.len());
    let mut missed = Vec::new();
    for file in &files {
        let wanted = wanted(file);
        let report = ktwin::kernel(file).seed(1).run();
        match (wanted, report) {
            (Some(wanted), Ok(report)) if has(&report, &wanted) => {}
            (Some(_), Ok(report)) if report.verdict == "skip" && report.cases.total() == 0 => {
                eprintln!("{}: skipped: {}", file.display(), report.reason);
            }
            (None, _) => missed.push(format!("{} has no line `fault:`", file.display())),
            (Some(wanted), Ok(report)) => {
                let found = ktwin::explain::explained(&report).join("\n  ");
                missed.push(format!(
                    "{}: wanted {wanted}, got {}\n  {found}",
                    file.display(),
                    report.verdict
                ));
            }
            (_, Err(message)) => missed.push(format!("{}: {message}", file.display())),
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
