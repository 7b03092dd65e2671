//! `ktwin test` as a runner: what runs, in which order, how often, and what is listed at the end.

use std::path::Path;

use crate::support::{Run, command, folder};

const HEAD: &str = "/*--- ktwin\nop = \"relu\"\nargs = [\"x\", \"y\", { N = \"u32\" }]\n\
                    grid = [\"ceil(N / 64)\", 1, 1]\n---*/\n\
                    struct Sizes { n: u32 }\n\
                    @group(0) @binding(0) var<storage, read> x: array<f32>;\n\
                    @group(0) @binding(1) var<storage, read_write> y: array<f32>;\n\
                    @group(0) @binding(2) var<uniform> s: Sizes;\n\
                    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n\
                    if (id.x < s.n) { y[id.x] = ";

/// Four kernels, of which the second and the fourth are wrong.
fn kernels(name: &str) -> std::path::PathBuf {
    let dir = folder(name);
    for (file, value) in
        [("a", "max(x[id.x], 0.0)"), ("b", "x[id.x]"), ("c", "max(x[id.x], 0.0)"), ("d", "0.0")]
    {
        std::fs::write(dir.join(format!("{file}.wgsl")), format!("{HEAD}{value}; }} }}\n")).unwrap();
    }
    dir
}

fn run(dir: &Path, args: &[&str]) -> Run {
    let mut command = command(&["test", ".", "--quick", "--seed", "5"]);
    command.args(args).current_dir(dir).env("XDG_CACHE_HOME", dir.join("cache"));
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// Verdict and file of each line on a kernel, up to the list of failures.
fn verdicts(out: &str) -> Vec<(String, String)> {
    let lines = out.lines().take_while(|line| *line != "failed:");
    let lines = lines.filter(|line| !line.starts_with(' ') && line.contains(".wgsl  "));
    let words = lines.map(|line| line.split_whitespace().map(str::to_string).collect::<Vec<_>>());
    words.map(|words| (words[0].clone(), words[1].clone())).collect()
}

fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter().map(|(a, b)| (a.to_string(), format!("./{b}.wgsl"))).collect()
}

