//! `ktwin bench` as a user calls it: kernels of known cost, kernels that only seem to be fast, comparisons,
//! docs/bench.md. Nothing here depends on how fast the machine is, but for ratios that no noise reaches.

mod beside;
mod report;
mod rival;

use std::path::Path;

use serde_json::Value;

use crate::support::{Run, command, folder, refuse};

const HEAD: &str = "/*--- ktwin\nop = \"silu\"\nargs = [\"x\", \"y\", { N = \"u32\" }]\n---*/\n\
                    #include <math.h>\n#include <stdint.h>\n#include <time.h>\n#include <pthread.h>\n";
const WORK: &str = "static void work(const float *x, float *y, uint32_t n) {\n\
                    for (uint32_t i = 0; i < n; i++) y[i] = x[i] / (1.0f + expf(-x[i]));\n}\n";

/// A kernel whose function has this body.
fn kernel(folder: &Path, name: &str, before: &str, body: &str) -> String {
    let text =
        format!("{HEAD}{WORK}{before}\nvoid silu(const float *x, float *y, uint32_t n) {{\n{body}\n}}\n");
    std::fs::write(folder.join(name), text).unwrap();
    name.into()
}

fn bench(folder: &Path, args: &[&str]) -> Run {
    let mut all = vec!["bench"];
    all.extend(args);
    let output = command(&all).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// The document of a short run, and its exit code.
fn measured(folder: &Path, args: &[&str]) -> (Value, i32) {
    let mut all = args.to_vec();
    all.extend(["--time", "0.2", "--precision", "50", "--format", "json"]);
    let run = bench(folder, &all);
    (serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("{e}: {}{}", run.out, run.err)), run.code)
}

#[test]
fn what_takes_a_millisecond_is_measured_so() {
    let folder = folder("bench-known");
    let clock = "static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); \
                 return t.tv_sec + 1e-9 * t.tv_nsec; }";
    let body = "double end = now() + 1e-3; work(x, y, n); while (now() < end) ;";
    let (run, code) = measured(&folder, &[&kernel(&folder, "known.c", clock, body), "--dims", "N=64"]);
    assert_eq!(code, 0, "{run}");
    let times = run["cases"][0]["times"].as_array().unwrap();
    assert!(times.iter().any(|t| t["cache"] == "warm"), "{run}");
    for time in times {
        let ns = |key: &str| time[key].as_f64().unwrap();
        assert!(ns("min_ns") >= 1e6 && ns("min_ns") < 5e6, "{time}");
        assert!(ns("low_ns") <= ns("median_ns") && ns("median_ns") <= ns("high_ns"), "{time}");
        assert!(ns("samples") >= 30.0, "{time}");
        // 64 inputs and as many outputs in f32, in a millisecond or a little more
        let rate = 512.0 / ns("median_ns");
        assert!((ns("gbytes") / rate - 1.0).abs() < 1e-6, "{time}");
    }
}

