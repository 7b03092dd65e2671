//! Kernels that their files do not export: static functions of C, C++ without `extern "C"`, Rust that takes slices.

mod common;

use common::{build, device, launch, run_one, source, tight, u32_word, y_of};
use ktwin_check::{Argument, Failure, Launch, SourceKind};

/// x, y and n, to an entry of this name.
fn plain(entry: &str, x: &[f32]) -> Launch {
    let mut launch = launch(x, 0.0);
    launch.steps[0].entry = entry.into();
    launch.steps[0].args[2] = Argument::Words(vec![u32_word("n", x.len() as u32)]);
    launch
}

fn doubled(kind: SourceKind, text: &str, launch: &Launch) {
    let ran =
        run_one(&*device("native", tight()), kind, text, launch).unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_eq!(y_of(launch, &ran), [2.0, -4.0, 6.0], "{text}");
}

fn refused(kind: SourceKind, text: &str, launch: &Launch) -> String {
    let said = device("native", tight()).compile(&source(kind, text), &build(launch, &[]));
    match said.map(|_| ()) {
        Err(Failure::Mismatch(message)) => message,
        other => panic!("{text}: {other:?}"),
    }
}

const LOOP: &str = "{ for (int i = 0; i < (int)n; i++) y[i] = 2 * x[i]; }";
const X: [f32; 3] = [1.0, -2.0, 3.0];

#[test]
fn functions_of_c_that_are_static_or_inline() {
    for head in ["static void f", "inline void f", "static inline __attribute__((always_inline)) void f"] {
        let text = format!("{head}(const float *restrict x, float *restrict y, int n) {LOOP}");
        doubled(SourceKind::C, &text, &plain("f", &X));
    }
    // beside one that is exported, with a wider parameter than the contract's value
    let text =
        format!("#include <stddef.h>\nvoid g(void) {{}}\nstatic void f(float *x, float *y, size_t n) {LOOP}");
    doubled(SourceKind::C, &text, &plain("f", &X));
}

#[test]
fn a_struct_of_c_by_value_and_what_is_returned() {
    let mut both = launch(&X, 1.0);
    both.steps[0].entry = "f".into();
    both.buffers.push(common::buffer("z", &[0.0], ktwin_check::Access::Write));
    both.steps[0].args.push(Argument::Returned(2));
    let text = "#include <stdint.h>\nstruct own { uint32_t n; float add; };\n\
                static float f(const float *x, float *y, struct own s) \
                { for (uint32_t i = 0; i < s.n; i++) y[i] = x[i] + s.add; return s.add; }";
    for kind in [SourceKind::C, SourceKind::Cpp] {
        let ran = run_one(&*device("native", tight()), kind, text, &both).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(y_of(&both, &ran), [2.0, -1.0, 4.0]);
        assert_eq!(ran.buffers[2][256..260], 1f32.to_le_bytes());
    }
}

#[test]
fn functions_of_cpp_by_the_names_that_cpp_gives_them() {
    let body = "{ for (int i = 0; i < (int)n; i++) y[i] = F * x[i]; }".replace("F", "2");
    for (entry, text) in [
        ("f", format!("void f(const float *x, float *y, int n) {body}")),
        (
            "a::b::f",
            format!(
                "namespace a {{ namespace {{ namespace b {{ inline void f(const float *x, float *y, \
                             unsigned long n) noexcept {body} }} }} }}"
            ),
        ),
        (
            "f<float, 2>",
            format!(
                "template <class T, int F> static void f(const T *x, T *y, const int &n) {}",
                body.replace("2 *", "F *")
            ),
        ),
        (
            "f(const float *, float *, int)",
            format!(
                "void f(const float *x, float *y, int n) {body} \
                                                   void f(const double *x, double *y, int n) {body}"
            ),
        ),
        ("s::f", format!("struct s {{ static void f(float *x, float *y, long n) {body} }};")),
        (
            "f",
            "#include <span>\nvoid f(std::span<const float> x, std::span<float> y, int n) \
             { for (auto &e : y) e = 2 * x[&e - y.data()]; }"
                .into(),
        ),
    ] {
        let text = text.replace("#include <span>", SPAN);
        doubled(SourceKind::Cpp, &text, &plain(entry, &X));
    }
}

/// What std::span says of itself, for compilers before C++20.
const SPAN: &str = "namespace std { template <class T> struct span { typedef T element_type; T *p; unsigned long n;\n\
    span(T *p, unsigned long n) : p(p), n(n) {} T *begin() { return p; } T *end() { return p + n; }\n\
    T *data() { return p; } T &operator[](long i) { return p[i]; } }; }";

/// x and n, and y is what the function returns.
fn returned(x: &[f32]) -> Launch {
    let mut launch = plain("f", x);
    launch.steps[0].args.remove(1);
    launch.steps[0].args.push(Argument::Returned(1));
    launch
}

