//! `ktwin new` as a user calls it: what it writes passes as it stands.

use crate::support::{folder, ktwin, succeed};

/// Writes a kernel and tests it; a host without a compiler skips.
fn written(name: &str, op: &str, lang: &str) -> String {
    succeed(&["new", name, "--op", op, "--lang", lang]);
    let file = format!("{name}.{lang}");
    let run = ktwin(&["test", &file, "--quick"]);
    assert!(run.code == 0 || run.out.contains("skip"), "{}{}", run.out, run.err);
    std::fs::read_to_string(file).unwrap()
}

#[test]
fn in_every_language() {
    let folder = folder("new-languages");
    for lang in ["wgsl", "c", "cpp"] {
        // one that this repository has kernels for, and one that it has not
        for op in ["rmsnorm", "groupnorm"] {
            let text = written(&format!("{}/{op}", folder.display()), op, lang);
            assert!(text.starts_with(&format!("/*--- ktwin\nop      = \"{op}\"\n")), "{text}");
        }
    }
}

#[test]
fn in_a_language_without_drafts() {
    let folder = folder("new-starters");
    let name = format!("{}/softmax", folder.display());
    succeed(&["new", &name, "--op", "softmax", "--lang", "cuda"]);
    assert!(std::fs::read_to_string(format!("{name}.cu")).unwrap().contains("__global__"));
    let none = ktwin(&["new", &name, "--op", "groupnorm", "--lang", "rust"]);
    assert!(none.code == 2 && none.err.contains("are written in c, cpp, wgsl"), "{}", none.err);
    let what = ktwin(&["new", &name, "--op", "silu", "--lang", "fortran"]);
    assert!(what.code == 2 && what.err.contains("languages are c, cpp, cuda"), "{}", what.err);
}

#[test]
fn for_an_op_of_ones_own() {
    let folder = folder("new-own");
    std::fs::create_dir_all(folder.join("kernels")).unwrap();
    let op = folder.join("twice.op");
    std::fs::write(&op, "# twice -- doubled\nop twice(x[N]) -> y[N]\n\ny[n] = 2 * x[n]\n").unwrap();
    let name = format!("{}/kernels/twice", folder.display());
    let text = written(&name, &op.display().to_string(), "wgsl");
    assert!(text.contains("op      = \"../twice.op\""), "{text}");
    let again = ktwin(&["new", &name, "--op", "silu"]);
    assert_eq!(again.code, 2);
    assert!(again.err.contains("is there already"), "{}", again.err);
}
