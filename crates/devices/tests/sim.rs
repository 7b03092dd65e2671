//! The simulated GPU through the trait: results, findings, chains, mistakes of contracts.

mod common;

use common::{compiled, device, launch, run_one, u32_word, y_of};
use ktwin_check::{Argument, Failure, Kind, Launch, Ran, SourceKind};
use ktwin_devices::Limits;

const HEAD: &str = "struct S { n: u32, add: f32 }\n@group(0) @binding(0) var<storage, read> x: array<f32>;\n\
                    @group(0) @binding(1) var<storage, read_write> y: array<f32>;\n\
                    @group(0) @binding(2) var<uniform> s: S;\n";

fn run(body: &str, launch: &Launch) -> Result<Ran, Failure> {
    let text =
        format!("{HEAD}@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {body}");
    run_one(&*device("sim", Limits::default()), SourceKind::Wgsl, &text, launch)
}

#[test]
fn a_kernel_runs_and_canaries_live() {
    let launch = launch(&[1.0, 2.0, 3.0], 0.5);
    let ran = run("{ if i < s.n { y[i] = x[i] + s.add; } }", &launch).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(y_of(&launch, &ran), [1.5, 2.5, 3.5]);
    assert_eq!(ran.findings, []);
}

#[test]
fn findings_name_line_and_place() {
    let launch = launch(&[1.0, 2.0, 3.0], 0.5);
    let ran = run("{ y[i] = x[i]; }", &launch).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(y_of(&launch, &ran), [1.0, 2.0, 3.0]);
    let found = ran.findings.iter().find(|f| f.kind == Kind::OutOfBounds && f.message.contains("`y`"));
    let found = found.unwrap_or_else(|| panic!("{:?}", ran.findings));
    assert_eq!((found.line, found.count), (Some(5), 61));
    assert_eq!(found.place.as_deref(), Some("workgroup 0,0,0, lane 3"));
}

#[test]
fn outputs_hold_nothing_before_they_are_written() {
    let ran = run("{ if i < s.n { y[i] += x[i]; } }", &launch(&[1.0], 0.0)).unwrap_or_else(|e| panic!("{e}"));
    assert!(ran.findings.iter().any(|f| f.kind == Kind::Uninitialised), "{:?}", ran.findings);
}

#[test]
fn a_chain_reads_what_it_wrote() {
    let mut launch = launch(&[1.0, 2.0], 0.5);
    launch.steps[0].entry = "first".into();
    let mut second = launch.steps[0].clone();
    second.entry = "second".into();
    launch.steps.push(second);
    let text = format!(
        "{HEAD}@compute @workgroup_size(2) fn first(\
         @builtin(local_invocation_index) i: u32) {{ y[i] = x[i]; }}\n\
         @compute @workgroup_size(2) fn second(\
         @builtin(local_invocation_index) i: u32) {{ y[i] += s.add; }}"
    );
    let ran = run_one(&*device("sim", Limits::default()), SourceKind::Wgsl, &text, &launch);
    let ran = ran.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((y_of(&launch, &ran), ran.findings.len()), (vec![1.5, 2.5], 0));
}

#[test]
fn an_endless_kernel_is_given_up_sooner_each_time() {
    let one = launch(&[1.0], 0.0);
    let text =
        format!("{HEAD}@compute @workgroup_size(1) fn main() {{ while s.n == 1u {{ y[0] = x[0]; }} }}");
    let program = compiled(&*device("sim", Limits::default()), SourceKind::Wgsl, &text, &one);
    for ran in program.unwrap_or_else(|e| panic!("{e}")).run(vec![one.clone(), one.clone(), one]) {
        let findings = ran.unwrap_or_else(|e| panic!("{e}")).findings;
        assert!(findings.iter().any(|f| f.kind == Kind::EndlessLoop), "{findings:?}");
    }
}

#[test]
fn mistakes_are_named() {
    let mut launch = launch(&[1.0], 0.0);
    let error = run("{ nonsense(); }", &launch);
    let Err(Failure::Compile { message, line }) = error else { panic!("compiled") };
    assert!(message.contains("nonsense"), "{message}");
    assert_eq!(line, Some(5));
    launch.steps[0].args[2] = Argument::Words(vec![u32_word("n", 1)]);
    let error = run("{ y[i] = s.add; }", &launch);
    assert!(matches!(error, Err(Failure::Mismatch(_))), "{error:?}");
}

#[test]
fn what_nobody_writes_may_be_bound_twice() {
    let text = "@group(0) @binding(0) var<storage, read> x: array<f32>;\n\
                @group(0) @binding(1) var<storage, read> again: array<f32>;\n\
                @group(0) @binding(2) var<storage, read_write> y: array<f32>;\n\
                @compute @workgroup_size(1) fn main() { y[0] = x[0] * again[0]; }";
    let mut launch = launch(&[3.0], 0.0);
    let run = |launch: &Launch, args: &[usize]| {
        let mut launch = launch.clone();
        launch.steps[0].args = args.iter().map(|n| Argument::Buffer(*n)).collect();
        run_one(&*device("sim", Limits::default()), SourceKind::Wgsl, text, &launch)
    };
    let ran = run(&launch, &[0, 0, 1]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((y_of(&launch, &ran), ran.findings), (vec![9.0], vec![]));
    let refused = run(&launch, &[0, 1, 1]);
    assert!(matches!(&refused, Err(Failure::Mismatch(text)) if text.contains("twice")), "{refused:?}");
    launch.buffers[0].access = ktwin_check::Access::ReadWrite;
    assert!(matches!(run(&launch, &[0, 0, 1]), Err(Failure::Mismatch(_))));
}

#[test]
fn the_bindings_of_a_second_group_follow_those_of_the_first() {
    let text = "@group(0) @binding(1) var<storage, read> x: array<f32>;\n\
                @group(1) @binding(0) var<storage, read_write> y: array<f32>;\n\
                @group(1) @binding(1) var<uniform> add: f32;\n\
                @compute @workgroup_size(1) fn main() { y[0] = x[0] + add; }";
    let mut launch = launch(&[3.0], 0.0);
    let word = Argument::Words(vec![common::f32_word("add", 0.5)]);
    launch.steps[0].args = vec![Argument::Buffer(0), Argument::Buffer(0), Argument::Buffer(1), word];
    let sim = device("sim", Limits::default());
    let ran = run_one(&*sim, SourceKind::Wgsl, text, &launch).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((y_of(&launch, &ran), ran.findings), (vec![3.5], vec![]));
    launch.steps[0].args.push(Argument::Buffer(0));
    let refused = run_one(&*sim, SourceKind::Wgsl, text, &launch);
    assert!(matches!(&refused, Err(Failure::Mismatch(text)) if text.contains("4 bindings")), "{refused:?}");
}