#[test]
fn containers_of_cpp_and_what_is_returned_of_rust() {
    let head = "#include <vector>\nusing V = std::vector<float>;\n";
    for (text, launch) in [
        (format!("{head}void f(V &x, V &y, int n) {LOOP}"), plain("f", &X)),
        (format!("{head}V f(V x, int n) {{ V y(n); {LOOP} return y; }}").replace("{{", "{"), returned(&X)),
    ] {
        doubled(SourceKind::Cpp, &text, &launch);
    }
    let short = format!("{head}V f(const V &x, int n) {{ return V(n - 1); }}");
    match run_one(&*device("native", tight()), SourceKind::Cpp, &short, &returned(&X)) {
        Err(Failure::Crash(message)) => {
            assert!(message.contains("8 bytes where the tensor has 12"), "{message}")
        }
        other => panic!("{other:?}"),
    }
    for text in [
        "fn f(x: &[f32], n: usize) -> Vec<f32> { x[..n].iter().map(|x| 2.0 * x).collect() }",
        "fn f(x: Option<&[f32]>, _: i32) -> Result<Box<[f32]>, String> { \
         Ok(x.unwrap().iter().map(|x| x + x).collect()) }",
        "fn f(x: &[f32; 3], _: u64) -> [f32; 3] { x.map(|x| 2.0 * x) }",
    ] {
        assert_eq!(rust(text, &returned(&X)).unwrap_or_else(|e| panic!("{text}: {e}")), [2.0, -4.0, 6.0]);
    }
    let message = |text| match rust(text, &returned(&X)) {
        Err(Failure::Crash(message) | Failure::Mismatch(message)) => message,
        other => panic!("{other:?}"),
    };
    let short = message("fn f(x: &[f32], n: usize) -> Vec<f32> { x[1..n].to_vec() }");
    assert!(short.contains("8 bytes where the tensor has 12"), "{short}");
    let failing =
        message("fn f(x: &[f32], n: usize) -> Result<Vec<f32>, String> { Err(format!(\"n is {n}\")) }");
    assert!(failing.contains("n is 3"), "{failing}");
    let other = message("fn f(x: &[f32], n: usize) -> Vec<f64> { vec![0.0; n] }");
    assert!(other.contains("`returns`") || other.contains("f64"), "{other}");
}

#[test]
fn what_does_not_go_together_is_refused_with_what_to_write() {
    let c = "static void f(const float *x, float *y) { y[0] = x[0]; }";
    assert!(refused(SourceKind::C, c, &plain("f", &X)).contains("too many arguments"));
    assert!(refused(SourceKind::C, c, &plain("g", &X)).contains("undeclared"));
    let cpp = |head: &str| format!("{head} {{ y[0] = x[0]; }}");
    for (entry, head, says) in [
        ("f", "void f(const float *x, float *y, int n, int m)", "as many parameters"),
        ("f", "void f(const double *x, double *y, int n)", "not as wide"),
        ("f", "void f(const float *x, float *y, float n)", "fraction"),
        ("g", "void f(const float *x, float *y, int n)", "`g`"),
        ("f", "template <class T> void f(const T *x, T *y, int n)", "silu<float>"),
        ("f", "static int g; void f(const float *x, float *y, float *n)", "a pointer where"),
    ] {
        let message = refused(SourceKind::Cpp, &cpp(head), &plain(entry, &X));
        assert!(message.contains(says), "{head}: {message}");
    }
    let two = "void f(const float *x, float *y, int n) {} void f(const float *x, float *y, unsigned n) {}";
    let message = refused(SourceKind::Cpp, two, &plain("f", &X));
    assert!(message.contains("several functions, or templates, have this name"), "{message}");
    assert!(message.contains("silu(const float *, float *, int)"), "{message}");
}

#[test]
fn mistakes_keep_their_lines() {
    let compile = |kind, text: &str| {
        let said = device("native", tight()).compile(&source(kind, text), &build(&plain("f", &X), &[]));
        said.map(|_| ())
    };
    let wrong = "\n\nstatic void f(float *x) { y; }\n";
    assert!(matches!(compile(SourceKind::C, wrong), Err(Failure::Compile { line: Some(3), .. })));
    // what only the instance shows
    let wrong = "template <class T> void g(T x) {\nx.missing(); }\nvoid f(float *x, float *y, int n) { }\n";
    let wrong = format!("{wrong}template <class T> void h(T *x, T *y, int n) {{\n g(n); }}\n");
    let launch = plain("h<float>", &X);
    let said = device("native", tight()).compile(&source(SourceKind::Cpp, &wrong), &build(&launch, &[]));
    assert!(matches!(said.map(|_| ()), Err(Failure::Compile { line: Some(2), .. })));
}