#[test]
fn kernels_that_only_seem_fast_have_no_figures() {
    let folder = folder("bench-cheats");
    let late = "struct job { const float *x; float *y; uint32_t n; };\n\
                static void *later(void *p) { struct job j = *(struct job *)p;\n\
                struct timespec t = { 0, 200000 }; nanosleep(&t, 0); work(j.x, j.y, j.n); return 0; }";
    let cheats = [
        ("wrong.c", "", "work(x, y, n); y[0] += 1.0f;"),
        ("early.c", "", "if (n > 0) work(x, y, n - 1);"),
        ("first.c", "static int calls;", "if (calls++ == 0) work(x, y, n);"),
        // these are right whenever they are judged alone
        ("some.c", "static int calls;", "calls++; if (calls <= 20 || calls > 2000) work(x, y, n);"),
        ("half.c", "static int calls;", "if (calls++ < 7 || calls % 2) work(x, y, n);"),
        (
            "address.c",
            "static const float *last; static int calls;",
            "if (calls++ < 7 || x != last) work(x, y, n); last = x;",
        ),
        (
            "ends.c",
            "#include <string.h>\nstatic float kept[8192], a, b; static uint32_t m;",
            "if (m == n && a == x[0] && b == x[n - 1]) { memcpy(y, kept, 4 * n); return; }\n\
             work(x, y, n); memcpy(kept, y, 4 * n); m = n; a = x[0]; b = x[n - 1];",
        ),
        (
            "late.c",
            late,
            "static struct job j; j.x = x; j.y = y; j.n = n; pthread_t t;\n\
             if (pthread_create(&t, 0, later, &j)) return; pthread_detach(t);",
        ),
    ];
    for (name, before, body) in cheats {
        let (run, code) = measured(&folder, &[&kernel(&folder, name, before, body), "--dims", "N=512"]);
        assert_eq!((code, run["cases"].as_array().map(Vec::len)), (1, Some(0)), "{name}: {run}");
        assert_eq!(run["refused"].as_array().map(Vec::len), Some(1), "{name}: {run}");
    }
    // it is right: it looks at all inputs, and at some outputs, and has nothing to do where these are there
    let there = "static uint32_t of, m; static float one(float v) { return v / (1.0f + expf(-v)); }";
    let body = "uint32_t h = 0, i = 0; for (uint32_t j = 0; j < n; j++) h += ((const uint32_t *)x)[j] * (2 * j + 1);\n\
                if (m == n && of == h) while (i < n && y[i] == one(x[i])) i += n / 8 + 1;\n\
                if (i < n) work(x, y, n); m = n; of = h;";
    let there = kernel(&folder, "there.c", there, body);
    for (name, size, figures) in [("honest.c", "N=512", 1), ("honest.c", "N=8192", 1), (&there, "N=4096", 0)]
    {
        if name == "honest.c" {
            kernel(&folder, name, "", "work(x, y, n);");
        }
        let (run, code) = measured(&folder, &[name, "--dims", size]);
        let wanted = (i32::from(figures == 0), Some(figures));
        assert_eq!((code, run["cases"].as_array().map(Vec::len)), wanted, "{name} {size}: {run}");
    }
}

#[test]
fn of_two_kernels_the_slower_is_called_slower() {
    let folder = folder("bench-versus");
    let quick = kernel(&folder, "quick.c", "", "work(x, y, n);");
    let slow = kernel(&folder, "slow.c", "", "for (volatile int k = 0; k < 8; k++) work(x, y, n);");
    let args = ["--rounds", "8", "--dims", "N=4096", "--vs"];
    let outcomes = |run: &Value| -> Vec<String> {
        let all = run["cases"][0]["against"].as_array().unwrap().iter();
        all.map(|a| a["outcome"].as_str().unwrap().to_owned()).collect()
    };
    let with = |kernel: &str, other: &str, more: &[&str]| {
        let all = [&[kernel], &args[..], &[other], more].concat();
        measured(&folder, &all)
    };
    let (run, code) = with(&slow, &quick, &["--max-slowdown", "50%"]);
    assert_eq!(code, 1, "{run}");
    assert!(outcomes(&run).iter().any(|o| o == "slower"), "{run}");
    assert!(!outcomes(&run).iter().any(|o| o == "faster"), "{run}");
    let (run, code) = with(&quick, &slow, &["--max-slowdown", "50%"]);
    assert_eq!(code, 0, "{run}");
    assert!(outcomes(&run).iter().any(|o| o == "faster"), "{run}");
}

