//! Cases drawn by proptest: honest kernels hold in all of them, a wrong one is found and shrunk.
#![cfg(feature = "proptest")]

use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};

fn path(name: &str) -> String {
    format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"))
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
}

#[test]
fn honest_kernels_hold_in_any_case() {
    for name in ["kernels/wgsl/rmsnorm.wgsl", "kernels/wgsl/gemv_q4_0.wgsl", "kernels/wgsl/rope.wgsl"] {
        let kernel = ktwin::kernel(path(name)).load().unwrap();
        let outcome = runner(24).run(&ktwin::cases(&kernel, 300), |case| {
            ktwin::kernel(path(name)).case(case).not_wrong();
            Ok(())
        });
        outcome.unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

#[test]
fn a_wrong_kernel_is_found_and_shrunk() {
    let name = path("faults/silu_tail.wgsl");
    let kernel = ktwin::kernel(&name).load().unwrap();
    let outcome = runner(64).run(&ktwin::cases(&kernel, 1000), |case| {
        let report = ktwin::kernel(&name).case(&case).run().map_err(TestCaseError::fail)?;
        prop_assert!(report.verdict != ktwin::check::Verdict::Fail);
        Ok(())
    });
    let Err(TestError::Fail(_, case)) = outcome else { panic!("{outcome:?}") };
    assert!(case.dims[0].1 < 1000, "{case}");
}
