//! OpenCL C on drivers. Without one, all that can be tested is that it says so; PoCL is enough.
#![cfg(feature = "opencl")]

mod common;

use std::sync::Arc;
use std::time::Duration;

use common::{build, compiled, device, launch, run_one, source, y_of};
use ktwin_check::{Argument, Build, Device, Failure, Launch, SourceKind};
use ktwin_devices::Limits;

/// The device, or nothing with a word about it. Where `KTWIN_REQUIRE` names it, it must be there.
fn opencl(limits: Limits) -> Option<Arc<dyn Device>> {
    let device = device("opencl", limits);
    match device.probe() {
        Ok(_) => Some(device),
        Err(Failure::Absent { why, get }) => {
            let required = std::env::var("KTWIN_REQUIRE").unwrap_or_default();
            assert!(!required.split(',').any(|d| d == "opencl"), "{why}; {get}");
            assert!(get.contains("pocl-opencl-icd"), "{get}");
            eprintln!("skipped: {why}; {get}");
            None
        }
        Err(other) => panic!("{other}"),
    }
}

/// A launch of `x`, `y` and { n, add } with work-groups of this size.
fn of_block(x: &[f32], add: f32, block: u32) -> Launch {
    let mut launch = launch(x, add);
    launch.steps[0].block = Some([block, 1, 1]);
    launch
}

const HEAD: &str = "struct s { uint n; float add; };\n\
                    __kernel void k(__global const float *x, __global float *y, struct s s)";

fn kernel(body: &str) -> String {
    format!("{HEAD} {{\n{body}\n}}")
}

#[test]
fn several_launches_in_one_process() {
    let Some(device) = opencl(Limits::default()) else { return };
    assert!(device.probe().is_ok_and(|there| !there.detail.is_empty()));
    let launches: Vec<Launch> = (0..3).map(|i| of_block(&[1.0, 2.0, 3.0], i as f32, 4)).collect();
    let text = kernel("uint i = get_global_id(0); if (i < s.n) y[i] = x[i] + s.add;");
    let program =
        compiled(&*device, SourceKind::OpenCl, &text, &launches[0]).unwrap_or_else(|e| panic!("{e}"));
    for (i, ran) in program.run(launches.clone()).into_iter().enumerate() {
        let ran = ran.unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(y_of(&launches[i], &ran), [1.0, 2.0, 3.0].map(|x| x + i as f32));
    }
}

/// A driver's child writes back what is larger than the files that it may make otherwise.
#[test]
fn large_outputs_come_back() {
    let Some(device) = opencl(Limits::default()) else { return };
    let launch = of_block(&vec![1.0; 17 << 20], 0.5, 1);
    let ran = run_one(&*device, SourceKind::OpenCl, &kernel("y[s.n - 1] = x[0] + s.add;"), &launch);
    let y = y_of(&launch, &ran.unwrap_or_else(|e| panic!("{e}")));
    assert_eq!((y.len(), y.last()), (17 << 20, Some(&1.5)));
}

#[test]
fn chains_local_memory_and_macros() {
    let Some(device) = opencl(Limits::default()) else { return };
    let mut launch = of_block(&[1.0, 2.0, 3.0, 4.0], 0.5, 4);
    launch.steps[0].entry = "turn".into();
    launch.steps[0].shared = 16;
    let mut second = launch.steps[0].clone();
    (second.entry, second.args) = ("scale".into(), vec![Argument::Buffer(1)]);
    launch.steps.push(second);
    let text = "struct s { uint n; float add; };
        __kernel void turn(__global const float *x, __local float *t, __global float *y, struct s s) {
            uint i = get_local_id(0); t[i] = x[i]; barrier(CLK_LOCAL_MEM_FENCE); y[i] = t[s.n - 1 - i] + s.add; }
        __kernel __attribute__((reqd_work_group_size(4, 1, 1))) void scale(__global float *y) {
            y[get_global_id(0)] *= FACTOR; }";
    let source = source(SourceKind::OpenCl, text);
    let program =
        device.compile(&source, &build(&launch, &[("FACTOR", 10)])).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((program.block("turn"), program.block("scale")), (None, Some([4, 1, 1])));
    let ran = program.run(vec![launch.clone()]).remove(0).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(y_of(&launch, &ran), [45.0, 35.0, 25.0, 15.0]);
    launch.steps[1].block = Some([2, 1, 1]);
    let Err(Failure::Mismatch(text)) = program.run(vec![launch]).remove(0) else { panic!("another size") };
    assert!(text.contains("reqd_work_group_size(4, 1, 1)"), "{text}");
}