#[test]
fn verdicts_come_in_the_order_of_files_and_failures_again_at_the_end() {
    let dir = kernels("runner-order");
    let run = run(&dir, &["--jobs", "4"]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert_eq!(verdicts(&run.out), pairs(&[("pass", "a"), ("fail", "b"), ("pass", "c"), ("fail", "d")]));
    let (_, end) = run.out.split_once("\nfailed:\n").unwrap();
    let listed: Vec<&str> = end.lines().take(2).map(|line| line.split_whitespace().nth(1).unwrap()).collect();
    assert_eq!(listed, ["./b.wgsl", "./d.wgsl"]);
    assert!(end.contains("2 passed, 2 failed in "), "{end}");
}

#[test]
fn a_run_ends_at_the_first_failure_if_asked_to() {
    let dir = kernels("runner-fast");
    let run = run(&dir, &["--jobs", "1", "--fail-fast"]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert_eq!(verdicts(&run.out), pairs(&[("pass", "a"), ("fail", "b")]));
    assert!(run.out.contains("./c.wgsl, ./d.wgsl: not run: --fail-fast"), "{}", run.out);
}

#[test]
fn what_failed_last_can_be_run_alone() {
    let dir = kernels("runner-last");
    assert_eq!(run(&dir, &["--last-failed"]).code, 3);
    assert_eq!(run(&dir, &[]).code, 1);
    let again = run(&dir, &["--last-failed"]);
    assert_eq!(verdicts(&again.out), pairs(&[("fail", "b"), ("fail", "d")]));
    std::fs::copy(dir.join("a.wgsl"), dir.join("b.wgsl")).unwrap();
    assert_eq!(verdicts(&run(&dir, &["--last-failed"]).out), pairs(&[("pass", "b"), ("fail", "d")]));
    assert_eq!(verdicts(&run(&dir, &["--last-failed"]).out), pairs(&[("fail", "d")]));
    // what was not run stays as it was
    assert_eq!(run(&dir, &["--filter", "a.wgsl"]).code, 0);
    assert_eq!(verdicts(&run(&dir, &["--last-failed"]).out), pairs(&[("fail", "d")]));
}

#[test]
fn kernels_are_repeated_with_other_inputs() {
    let dir = kernels("runner-repeat");
    let twice = run(&dir, &["--filter", "a.wgsl", "--repeat", "2"]);
    assert_eq!((twice.code, verdicts(&twice.out)), (0, pairs(&[("pass", "a"), ("pass", "a")])));
    assert!(twice.out.contains("seed 5,") && twice.out.contains("seed 6,"), "{}", twice.out);
    let until = run(&dir, &["--jobs", "1", "--until-fail", "--op", "relu"]);
    assert_eq!((until.code, verdicts(&until.out)), (1, pairs(&[("pass", "a"), ("fail", "b")])));
    // what does not fail goes on until its time is up
    let late = run(&dir, &["--filter", "c.wgsl", "--until-fail", "--time", "2"]);
    assert!(late.code == 3 && verdicts(&late.out).len() > 1, "{}: {}", late.code, late.out);
}

#[test]
fn nothing_is_tested_until_it_passes() {
    let dir = kernels("runner-retries");
    for (args, says) in [(&["--retries", "3"][..], "`--repeat 3`"), (&["--retries"], "`--repeat 10`")] {
        let run = run(&dir, args);
        assert_eq!(run.code, 2, "{}", run.out);
        assert!(run.err.contains("fails only sometimes is wrong") && run.err.contains(says), "{}", run.err);
    }
}

#[test]
fn one_case_is_of_no_plan() {
    let dir = kernels("runner-case");
    let file = dir.join("a.wgsl").display().to_string();
    for level in ["--quick", "--thorough"] {
        let run = crate::support::succeed(&["test", &file, "--case", "N=5", level]);
        assert!(run.starts_with("pass ") && !run.contains(" plan\n"), "{run}");
    }
}

#[test]
fn an_infinity_is_born_of_numbers_alone() {
    let dir = folder("runner-born");
    let noted = |name: &str, value: &str| {
        std::fs::write(dir.join(name), format!("{HEAD}{value}; }} }}\n")).unwrap();
        let file = dir.join(name).display().to_string();
        let run = crate::support::ktwin(&["test", &file, "--case", "N=5,regime=normal,seed=1", "-v"]);
        run.out.contains("infinity produced: finite operands give an infinity")
    };
    assert!(noted("product.wgsl", "abs(x[id.x]) * 3e38 * 3e38"));
    // an infinity in the bits is there already
    assert!(!noted("bits.wgsl", "x[id.x] + unpack2x16float(s.n * 0u + 0x7c00u).x"));
}

#[test]
fn what_would_run_is_listed() {
    let dir = kernels("runner-list");
    let all = run(&dir, &["--list"]);
    let lines = ["a", "b", "c", "d"].map(|name| format!("./{name}.wgsl  relu on sim\n"));
    assert_eq!((all.code, all.out), (0, lines.concat()));
    assert_eq!(run(&dir, &["--list", "--op", "relu", "--filter", "c.w"]).out, lines[2]);
    assert_eq!(run(&dir, &["--list", "--language", "wgsl,c"]).out, lines.concat());
    assert_eq!(run(&dir, &["--list", "--op", "silu"]).code, 3);
}

#[test]
fn an_op_that_there_is_nowhere_is_wrong_usage() {
    let dir = kernels("runner-op");
    let run_of = |op: &str| run(&dir, &[".", "--op", op, "--list"]);
    let wrong = run_of("silo");
    assert!(wrong.code == 2 && wrong.err.contains("--op silo: no kernel here computes it"), "{}", wrong.err);
    assert!(wrong.err.contains("did you mean `silu`?"), "{}", wrong.err);
    // an op of the catalogue that no kernel computes: nothing ran
    assert_eq!(run_of("argmax").code, 3);
}

#[test]
fn what_cannot_be_written_is_said_before_anything_runs() {
    let dir = kernels("runner-reports");
    for option in [["--junit", "none/a.xml"], ["--report", "none/a.html"], ["--dump", "file/dump"]] {
        std::fs::write(dir.join("file"), "").unwrap();
        let run = run(&dir, &[&["."], &option[..]].concat());
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{option:?}: {}", run.err);
        assert!(run.err.contains(option[1]) && run.err.contains("name a"), "{}", run.err);
    }
}

#[test]
fn colour_is_as_asked_for() {
    let dir = kernels("runner-colour");
    let with = |args: &[&str]| run(&dir, &[&["--filter", "a.wgsl"], args].concat()).out;
    assert!(with(&["--color", "always"]).contains("\u{1b}[32mpass"));
    assert!(!with(&["--color", "never"]).contains('\u{1b}') && !with(&[]).contains('\u{1b}'));
}

#[test]
fn what_is_required_is_added() {
    let dir = kernels("runner-require");
    let run = run(&dir, &["--filter", "a.wgsl", "--require", "sim-worst", "--list"]);
    assert_eq!(run.out, "./a.wgsl  relu on sim\n./a.wgsl  relu on sim-worst\n");
}

#[test]
fn the_command_that_repeats_a_failure_can_be_pasted() {
    let dir = kernels("runner-quoted");
    let odd = dir.join("it's $HOME; b.wgsl");
    std::fs::copy(dir.join("b.wgsl"), odd).unwrap();
    let first = run(&dir, &["--filter", "HOME"]);
    let repeat = first.out.lines().find_map(|line| line.trim().strip_prefix("repeat: ktwin ")).unwrap();
    let line = format!("{} {repeat}", env!("CARGO_BIN_EXE_ktwin"));
    let again = std::process::Command::new("sh").args(["-c", &line]).current_dir(&dir).output().unwrap();
    assert_eq!(again.status.code(), Some(1), "{line}: {}", String::from_utf8_lossy(&again.stderr));
}

#[test]
#[cfg(unix)]
fn a_crash_is_told_beside_a_failure_that_is_explained() {
    let dir = folder("runner-crash");
    let text = "/*--- ktwin\nop = \"relu\"\nargs = [\"x\", \"y\", { N = \"u32\" }]\n---*/\n#include <stdlib.h>\n\
                struct sizes { unsigned n; };\n\
                void relu(const float *x, float *y, struct sizes s) {\n\
                if (s.n > 1000) abort();\nfor (unsigned i = 0; i < s.n; i++) y[i] = x[i];\n}\n";
    std::fs::write(dir.join("relu.c"), text).unwrap();
    let run = run(&dir, &[]);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.out.starts_with("crash ") && run.out.contains("smallest failing case: N=2,"), "{}", run.out);
    let line = run.out.lines().find(|line| line.contains("crashed: signal 6")).expect(&run.out);
    assert!(line.contains(", in N="), "{line}");
}
