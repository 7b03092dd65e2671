//! Every form of instruction that NVRTC was seen to write (`tests/ptx/opcodes.tsv`) is run on edge
//! values, and does what the second interpreter (`tests/second`) makes of it. What is not simulated
//! is refused before anything runs, with its line.

mod opcodes;
mod second;

use ktwin_sim::{Buffer, Launch, Module, Options, Param};
use opcodes::{edges, frame, matrices, program, result_of, unsupported};
use second::{Machine, alu, text};

const FORMS: &str = include_str!("ptx/opcodes.tsv");
const THREADS: u32 = 512;

fn forms() -> impl Iterator<Item = &'static str> {
    FORMS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split('\t').next())
}

/// What both make of a program: the outputs and what the threads have in common.
fn both(name: &str, source: &str, input: &[u8]) -> [Vec<Vec<u8>>; 2] {
    let module = Module::from_ptx(source).unwrap_or_else(|e| panic!("{name}: {}\n{source}", e.rendered));
    let sizes = [32 * THREADS as usize, 64];
    let mut launch = Launch::new([1, 1, 1]).block([THREADS, 1, 1]);
    let bytes = [input.to_vec(), vec![0; sizes[0]], vec![0; sizes[1]]];
    launch.buffers = (0..3).map(|i| Buffer::input(0, i, bytes[i as usize].clone())).collect();
    launch.params = (0..3).map(Param::pointer).collect();
    launch.params.push(Param::bytes(opcodes::SCALAR.to_le_bytes().to_vec()));
    let run = module.run(&mut launch, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let errors: Vec<String> = run.errors().map(|f| f.to_string()).collect();
    assert!(errors.is_empty() || name.starts_with("atom"), "{name}: {errors:#?}");
    let mut machine = Machine::new(bytes.to_vec(), 1, THREADS);
    machine.params.push(opcodes::SCALAR);
    machine.run(&text::read(source));
    let theirs = machine.buffers.split_off(1);
    [launch.buffers[1..].iter().map(|b| b.bytes.clone()).collect(), theirs]
}

/// Outputs in which all NaN look the same: which bits they have is the machine's affair.
fn one_nan(mut buffers: Vec<Vec<u8>>, ty: &str) -> Vec<Vec<u8>> {
    for bytes in buffers[0].chunks_mut(8) {
        let bits = u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
        let single = f32::from_bits(bits as u32).is_nan() && matches!(ty, "f32" | "tf32");
        if single || f64::from_bits(bits).is_nan() && ty == "f64" {
            bytes.fill(0xff);
        }
    }
    buffers
}

#[test]
fn every_form_does_what_the_second_interpreter_makes_of_it() {
    let mut wrong = Vec::new();
    let mut run = 0;
    for form in forms().filter(|form| !unsupported(form) && !form.starts_with("wmma")) {
        let op: Vec<&str> = form.split('.').collect();
        let source = program(&op);
        let [ours, theirs] =
            both(form, &source, &edges(&op, THREADS as usize)).map(|bytes| one_nan(bytes, result_of(&op)));
        run += 1;
        if let Some(lane) =
            (0..THREADS as usize).find(|i| ours[0][i * 32..][..32] != theirs[0][i * 32..][..32])
        {
            let at = lane * 32..lane * 32 + 16;
            let input = &edges(&op, THREADS as usize)[at.clone()];
            let (a, b) = (&ours[0][at.clone()], &theirs[0][at]);
            wrong.push(format!("{form}: lane {lane} of {input:02x?}: {a:02x?}, the definition has {b:02x?}"));
        } else if ours[1] != theirs[1] {
            wrong.push(format!("{form}: {:02x?}, the definition has {:02x?}", ours[1], theirs[1]));
        }
    }
    assert!(wrong.is_empty(), "{} of {run}: {wrong:#?}", wrong.len());
    assert!(run > 200, "{run}");
}

#[test]
fn forms_that_are_not_simulated_are_refused_with_their_line() {
    let mut seen = 0;
    for form in forms().filter(|form| unsupported(form)) {
        let source = frame("", &format!("{form} {};", opcodes::operands_of(form)));
        let line = 1 + source.lines().position(|l| l.starts_with(form)).expect("it is there") as u32;
        let error = Module::from_ptx(&source).expect_err(form);
        assert_eq!(error.line, Some(line), "{form}: {}", error.rendered);
        assert!(error.message.contains("not s"), "{form}: {}", error.message);
        seen += 1;
    }
    assert!(seen >= 6, "{seen}");
}

#[test]
fn whole_matrices_are_exact_products() {
    let all: Vec<&str> = forms().filter(|form| form.starts_with("wmma")).collect();
    let mut used = std::collections::HashSet::new();
    for case in matrices(&all) {
        let module =
            Module::from_ptx(&case.source).unwrap_or_else(|e| panic!("{}\n{}", e.rendered, case.source));
        let mut launch = Launch::new([1, 1, 1]).block([32, 1, 1]);
        launch.buffers = vec![Buffer::input(0, 0, case.a.clone()), Buffer::input(0, 1, vec![0; 1024])];
        launch.buffers.push(Buffer::input(0, 2, case.b.clone()));
        launch.params = (0..3).map(Param::pointer).collect();
        launch.params.push(Param::bytes(vec![0; 8]));
        let run = module.run(&mut launch, &Options::default()).expect("it runs");
        assert_eq!(run.errors().count(), 0, "{:?}", run.findings);
        assert_eq!(launch.buffers[1].to_f32(), case.product, "{:?}", case.forms);
        used.extend(case.forms);
    }
    assert_eq!(used.len(), all.len(), "{used:?}");
}

#[test]
fn widths_of_types() {
    for (ty, bits) in [("pred", 1), ("s8", 8), ("bf16", 16), ("f16x2", 32), ("f64", 64)] {
        assert_eq!(alu::bits(ty), bits);
    }
}
