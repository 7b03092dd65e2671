//! What `ktwin twin` refuses: one line that says what is wrong, exit code 2, and nothing half-written; and
//! Ctrl-C.

use crate::support::{files, folder, ktwin, refuse, sample, save};

use ktwin_num::DType;

/// The line with which a twin is refused; the folder stays empty.
fn refused(args: &[&str]) -> String {
    let out = folder("refused");
    let shown = out.display().to_string();
    let all: Vec<&str> = ["twin"].iter().chain(args).chain(&["-o", &shown]).copied().collect();
    let line = refuse(&all);
    assert_eq!(files(&out), [] as [&str; 0], "{args:?}");
    line.strip_prefix("ktwin: ").unwrap().to_string()
}

/// Arguments, and the line that refuses them.
const WORDS: &[(&[&str], &str)] = &[
    (
        &["k.wgsl", "R=1"],
        "k.wgsl is a kernel: add --case with one of the cases that `ktwin plan k.wgsl` lists, or name its op",
    ),
    (&["rmsnrom", "R=1"], "no op `rmsnrom`, did you mean `rmsnorm`?"),
    (
        &["rmsnorm", "R=4,DD=8"],
        "op rmsnorm has no dimension or scalar `DD`, did you mean `D`? (it has R, D, eps)",
    ),
    (
        &["rmsnorm", "R=4,D=8", "ep=1"],
        "op rmsnorm has no dimension or scalar `ep`, did you mean `eps`? (it has R, D, eps)",
    ),
    (&["rmsnorm", "R=4"], "op rmsnorm: dimension D has no size: write D=..."),
    (&["rmsnorm", "R=4,D=x"], "D=x: a size is a whole number"),
    (&["rmsnorm", "R=4,D=-1"], "dimension D is -1; it must be at least 1"),
    (&["rmsnorm", "R=4,D=8,R=5"], "sizes and scalars: R is given twice"),
    (&["rmsnorm", "R"], "sizes and scalars: `R` is not NAME=VALUE"),
    (&["rmsnorm", "R=4,D=8,eps=small"], "eps=small: eps is a real"),
    (&["attention", "H=3,G=2,S=1,T=1,D=1,scale=1"], "op attention needs H % G == 0; here H = 3, G = 2"),
    (&["attention", "H=2,G=2,S=1,T=1,D=1"], "op attention: scalar scale has no default: write scale=..."),
    (&["attention", "H=1,G=1,S=1,T=1,D=1,scale=1,causal=maybe"], "causal=maybe: causal is a truth value"),
    (&["exp", "N=4", "--types", "z=f16"], "op exp has no tensor `z` (it has x, y)"),
    (
        &["exp", "N=4", "--types", "x=float16"],
        "--types x=float16: no type `float16`, types are f32, f16, bf16, i32, u32, q4_0 …",
    ),
    (
        &["exp", "N=4", "--types", "x=q4_0"],
        "input x: q4_0 stores blocks of 32 elements: the last dimension, 4, is not a multiple of 32",
    ),
    (
        &["exp", "N=4", "--types", "y=q8_0"],
        "output y: q8_0 stores blocks of 32 elements: the last dimension, 4, is not a multiple of 32",
    ),
    (
        &["embedding", "T=2,V=4,D=4", "--types", "ids=q8_0"],
        "--types ids=q8_0: ids holds integers; write i32, u32, i64 …",
    ),
    (&["exp", "N=4", "--regime", "nromal"], "no regime `nromal`, did you mean `normal`?"),
    (&["exp", "N=4", "--language", "wglsl"], "no language `wglsl`, did you mean `wgsl`?"),
    (
        &["exp", "N=4", "--compute", "f23"],
        "--compute f23: no such rung, did you mean `f32`? (there are f64, f32, tf32, f16, bf16, e4m3, \
             e5m2)",
    ),
    (
        &["exp", "N=4", "--round", "y=q8_1"],
        "--round y=q8_1: y is a definition: it is rounded to f32, tf32, f16, bf16, e4m3 or e5m2, not q8_1",
    ),
    (
        &["exp", "N=4", "--bars", "worse"],
        "--bars worse: no such rule, did you mean `worst`? (there are auto, statistical, worst)",
    ),
    (
        &["exp", "N=4", "--round", "q=f16"],
        "--round q=f16: op exp has no input or definition `q` (it has x, y)",
    ),
    (
        &["exp", "N=4", "--round", "x=q4_K"],
        "--round x=q4_K: x cannot be rounded to q4_K: two honest kernels may differ by more than a \
             rounding; write a float type, q4_0, q4_1, q5_0, q5_1, q8_0, q8_1 or q8_K",
    ),
    (
        &["exp", "N=4", "--elements", "x"],
        "--elements x: neither a number of elements nor a list such as 0,17,4095",
    ),
    (
        &["exp", "N=4", "--elements", "0"],
        "--elements 0: neither a number of elements nor a list such as 0,17,4095",
    ),
    (&["exp", "N=4", "--elements", "1,4"], "--elements: element 4 does not exist: output y has 4"),
    (
        &["exp", "N=32", "--types", "y=q8_0", "--elements", "4"],
        "output y: q8_0 packs elements together; remove --elements or the type",
    ),
    (&["gemm", "M=99999999,N=99999999,K=1"], "op gemm: c[M, N] would have 9999999800000001 elements"),
    (
        &["gemm", "M=999999,N=999999,K=1"],
        "this case needs about 14901 GiB; MEMORY available: choose smaller sizes or --elements",
    ),
];

