//! Speed ranks what is right, and only that.

use serde_json::Value;

use super::support::{folder, ktwin};
use super::{can_judge, write};

const TASK: &str = "op = 'silu'\nsecret = 'nobody knows this one'\nlanguages = ['c', 'wgsl']\nplan = 'quick'\n\
                    speed = 'N=4096'\n";

/// A kernel with this body.
fn kernel(body: &str) -> String {
    format!(
        "/*--- ktwin\nargs = ['x', 'y', {{ N = 'u32' }}]\n---*/\n#include <math.h>\n#include <stdint.h>\n\
         static long calls;\nstatic void work(const float *x, float *y, uint32_t n) {{\n\
         for (uint32_t i = 0; i < n; i++) y[i] = x[i] / (1.0f + expf(-x[i]));\n}}\n\
         void silu(const float *x, float *y, uint32_t n) {{\n{body}\n}}\n"
    )
}

#[test]
fn the_fastest_comes_first_and_tricks_have_no_speed() {
    if !can_judge() {
        return;
    }
    let dir = folder("judge-speed");
    let task = write(dir.join("task.toml"), TASK);
    let slow = "for (volatile int k = 0; k < 8; k++) work(x, y, n);";
    for (name, body) in [
        ("b_fast.c", "work(x, y, n);"),
        ("a_slow.c", slow),
        ("c_same.c", slow),
        ("d_wrong.c", "for (uint32_t i = 0; i < n; i++) y[i] = 0;"),
        // right in every call that a test makes, idle in most of those that are timed
        ("e_trick.c", "if (++calls < 400) work(x, y, n);"),
        ("g_leaves.c", "if (++calls > 400) __builtin_trap();\nwork(x, y, n);"),
    ] {
        write(dir.join("handed_in").join(name), &kernel(body));
    }
    let shader = "/*--- ktwin\nargs = ['x', 'y']\ngrid = ['ceil(N / 64)']\n---*/\n\
                  @group(0) @binding(0) var<storage, read> x: array<f32>;\n\
                  @group(0) @binding(1) var<storage, read_write> y: array<f32>;\n\
                  @compute @workgroup_size(64) fn silu(@builtin(global_invocation_id) id: vec3u) {\n\
                  if id.x < arrayLength(&y) { y[id.x] = x[id.x] / (1.0 + exp(-x[id.x])); }\n}\n";
    write(dir.join("handed_in/f_shader.wgsl"), shader);
    let (handed_in, out) = (dir.join("handed_in").display().to_string(), dir.join("out.jsonl"));
    let args = ["judge", &task, &handed_in, "--out", &out.display().to_string()];
    let run = ktwin(&args);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let text = std::fs::read_to_string(&out).unwrap();
    let lines: Vec<&str> = run.out.lines().collect();
    let at = |name: &str| lines.iter().position(|line| line.contains(name)).unwrap();
    assert!(at("b_fast.c") < at("a_slow.c") && at("a_slow.c") < at("f_shader.wgsl"), "{}{text}", run.out);
    assert!(at("f_shader.wgsl") < at("e_trick.c").min(at("d_wrong.c")), "{}", run.out);
    // what is wrong where it is timed is wrong
    assert!(lines[at("e_trick.c")].contains("fail"), "{}", run.out);
    assert!(lines[at("g_leaves.c")].contains("crash"), "{}", run.out);
    assert!(lines[at("b_fast.c")].starts_with("1 ") && lines[at("f_shader.wgsl")].contains("instructions"));
    let all: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let speeds: Vec<&Value> = all.iter().filter(|line| line["record"] == "speed").collect();
    // the wrong one is not timed, and one of two with the same contents speaks for both
    assert_eq!(speeds.len(), 5, "{text}");
    let refused: Vec<&str> = speeds.iter().filter_map(|speed| speed["why"].as_str()).collect();
    let says = |part: &str| refused.iter().any(|why| why.contains(part));
    assert!(refused.len() == 2 && says("not timed") && says("crashed"), "{refused:?}");
    // what is known is not measured again
    let again = ktwin(&args);
    assert_eq!((again.code, std::fs::read_to_string(&out).unwrap()), (0, text), "{}", again.err);
}

#[test]
fn sizes_that_the_op_lacks_are_refused() {
    let dir = folder("judge-speed-sizes");
    for (speed, says) in [("'Q=4'", "has no dimension `Q`"), ("''", "no sizes"), ("4", "sizes in quotes")] {
        let task = write(dir.join("task.toml"), &TASK.replace("'N=4096'", speed));
        let run = ktwin(&["judge", &task, &dir.display().to_string(), "--out", "/dev/null"]);
        assert!(run.code == 2 && run.err.contains(says), "{speed}: {} {}", run.code, run.err);
    }
}
