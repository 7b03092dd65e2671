//! Kernels in C, C++ and Rust on the host: what they compute, and what becomes of those that misbehave.

mod common;

use common::{build, compiled, device, launch, run_one, source, tight, u32_word, y_of};
use ktwin_check::{Argument, Failure, Launch, SourceKind};
use ktwin_devices::Limits;

const HEAD: &str =
    "#include <stdint.h>\n#include <stdlib.h>\ntypedef struct { uint32_t n; float add; } scalars;\n";
const PLUS: &str = "void plus(const float *x, float *y, scalars s) { \
                    for (uint32_t i = 0; i < s.n; i++) y[i] = x[i] + s.add; }\n";

fn run_c(body: &str, launch: &Launch) -> Result<ktwin_check::Ran, Failure> {
    run_one(&*device("native", tight()), SourceKind::C, &format!("{HEAD}{body}"), launch)
}

#[test]
fn c_gets_buffers_and_a_struct_by_value() {
    let launch = launch(&[1.0, 2.0, 3.0], 0.5);
    let ran = run_c(PLUS, &launch).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(y_of(&launch, &ran), [1.5, 2.5, 3.5]);
    assert!(ran.elapsed.is_some());
}

#[test]
fn values_of_every_width_keep_their_places() {
    let mut launch = launch(&[0.0; 4], 0.0);
    let word = |name: &str, kind: &str, bytes: &[u8]| ktwin_check::Word {
        name: name.into(),
        dtype: ktwin_num::DType::parse(kind).unwrap_or(ktwin_num::DType::F32),
        bytes: bytes.to_vec(),
        buffer: None,
    };
    launch.steps[0].args[2] = Argument::Words(vec![
        word("a", "bool", &[1]),
        word("b", "i64", &(-7i64).to_le_bytes()),
        word("c", "u8", &[200]),
        word("d", "f64", &2.5f64.to_le_bytes()),
        word("e", "i16", &(-3i16).to_le_bytes()),
    ]);
    launch.steps[0].args.push(Argument::Words(vec![u32_word("last", 9)]));
    let body = "#include <stdbool.h>\nstruct v { bool a; int64_t b; uint8_t c; double d; int16_t e; };\n\
                void f(const float *x, float *y, struct v v, uint32_t last) { (void)x; \
                y[0] = v.a + (float)v.b; y[1] = v.c; y[2] = (float)v.d + v.e; y[3] = last; }";
    let ran = run_c(body, &launch).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(y_of(&launch, &ran), [-6.0, 200.0, -0.5, 9.0]);
}

#[test]
fn buffers_are_aligned_to_64_bytes() {
    let launch = launch(&[0.0; 2], 0.0);
    let body = "void f(float *x, float *y, scalars s) { (void)s; \
                y[0] = (float)((uintptr_t)x % 64); y[1] = (float)((uintptr_t)y % 64); }";
    let ran = run_c(body, &launch).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(y_of(&launch, &ran), [0.0, 0.0]);
}

#[test]
fn cpp_and_defines() {
    let launch = launch(&[1.0], 0.25);
    let text = format!(
        "{HEAD}#include <vector>\nextern \"C\" void plus(const float *x, float *y, scalars s) {{ \
         std::vector<float> v(x, x + s.n); for (float &e : v) e += s.add * FACTOR; y[0] = v[0]; }}"
    );
    let program = device("native", tight())
        .compile(&source(SourceKind::Cpp, &text), &build(&launch, &[("FACTOR", 8)]))
        .unwrap_or_else(|e| panic!("{e}"));
    let ran = program.run(vec![launch.clone()]).remove(0).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(y_of(&launch, &ran), [3.0]);
}

#[test]
fn rust_and_a_shared_library() {
    let dir = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
    let path = dir.path().join("kernel.rs");
    let text = "#[repr(C)] pub struct S { n: u32, add: f32 }\n\
                #[unsafe(no_mangle)] pub unsafe extern \"C\" fn plus(x: *const f32, y: *mut f32, s: S) {\n\
                for i in 0..s.n as usize { unsafe { *y.add(i) = *x.add(i) + s.add } } }";
    std::fs::write(&path, text).unwrap_or_else(|e| panic!("{e}"));
    let launch = launch(&[1.0, -4.0], 2.0);
    let mut source = source(SourceKind::Rust, text);
    source.path = path;
    let native = device("native", tight());
    let program = native.compile(&source, &build(&launch, &[])).unwrap_or_else(|e| panic!("{e}"));
    let ran = program.run(vec![launch.clone()]).remove(0).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(y_of(&launch, &ran), [3.0, -2.0]);

    let library = dir.path().join("libplus.so");
    let mut rustc = std::process::Command::new("rustc");
    rustc.args(["--edition=2024", "--crate-type=cdylib", "-o"]).arg(&library).arg(&source.path);
    assert!(rustc.status().is_ok_and(|s| s.success()));
    let bytes = std::fs::read(&library).unwrap_or_else(|e| panic!("{e}"));
    source = ktwin_check::Source { kind: SourceKind::Library, path: library, bytes };
    let program = native.compile(&source, &build(&launch, &[])).unwrap_or_else(|e| panic!("{e}"));
    let ran = program.run(vec![launch.clone()]).remove(0).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(y_of(&launch, &ran), [3.0, -2.0]);
}

