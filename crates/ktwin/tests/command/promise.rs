//! What a pass is worth: what a contract promises is told, held against a least promise, and replaced by a
//! judge's own.
#![cfg(unix)]

use std::path::{Path, PathBuf};

use crate::support::{folder, ktwin};
use serde_json::Value;

fn write(folder: &Path, name: &str, text: &str) -> String {
    std::fs::write(folder.join(name), text).unwrap();
    folder.join(name).display().to_string()
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A shader, so that no compiler is needed; `MORE` are more lines of its contract.
fn silu(more: &str) -> String {
    format!(
        "/*--- ktwin\nargs = [\"x\", \"y\", {{ N = \"u32\" }}]\ngrid = [\"ceil(N / 64)\", 1, 1]\n{more}---*/\n\
         @group(0) @binding(0) var<storage, read> x: array<f32>;\n\
         @group(0) @binding(1) var<storage, read_write> y: array<f32>;\n\
         @group(0) @binding(2) var<uniform> n: u32;\n\
         @compute @workgroup_size(64) fn silu(@builtin(global_invocation_id) id: vec3u) {{\n\
         if id.x < n {{ y[id.x] = x[id.x] / (1.0 + exp(-x[id.x])); }} }}\n"
    )
}

#[test]
fn a_pass_says_what_was_promised() {
    let dir = folder("promise-line");
    let op = "# another\nop silu(x[N]) -> y[N]\n\ny[n] = x[n] / (1 + exp(0 - x[n]))\n";
    write(&dir, "silu.op", op);
    let file = write(&dir, "silu.wgsl", &silu("op = \"silu\"\ndims = { N = \"..=4096\" }\n"));
    let run = ktwin(&["test", &file, "--quick"]);
    assert_eq!(run.code, 0, "{}", run.out);
    let line = run.out.lines().nth(1).unwrap().trim();
    assert!(line.starts_with("promised: silu (from the catalogue, "), "{line}");
    assert!(line.contains("; x y f32; computes in f32; deterministic; NaN isolated; "), "{line}");
    assert!(line.contains("% of its domain; ") && line.ends_with(" cases sharp"), "{line}");
    // the same name, and other content
    let own =
        write(&dir, "own.wgsl", &silu("op = \"silu.op\"\ncompute = \"tf32\"\nround = { x = \"f16\" }\n"));
    let run = ktwin(&["test", &own, "--quick"]);
    let line = run.out.lines().nth(1).unwrap().trim();
    assert!(line.starts_with("promised: silu (not from the catalogue, "), "{line}");
    assert!(
        line.contains("computes in tf32; rounds x to f16; ") && line.contains("all of its domain"),
        "{line}"
    );
    // the same content under another name
    let text = std::fs::read_to_string(root().join("ops/silu.op")).unwrap();
    write(&dir, "silu.op", &format!("# copied\n{text}"));
    let run = ktwin(&["test", &own, "--quick", "--format", "json"]);
    let verdict = run.out.lines().find(|l| l.contains("\"event\":\"verdict\"")).unwrap();
    let promise = &serde_json::from_str::<Value>(verdict).unwrap()["promise"];
    assert_eq!((&promise["catalogue"], &promise["share"]), (&Value::Bool(true), &Value::from(1.0)));
    assert_eq!((&promise["round"]["x"], &promise["types"]["y"]), (&Value::from("f16"), &Value::from("f32")));
}

#[test]
fn a_policy_that_takes_a_quarter_more_shows_nothing() {
    let dir = folder("promise-policy");
    let test = |policy: &str| {
        let line = format!("op = \"silu\"\npolicy = {{ use = \"{policy}\", why = \"noise\" }}\n");
        let file = write(&dir, "silu.wgsl", &silu(&line));
        ktwin(&["test", &file, "--quick", "--seed", "1"])
    };
    let coarse = test("allclose:rtol=0.5,atol=1e-30");
    assert_eq!(coarse.code, 3, "{}", coarse.out);
    assert!(
        coarse.out.contains("would let numbers that are a quarter off pass in every case"),
        "{}",
        coarse.out
    );
    let fine = test("allclose:rtol=1e-2,atol=1e-3");
    assert_eq!(fine.code, 0, "{}", fine.out);
}

#[test]
fn every_trick_with_a_contract_is_refused_where_more_is_asked_for() {
    let hostile = root().join("hostile");
    let mut tricks = 0;
    for name in
        crate::support::files(&hostile).iter().filter(|n| n.starts_with("promise_") && n.ends_with(".c"))
    {
        let path = hostile.join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        let least = text.lines().find_map(|line| line.strip_prefix("// least: ")).unwrap();
        // nothing is compiled, and nothing is run
        let run = ktwin(&["test", &path.display().to_string(), "--quick", "--min-promise", least]);
        assert_eq!(run.code, 1, "{name}: {}", run.out);
        assert!(run.out.contains("weak promise: "), "{name}: {}", run.out);
        // what is not named stands at no line
        assert!(run.out.contains("line ") || least.starts_with("nan"), "{name}: {}", run.out);
        tricks += 1;
    }
    assert!(tricks >= 15, "{tricks}");
}

#[test]
fn a_file_with_the_least_names_all_of_it() {
    let dir = folder("promise-least");
    let least = write(&dir, "least.toml", "op = \"silu\"\n");
    let test = |more: &str, least: &str| {
        let file = write(&dir, "silu.wgsl", &silu(&format!("op = \"silu\"\n{more}")));
        ktwin(&["test", &file, "--quick", "--min-promise", least])
    };
    for (more, says) in [
        ("compute = \"bf16\"\n", "line 5: weak promise: it computes in bf16, not f32"),
        ("accumulate = \"f16\"\n", "it sums in f16, not f32"),
        ("round = { x = \"f16\" }\n", "it rounds x to f16"),
        ("deterministic = false\n", "the same inputs may give different bits"),
        ("dims = { N = \"..=64\" }\n", "N = 65 is not accepted, only ..=64"),
        ("dims = { N = \"multiple of 4\" }\n", "N = 1 is not accepted"),
        ("fix = { N = 64 }\n", "it assumes N = 64"),
        ("where = [\"N % 3 == 0\"]\n", "is not accepted: the contract accepts only cases where"),
        ("types = { x = \"f16\" }\n", "x is f16, not f32"),
        ("inplace = { y = \"x\" }\n", "y is written over x"),
    ] {
        let run = test(more, &least);
        assert_eq!(run.code, 1, "{more}: {}", run.out);
        assert!(run.out.contains(says), "{more}: {}", run.out);
    }
    // as much, or more
    for more in ["", "dims = { N = \"1..\" }\n", "compute = \"f32\"\n", "batch_invariant = true\n"] {
        let run = test(more, &least);
        assert_eq!(run.code, 0, "{more}: {}", run.out);
    }
    assert_eq!(test("nan = \"propagate\"\n", "nan=propagate,N=..=64,compute=f16").code, 0);
    assert_eq!(test("", "nan=propagate").code, 1);
    assert_eq!(test("", "batch_invariant").code, 1);
    assert_eq!(test("dims = { N = \"..=64\" }\n", "share=0.2,catalogue").code, 0);
    for (words, says) in [
        ("compute=f3", "no rung `f3`"),
        ("shares=1", "did you mean `share`?"),
        ("grid=1", "`grid` concerns the launch"),
        ("share=2", "write a number from 0 to 1"),
        ("none.toml", "none.toml: "),
    ] {
        let run = test("", words);
        assert!(run.code == 2 && run.err.contains(says), "{words}: {}", run.err);
    }
}

#[test]
fn sizes_that_a_judge_does_not_name_stay_open() {
    let dir = folder("promise-open");
    let terms = write(&dir, "terms.toml", "op = \"silu\"\n");
    for (dims, code) in [("64", 2), ("..=64", 2), ("multiple of 4", 2), ("..=4194240", 0)] {
        let file = write(&dir, "silu.wgsl", &silu(&format!("dims = {{ N = \"{dims}\" }}\n")));
        let run = ktwin(&["test", &file, "--quick", "--contract", &terms]);
        assert_eq!(run.code, code, "{dims}: {}", run.out);
        assert!(code == 0 || run.out.contains("silu.wgsl:4:1: N = "), "{dims}: {}", run.out);
    }
}

#[test]
fn a_judges_contract_governs() {
    let dir = folder("promise-terms");
    let terms = "op = \"silu\"\ndims = { N = \"..=5000\" }\nround = { x = \"bf16\" }\n";
    let terms = write(&dir, "terms.toml", terms);
    write(&dir, "own.op", "op silu(x[N]) -> y[N]\n\ny[n] = x[n]\n");
    write(&dir, "same.op", &std::fs::read_to_string(root().join("ops/silu.op")).unwrap());
    let test = |more: &str| {
        let file = write(&dir, "silu.wgsl", &silu(more));
        ktwin(&["test", &file, "--quick", "--contract", &terms])
    };
    for (more, says) in [
        ("compute = \"bf16\"\n", "silu.wgsl:4:1: it computes in bf16, not f32"),
        ("op = \"own.op\"\n", "silu.wgsl:4:7: this is not silu, the op that was asked for"),
        ("op = \"gelu\"\n", "this is not silu"),
        ("tile = { N = 64 }\ndims = { N = 64 }\n", "silu.wgsl:5:1: N = 1 is not accepted, only 64"),
        ("deterministic = false\n", "remove `deterministic`: what is promised is set by the task"),
        ("fill = { y = 0 }\n", "`y` must be filled before each launch"),
        ("round = { x = \"e4m3\" }\n", "it rounds x to e4m3"),
        ("round = { y = \"bf16\" }\n", "it rounds y to bf16"),
        ("types = { y = \"bf16\" }\n", "y is bf16, not f32"),
        ("form = \"quick\"\n", "form `quick` is not allowed here"),
        ("where = [\"N % 64 == 0\"]\n", "is not accepted"),
        ("subgroup = [32, 64]\n", "its subgroups must have 32 or 64 lanes"),
        ("dims = { M = 64 }\n", "op silu has no dimension `M`"),
        ("nan = \"perhaps\"\n", "unknown value `perhaps` for `nan`"),
    ] {
        let run = test(more);
        assert_eq!(run.code, 2, "{more}: {}", run.out);
        assert!(run.out.contains(says), "{more}: {}", run.out);
    }
    for (more, says) in [
        ("", "computes in f32; deterministic"),
        ("op = \"same.op\"\ncompute = \"f32\"\ndims = { N = \"1..\" }\n", "computes in f32; deterministic"),
        ("tile = { N = 64 }\nnan = \"propagate\"\n", "NaN isolated"),
        ("round = { x = \"bf16\" }\n", "rounds x to bf16"),
    ] {
        let run = test(more);
        assert_eq!(run.code, 0, "{more}: {}", run.out);
        assert!(run.out.contains(says), "{more}: {}", run.out);
    }
    // what the task fills, a submission may fill as well
    let filled = write(&dir, "filled.toml", "op = \"silu\"\nfill = { y = 0 }\n");
    let file = write(&dir, "silu.wgsl", &silu("fill = { y = 0 }\n"));
    let run = ktwin(&["test", &file, "--quick", "--contract", &filled]);
    assert!(run.code == 0 && run.out.contains("y filled before each launch"), "{}", run.out);
    // promises of its own do not help it: a wrong kernel stays wrong
    let wrong = silu("").replace("1.0 + exp", "1.01 + exp");
    let file = write(&dir, "wrong.wgsl", &wrong);
    assert_eq!(ktwin(&["test", &file, "--quick", "--contract", &terms]).code, 1);
    let launch = write(&dir, "launch.toml", "op = \"silu\"\ngrid = [1]\n");
    let run = ktwin(&["test", &file, "--contract", &launch]);
    assert!(run.code == 2 && run.err.contains("`grid` concerns the launch"), "{}", run.err);
}

#[test]
fn honest_kernels_keep_what_is_asked_for() {
    let kernels = root().join("kernels/wgsl").display().to_string();
    let run =
        ktwin(&["test", &kernels, "--quick", "--filter", "rope", "--min-promise", "catalogue,compute=f32"]);
    assert_eq!(run.code, 0, "{}", run.out);
}
