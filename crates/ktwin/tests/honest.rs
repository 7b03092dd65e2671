//! Kernels of `kernels/wgsl` and `kernels/c` are right: on the simulated GPU with functions correctly rounded and at
//! the edge of what the language allows, and on the host. A usual run takes every fourth, and one that is given the
//! time all, or as many as `KTWIN_EVERY` says. Kernels of random ops take up to a minute each, and are tested if asked
//! for. The cases are the same each time, so that a change is judged by what it changes.

mod support;

use ktwin::check::Verdict;

ktwin::kernels!("../../kernels/wgsl/gemm*.wgsl", quick().seed(SEED));

const SEED: u64 = 2;

fn pass(folder: &str, device: Option<&str>, random: bool, usual: usize) {
    let folder = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut tried = 0;
    let all = ktwin::suite::kernels(&[folder], None).unwrap();
    let is_meant = |file: &std::path::PathBuf| ktwin::kernel(file).load().unwrap().op.is_random() == random;
    for file in all.into_iter().filter(is_meant).step_by(support::every(usual)) {
        let mut test = ktwin::kernel(&file).quick().seed(SEED);
        if let Some(device) = device {
            test = test.device(device);
        }
        tried += 1;
        match test.run() {
            Ok(report) if report.verdict == Verdict::Pass => {}
            // no compiler: that is a skip
            Ok(report) if report.verdict == Verdict::Skip && report.cases.total() == 0 => {
                eprintln!("{}: {}", file.display(), report.reason);
            }
            _ => test.check(),
        }
    }
    assert!(tried > 0);
}

#[test]
fn on_sim() {
    pass("../../kernels/wgsl", Some("sim"), false, 4);
}

#[test]
#[ignore = "long: run by .ci/run"]
fn of_random_ops_on_sim() {
    pass("../../kernels/wgsl", Some("sim"), true, 1);
}

#[test]
fn at_the_edge_of_what_the_language_allows() {
    pass("../../kernels/wgsl", Some("sim-worst"), false, 4);
}

#[test]
#[ignore = "long: run by .ci/run"]
fn of_random_ops_at_the_edge() {
    // their laws hang on no function's accuracy
    pass("../../kernels/wgsl", Some("sim-worst"), true, 4);
}

#[test]
fn on_the_host() {
    pass("../../kernels/c", None, false, 4);
}

#[test]
#[ignore = "long: run by .ci/run"]
fn of_random_ops_on_the_host() {
    pass("../../kernels/c", None, true, 1);
}
