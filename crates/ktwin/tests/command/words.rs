//! What users read: the help of every subcommand, and the messages that refuse wrong contracts, cases and command
//! lines, held against committed texts. `KTWIN_UPDATE=1` writes them anew.

use std::path::Path;

use crate::support::{folder, ktwin};

/// Compares a text with a committed one.
fn is_as_committed(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/words").join(name);
    if std::env::var_os("KTWIN_UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = committed.lines().zip(text.lines()).find(|(a, b)| a != b);
    assert!(
        committed == text,
        "{}: run this test with KTWIN_UPDATE=1 and read what changes; the first: {differs:?}",
        path.display()
    );
}

#[test]
fn help_is_as_committed() {
    let mut text = String::new();
    for command in [
        "",
        "bench",
        "calibrate",
        "compare",
        "completions",
        "devices",
        "help",
        "judge",
        "judge-rule",
        "man",
        "merge",
        "new",
        "ops",
        "plan",
        "run-job",
        "show",
        "test",
        "twin",
    ] {
        let args: Vec<&str> = [command, "--help"].into_iter().filter(|word| !word.is_empty()).collect();
        let run = ktwin(&args);
        assert_eq!((run.code, run.err.as_str()), (0, ""));
        text.push_str(&format!("$ ktwin {}\n{}\n", args.join(" "), run.out));
    }
    is_as_committed("help.txt", &text);
}

/// Contracts with one mistake each: what is put in the place of a line of the right one.
const CONTRACTS: &[(&str, &str)] = &[
    ("op = \"rmsnorm\"", "op = \"rmsnrom\""),
    ("op = \"rmsnorm\"", "op = 3"),
    ("op = \"rmsnorm\"", ""),
    ("op = \"rmsnorm\"", "op = \"my.op\""),
    ("op = \"rmsnorm\"", "op = \"rmsnorm\"\nop = \"silu\""),
    ("op = \"rmsnorm\"", "op = "),
    ("op = \"rmsnorm\"", "op = \"rmsnorm\"\nform = \"folded\""),
    ("args = ", "argss = "),
    ("\"x\", \"w\", \"y\"", "\"x\", \"w\""),
    ("\"x\", \"w\", \"y\"", "\"x\", \"w\", \"z\""),
    ("\"x\", \"w\", \"y\"", "\"x\", \"w\", 3"),
    ("D = \"u32\"", "D = 7"),
    ("D = \"u32\"", "x.stride = \"u32\""),
    ("D = \"u32\"", "Q = \"u32\""),
    ("eps = \"f32\"", "eps = \"f23\""),
    ("compute = \"f32\"", "compute = \"f33\""),
    ("compute = \"f32\"", "push = 3"),
    ("compute = \"f32\"", "subgroup = 3"),
    ("compute = \"f32\"", "types = { x = \"float16\" }"),
    ("compute = \"f32\"", "types = { q = \"f16\" }"),
    ("compute = \"f32\"", "arch = \"sm_8x\""),
    ("compute = \"f32\"", "arch = \"sm_80\""),
    ("compute = \"f32\"", "max_registers = 0"),
    ("compute = \"f32\"", "nan = \"never\""),
    ("compute = \"f32\"", "layout = { x = \"stridden\" }"),
    ("compute = \"f32\"", "scratch = { p = \"f32\" }"),
    ("compute = \"f32\"", "deterministic = 1"),
    ("compute = \"f32\"", "chain = [{ entri = \"a\" }]"),
    ("compute = \"f32\"", "where = [\"D + 1\"]"),
    ("compute = \"f32\"", "where = [\"D >\"]"),
    ("compute = \"f32\"", "fix = { alpha = 1 }"),
    ("compute = \"f32\"", "round = { p = \"f16\" }"),
    ("grid = [\"R\", 1, 1]", "grid = [\"R\", 1, 1, 1]"),
    ("grid = [\"R\", 1, 1]", "grid = [\"R\", 1, 1]\nblock = [32, 1, 1]"),
    ("tile = { D = 256 }", "tile = { D = 0 }"),
    ("tile = { D = 256 }", "tile = { E = 256 }"),
    ("dims = { R = \"1..=65535\", D = \"1..=16384\" }", "dims = { D = \"some\" }"),
    ("dims = { R = \"1..=65535\", D = \"1..=16384\" }", "dims = { D = \"9..=3\" }"),
    ("---*/", ""),
];

/// The lines on a kernel but the first, which has how long it took.
fn indented(text: &str) -> String {
    text.lines().filter(|line| line.starts_with(' ')).map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn what_refuses_a_contract_is_as_committed() {
    let dir = folder("words");
    let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels/wgsl/rmsnorm.wgsl");
    let text = std::fs::read_to_string(kernel).unwrap();
    let (contract, code) = text.split_once("---*/").unwrap();
    // one blank around each `=`, so that the mistakes can be put in
    let contract: String =
        contract.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect();
    let right = format!("{contract}---*/{code}");
    let file = dir.join("k.wgsl");
    let mut said = String::new();
    for (from, to) in CONTRACTS {
        assert!(right.contains(from), "{from} in {right}");
        std::fs::write(&file, right.replacen(from, to, 1)).unwrap();
        let run = ktwin(&["test", &file.display().to_string(), "--quick", "--seed", "1", "--device", "sim"]);
        let shown = indented(&run.out).replace(&dir.display().to_string(), "DIR");
        said.push_str(&format!("# {}\nexit code {}\n{shown}\n", to.replace('\n', "; "), run.code));
    }
    is_as_committed("contracts.txt", &said);
}

#[test]
fn what_refuses_a_command_line_is_as_committed() {
    let kernel = "../../kernels/wgsl/rmsnorm.wgsl";
    let (wrong, empty) = ("../../README.md", "../../docs");
    let lines: &[&[&str]] = &[
        &["test"],
        &["test", wrong],
        &["test", empty],
        &["test", "none.wgsl"],
        &["test", kernel, "--case", "D=3,E=4"],
        &["test", kernel, "--case", "D=3"],
        &["test", kernel, "--case", "R=1,D=99999"],
        &["test", kernel, "--case", "R=1,D=8,regime=nromal"],
        &["test", kernel, "--case", "R=1,D=8,layout=x:strided"],
        &["test", kernel, "--case", "R=1,D=x"],
        &["test", kernel, "--case", "nonsense"],
        &["test", "../../kernels/wgsl", "--case", "R=1"],
        &["test", kernel, "--device", "smi"],
        &["test", kernel, "--require", "smi"],
        &["test", kernel, "--filter", "nothing"],
        &["test", kernel, "--op", "silu"],
        &["test", kernel, "--language", "c"],
        &["test", kernel, "--language", "wglsl"],
        &["test", kernel, "--repeat", "0"],
        &["test", kernel, "--min-promise", "compute=f23"],
        &["test", kernel, "--min-promise", "grid=3"],
        &["test", kernel, "--min-promise", "share=2"],
        &["test", kernel, "--contract", "none.toml"],
        &["plan", wrong],
        &["plan", "none.wgsl"],
        &["ops", "rmsnrom"],
        &["ops", "--check", wrong],
        &["new", "x", "--op", "rmsnrom"],
        &["twin", "rmsnorm", "R=4", "-o", "none"],
        &["twin", "rmsnorm", "R=4,D=8,Q=3", "-o", "none"],
        &["twin", "rmsnorm", "R=400000,D=40000000", "-o", "none"],
        &["judge", wrong, kernel],
        &["judge", "none.toml", kernel, "--shard", "4/3"],
        &["merge", wrong, "--out", "none"],
    ];
    let mut said = String::new();
    for args in lines {
        let run = ktwin(args);
        let memory =
            run.err.find("GiB; ").map(|at| run.err[at + 5..].split(" available").next().unwrap().to_string());
        let err = memory.map_or(run.err.clone(), |memory| run.err.replace(&memory, "MEMORY"));
        let out = indented(&run.out);
        said.push_str(&format!("$ ktwin {}\nexit code {}\n{err}{out}\n", args.join(" "), run.code));
    }
    is_as_committed("command_lines.txt", &said);
}
