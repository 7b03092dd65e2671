//! Kernels in CUDA, GLSL, OpenCL C and of Triton and all honest forms pass, and hostile kernels get the verdicts that
//! they name. Walks the folders, so that nothing is forgotten: every fourth kernel, or as many as `KTWIN_EVERY` says.
//! Kernels in WGSL and C pass in the tests of crates/ktwin, and on drivers in .ci/run.

#[path = "common/walk.rs"]
mod walk;

use std::path::PathBuf;
use std::time::Duration;

use ktwin_check::{Kernel, Least, Verdict};
use ktwin_devices::{Limits, find};

use walk::*;

/// Kernels that a usual run takes of a folder, and one that is given the time takes all.
fn sample_passes(folder: &str) {
    some_pass(&sampled(folder, 4), "sim", 11..12);
}

fn sampled(folder: &str, usual: usize) -> Vec<PathBuf> {
    kernels(folder).into_iter().step_by(every(usual)).collect()
}

/// Every third kernel where functions are as wrong as the language allows: what they compute otherwise is the same.
fn pass_on_worst(folder: &str) {
    some_pass(&sampled(folder, 3), "sim-worst", 11..12);
}

/// The seeds that honest forms are tried with: as many as `KTWIN_SEEDS` says, else one.
fn seeds() -> std::ops::Range<u64> {
    let count = std::env::var("KTWIN_SEEDS").ok().and_then(|n| n.parse().ok());
    11..11 + count.unwrap_or(1)
}

fn some_pass(paths: &[PathBuf], device: &str, seeds: std::ops::Range<u64>) {
    let device = find(device, Limits::default()).unwrap_or_else(|e| panic!("{e}"));
    if let Err(missing) = device.probe() {
        eprintln!("skipped: {missing}");
        return;
    }
    assert!(!paths.is_empty());
    let wrong = all(paths, |path| {
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
        sample_passes("kernels/cuda");
    }
}

#[test]
#[ignore = "long: run by .ci/run"]
fn cuda_kernels_pass_on_sim_worst() {
    if compiler("nvrtc") {
        pass_on_worst("kernels/cuda");
    }
}

#[test]
fn glsl_kernels_pass_on_sim() {
    if compiler("glsl") {
        assert!(kernels("kernels/glsl").len() >= 25);
        sample_passes("kernels/glsl");
    }
}

#[test]
#[ignore = "long: run by .ci/run"]
fn glsl_kernels_pass_on_sim_worst() {
    if compiler("glsl") {
        pass_on_worst("kernels/glsl");
    }
}

#[test]
fn opencl_kernels_pass_on_sim() {
    if compiler("clang") {
        assert!(kernels("kernels/opencl").len() >= 28);
        sample_passes("kernels/opencl");
    }
}

#[test]
#[ignore = "long: run by .ci/run"]
fn opencl_kernels_pass_on_sim_worst() {
    if compiler("clang") {
        pass_on_worst("kernels/opencl");
    }
}

#[test]
fn triton_kernels_pass_on_sim() {
    if compiler("triton") {
        assert!(kernels("kernels/triton").len() >= 20);
        sample_passes("kernels/triton");
    }
}

#[test]
#[ignore = "long: run by .ci/run"]
fn triton_kernels_pass_on_sim_worst() {
    if compiler("triton") {
        pass_on_worst("kernels/triton");
    }
}

#[test]
#[ignore = "long: run by .ci/run"]
fn honest_forms_pass_on_the_host() {
    assert!(files("kernels/forms").len() >= 120);
    some_pass(&sampled("kernels/forms/c", 1), "native", seeds());
}

#[test]
#[ignore = "long: run by .ci/run"]
fn honest_forms_pass_on_sim() {
    some_pass(&sampled("kernels/forms/wgsl", 1), "sim", seeds());
}

#[test]
#[ignore = "long: run by .ci/run"]
fn opencl_kernels_pass_on_the_driver() {
    let Some(device) = driver("opencl") else { return };
    let wrong = all(&sampled("kernels/opencl", 1), |path| {
        let report = tested(&kernel(path), &*device, true);
        let lacks = report.verdict == Verdict::Skip && report.reason.contains("this device lacks cl_khr_");
        (report.verdict != Verdict::Pass && !lacks).then(|| format!("{report:#?}"))
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
        let kernel = match Kernel::load(path, ops()) {
            Ok(kernel) => kernel,
            Err(why) => return (expected != "invalid").then(|| format!("{}: {why}", path.display())),
        };
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
