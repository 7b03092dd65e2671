//! A kernel that needs few steps is run past what plain loops allow, and one that needs many is not.

use std::sync::atomic::AtomicBool;

use ktwin_check::{Kernel, KernelReport, Options, Verdict, check};
use ktwin_devices::{Limits, find};

const OPS: &[(&str, &str)] = &[("scan", include_str!("../../../ops/scan.op"))];

/// A running sum by one workgroup, 64 elements at a time, as long as the condition holds.
const SCAN: &str = "/*--- ktwin
op   = 'scan'
args = ['x', 'y', { N = 'u32' }]
grid = 1
tile = { N = 64 }
---*/
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;
var<workgroup> part: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    var before = 0.0;
    for (var start = 0u; start < n && CONDITION; start += 64u) {
        let at = start + lane;
        part[lane] = 0.0;
        if at < n { part[lane] = x[at]; }
        workgroupBarrier();
        for (var step = 1u; step < 64u; step *= 2u) {
            var other = 0.0;
            if lane >= step { other = part[lane - step]; }
            workgroupBarrier();
            part[lane] += other;
            workgroupBarrier();
        }
        if at < n { y[at] = before + part[lane]; }
        before += part[63];
        workgroupBarrier();
    }
}
";

/// Each lane adds up all that is before its element.
const NAIVE: &str = "/*--- ktwin
op   = 'scan'
args = ['x', 'y', { N = 'u32' }]
grid = ['ceil(N / 64)']
dims = { N = '..=131500' }
tile = { N = 64 }
---*/
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= n { return; }
    var sum = 0.0;
    for (var i = 0u; i <= id.x; i++) { sum += x[i]; }
    y[id.x] = sum;
}
";

fn tested(text: &str) -> KernelReport {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("scan.wgsl");
    std::fs::write(&path, text).unwrap();
    let kernel = Kernel::load(&path, OPS).unwrap();
    let options = Options { seed: Some(1), ..Options::default() };
    check(&kernel, &*find("sim", Limits::default()).unwrap(), &options, &|_| {}, &AtomicBool::new(false))
}

#[test]
fn what_needs_few_steps_goes_past_seventeen_bits() {
    let honest = tested(&SCAN.replace("CONDITION", "true"));
    assert_eq!(honest.verdict, Verdict::Pass, "{honest:#?}");
    assert!(honest.gaps.iter().any(|gap| gap.contains("up to 262222")), "{:?}", honest.gaps);
    let wrong = tested(&SCAN.replace("CONDITION", "start < 131072u"));
    assert_eq!(wrong.verdict, Verdict::Fail, "{wrong:#?}");
}

#[test]
#[ignore = "long: run by .ci/run"]
fn what_needs_many_steps_does_not() {
    let naive = tested(NAIVE);
    assert_eq!(naive.verdict, Verdict::Pass, "{naive:#?}");
    assert!(naive.gaps.iter().any(|gap| gap.contains("up to 65873")), "{:?}", naive.gaps);
}
