//! Huge outputs: an honest product passes, and one wrong element among millions is found.

#[path = "common/walk.rs"]
mod walk;

use std::path::Path;

use ktwin_check::{Kernel, KernelReport, Verdict};
use ktwin_devices::{Limits, find};

use walk::*;

const CASE: &str = "M=1600,K=2048,N=1600,seed=5";

/// A product as it is, or with one statement after it.
fn report(name: &str, last: &str) -> KernelReport {
    let text = format!(
        r#"/*--- ktwin
op   = "gemm"
args = ["a", "b", "c", {{ M = "u32" }}, {{ K = "u32" }}, {{ N = "u32" }}]
---*/
#include <stddef.h>
void gemm(const float *a, const float *b, float *c, unsigned M, unsigned K, unsigned N)
{{
    for (size_t at = 0; at < (size_t)M * N; at++)
        c[at] = 0;
    for (size_t m = 0; m < M; m++)
        for (size_t k = 0; k < K; k++)
            for (size_t n = 0; n < N; n++)
                c[m * N + n] += a[m * K + k] * b[k * N + n];
    {last}
}}
"#
    );
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("huge_{name}.c"));
    std::fs::write(&path, text).unwrap();
    let kernel: Kernel = kernel(&path);
    let device = find("native", Limits::default()).unwrap_or_else(|e| panic!("{e}"));
    of_case(&kernel, &*device, CASE.into())
}

#[test]
#[ignore = "long: run by .ci/run"]
fn one_wrong_element_among_millions_is_found() {
    let honest = report("honest", "");
    assert_eq!(honest.verdict, Verdict::Pass, "{honest:#?}");
    let compared = "elements of c are compared, the others in sums of rows with random signs";
    assert!(honest.gaps.iter().any(|gap| gap.contains(compared)), "{:?}", honest.gaps);
    for (name, last) in [("more", "c[777 * (size_t)N + 1234] += 1;"), ("nan", "c[5555] = 0.0f / 0.0f;")] {
        let wrong = report(name, last);
        assert_eq!(wrong.verdict, Verdict::Fail, "{wrong:#?}");
        let outputs = wrong.failure.map_or(Vec::new(), |failure| failure.outputs);
        assert_eq!(outputs.iter().map(|o| o.failing).sum::<usize>(), 1, "{outputs:?}");
    }
}