#[test]
fn words_that_are_not_known() {
    for (args, expected) in WORDS {
        assert_eq!(without_memory(&refused(args)), *expected, "{args:?}");
    }
}

/// A message without how much memory this machine has.
fn without_memory(message: &str) -> String {
    match message
        .split_once(" GiB; ")
        .and_then(|(before, rest)| Some((before, rest.split_once(" available")?.1)))
    {
        Some((before, after)) => format!("{before} GiB; MEMORY available{after}"),
        None => message.to_string(),
    }
}

/// Arrays that fit no op together.
fn some_arrays(folder: &std::path::Path) {
    for (name, dtype, shape, values) in [
        ("x.npy", DType::F32, &[2, 3][..], &[0.0; 6][..]),
        ("w.npy", DType::F32, &[4], &[0.0; 4]),
        ("ids.npy", DType::I64, &[2], &[0.0, 9.0]),
        ("reals.npy", DType::F32, &[2], &[0.0, 1.0]),
    ] {
        save(folder, name, dtype, shape, values);
    }
}

/// What is said of integers in an array of f32.
const FLOATS: &str =
    "ids holds integers, the array is f32; save it as int32 or int64, or say --types ids=f32";

#[test]
fn arrays_that_do_not_fit() {
    let folder = folder("refused_arrays");
    let text = |name: &str| format!("{}/{name}", folder.display());
    some_arrays(&folder);
    let (x, w) = (format!("x={}", text("x.npy")), format!("w={}", text("w.npy")));
    let (ids, reals) = (format!("ids={}", text("ids.npy")), format!("ids={}", text("reals.npy")));
    let q = format!("x={}", sample("u8.npy"));
    let (objects, npz) = (format!("x={}", sample("bad_objects.npy")), sample("unrelated.npz"));
    let bad = sample("bad_huge.npy");
    for (args, expected) in [
        (
            &["rmsnorm", "--in", &x, "--in", &w][..],
            "the array for w[D] has D = 4 (shape [4]), but the array for x[R, D] has D = 3".to_string(),
        ),
        (
            &["rmsnorm", "R=5", "--in", &x],
            "the array for x[R, D] has R = 2 (shape [2, 3]), but R=5 is given".into(),
        ),
        (&["exp", "--in", &x], "the array for x[N] has 2 dimensions, not 1 (shape [2, 3])".into()),
        (&["exp", "--in", "v=a.npy"], "op exp has no input `v` (it has x)".into()),
        (&["exp", "--in", "x=nowhere.npy"], "nowhere.npy: cannot open it: no such file or folder".into()),
        (
            &["exp", "--in", &x, "--in", &x],
            format!("input x is given twice, the second time by {}", text("x.npy")),
        ),
        (&["embedding", "V=4,D=2", "--in", &ids], "ids: element 1 is 9, outside 0..4 (4 excluded)".into()),
        (&["embedding", "V=4,D=2", "--in", &reals], format!("{}: {FLOATS}", text("reals.npy"))),
        (
            &["dequantise", "--in", &q, "--types", "x=q8_0"],
            format!(
                "{}: x: q8_0 takes 34 bytes for 32 numbers; the array's shape [2, 36] ends in no multiple",
                sample("u8.npy")
            ),
        ),
        (
            &["exp", "--in", &objects],
            format!(
                "{}: it holds Python objects (pickled), which are not read; save numbers as f16, f32, f64 or \
                 integers",
                sample("bad_objects.npy")
            ),
        ),
        (
            &["exp", "--in", &npz],
            "the file holds a, b, op exp has x: write NAME=FILE or NAME=FILE:ARRAY".into(),
        ),
        (
            &["exp", "--in", &bad, "N=4"],
            "the file holds bad_huge, op exp has x: write NAME=FILE or NAME=FILE:ARRAY".into(),
        ),
    ] {
        assert_eq!(refused(args), expected, "{args:?}");
    }
}