#[test]
fn mistakes_have_their_names() {
    let Some(device) = opencl(Limits::default()) else { return };
    let launch = of_block(&[1.0], 0.0, 1);
    let run = |text: &str| run_one(&*device, SourceKind::OpenCl, text, &launch);
    let Err(Failure::Compile { message, line }) = run(&kernel("y[0] = q;")) else { panic!("no q") };
    assert!(line == Some(3) && message.contains("undeclared identifier 'q'"), "{message}");
    let cases = [
        ("__kernel void k(__global const float *x, __global float *y) {}", "but `args` gives 3"),
        ("__kernel void k(__global const float *x, __global float *y, uint n) {}", "another size"),
        ("__kernel void k(__global const float *x, uint y, __global float *n) {}", "is a value"),
        ("__kernel void k(__global float *x, __global float *y, __global float *n) {}", "is a pointer"),
        ("__kernel void a(__global float *y) {} __kernel void b(__global float *y) {}", "`entry` must name"),
    ];
    for (text, wanted) in cases {
        let Err(Failure::Mismatch(said)) = run(text) else { panic!("{text} runs") };
        assert!(said.contains(wanted), "{text}: {said}");
    }
    let named = Build { entries: vec![("kk".into(), Vec::new())], ..Build::default() };
    let error = device.compile(&source(SourceKind::OpenCl, &kernel("")), &named).err();
    assert!(
        matches!(&error, Some(Failure::Mismatch(said)) if said.contains("the source has k")),
        "{error:?}"
    );
    let far = common::device("opencl:99", Limits::default()).probe();
    assert!(
        matches!(&far, Err(Failure::Absent { why, .. }) if why.contains("no OpenCL device 99")),
        "{far:?}"
    );
}

#[test]
fn what_the_device_cannot_do_is_a_skip() {
    let Some(device) = opencl(Limits::default()) else { return };
    let there = device.probe().unwrap_or_else(|e| panic!("{e}"));
    let launch = of_block(&[1.0, 2.0], 0.0, 2);
    let text = kernel("uint i = get_global_id(0); half h = (half)x[i]; y[i] = h + h;");
    let ran = run_one(&*device, SourceKind::OpenCl, &text, &launch);
    match there.features.iter().any(|feature| feature == "f16") {
        true => assert!(ran.is_ok_and(|ran| y_of(&launch, &ran) == [2.0, 4.0])),
        false => {
            assert!(matches!(&ran, Err(Failure::Unsupported(why)) if why.contains("cl_khr_fp16")), "{ran:?}")
        }
    }
    let wide = of_block(&[1.0], 0.0, 1 << 20);
    let ran = run_one(&*device, SourceKind::OpenCl, &kernel("y[0] = x[0];"), &wide);
    assert!(matches!(&ran, Err(Failure::Unsupported(why)) if why.contains("work-items")), "{ran:?}");
    let program = device.compile(
        &source(SourceKind::OpenCl, &kernel("y[0] = x[0];")),
        &Build { subgroup: vec![3], ..build(&launch, &[]) },
    );
    let ran = program.unwrap_or_else(|e| panic!("{e}")).run(vec![launch]).remove(0);
    assert!(matches!(&ran, Err(Failure::Unsupported(why)) if why.contains("asks for [3]")), "{ran:?}");
}

#[test]
fn a_kernel_that_never_ends_takes_nothing_with_it() {
    // the driver's own compiler takes its time and memory
    let limits = Limits { time: Duration::from_secs(4), ..Limits::default() };
    let Some(device) = opencl(limits) else { return };
    let launch = of_block(&[1.0], 0.0, 1);
    let endless = kernel("while (s.n) { y[0] += x[0]; }");
    let ran = run_one(&*device, SourceKind::OpenCl, &endless, &launch);
    assert!(matches!(ran, Err(Failure::Hang { .. })), "{ran:?}");
    let ran = run_one(&*device, SourceKind::OpenCl, &kernel("y[0] = x[0] + 1;"), &launch);
    assert_eq!(y_of(&launch, &ran.unwrap_or_else(|e| panic!("{e}"))), [2.0]);
}