#[test]
fn a_chain_of_entry_points() {
    let mut launch = launch(&[1.0, 2.0], 1.0);
    launch.steps[0].entry = "first".into();
    let mut second = launch.steps[0].clone();
    second.entry = "second".into();
    second.args = vec![Argument::Buffer(1), Argument::Words(vec![u32_word("n", 2)])];
    launch.steps.push(second);
    let body = "void first(const float *x, float *y, scalars s) { \
                for (uint32_t i = 0; i < s.n; i++) y[i] = x[i]; }\n\
                void second(float *y, uint32_t n) { for (uint32_t i = 0; i < n; i++) y[i] *= 10; }";
    let ran = run_c(body, &launch).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(y_of(&launch, &ran), [10.0, 20.0]);
}

#[test]
fn a_crash_is_an_outcome_and_the_run_goes_on() {
    let body = "void f(const float *x, float *y, scalars s) { if (x[0] == 2) *(volatile int *)0 = 1; \
                if (x[0] == 3) abort(); if (x[0] == 4) exit(0); y[0] = x[0] + s.add; }";
    let launches: Vec<Launch> = (1..=5).map(|i| launch(&[i as f32], 0.0)).collect();
    let native = device("native", tight());
    let program = compiled(&*native, SourceKind::C, &format!("{HEAD}{body}"), &launches[0]);
    let ran = program.unwrap_or_else(|e| panic!("{e}")).run(launches.clone());
    assert_eq!(ran.len(), 5);
    for (number, says) in [(1, "SIGSEGV"), (2, "SIGABRT"), (3, "ended early")] {
        let Err(Failure::Crash(how)) = &ran[number] else { panic!("{:?}", ran[number]) };
        assert!(how.contains(says), "{how}");
    }
    for number in [0, 4] {
        let ran = ran[number].as_ref().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(y_of(&launches[number], ran), [number as f32 + 1.0]);
    }
}

#[test]
fn a_hang_is_killed() {
    let body = "static void read(const float *x) { (void)*(volatile float *)x; }\n\
                void f(const float *x, float *y, scalars s) { (void)y; (void)s; \
                for (;;)\nread(x); }";
    let limits = Limits { time: std::time::Duration::from_millis(300), ..tight() };
    let started = std::time::Instant::now();
    let ran =
        run_one(&*device("native", limits), SourceKind::C, &format!("{HEAD}{body}"), &launch(&[1.0], 0.0));
    let Err(Failure::Hang { limit, place }) = ran else { panic!("{ran:?}") };
    assert_eq!(limit, limits.time);
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        // the call as well, which the compiler wrote out
        let called = place.contains("static void read") && place.contains(", called from line ");
        assert!(place.starts_with("line ") && (called || place.contains("`for (;;)`")), "{place}");
    }
    assert!(started.elapsed().as_secs() < 5);
}

#[cfg(target_os = "linux")]
#[test]
fn too_much_memory_is_seen() {
    let body = "#include <string.h>\nvoid f(const float *x, float *y, scalars s) { \
                (void)x; (void)y; (void)s; \
                for (;;) { char *p = malloc(1 << 20); if (!p) abort(); memset(p, 1, 1 << 20); } }";
    let ran = run_c(body, &launch(&[1.0], 0.0));
    assert!(matches!(ran, Err(Failure::OutOfMemory(_))), "{ran:?}");
}

#[test]
fn what_it_prints_is_not_believed() {
    let body = "#include <stdio.h>\nvoid f(const float *x, float *y, scalars s) { (void)s; (void)x; \
                puts(\"PASS\"); fputs(\"all is well\\n\", stderr); y[0] = 7; abort(); }";
    let Err(Failure::Crash(how)) = run_c(body, &launch(&[1.0], 0.0)) else { panic!("passed") };
    assert!(how.contains("all is well"), "{how}");
}

#[test]
fn writes_beside_a_buffer_reach_its_canary() {
    let body = "void f(const float *x, float *y, scalars s) { (void)x; y[s.n] = 1; y[-1] = 1; }";
    let launch = launch(&[1.0], 0.0);
    let ran = run_c(body, &launch).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(ran.buffers[1][260..264], 1.0f32.to_le_bytes());
    assert_eq!(ran.buffers[1][252..256], 1.0f32.to_le_bytes());
    let launch = Launch { run: 1, ..launch };
    let body = body.replace("y[-1] = 1;", "");
    let ran = run_c(&body, &launch).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(ran.buffers[1][260..264], 1.0f32.to_le_bytes());
}