/// Nobody writes to the pipe: opening it would wait for ever.
#[cfg(unix)]
#[test]
fn pipes_and_devices_are_no_arrays() {
    let pipe = folder("refused_pipe").join("pipe.npy");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for file in [pipe.display().to_string(), "/dev/zero".into()] {
        let said = refused(&["exp", "--in", &format!("x={file}")]);
        assert_eq!(said, format!("{file}: only regular files can be read, not pipes or devices"));
    }
}

#[test]
fn a_wrong_op_leaves_nothing_behind() {
    let folder = folder("refused_op");
    let file = folder.join("past.op");
    std::fs::write(&file, "op past(x[N]) -> y[N]\n\ny[n] = x[n + 1]\n").unwrap();
    let out = folder.join("out");
    let run = ktwin(&["twin", &file.display().to_string(), "N=4", "-o", &out.display().to_string()]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("index 0 of `x` is 4 here, outside 0..4 (4 excluded)"), "{}", run.err);
    assert!(run.err.contains("3 | y[n] = x[n + 1]"), "{}", run.err);
    assert_eq!(files(&out), [] as [&str; 0]);
}

#[test]
fn usage() {
    for args in [&["twin"][..], &["twin", "exp", "N=4"], &["twin", "exp", "N=4", "-o"], &["twim"], &[]] {
        assert_eq!(ktwin(args).code, 2, "{args:?}");
    }
    let file = folder("refused_out").join("file");
    std::fs::write(&file, "").unwrap();
    let line = refuse(&["twin", "exp", "N=4", "-o", &file.display().to_string()]);
    assert!(line.contains("cannot make this folder"), "{line}");
    let help = ktwin(&["twin", "--help"]);
    assert_eq!(help.code, 0);
    for part in
        ["Exit codes: 0 written, 2 wrong usage", "NAME.bar.npy", "--elements", "ktwin twin rmsnorm R=4"]
    {
        assert!(help.out.contains(part), "{part} is missing in {}", help.out);
    }
    assert!(ktwin(&["--help"]).out.contains("Exit codes: 0 done"));
}

#[test]
fn a_seed_is_no_negative_number() {
    for command in
        [&["twin", "exp", "N=4", "-o", "out"][..], &["test", "k.c"], &["bench", "k.c"], &["plan", "k.c"]]
    {
        let run = ktwin(&[command, &["--seed", "-1"]].concat());
        assert_eq!(run.code, 2, "{command:?}");
        assert!(run.err.contains("a seed is a whole number from 0 to 18446744073709551615"), "{}", run.err);
    }
}

/// Nobody can read what a full disk did not take.
#[cfg(target_os = "linux")]
#[test]
fn help_that_is_lost_is_no_success() {
    for args in [&["--help"][..], &["twin", "--help"], &["--version"], &["ops"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let run = crate::support::command(args).stdout(full).output().unwrap();
        let said = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.starts_with("ktwin: the output cannot be written: "), "{args:?}: {said}");
    }
}

/// Ctrl-C in the middle of a long run: it ends soon, by its own exit code, and its folder is as it was.
#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let out = folder("interrupted");
    std::fs::write(out.join("c.npy"), "as it was").unwrap();
    let shown = out.display().to_string();
    let mut twin = crate::support::command(&["twin", "gemm", "M=9000,N=9000,K=2000", "-o", &shown]);
    let mut child = twin.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // under way once it has begun to write what it made
    let start = Instant::now();
    while files(&out).len() < 3 && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|s| s.success()));
    let code = child.wait().unwrap().code();
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
    assert_eq!((code, said.as_str()), (Some(130), "ktwin: interrupted; nothing was written\n"));
    assert_eq!(files(&out), ["c.npy"]);
    assert_eq!(std::fs::read(out.join("c.npy")).unwrap(), b"as it was");
}
