//! Systems that lack something: no room, no folder, no compiler, few files, nobody who listens. What cannot
//! be done is said, is never a pass, and what can be done is done.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Run, folder, ktwin};

const SCALE: &str = "/*--- ktwin\nop = \"scale\"\nargs = [\"x\", \"y\", { N = \"u32\", alpha = \"f32\" }]\n---*/\n\
                     #include <stdint.h>\nstruct s { uint32_t n; float alpha; };\n\
                     void scale(const float *x, float *y, struct s s) { \
                     for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i]; }\n";
const KTWIN: &str = env!("CARGO_BIN_EXE_ktwin");

fn write(folder: &Path, name: &str, text: &str) -> String {
    std::fs::write(folder.join(name), text).unwrap();
    folder.join(name).display().to_string()
}

fn has_compiler() -> bool {
    ktwin_devices::find("native", ktwin_devices::Limits::default()).is_ok_and(|n| n.probe().is_ok())
}

/// A script, in which `$K` is the command.
fn shell(script: &str) -> Run {
    let mut command = Command::new("bash");
    command.args(["-c", script]).env("K", KTWIN).stdin(Stdio::null());
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Run { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// Nothing that a system lacks makes a kernel pass that was not tested whole, or ktwin panic.
fn is_told(run: &Run, what: &str) {
    let said = format!("{}{}", run.out, run.err);
    assert!(!said.contains("panicked"), "{what}: {said}");
    assert!([0, 2, 3].contains(&run.code), "{what}: {} {said}", run.code);
    let verdict = run.out.lines().find(|line| line.contains("\"event\":\"verdict\""));
    let passes = verdict.is_some_and(|line| line.contains("\"verdict\":\"pass\""));
    assert_eq!(run.code == 0, passes, "{what}: {said}");
    if let Some(line) = verdict.filter(|_| passes) {
        assert!(line.contains("\"skip\":0") && line.contains("\"error\":0"), "{what}: {line}");
    }
}

#[test]
fn folders_that_are_small_or_missing_lose_no_case() {
    if !has_compiler() {
        return;
    }
    let dir = folder("faulty-folders");
    let (file, none) = (write(&dir, "scale.c", SCALE), dir.join("none").display().to_string());
    let test = format!("test {file} --quick --seed 1 --format json");
    let fresh = |name: &str| format!("XDG_CACHE_HOME={}", dir.join(name).display());
    // 64 KiB for all that is written
    let small = dir.join("small");
    std::fs::create_dir_all(&small).unwrap();
    let mount = format!("mount -t tmpfs -o size=64k none {}", small.display());
    let script = format!(
        "unshare -Urm bash -c '{mount} && TMPDIR={0} XDG_CACHE_HOME={0} exec $K {test}'",
        small.display()
    );
    let run = shell(&script);
    if !run.err.contains("unshare") && !run.err.contains("mount:") {
        is_told(&run, "64 KiB");
    }
    is_told(&shell(&format!("TMPDIR={none} {} exec $K {test}", fresh("a"))), "no TMPDIR");
    is_told(&shell(&format!("TMPDIR=/proc XDG_CACHE_HOME=/proc exec $K {test}")), "no folder to write to");
    is_told(&shell(&format!("env -i K=$K PATH=$PATH $K {test}")), "no environment");
    // nobody may keep a batch's files either
    let task = write(&dir, "task.toml", "op = 'scale'\nsecret = 'nobody knows'\nplan = 'quick'\n");
    let out = dir.join("results.jsonl").display().to_string();
    let run = shell(&format!("TMPDIR={none} exec $K judge {task} {file} --out {out}"));
    assert_eq!(run.code, 3, "{}{}", run.out, run.err);
    assert!(run.err.contains("cannot make a folder for submissions"), "{}", run.err);
    let run = shell(&format!("exec $K judge {task} {file} --out {none}/results.jsonl"));
    assert!(run.code == 2 && run.err.contains("no such file or folder"), "{}", run.err);
}

#[test]
fn without_a_compiler_nothing_passes() {
    let dir = folder("faulty-compiler");
    let file = write(&dir, "scale.c", SCALE);
    let test = format!("test {file} --quick --seed 1 --format json");
    let path = dir.display();
    for (set, what) in [
        (format!("PATH={path}"), "an empty PATH"),
        (format!("CC={path}/none"), "a compiler that is not there"),
        (format!("CC={file}"), "a compiler that is no program"),
        ("CC=/bin/false".to_string(), "a compiler that fails"),
        ("CC=/bin/true".to_string(), "a compiler that does nothing"),
    ] {
        let run = shell(&format!("XDG_CACHE_HOME={path}/cache {set} exec $K {test}"));
        let said = format!("{}{}", run.out, run.err);
        assert!(run.code != 0 && !said.contains("panicked"), "{what}: {} {said}", run.code);
        assert!(!run.out.contains("\"verdict\":\"pass\""), "{what}: {said}");
    }
}

#[test]
fn few_files_and_short_ones_lose_no_case() {
    if !has_compiler() {
        return;
    }
    let dir = folder("faulty-limits");
    let file = write(&dir, "scale.c", SCALE);
    let test = format!("test {file} --quick --seed 1 --format json");
    for limit in ["-n 12", "-n 24", "-n 48", "-n 96", "-f 1", "-f 16", "-f 64", "-u 40"] {
        let script = format!("trap '' XFSZ; ulimit {limit} && exec $K {test} --jobs 1");
        is_told(&shell(&script), limit);
    }
}

#[test]
fn nobody_need_listen() {
    let dir = folder("faulty-output");
    let kernels = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/wgsl/gelu.wgsl");
    for (ending, codes) in [
        ("| true", &[0][..]),
        (">&-", &[0, 2]),
        ("> /dev/full", &[2]),
        ("> /dev/full 2>&1", &[2]),
        ("2>&- >&-", &[0, 2]),
        ("--format json > /dev/full", &[2]),
    ] {
        let run = shell(&format!("set -o pipefail; $K test {kernels} --quick --seed 1 {ending}"));
        assert!(codes.contains(&run.code), "{ending}: {} {}", run.code, run.err);
        assert!(!run.err.contains("panicked"), "{ending}: {}", run.err);
    }
    // results are written all the same
    let task = write(&dir, "task.toml", "op = 'gelu'\nsecret = 'nobody knows'\nplan = 'quick'\n");
    let source = std::fs::read_to_string(kernels).unwrap();
    let file = write(&dir, "gelu.wgsl", &source);
    let out = dir.join("results.jsonl").display().to_string();
    shell(&format!("$K judge {task} {file} --out {out} >&-"));
    assert!(std::fs::read_to_string(&out).unwrap().contains("\"verdict\":"));
    let run = shell(&format!("$K judge {task} {file} --out /dev/full"));
    assert!(run.code == 2 && run.err.contains("not a regular file"), "{}", run.err);
}

#[test]
fn two_runs_at_once_do_not_meet() {
    if !has_compiler() {
        return;
    }
    let dir = folder("faulty-two");
    let file = write(&dir, "scale.c", SCALE);
    let cache = dir.join("cache").display().to_string();
    // both compile the same text, and keep it in the same place
    let one = format!("XDG_CACHE_HOME={cache} $K test {file} --quick --seed 1 --format json");
    let run = shell(&format!("{one} & first=$!; {one} & second=$!; wait $first && wait $second"));
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert_eq!(run.out.matches("\"verdict\":\"pass\",\"reason\":\"\"").count(), 2, "{}", run.out.len());
    // and only one writes the same results
    let task = write(&dir, "task.toml", "op = 'scale'\nsecret = 'nobody knows'\nlimits = { launch = 3 }\n");
    let slow = write(&dir, "slow.c", &SCALE.replace("for (", "for (;;) ; for ("));
    let out = dir.join("results.jsonl").display().to_string();
    let judge = format!("$K judge {task} {slow} --out {out}");
    let run = shell(&format!("{judge} > /dev/null & sleep 1; {judge}; code=$?; wait; exit $code"));
    assert_eq!(run.code, 2, "{}{}", run.out, run.err);
    assert!(run.err.contains("another run is writing its results there"), "{}", run.err);
}

#[test]
#[ignore = "long: run by .ci/run"]
fn five_hundred_kernels_in_one_run() {
    let dir = folder("faulty-many");
    let text = "/*--- ktwin\nop = \"scale\"\nargs = [\"x\", \"y\", { N = \"u32\", alpha = \"f32\" }]\n\
                grid = [\"ceil(N / 64)\", 1, 1]\n---*/\nstruct S { n: u32, alpha: f32 }\n\
                @group(0) @binding(0) var<storage, read> x: array<f32>;\n\
                @group(0) @binding(1) var<storage, read_write> y: array<f32>;\n\
                @group(0) @binding(2) var<uniform> s: S;\n\
                @compute @workgroup_size(64) fn scale(@builtin(global_invocation_id) id: vec3u) {\n\
                if id.x < s.n { y[id.x] = s.alpha * x[id.x]; } }\n";
    for number in 0..500 {
        let wrong =
            if number % 50 == 7 { text.replace("s.alpha * x", "s.alpha + x") } else { text.to_string() };
        write(&dir, &format!("k{number}.wgsl"), &wrong);
    }
    let run = ktwin(&["test", &dir.display().to_string(), "--quick", "--seed", "1"]);
    assert_eq!(run.code, 1, "{}", run.out.lines().last().unwrap_or(""));
    assert!(run.out.contains("490 passed, 10 failed in "), "{}", run.out.lines().last().unwrap_or(""));
}
