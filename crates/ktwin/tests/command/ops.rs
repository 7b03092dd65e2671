//! `ktwin ops` as a user calls it: the list, the pages, whose example commands run, and the checking of
//! files.

use std::io::Read;
use std::process::Stdio;

use crate::support::{command, folder, ktwin, refuse, succeed};
use ktwin::catalogue::OPS;

#[test]
fn one_line_an_op() {
    let list = succeed(&["ops"]);
    assert_eq!(list.lines().count(), OPS.len());
    for (line, (name, _)) in list.lines().zip(OPS) {
        assert!(line.starts_with(&format!("{name} ")), "{line}");
        assert!(line.len() > 24, "{line} has no summary");
    }
    assert!(list.contains("rmsnorm                 root mean square normalisation, by rows\n"), "{list}");
}

#[test]
fn a_page_says_all() {
    let page = succeed(&["ops", "attention"]);
    for part in [
        "attention -- grouped-query attention",
        "    op attention(q[H, S, D]",
        "q[H, S, D]  input: numbers",
        "scale   a number; must be given",
        "causal  true or false; true if not given",
        "where          H % G == 0",
        "at most 4 * H * S * D * T",
        "sum in z      D terms in any order",
        "exp           c 1.5 ulp",
        "wgsl 3 + 2 |x| ulp",
        "Try it\n    ktwin twin attention H=",
    ] {
        assert!(page.contains(part), "{part} is missing in\n{page}");
    }
    let page = succeed(&["ops", "kv_write"]);
    assert!(page.contains("cache[T, D]  input, and output in place: numbers"), "{page}");
    assert!(
        page.contains("pos  whole numbers from 0, below 4096; the value nearest to 0 if not given"),
        "{page}"
    );
    assert!(page.contains("no floating-point operations"), "{page}");
    let two = succeed(&["ops", "exp", "gemm"]);
    assert!(
        two.contains("exp --") && two.contains("\n\ngemm --") && two.contains("2 * M * K * N floating"),
        "{two}"
    );
}

#[test]
fn every_page_has_an_example_that_runs() {
    let out = folder("ops_examples").display().to_string();
    for (name, _) in OPS {
        let page = succeed(&["ops", name]);
        let line = page.lines().last().unwrap_or_default().trim();
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words[..3], ["ktwin", "twin", name], "{page}");
        assert_eq!(words[words.len() - 2..], ["-o", "out"], "{page}");
        let args = [&words[1..words.len() - 1], &[out.as_str()]].concat();
        succeed(&args);
    }
}

#[test]
fn files_are_checked() {
    let folder = folder("ops_check");
    let text = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).unwrap();
        folder.join(name).display().to_string()
    };
    let good = text("good.op", "op good(x[N]) -> y[N]\n\ny[n] = 2 * x[n]\n");
    let other = text("other.op", "op other(x[N]) -> y\n\ny = sum[n](x[n])\n");
    let bad = text("bad.op", "op bad(x[N]) -> y[N]\n\ny[n] = x[n / 2]\n");
    let printed = succeed(&["ops", "--check", &good, &other]);
    assert_eq!(printed, format!("{good}: op good, no mistakes\n{other}: op other, no mistakes\n"));
    let run = ktwin(&["ops", "--check", &bad, &good]);
    assert_eq!((run.code, run.out), (2, format!("{good}: op good, no mistakes\n")));
    assert!(run.err.starts_with(&format!("{bad}:3:10: an index is an integer")), "{}", run.err);
    assert!(run.err.contains("^^^^^ `/` is real division: write `//`"), "{}", run.err);
    let missing = refuse(&["ops", "--check", "nowhere.op"]);
    assert!(missing.starts_with("nowhere.op: cannot read it"), "{missing}");
    let binary = text("binary.op", "");
    std::fs::write(&binary, [0xff, 0xfe, 0]).unwrap();
    assert!(refuse(&["ops", "--check", &binary]).contains("not text (UTF-8)"));
    let page = succeed(&["ops", &good]);
    assert!(page.contains(&format!("ktwin twin {good} N=")), "{page}");
}

#[test]
fn unknown_names_suggest_the_nearest() {
    assert_eq!(refuse(&["ops", "gem"]), "ktwin: no op `gem`, did you mean `gemm`?");
    assert!(refuse(&["ops", "frobnicate"]).contains("`ktwin ops` lists them"));
}

#[test]
fn a_reader_that_leaves_early_is_no_fault() {
    let mut child = command(&["ops"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""));
}