fn rust(text: &str, launch: &Launch) -> Result<Vec<f32>, Failure> {
    let dir = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
    let mut source = source(SourceKind::Rust, text);
    source.path = dir.path().join("kernel.rs");
    std::fs::write(dir.path().join("other.rs"), "pub const TWO: f32 = 2.0;")
        .unwrap_or_else(|e| panic!("{e}"));
    std::fs::write(&source.path, text).unwrap_or_else(|e| panic!("{e}"));
    let program = device("native", tight()).compile(&source, &build(launch, &[]))?;
    let ran = program.run(vec![launch.clone()]).remove(0)?;
    Ok(y_of(launch, &ran))
}

#[test]
fn rust_takes_slices_arrays_and_numbers() {
    let slices =
        |head: &str, body: &str| format!("//! Text.\n#![allow(unused)]\nmod other;\n{head} {{ {body} }}");
    let each = "for (y, x) in y.iter_mut().zip(x.iter()) { *y = other::TWO * *x; }";
    for (entry, text) in [
        ("f", slices("fn f(x: &[f32], y: &mut [f32], n: usize)", each)),
        ("f", slices("pub unsafe fn f(x: &[f32; 3], y: &mut [f32; 3], _: i64)", each)),
        (
            "f::<f32>",
            slices(
                "fn f<T: Copy + std::ops::Add<Output = T>>(x: &[T], y: &mut [T], n: u8)",
                "for i in 0..n as usize { y[i] = x[i] + x[i]; }",
            ),
        ),
        (
            "m::f",
            "mod m { pub fn f(x: *const f32, y: &mut [[f32; 1]], n: i32) { \
             for i in 0..n as usize { y[i] = [unsafe { *x.add(i) } * 2.0]; } } }"
                .into(),
        ),
    ] {
        assert_eq!(
            rust(&text, &plain(entry, &X)).unwrap_or_else(|e| panic!("{text}: {e}")),
            [2.0, -4.0, 6.0]
        );
    }
    let mut both = launch(&X, 1.0);
    both.steps[0].entry = "f".into();
    let text = "#[repr(C)] struct S { n: u32, add: f32 }\nfn f(x: &[f32], y: &mut [f32], s: S) { \
                assert_eq!(x.len(), 3); for i in 0..y.len() { y[i] = x[i] + s.add; } }";
    assert_eq!(rust(text, &both).unwrap_or_else(|e| panic!("{e}")), [2.0, -1.0, 4.0]);
}

#[test]
fn slices_of_rust_that_do_not_go_together_are_refused() {
    for (head, says) in [
        ("fn f(x: &[f64], y: &mut [f32], n: usize)", "not as wide"),
        ("fn f(x: &[f32], y: &mut [f32], n: f32)", "value of type `u32`"),
        ("fn f(x: &[f32], y: usize, n: usize)", "takes `usize`"),
        ("fn f(x: &[f32], y: &mut [f32])", "3 arguments"),
        ("fn g(x: &[f32])", "cannot find function `f`"),
        ("fn f<T>(x: &[T], y: &mut [f32], n: u32)", "silu::<f32>"),
    ] {
        match rust(&format!("{head} {{ }}"), &plain("f", &X)) {
            Err(Failure::Mismatch(message)) => assert!(message.contains(says), "{head}: {message}"),
            other => panic!("{head}: {other:?}"),
        }
    }
    let wrong = "\nfn f(x: &[f32], y: &mut [f32], n: u32) {\n let z: u32 = 1.0; }";
    assert!(matches!(rust(wrong, &plain("f", &X)), Err(Failure::Compile { line: Some(3), .. })));
    // past the end of its slice: Rust itself stops it
    let past = "fn f(x: &[f32], y: &mut [f32], n: u32) { for i in 0..4 { y[i] = x[i % 3]; } }";
    match rust(past, &plain("f", &X)) {
        Err(Failure::Crash(message)) => assert!(message.contains("kernel.rs:1"), "{message}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_program_with_a_main_has_one_kernel() {
    let text = format!("void f(const float *x, float *y, unsigned n) {LOOP}\nint main(void) {{ return 0; }}");
    doubled(SourceKind::C, &text, &plain("", &X));
    // a table of functions that are in another file
    let table = "void other(void); void (*table[])(void) = { other };";
    let text = format!("{table} static void f(float *x, float *y, int n) {LOOP}");
    doubled(SourceKind::C, &text, &plain("f", &X));
    // without `entry`, the only one that takes so much
    let text =
        format!("static float g(float x) {{ return x; }} static void f(float *x, float *y, int n) {LOOP}");
    doubled(SourceKind::C, &text, &plain("", &X));
    let two = format!("{text} static void h(float *x, float *y, int n) {LOOP}");
    let message = refused(SourceKind::C, &two, &plain("", &X));
    assert!(message.contains("f, h") && message.contains("`entry = "), "{message}");
}
