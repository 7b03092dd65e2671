//! Every file of `faults/` gets the finding and the patterns that it names in lines `// fault: KIND` and
//! `// pattern: ...` (`#` in Python) under its contract. With `KTWIN_UPDATE=1` the patterns are written anew. How often
//! the cause is told is held against `causes.tsv`: words that somebody expected who had read the kernels alone.

#[path = "common/walk.rs"]
mod walk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ktwin_check::{KernelReport, Kind, Pattern, SourceKind, Verdict};
use ktwin_devices::{Limits, Registry, find};

use walk::*;

/// The finding that a fault must get: a kind, or how it ends.
fn expected(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find_map(|l| noted(l, "fault: "));
    let kind = line.unwrap_or_else(|| panic!("{}: no line `// fault: KIND`", path.display()));
    let ends = || Verdict::parse(kind).is_some_and(Verdict::is_bad);
    let known = Kind::parse(kind).is_some() || ends() || kind == "out of memory";
    assert!(known, "{}: `{kind}` is not a kind of finding", path.display());
    kind.to_owned()
}

/// The patterns that a fault's diagnosis must state, by how they begin; `none` where nothing is to be stated.
fn patterns(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().filter_map(|l| noted(l, "pattern: ")).map(str::to_owned);
    let found: Vec<String> = lines.collect();
    assert!(!found.is_empty(), "{}: no line `// pattern: ...`", path.display());
    found
}

/// The pattern that a report should state and does not.
fn missed(report: &KernelReport, wanted: &[String]) -> Option<String> {
    let told = report.failure.as_ref().map_or(&[][..], |failure| &failure.patterns);
    let states = |pattern: &String| match pattern.as_str() {
        "none" => told.is_empty(),
        // how far a search comes in its time decides
        "any" => true,
        _ => told.iter().any(|t| t.to_string().starts_with(pattern)),
    };
    wanted.iter().find(|pattern| !states(pattern)).cloned()
}

/// The least share of faults of which a quick run tells the cause in one of the words that are expected.
const TOLD: f64 = 0.78;
/// Of fewer no share is told.
const FEW: usize = 20;

/// The words of `causes.tsv` by file.
fn causes() -> BTreeMap<PathBuf, Vec<String>> {
    let text = std::fs::read_to_string(root().join("crates/devices/tests/causes.tsv"))
        .unwrap_or_else(|e| panic!("{e}"));
    let line = |line: &str| {
        let (file, words) = line.split_once('\t')?;
        Some((root().join("faults").join(file), words.split(" | ").map(str::to_owned).collect()))
    };
    text.lines().filter_map(line).collect()
}

/// Whether the first things that a report tells hold one of these words.
fn tells(report: &KernelReport, words: &[String]) -> bool {
    let Some(failure) = &report.failure else { return false };
    let patterns = failure.patterns.iter().take(2).map(ToString::to_string);
    // those of other cases that have a line are told with the first ones
    let others = failure.others.iter().map(|other| &other.finding).filter(|finding| finding.line.is_some());
    let findings = failure.findings.iter().take(2).chain(others.take(2));
    let findings = findings.map(|finding| format!("{finding} {}", finding.text));
    let behaves = report.behaves_like.filter(|like| report.promised != Some(*like));
    let behaves = behaves.map_or(String::new(), |like| format!("behaves like {like}"));
    let told = patterns.chain(findings).chain([failure.reason.clone(), behaves]);
    let told = told.collect::<Vec<_>>().join("\n").to_lowercase();
    words.iter().any(|word| told.contains(word.as_str()))
}

/// A pattern in words, without the case that it is of.
fn stated_as(pattern: &Pattern) -> String {
    let words = pattern.to_string();
    words.split(" (in ").next().unwrap_or(&words).to_owned()
}

/// Writes the patterns that a report states to a fault's header, in the place of those that it has.
fn rewrite(path: &Path, report: &KernelReport, wanted: &[String]) {
    let stated = report.failure.as_ref().map_or(Vec::new(), |f| f.patterns.iter().map(stated_as).collect());
    let kept = wanted.iter().filter(|w| stated.iter().any(|s: &String| s.starts_with(w.as_str()))).cloned();
    let mut patterns: Vec<String> = kept.collect();
    if patterns.is_empty() {
        patterns.push(stated.into_iter().next().unwrap_or("none".into()));
    }
    let text = std::fs::read_to_string(path).unwrap();
    let mut patterns = Some(patterns);
    let mut lines = Vec::new();
    for line in text.lines() {
        match noted(line, "pattern: ") {
            Some(_) => {
                let mark = line.split(' ').next().unwrap_or("//");
                lines.extend(patterns.take().into_iter().flatten().map(|p| format!("{mark} pattern: {p}")));
            }
            None => lines.push(line.to_owned()),
        }
    }
    std::fs::write(path, lines.join("\n") + "\n").unwrap();
}

fn met(report: &KernelReport, kind: &str) -> bool {
    let failure = report.failure.as_ref();
    // all that is told of it: of its smallest failing case, and of others
    let told = failure.into_iter().flat_map(|f| f.findings.iter().chain(f.others.iter().map(|o| &o.finding)));
    let found = told.into_iter().any(|finding| finding.kind.name() == kind);
    let ended = match kind {
        "out of memory" => report.verdict == Verdict::Crash && report.reason.contains("out of memory"),
        _ => report.verdict.name() == kind,
    };
    report.verdict != Verdict::Pass && (found || ended)
}

