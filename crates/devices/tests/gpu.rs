//! GPUs through wgpu. Without an adapter, all that can be tested is that it says so; lavapipe is
//! enough.
#![cfg(all(feature = "vulkan", not(target_vendor = "apple")))]

mod common;

use common::{build, compiled, launch, source, tight, y_of};
use ktwin_check::{Argument, Device, Failure, Launch, Ran, SourceKind};
use ktwin_devices::{Limits, find};
use std::sync::Arc;

const HEAD: &str = "struct S { n: u32, add: f32 }\n@group(0) @binding(0) var<storage, read> x: array<f32>;\n\
                    @group(0) @binding(1) var<storage, read_write> y: array<f32>;\n\
                    @group(0) @binding(2) var<uniform> s: S;\n";

/// The device, or nothing with a word about it. Where `KTWIN_REQUIRE` names it, it must be there.
fn vulkan(limits: Limits) -> Option<Arc<dyn Device>> {
    let device = find("vulkan", limits).unwrap_or_else(|e| panic!("{e}"));
    match device.probe() {
        Ok(_) => Some(device),
        Err(Failure::Absent { why, get }) => {
            let required = std::env::var("KTWIN_REQUIRE").unwrap_or_default();
            assert!(!required.split(',').any(|d| d == "vulkan"), "{why}; {get}");
            assert!(get.contains("mesa-vulkan-drivers"), "{get}");
            eprintln!("skipped: {why}; {get}");
            None
        }
        Err(other) => panic!("{other}"),
    }
}

fn run(device: &dyn Device, main: &str, launches: Vec<Launch>) -> Vec<Result<Ran, Failure>> {
    let text = format!("{HEAD}{main}");
    let program = compiled(device, SourceKind::Wgsl, &text, &launches[0]).unwrap_or_else(|e| panic!("{e}"));
    program.run(launches)
}

#[test]
fn several_launches_in_one_process() {
    let Some(device) = vulkan(Limits::default()) else { return };
    assert!(device.probe().is_ok_and(|there| !there.detail.is_empty()));
    let launches: Vec<Launch> = (0..3).map(|i| launch(&[1.0, 2.0, 3.0], i as f32)).collect();
    let main = "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) \
                { if i < s.n { y[i] = x[i] + s.add; } }";
    for (i, ran) in run(&*device, main, launches.clone()).into_iter().enumerate() {
        let ran = ran.unwrap_or_else(|e| panic!("{e}"));
        let add = i as f32;
        assert_eq!(y_of(&launches[i], &ran), [1.0 + add, 2.0 + add, 3.0 + add]);
    }
}

#[test]
fn what_a_shader_does_not_use_may_be_bound() {
    let Some(device) = vulkan(Limits::default()) else { return };
    let launch = launch(&[1.0], 4.0);
    let main = "@compute @workgroup_size(1) fn main() { y[0] = 7.0; }";
    let ran = run(&*device, main, vec![launch.clone()]).remove(0).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(y_of(&launch, &ran), [7.0]);
}

#[test]
fn overrides_and_chains() {
    let Some(device) = vulkan(Limits::default()) else { return };
    let mut launch = launch(&[1.0, 2.0], 0.0);
    launch.steps[0].entry = "first".into();
    let mut second = launch.steps[0].clone();
    second.entry = "second".into();
    launch.steps.push(second);
    let text = format!(
        "{HEAD}override FACTOR: f32;\n\
         @compute @workgroup_size(2) fn first(\
         @builtin(local_invocation_index) i: u32) {{ y[i] = x[i]; }}\n\
         @compute @workgroup_size(2) fn second(\
         @builtin(local_invocation_index) i: u32) {{ y[i] *= FACTOR; }}"
    );
    let source = source(SourceKind::Wgsl, &text);
    let program =
        device.compile(&source, &build(&launch, &[("FACTOR", 10)])).unwrap_or_else(|e| panic!("{e}"));
    let ran = program.run(vec![launch.clone()]).remove(0).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(y_of(&launch, &ran), [10.0, 20.0]);
    let wrong = device.compile(&source, &build(&launch, &[("FACTO", 10)]));
    assert!(matches!(wrong.err(), Some(Failure::Mismatch(_))));
}

#[test]
fn a_shader_that_takes_too_long_is_killed() {
    let Some(device) = vulkan(tight()) else { return };
    // lavapipe leaves loops after 65536 rounds, so no single lane can hang
    let main = "@compute @workgroup_size(1) fn main() { for (var i = 0u; i < 60000u; i += s.n) \
                { y[0] = x[0] + y[0]; } }";
    let mut launch = launch(&[1.0], 0.0);
    launch.steps[0].grid = [65535, 65535, 1];
    let ran = run(&*device, main, vec![launch]).remove(0);
    assert!(matches!(ran, Err(Failure::Hang { .. })), "{ran:?}");
}

#[test]
fn a_grid_that_no_adapter_starts_is_unsupported() {
    let Some(device) = vulkan(Limits::default()) else { return };
    let mut launch = launch(&[1.0], 0.0);
    launch.steps[0].grid = [u32::MAX, 1, 1];
    let main = "@compute @workgroup_size(1) fn main() { y[0] = x[0]; }";
    let ran = run(&*device, main, vec![launch]).remove(0);
    let Err(Failure::Unsupported(text)) = ran else { panic!("{ran:?}") };
    assert!(text.contains("workgroups along one axis"), "{text}");
}

#[test]
fn a_binding_that_nothing_is_bound_to_is_a_mismatch() {
    let Some(device) = vulkan(Limits::default()) else { return };
    let mut launch = launch(&[1.0], 0.0);
    launch.steps[0].args.truncate(2);
    let main = "@compute @workgroup_size(1) fn main() { y[0] = s.add; }";
    let ran = run(&*device, main, vec![launch]).remove(0);
    assert!(matches!(ran, Err(Failure::Mismatch(_))), "{ran:?}");
    let words = vec![common::f32_word("add", 1.0)];
    let mut other = common::launch(&[1.0], 0.0);
    other.steps[0].args = vec![Argument::Buffer(1), Argument::Buffer(0), Argument::Words(words)];
    let far = "@group(1) @binding(0) var<storage, read_write> z: array<f32>;\n\
               @compute @workgroup_size(1) fn main() { z[0] = 1.0; }";
    let error = compiled(&*device, SourceKind::Wgsl, far, &other).err();
    assert!(matches!(error, Some(Failure::Unsupported(_))), "{error:?}");
}
