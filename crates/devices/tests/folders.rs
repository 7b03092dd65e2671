//! Kernels in CUDA, GLSL, OpenCL C and of Triton and all honest forms pass, and every file of `faults/` gets the
//! finding and the patterns that it names in lines `// fault: KIND` and `// pattern: ...` (`#` in Python) under its
//! contract. Walks the folders, so that nothing is forgotten. Kernels in WGSL and C pass in the tests of crates/ktwin,
//! and on drivers in .ci/run.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use ktwin_check::{Amount, Device, Kernel, KernelReport, Kind, Least, Options, SourceKind, Verdict, check};
use ktwin_devices::{Limits, Registry, find};

type Ops = Vec<(&'static str, &'static str)>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join(folder)).unwrap_or_else(|e| panic!("{folder}: {e}")) {
        let path = entry.unwrap_or_else(|e| panic!("{e}")).path();
        if path.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            found.extend(files(&format!("{folder}/{name}")));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn ops() -> &'static Ops {
    static OPS: OnceLock<Ops> = OnceLock::new();
    OPS.get_or_init(|| {
        let one = |path: PathBuf| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{e}"));
            (&*name.leak(), &*text.leak())
        };
        let ops = files("ops").into_iter().filter(|path| path.extension().is_some_and(|e| e == "op"));
        ops.map(one).collect()
    })
}

fn kernel(path: &Path) -> Kernel {
    Kernel::load(path, ops()).unwrap_or_else(|e| panic!("{e}"))
}

fn tested(kernel: &Kernel, device: &dyn Device, quick: bool) -> KernelReport {
    with_seed(kernel, device, quick, 11)
}

fn with_seed(kernel: &Kernel, device: &dyn Device, quick: bool, seed: u64) -> KernelReport {
    let options = Options { amount: Amount::quick(quick), seed: Some(seed), ..Options::default() };
    check(kernel, device, &options, &|_| (), &AtomicBool::new(false))
}

/// Runs something on every path, on as many threads as there are cores, and collects what it complains of.
fn all(paths: &[PathBuf], one: impl Fn(&Path) -> Option<String> + Sync) -> Vec<String> {
    let next = Mutex::new(paths.iter());
    let wrong = Mutex::new(Vec::new());
    let take = || next.lock().ok().and_then(|mut paths| paths.next());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(path) = take() {
                    if let (Some(complaint), Ok(mut wrong)) = (one(path), wrong.lock()) {
                        wrong.push(complaint);
                    }
                }
            });
        }
    });
    wrong.into_inner().unwrap_or_default()
}

/// The files of a folder that are kernels.
fn kernels(folder: &str) -> Vec<PathBuf> {
    let mut found = files(folder);
    found.retain(|path| {
        let extension = path.extension().and_then(|e| e.to_str());
        extension.is_some_and(|e| SourceKind::of_extension(e).is_some())
    });
    found
}

/// Whether a compiler is here. One that `KTWIN_REQUIRE` names must be.
fn compiler(name: &str) -> bool {
    let found = ktwin_devices::compiler(name);
    let required = std::env::var("KTWIN_REQUIRE").is_ok_and(|r| r.split(',').any(|d| d == name));
    if let Err(missing) = &found {
        assert!(!required, "{missing}");
        eprintln!("left out: {missing}");
    }
    found.is_ok()
}

fn all_pass(folder: &str, device: &str) {
    all_pass_with(folder, device, 11..12);
}

/// The seeds that honest forms are tried with: as many as `KTWIN_SEEDS` says, else one.
fn seeds() -> std::ops::Range<u64> {
    let count = std::env::var("KTWIN_SEEDS").ok().and_then(|n| n.parse().ok());
    11..11 + count.unwrap_or(1)
}

fn all_pass_with(folder: &str, device: &str, seeds: std::ops::Range<u64>) {
    let device = find(device, Limits::default()).unwrap_or_else(|e| panic!("{e}"));
    if let Err(missing) = device.probe() {
        eprintln!("skipped: {missing}");
        return;
    }
    let paths = kernels(folder);
    assert!(!paths.is_empty());
    let wrong = all(&paths, |path| {
        let kernel = kernel(path);
        let mut reports = seeds.clone().map(|seed| with_seed(&kernel, &*device, true, seed));
        reports.find(|report| report.verdict != Verdict::Pass).map(|report| format!("{report:#?}"))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn cuda_kernels_pass_on_sim() {
    if compiler("nvrtc") {
        assert!(kernels("kernels/cuda").len() >= 50);
        all_pass("kernels/cuda", "sim");
    }
}

#[test]
#[ignore = "long: run by .ci/run"]
fn cuda_kernels_pass_on_sim_worst() {
    if compiler("nvrtc") {
        all_pass("kernels/cuda", "sim-worst");
    }
}

#[test]
fn glsl_kernels_pass_on_sim() {
    if compiler("glsl") {
        assert!(kernels("kernels/glsl").len() >= 25);
        all_pass("kernels/glsl", "sim");
    }
}

#[test]
#[ignore = "long: run by .ci/run"]
fn glsl_kernels_pass_on_sim_worst() {
    if compiler("glsl") {
        all_pass("kernels/glsl", "sim-worst");
    }
}

#[test]
fn opencl_kernels_pass_on_sim() {
    if compiler("clang") {
        assert!(kernels("kernels/opencl").len() >= 28);
        all_pass("kernels/opencl", "sim");
    }
}

#[test]
#[ignore = "long: run by .ci/run"]
fn opencl_kernels_pass_on_sim_worst() {
    if compiler("clang") {
        all_pass("kernels/opencl", "sim-worst");
    }
}

#[test]
fn triton_kernels_pass_on_sim() {
    if compiler("triton") {
        assert!(kernels("kernels/triton").len() >= 20);
        all_pass("kernels/triton", "sim");
    }
}

#[test]
#[ignore = "long: run by .ci/run"]
fn triton_kernels_pass_on_sim_worst() {
    if compiler("triton") {
        all_pass("kernels/triton", "sim-worst");
    }
}

#[test]
#[ignore = "long: run by .ci/run"]
fn honest_forms_pass_on_the_host() {
    assert!(files("kernels/forms").len() >= 120);
    all_pass_with("kernels/forms/c", "native", seeds());
}

#[test]
#[ignore = "long: run by .ci/run"]
fn honest_forms_pass_on_sim() {
    all_pass_with("kernels/forms/wgsl", "sim", seeds());
}

/// What a comment of one line says after a word.
fn noted<'l>(line: &'l str, word: &str) -> Option<&'l str> {
    line.strip_prefix("// ").or_else(|| line.strip_prefix("# "))?.strip_prefix(word)
}

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
        _ => told.iter().any(|t| t.to_string().starts_with(pattern)),
    };
    wanted.iter().find(|pattern| !states(pattern)).cloned()
}