#[test]
fn mistakes_are_named() {
    let launch = launch(&[1.0], 0.0);
    let error = run_c("void f(const float *x) {\n  nonsense;\n}", &launch);
    let Err(Failure::Compile { message, line }) = error else { panic!("compiled") };
    assert!(message.contains("folder/kernel.x:5") && message.contains("nonsense"), "{message}");
    assert_eq!(line, Some(5));
    let error = run_c("void f(void) {}\nvoid g(void) {}", &launch);
    let Err(Failure::Mismatch(message)) = error else { panic!("chose one") };
    assert!(message.contains("f, g"), "{message}");
    let error = run_c("static void f(void) {}\nint x;", &launch);
    assert!(matches!(error, Err(Failure::Mismatch(_))));
}

#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn which_lines_of_a_kernel_run_is_told() {
    let body = "static float far(float v) {\n  return v > 90 ? 90 : v;\n}\n\
                void other(float *y) {\n  y[0] = 1;\n}\n\
                void plus(const float *x, float *y, scalars s) {\n\
                  for (uint32_t i = 0; i < s.n; i++)\n    if (s.add > 4)\n      y[i] = far(x[i]);\n\
                    else\n      y[i] = x[i] + s.add;\n}\n";
    let text = format!("{HEAD}{body}");
    let line = |part: &str| 1 + text.lines().position(|line| line.contains(part)).unwrap() as u32;
    let source = source(SourceKind::C, &text);
    let launches = [0.5, 5.0].map(|add| {
        let mut launch = launch(&[1.0, 2.0], add);
        launch.steps[0].entry = "plus".into();
        launch
    });
    let program = device("native", tight()).compile(&source, &build(&launches[0], &[])).unwrap();
    let told = program.visit(launches.to_vec());
    let idle: Vec<Vec<u32>> = told.into_iter().map(|one| one.unwrap().parts.idle_lines()).collect();
    // nothing leads to `other`
    assert_eq!(idle, [vec![line("v > 90"), line("far(x[i])")], vec![line("x[i] + s.add")]], "{text}");
    // what is run for that leaves nothing behind
    let ran = program.run(vec![launches[0].clone()]).remove(0).unwrap();
    assert_eq!(y_of(&launches[0], &ran), [1.5, 2.5]);
}

#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn what_a_kernel_compares_is_told_where_it_stays_the_same() {
    use ktwin_check::comparisons::Sides;
    let body = "void plus(const float *x, float *y, scalars s) {\n\
                  for (uint32_t i = 0; i < s.n; i++) {\n    y[i] = x[i] + s.add;\n\
                    if (s.n * 4 == 1236) y[i] += 1;\n    if (s.add * s.add < 0.06f) y[i] += 2;\n  }\n\
                  if ((uint64_t)s.n > (uint64_t)s.n * 5 - 3) y[0] += 3;\n\
                  if ((double)s.add / 2 == 7) y[0] += 4;\n\
                  if ((int16_t)s.n == -300) y[0] += 5;\n  unsigned char c = s.n;\n  if (c == 9) y[0] += 6;\n\
                  switch (s.n * 3) {\n    case 27: y[0] += 7; break;\n    case 999: y[0] += 8; break;\n\
                    case 1 << 20: y[0]++;\n  }\n}\n";
    let text = format!("{HEAD}{body}");
    let line = |part: &str| 1 + text.lines().position(|line| line.contains(part)).unwrap() as u32;
    let source = source(SourceKind::C, &text);
    let launch = launch(&[1.0, 2.0], 0.5);
    let program = device("native", tight()).compile(&source, &build(&launch, &[])).unwrap();
    let told = program.visit(vec![launch]).remove(0).unwrap().comparisons;
    let at = |part: &str| -> Vec<Sides> {
        told.known().filter(|(at, _)| at.line == line(part)).map(|(_, sides)| sides).collect()
    };
    let either = |part: &str, a: i64, b: i64| {
        let sides = at(part);
        assert!(sides == [Sides::Whole(a, b)] || sides == [Sides::Whole(b, a)], "{part}: {told:?}");
    };
    either("1236", 8, 1236);
    either("* 5 - 3", 2, 7);
    either("-300", 2, -300);
    either("c == 9", 2, 9);
    assert_eq!(at("for ("), [], "the end of the loop: {told:?}");
    let [Sides::Real(a, b)] = at("0.06f")[..] else { panic!("{told:?}") };
    assert!(a.min(b) == f64::from(0.06f32) && a.max(b) == 0.25, "{told:?}");
    assert!(
        at("== 7").iter().all(|sides| matches!(sides, Sides::Real(a, b) if a.min(*b) == 0.25)),
        "{told:?}"
    );
    let cases = [27, 999, 1 << 20].map(|case| Sides::Whole(6, case));
    assert_eq!(at("switch"), cases, "{told:?}");
}