/// No compiler sees that a struct is passed where a function in C takes numbers.
#[test]
fn parameters_that_args_does_not_give_are_counted() {
    let text = std::fs::read_to_string(root().join("faults/mse_expanded.c")).unwrap_or_default();
    let text = text.replace("{ N = \"u32\" }]", "{ N = \"u32\" }, { N = \"u32\" }]");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("parameters.c");
    std::fs::write(&path, text).unwrap_or_else(|e| panic!("{e}"));
    let native = find("native", Limits::default()).unwrap_or_else(|e| panic!("{e}"));
    let told = tested(&kernel(&path), &*native, true).reason;
    assert!(told.contains("`mse` takes 4 parameters (a, b, loss, N), and `args` gives 5"), "{told}");
}

#[test]
#[ignore = "long: run by .ci/run"]
fn every_fault_is_found() {
    let limits = Limits { time: Duration::from_secs(2), memory: 200 << 20, ..Limits::default() };
    let registry = Registry::new(limits);
    let paths = files("faults");
    assert!(paths.len() >= 240);
    let formula = |path: &&PathBuf| patterns(path).iter().any(|p| p.starts_with("matches the op with"));
    assert!(paths.iter().filter(formula).count() >= 40);
    // CI has no time for more than every fourth one
    let paths: Vec<PathBuf> = only(paths).into_iter().step_by(every(1)).collect();
    let (cuda, glsl, opencl, triton) =
        (compiler("nvrtc"), compiler("glsl"), compiler("clang"), compiler("triton"));
    let (causes, seen, told) = (causes(), AtomicUsize::new(0), AtomicUsize::new(0));
    let wrong = all(&paths, |path| {
        let (kernel, kind) = (kernel(path), expected(path));
        let compiler = match kernel.source.kind {
            SourceKind::Cuda => cuda,
            SourceKind::Glsl => glsl,
            SourceKind::OpenCl => opencl,
            SourceKind::Triton => triton,
            _ => true,
        };
        if !compiler {
            return None;
        }
        let device = registry.running(kernel.source.kind).next()?;
        let simulated = device.name() == "sim";
        if device.probe().is_err() || (!simulated && kind == "out of memory" && !cfg!(target_os = "linux")) {
            return None;
        }
        // a quick plan finds every fault, if not always by the finding that tells most
        let quick = tested(&kernel, &**device, true);
        let words = causes.get(path).unwrap_or_else(|| panic!("{}: not in causes.tsv", path.display()));
        seen.fetch_add(1, Ordering::Relaxed);
        let tells = tells(&quick, words);
        told.fetch_add(usize::from(tells), Ordering::Relaxed);
        if !tells {
            eprintln!("{}: no word of its cause", path.display());
        }
        let found = met(&quick, &kind) || met(&tested(&kernel, &**device, false), &kind);
        if quick.verdict == Verdict::Pass || !found {
            return Some(format!("{}: no {kind}: {quick:#?}", path.display()));
        }
        let wanted = patterns(path);
        let missed = missed(&quick, &wanted)?;
        if std::env::var_os("KTWIN_UPDATE").is_some() {
            rewrite(path, &quick, &wanted);
            return None;
        }
        Some(format!("{}: expected the pattern `{missed}`: {quick:#?}", path.display()))
    });
    let (seen, told) = (seen.into_inner(), told.into_inner());
    eprintln!("of {seen} faults the cause of {told} is told in words that were expected");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen < FEW || told as f64 >= TOLD * seen as f64, "{told} of {seen}");
}

/// The smallest case in which sim finds a fault: a driver computes wrong values there as well, where the values are
/// wrong on sim, and Oclgrind finds what the table in docs/opencl.md says.
#[test]
#[ignore = "long: run by .ci/run"]
fn other_devices_agree_about_opencl_faults() {
    let (driver, oclgrind) = (driver("opencl"), driver("oclgrind"));
    if !compiler("clang") || driver.is_none() && oclgrind.is_none() {
        return;
    }
    let sim = find("sim", Limits::default()).unwrap_or_else(|e| panic!("{e}"));
    let table = std::fs::read_to_string(root().join("docs/opencl.md")).unwrap_or_default();
    let wrong = all(&kernels("faults/opencl"), |path| {
        let (kernel, kind) = (kernel(path), expected(path));
        let failure = tested(&kernel, &*sim, true).failure?;
        let case = failure.case?.to_string();
        let values = ["wrong values", "unwritten elements", "wrong class"].contains(&kind.as_str());
        if let Some(driver) = driver.as_ref().filter(|_| values) {
            // its functions may be promised to be less accurate than sim's: then it takes another case
            let smallest = of_case(&kernel, &**driver, case.clone());
            if !smallest.verdict.is_bad() && !tested(&kernel, &**driver, true).verdict.is_bad() {
                return Some(format!("{}: {case}: {smallest:#?}", path.display()));
            }
        }
        let report = of_case(&kernel, &**oclgrind.as_ref()?, case);
        let found = report.failure.as_ref().map_or(Vec::new(), |failure| failure.kinds.clone());
        let found: Vec<&str> = found.iter().map(|kind| kind.name()).collect();
        let found = if found.is_empty() { "nothing".to_owned() } else { found.join(", ") };
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let row = format!("| {name} | {kind} | {found} |");
        (!table.contains(&row))
            .then(|| format!("docs/opencl.md lacks {row} ({} {})", report.verdict, report.reason))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