#[test]
fn counts_are_the_same_on_every_run_and_hold_a_baseline() {
    let folder = folder("bench-counts");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels");
    let (plain, naive) = (format!("{root}/wgsl/rmsnorm.wgsl"), format!("{root}/wgsl/rmsnorm_naive.wgsl"));
    let sizes = ["--dims", "R=4", "D=512"];
    let run = |more: &[&str]| measured(&folder, &[more, &sizes[..]].concat());
    let (first, code) = run(&[&naive, "--save", "main", "--seed", "1"]);
    assert_eq!(code, 0, "{first}");
    assert!(first["cases"][0]["counts"]["warp instructions"].as_f64().unwrap() > 0.0, "{first}");
    // four rows of 512 in f32 in and out, and as many weights
    let count = |name: &str| first["cases"][0]["counts"][name].as_f64().unwrap();
    assert_eq!((count("compulsory bytes"), first["cases"][0]["bytes"].as_f64()), (18432.0, Some(18432.0)));
    assert_eq!(count("bytes of sectors"), 32.0 * count("sectors"));
    assert!((count("times the compulsory") * 18432.0 - count("bytes of sectors")).abs() < 1e-6, "{first}");
    assert!(count("times the compulsory") >= 1.0, "{first}");
    let (again, code) = run(&[&naive, "--baseline", "main", "--seed", "2", "--max-slowdown", "0%"]);
    assert_eq!((&again["cases"][0]["counts"], code), (&first["cases"][0]["counts"], 0));
    assert!(
        again["cases"][0]["against"].as_array().unwrap().iter().all(|a| a["outcome"] == "same"),
        "{again}"
    );
    let (other, _) = run(&[&plain, "--baseline", "main"]);
    assert_ne!(other["cases"][0]["counts"], first["cases"][0]["counts"]);
    let host = format!("{root}/c/rmsnorm.c");
    let refused = bench(&folder, &[&host, "--dims", "R=4", "D=512", "--time", "0.1", "--baseline", "main"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("they are not compared"), "{}", refused.err);
}

#[test]
fn who_cannot_tell_says_why() {
    let folder = folder("bench-doubt");
    let name = kernel(&folder, "one.c", "", "work(x, y, n);");
    let args = [&*name, "--dims", "N=512"];
    let (first, code) = measured(&folder, &[&args[..], &["--save", "main"]].concat());
    assert_eq!(code, 0, "{first}");
    let times = first["cases"][0]["times"].as_array().unwrap();
    assert!(times.iter().all(|t| t["processes"].as_u64() >= Some(1) && t["step_ns"].is_number()), "{first}");
    let (run, _) = measured(&folder, &[&args[..], &["--baseline", "main"]].concat());
    for a in run["cases"][0]["against"].as_array().unwrap() {
        let (ends, outcome) = (a["interval"].as_array().map(Vec::len), a["outcome"].as_str());
        assert_eq!((ends, a["why"].is_string()), (Some(2), outcome == Some("cannot tell")), "{a}");
    }
}

#[test]
fn arithmetic_is_held_against_its_own_type() {
    let folder = folder("bench-types");
    let narrow = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/c/gemm_nt_q8_0_q8_1.c");
    let wide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/forms/c/gemm__f64_ikj.c");
    for (file, factor) in [(narrow, "i8"), (wide, "f64")] {
        let (run, code) = measured(&folder, &[file, "--dims", "M=32", "N=32", "K=64"]);
        assert_eq!(code, 0, "{run}");
        let row = &run["cases"][0];
        // elsewhere than on x86-64 there is no roof
        if let Some(found) = row["roof"]["factor"].as_str() {
            assert!(found == factor || found == "f32" && factor == "i8", "{row}");
            let says = format!("multiply-adds in {found}");
            assert!(
                row["notes"].as_array().unwrap().iter().any(|n| n.as_str().unwrap().contains(&says)),
                "{row}"
            );
        }
    }
}

#[test]
fn drivers_time_by_their_own_clocks() {
    let folder = folder("bench-drivers");
    let shader = "/*--- ktwin\nop = \"silu\"\nargs = [\"x\", \"y\", { N = \"u32\" }]\n\
                  grid = [\"ceil(N / 64)\", 1, 1]\ndims = { N = \"1..=65536\" }\n---*/\nstruct S { n: u32 }\n\
                  @group(0) @binding(0) var<storage, read> x: array<f32>;\n\
                  @group(0) @binding(1) var<storage, read_write> y: array<f32>;\n\
                  @group(0) @binding(2) var<uniform> s: S;\n@compute @workgroup_size(64)\n\
                  fn main(@builtin(global_invocation_id) id: vec3u) {\n\
                  if id.x < s.n { y[id.x] = x[id.x] / (1.0 + exp(-x[id.x])); } }\n";
    let text = "/*--- ktwin\nop = \"silu\"\nargs = [\"x\", \"y\", { N = \"u32\" }]\n\
                grid = [\"ceil(N / 64)\", 1, 1]\nblock = [64, 1, 1]\n---*/\n\
                __kernel void k(__global const float *x, __global float *y, uint n) {\n\
                uint i = get_global_id(0); if (i < n) y[i] = x[i] / (1.0f + exp(-x[i])); }\n";
    for (device, name, text) in [("vulkan", "k.wgsl", shader), ("opencl", "k.cl", text)] {
        std::fs::write(folder.join(name), text).unwrap();
        std::fs::write(folder.join(format!("wrong-{name}")), text.replace("1.0", "1.1")).unwrap();
        let sizes = ["--device", device, "--dims", "N=4096"];
        // a roof that was measured while others had the processor is too low
        let mut tried = measured(&folder, &[&[name], &sizes[..]].concat());
        for _ in 0..2 {
            if tried.1 == 1 && tried.0.to_string().contains("roof cannot be") {
                tried = measured(&folder, &[&[name], &sizes[..]].concat());
            }
        }
        let (run, code) = tried;
        let required = std::env::var("KTWIN_REQUIRE").unwrap_or_default();
        if code == 3 && !required.split(',').any(|one| one == device) {
            eprintln!("left out: {device} is not available");
            continue;
        }
        assert_eq!(code, 0, "{run}");
        let times = run["cases"][0]["times"].as_array().unwrap();
        assert_eq!(times.len(), 2, "{run}");
        // nobody computes 4096 of these within 100 ns
        assert!(times.iter().all(|time| time["min_ns"].as_f64().unwrap() > 100.0), "{run}");
        let (run, code) = measured(&folder, &[&[&*format!("wrong-{name}")], &sizes[..]].concat());
        assert_eq!((code, run["cases"].as_array().map(Vec::len)), (1, Some(0)), "{run}");
    }
}

#[test]
fn the_best_numbers_are_found_among_those_that_are_right() {
    let folder = folder("bench-tune");
    let text = "/*--- ktwin\nop = \"silu\"\nargs = [\"x\", \"y\", { N = \"u32\" }]\n\
                define = { TIMES = 4, STEP = 8 }\n---*/\n#include <math.h>\n#include <stdint.h>\n\
                void silu(const float *x, float *y, uint32_t n) {\n\
                for (volatile int t = 0; t < TIMES; t++)\n\
                for (uint32_t i = 0; i + STEP <= n; i += STEP)\n\
                for (uint32_t j = i; j < i + STEP; j++) y[j] = x[j] / (1.0f + expf(-x[j]));\n}\n";
    std::fs::write(folder.join("tuned.c"), text).unwrap();
    let args = ["tuned.c", "--dims", "N=4096", "--rounds", "8", "--tune", "TIMES=1,16", "STEP=8,24"];
    let (run, code) = measured(&folder, &args);
    assert_eq!(code, 0, "{run}");
    assert_eq!(run["best"], serde_json::json!({ "TIMES": 1, "STEP": 8 }), "{run}");
    let candidates = run["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), 4);
    for one in candidates {
        // 4096 is no multiple of 24: the last elements are left out
        let is_refused = one["settings"]["STEP"] == 24;
        assert_eq!(
            one["refused"].as_str().is_some_and(|why| why.contains("never written")),
            is_refused,
            "{one}"
        );
    }
    let beside = run["beside"][0]["against"].as_array().unwrap();
    assert!(beside.iter().any(|a| a["outcome"] == "faster"), "{run}");
    let shown = bench(&folder, &[&args[..], &["--time", "0.1"]].concat());
    assert!(shown.out.contains("best: TIMES=1 STEP=8"), "{}", shown.out);
    let wrong = bench(&folder, &["tuned.c", "--dims", "N=4096", "--time", "0.1", "--tune", "STEP=24"]);
    assert_eq!(wrong.code, 1, "{}", wrong.out);
    assert!(wrong.out.contains("none of them can be measured"), "{}", wrong.out);
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let silu = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/c/silu.c");
    let gemv = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/c/gemv_f16.c");
    let shader = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/wgsl/silu.wgsl");
    for (args, says) in [
        (&[silu, "--dims", "Q=4"][..], "has no dimension `Q`"),
        (&[silu, "--dims", "N"], "write NAME=SIZES"),
        (&[silu, "--dims", "N=four"], "is not a size"),
        (&[silu, "--sweep", "all"], "there are decode"),
        (&[silu, "--sweep", "all"], "production (the largest shape"),
        (&[silu, "--sweep", "decode"], "has no dimension `M`"),
        (&[gemv, "--sweep", "prefill"], "has no dimension `M`"),
        (&[silu, "--vs", gemv, "--dims", "N=8", "--time", "0.1"], "it computes"),
        (&[silu, "--vs", shader, "--dims", "N=8", "--time", "0.1"], "native does not run wgsl"),
        (&[silu, "--dims", "N=8", "--time", "0"], "--time is above 0"),
        (&[silu, "--tune", "TILE=8"], "nothing named `TILE`"),
        (&[silu, "--tune", "TILE"], "write NAME=NUMBERS"),
        (&[silu, "--tune", "A=1", "--format", "csv"], "--tune prints a table"),
        (&[silu, "--baseline", "../x"], "cannot be the name of a file"),
        (&[silu, "--device", "simm"], "simm"),
    ] {
        let run = bench(Path::new("."), args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.err);
        assert!(run.err.contains(says), "{args:?}: {}", run.err);
    }
    assert!(refuse(&["bench", "no-such-file.c"]).contains("no-such-file.c"));
}

#[test]
fn the_largest_production_shape_has_a_name() {
    let folder = folder("bench-production");
    let silu = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/c/silu.c");
    let (run, code) = measured(&folder, &[silu, "--sweep", "production"]);
    assert_eq!(code, 0, "{run}");
    // the hidden state of a prompt: 512 rows of 4096
    assert_eq!(run["cases"][0]["case"], "N=2097152,regime=normal", "{run}");
    let small = kernel(&folder, "small.c", "", "work(x, y, n);");
    let text = std::fs::read_to_string(folder.join(&small)).unwrap();
    std::fs::write(folder.join(&small), text.replacen("args =", "dims = { N = \"1..=64\" }\nargs =", 1))
        .unwrap();
    let run = bench(&folder, &[&small, "--sweep", "production"]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("no shape of a language model is known for op silu"), "{}", run.err);
}

#[test]
fn the_examples_of_the_page_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/bench.md")).unwrap();
    let commands: Vec<&str> = page.lines().filter(|line| line.starts_with("    ktwin bench ")).collect();
    assert!(commands.len() >= 6, "{commands:?}");
    let folder = folder("bench-page");
    #[cfg(unix)]
    std::os::unix::fs::symlink(root.join("kernels"), folder.join("kernels")).unwrap();
    for line in commands {
        let mut args: Vec<&str> = line.split_whitespace().skip(2).collect();
        if !args.contains(&"--time") {
            args.extend(["--time", "0.2"]);
        }
        let run = bench(&folder, &args);
        assert_eq!(run.code, 0, "{line}: {}{}", run.out, run.err);
        assert!(!run.out.is_empty(), "{line}");
    }
}

#[test]
fn what_is_compared_and_kept_is_looked_at_first() {
    let folder = folder("bench-first");
    let name = kernel(&folder, "first.c", "", "work(x, y, n);");
    std::fs::write(folder.join(".ktwin"), "").unwrap();
    for (args, says) in [(["--vs", "none.c"], "none.c"), (["--save", "main"], "`--save` keeps figures there")]
    {
        let run = bench(&folder, &[&[&*name, "--dims", "N=64"], &args[..]].concat());
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{}", run.err);
        assert!(run.err.contains(says) && !run.err.contains("measuring"), "{}", run.err);
    }
}