fn met(report: &KernelReport, kind: &str) -> bool {
    let failure = report.failure.as_ref();
    let found = failure.is_some_and(|f| f.findings.iter().any(|f| f.kind.name() == kind));
    let ended = match kind {
        "out of memory" => report.verdict == Verdict::Crash && report.reason.contains("out of memory"),
        _ => report.verdict.name() == kind,
    };
    report.verdict != Verdict::Pass && (found || ended)
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
    let (cuda, glsl, opencl, triton) =
        (compiler("nvrtc"), compiler("glsl"), compiler("clang"), compiler("triton"));
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
        let found = met(&quick, &kind) || met(&tested(&kernel, &**device, false), &kind);
        if quick.verdict == Verdict::Pass || !found {
            return Some(format!("{}: no {kind}: {quick:#?}", path.display()));
        }
        let missed = missed(&quick, &patterns(path))?;
        let told = quick.failure.map_or(Vec::new(), |failure| failure.patterns);
        Some(format!("{}: expected the pattern `{missed}`, told {told:?}", path.display()))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A device of OpenCL's drivers. One that `KTWIN_REQUIRE` names must be here.
fn driver(name: &str) -> Option<std::sync::Arc<dyn Device>> {
    let device = find(name, Limits::default()).ok()?;
    let required = std::env::var("KTWIN_REQUIRE").is_ok_and(|r| r.split(',').any(|d| d == name));
    match device.probe() {
        Ok(_) => Some(device),
        Err(missing) => {
            assert!(!required, "{missing}");
            eprintln!("left out: {missing}");
            None
        }
    }
}

#[test]
#[ignore = "long: run by .ci/run"]
fn opencl_kernels_pass_on_the_driver() {
    let Some(device) = driver("opencl") else { return };
    let wrong = all(&kernels("kernels/opencl"), |path| {
        let report = tested(&kernel(path), &*device, true);
        let lacks = report.verdict == Verdict::Skip && report.reason.contains("this device lacks cl_khr_");
        (report.verdict != Verdict::Pass && !lacks).then(|| format!("{report:#?}"))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The report of one case alone.
fn of_case(kernel: &Kernel, device: &dyn Device, case: String) -> KernelReport {
    let options = Options { case: Some(case), seed: Some(11), ..Options::default() };
    check(kernel, device, &options, &|_| (), &AtomicBool::new(false))
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

/// What stands after this word at the beginning of a line of a kernel's file.
#[cfg(target_os = "linux")]
fn said<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.lines().find_map(|line| noted(line, word))
}

/// Kernels that mean harm get the verdict that they name. Where the system has no whole sandbox, some of them could do
/// what they try, and none is run.
#[cfg(target_os = "linux")]
#[test]
fn hostile_kernels_get_their_verdicts() {
    let limits = Limits { time: Duration::from_secs(3), memory: 300 << 20, boxed: true };
    let device = find("native", limits).unwrap_or_else(|e| panic!("{e}"));
    let whole = ktwin_devices::sandbox().is_ok_and(|standing| standing.is_whole());
    if device.probe().is_err() || !whole {
        let required = std::env::var("KTWIN_REQUIRE").unwrap_or_default();
        assert!(!required.contains("sandbox"), "the sandbox is not whole");
        eprintln!("skipped: no compiler, or no whole sandbox");
        return;
    }
    let paths = kernels("hostile");
    assert!(paths.len() >= 80, "{}", paths.len());
    let wrong = all(&paths, |path| {
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{e}"));
        let expected = said(&text, "verdict: ").unwrap_or("none");
        let kernel = kernel(path);
        // a promise that is worth little passes, and is refused where more is asked for
        if let Some(words) = said(&text, "least: ") {
            let least = Least::read(words, ops()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            if least.weaker(&kernel).is_empty() {
                return Some(format!("{}: promises as much as {words}", path.display()));
            }
        }
        let report = tested(&kernel, &*device, true);
        let right = expected.split(" | ").any(|verdict| verdict == report.verdict.name());
        (!right).then(|| format!("{}: {} and not {expected}: {report:#?}", path.display(), report.verdict))
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), paths.len(), wrong.join("\n"));
}
