//! Kernels, ops and names that reach for more than a kernel of one's own: they get a message, and act on nothing.

use std::path::Path;

use crate::support::{command, folder, ktwin, save};

use ktwin_num::DType;

const SILU: &str = "#include <math.h>\n#include <stdint.h>\n\
    void k(const float *x, float *y, uint32_t n) {\n\
    for (uint32_t i = 0; i < n; i++) y[i] = x[i] / (1 + expf(-x[i])); }\n";

fn written(folder: &Path, name: &str, keys: &str, source: &str) -> String {
    let path = folder.join(name);
    let text = format!("/*--- ktwin\n{keys}\nargs = ['x', 'y', {{ N = 'u32' }}]\n---*/\n{source}");
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn nothing_of_the_system_is_read_or_shown() {
    let folder = folder("strange-system");
    for (keys, says) in [
        ("op = '/etc/passwd'", "a file of the system, in /etc"),
        ("op = '/proc/kmsg'", "a file of the system, in /proc"),
        ("op = 'silu'\ninclude = ['/']", "names a folder of the system"),
        ("op = 'silu'\ninclude = ['../../../../../../../../../etc']", "names a folder of the system"),
    ] {
        let run = ktwin(&["test", &written(&folder, "k.c", keys, SILU), "--quick"]);
        assert_eq!(run.code, 2, "{keys}: {}", run.out);
        assert!(run.out.contains(says) && !run.out.contains("root:"), "{keys}: {}", run.out);
    }
    std::os::unix::fs::symlink("/etc/passwd", folder.join("own.op")).unwrap();
    let run = ktwin(&["test", &written(&folder, "k.c", "op = 'own.op'", SILU), "--quick"]);
    assert!(run.code == 2 && run.out.contains("a file of the system"), "{}", run.out);
}

#[test]
fn a_contract_opens_no_folder_of_others() {
    let folder = folder("strange-include-others");
    let (kernels, secret) = (folder.join("project/kernels"), folder.join("secret"));
    for folder in [&kernels, &folder.join("project/headers"), &secret] {
        std::fs::create_dir_all(folder).unwrap();
    }
    std::fs::write(folder.join("project/ktwin.toml"), "").unwrap();
    std::fs::write(secret.join("secret.h"), "#error TOPSECRET\n").unwrap();
    std::fs::write(folder.join("project/headers/one.h"), "#define ONE 1.0f\n").unwrap();
    let reads = |keys: &str, name: &str| {
        let source = format!("#include <{name}>\n{SILU}");
        written(&kernels, "k.c", &format!("op = 'silu'\ninclude = [{keys}]"), &source)
    };
    let whole = format!("'{}'", secret.display());
    for keys in [whole.as_str(), "'../../secret'", "'../..'"] {
        let run = ktwin(&["test", &reads(keys, "secret.h"), "--quick", "--device", "native"]);
        assert!(run.code == 2 && !run.out.contains("TOPSECRET"), "{keys}: {}", run.out);
        assert!(run.out.contains("leads out of the kernel's project"), "{keys}: {}", run.out);
    }
    let own = reads("'../headers'", "one.h");
    let run = ktwin(&["test", &own, "--quick", "--device", "native"]);
    assert!(!run.out.contains("leads out of"), "{}", run.out);
    let terms = folder.join("terms.toml").display().to_string();
    std::fs::write(&terms, "op = 'silu'\n").unwrap();
    for more in [["--min-promise", "compute=f32"], ["--require", "sandbox"], ["--contract", &terms]] {
        let run = ktwin(&["test", &own, "--quick", "--device", "native", more[0], more[1]]);
        let said = run.out.contains("leads out of the kernel's own folder") || run.err.contains("sandbox is");
        assert!(run.code != 0 && said, "{more:?}: {}{}", run.out, run.err);
    }
    let foreign = reads(&whole, "secret.h");
    let run = command(&["test", &foreign, "--quick"]).env("KTWIN_INCLUDE", &secret).output().unwrap();
    assert!(!String::from_utf8_lossy(&run.stdout).contains("leads out of"), "{run:?}");
}

#[test]
fn what_is_no_op_is_not_shown() {
    let folder = folder("strange-no-op");
    std::fs::write(folder.join("secret.txt"), "TOPSECRET one\n").unwrap();
    std::fs::write(folder.join("secret.op"), "# a note\n\nTOPSECRET two\n").unwrap();
    std::fs::write(folder.join("half.op"), "op half(x[N]) -> y[N]\n\ny[n] = x[n] * * 2\n").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("secret.txt", folder.join("link.op")).unwrap();
    for (op, says) in [
        ("./secret.txt", "the name of an op's file ends in .op"),
        ("link.op", "the name of an op's file ends in .op"),
        ("secret.op", "line 3 does not begin an op"),
        ("half.op", "y[n] = x[n] * * 2"),
    ] {
        let run = ktwin(&["test", &written(&folder, "k.c", &format!("op = '{op}'"), SILU), "--quick"]);
        assert!(run.code == 2 && run.out.contains(says), "{op}: {}", run.out);
        assert!(!run.out.contains("TOPSECRET"), "{op}: {}", run.out);
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_links_of_others() {
    let folder = folder("strange-links");
    let victim = folder.join("victim");
    std::fs::create_dir(&victim).unwrap();
    let link = |from: &str, to: &Path| std::os::unix::fs::symlink(to, folder.join(from)).unwrap();
    let kernel =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/wgsl/silu.wgsl")).unwrap();
    std::fs::write(folder.join("k.wgsl"), &kernel).unwrap();
    std::fs::write(folder.join("bad.wgsl"), kernel.replace("exp(", "exp2(")).unwrap();
    std::fs::create_dir_all(folder.join("out")).unwrap();
    link(".ktwin", &victim);
    link("snapshots", &victim);
    link("out/bad.wgsl-sim", &victim);
    let refused = |words: &[&str]| {
        let run = command(words).current_dir(&folder).output().unwrap();
        let err = String::from_utf8_lossy(&run.stderr).into_owned();
        let said: Vec<&str> = err.lines().filter(|line| line.contains("this is a link")).collect();
        assert!(run.status.code() == Some(2) && said.len() == 1, "{words:?}: {run:?}");
    };
    refused(&["bench", "k.wgsl", "--device", "sim", "--dims", "N=64", "--save", "main"]);
    refused(&["pin", "k.wgsl"]);
    refused(&["test", "bad.wgsl", "--quick", "--device", "sim", "--dump", "out"]);
    assert_eq!(std::fs::read_dir(&victim).unwrap().count(), 0);
    std::fs::remove_file(folder.join("out/bad.wgsl-sim")).unwrap();
    let dumped = ["test", "bad.wgsl", "--quick", "--device", "sim", "--dump", "out"];
    assert_eq!(command(&dumped).current_dir(&folder).output().unwrap().status.code(), Some(1));
    link("out/bad.wgsl-sim/y.map.svg", &victim.join("picture"));
    refused(&["show", "out/bad.wgsl-sim", "--svg"]);
    assert_eq!(std::fs::read_dir(&victim).unwrap().count(), 0);
}

#[test]
fn a_contract_is_not_too_much_for_a_run() {
    let folder = folder("strange-lists");
    let many = |one: &dyn Fn(i64) -> String, n| (1..=n).map(one).collect::<Vec<_>>().join(",");
    let tiles = format!("op = 'silu'\ntile = {{ N = [{}] }}", many(&|n| n.to_string(), 65));
    let sets = format!("op = 'silu'\ndefine = [{}]", many(&|n| format!("{{ A = {n} }}"), 257));
    for (keys, says) in
        [(tiles, "65 sizes of a tile are too many"), (sets, "257 sets of constants are too many")]
    {
        let run = ktwin(&["test", &written(&folder, "k.c", &keys, SILU), "--quick"]);
        assert!(run.code == 2 && run.out.contains(says), "{}", run.out);
    }
}

#[test]
fn names_act_on_no_terminal_and_order_no_runner_about() {
    let folder = folder("strange-names");
    let op = folder.join("t.op");
    std::fs::write(&op, "# t -- \u{202e}\u{1b}[2J\u{1b}[8m evil\nop t(x[N]) -> y[N]\n\ny[n] = x[n] + 1\n")
        .unwrap();
    let run = ktwin(&["ops", &op.display().to_string()]);
    assert!(run.code == 0 && run.out.contains("\\u{202e}\\u{1b}[2J\\u{1b}[8m evil"), "{:?}", run.out);
    assert!(!run.out.chars().any(|c| c.is_control() && c != '\n'), "{:?}", run.out);

    let error = SILU.replacen("void k", "#line 3 \"a\\n  ::stop-commands::t\"\n#error ##[group]x\nvoid k", 1);
    let kernel = written(&folder, "k.c", "op = 'silu'", &error);
    let run = ktwin(&["test", &kernel, "--quick", "--format", "github"]);
    let orders = |line: &&str| line.trim_start().starts_with("::") && !line.starts_with("::error file=");
    assert_eq!(run.out.lines().find(orders), None, "{}", run.out);
    assert!(run.out.contains("::error file=") && run.code != 0, "{}", run.out);
    let told = |line: &str| line.contains("##[") && !line.starts_with("::error");
    assert!(!run.out.lines().any(told), "{}", run.out);
}

#[test]
fn what_includes_itself_is_told_of_in_short() {
    let folder = folder("strange-include");
    let run = ktwin(&["test", &written(&folder, "k.c", "op = 'silu'", "#include \"k.c\"\n"), "--quick"]);
    assert!(run.code != 0 && run.out.lines().count() < 60, "{}", run.out);
}

#[test]
fn a_byte_order_mark_is_no_part_of_an_op() {
    let op = folder("strange-op").join("t.op");
    std::fs::write(&op, "\u{feff}# t -- one more\nop t(x[N]) -> y[N]\n\ny[n] = x[n] + 1\n").unwrap();
    let run = ktwin(&["ops", "--check", &op.display().to_string()]);
    assert!(run.code == 0 && run.out.contains("op t, no mistakes"), "{}{}", run.out, run.err);
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_kernel() {
    let folder = folder("strange-mark");
    let file = written(&folder, "k.c", "op = 'silu'", SILU);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("\u{feff}{text}")).unwrap();
    let run = ktwin(&["test", &file, "--quick", "--seed", "3"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let x = save(&folder, "x.npy", DType::F32, &[2], &[1.0, 2.0]);
    let lost = ktwin(&["compare", "relu", "--in", &format!("x={x}"), "--out", "y\u{1b}[2J=none.npy"]);
    assert!(lost.code == 2 && !lost.err.contains('\u{1b}'), "{:?}", lost.err);
}

#[test]
fn colours_are_not_for_others_to_choose() {
    let folder = folder("strange-colours");
    let op = folder.join("t.op");
    std::fs::write(&op, "# t -- \u{1b}[31mred\nop t(x[N]) -> y[N]\n\ny[n] = x[n] + 1\n").unwrap();
    let run = ktwin(&["ops", &op.display().to_string()]);
    assert!(run.code == 0 && run.out.contains("\\u{1b}[31mred"), "{:?}", run.out);
    let odd = folder.join("a\u{1b}[31m\nwrote more");
    std::fs::create_dir(&odd).unwrap();
    let run = ktwin(&["new", &odd.join("k").display().to_string(), "--op", "silu"]);
    assert_eq!((run.code, run.out.lines().count()), (0, 1), "{:?}", run.out);
    assert!(!run.out.contains('\u{1b}'), "{:?}", run.out);
    let named = odd.join("x.npy");
    std::fs::write(&named, "").unwrap();
    let run = ktwin(&["twin", "silu", "--in", &format!("x={}", named.display()), "-o", "out"]);
    assert_eq!((run.code, run.err.lines().count()), (2, 1), "{:?}", run.err);
}

#[test]
fn an_odd_name_of_a_file_is_a_name() {
    let folder = folder("strange-files");
    let run = ktwin(&["test", &written(&folder, "a\rb \u{1b}[2J.c", "op = 'silu'", SILU), "--quick"]);
    assert!(run.code == 0 || run.out.starts_with("skip"), "{}{}", run.out, run.err);
    assert!(run.out.contains("a\\u{d}b \\u{1b}[2J.c"), "{:?}", run.out);
    assert!(!run.out.chars().any(|c| c.is_control() && c != '\n'), "{:?}", run.out);
}

#[test]
fn a_device_that_is_named_twice_runs_once() {
    let folder = folder("strange-devices");
    let kernel = written(&folder, "k.c", "op = 'silu'", SILU);
    let run = ktwin(&["test", &kernel, "--quick", "--device", "native,native", "--require", "native"]);
    assert_eq!(run.out.matches("silu on native").count(), 1, "{}{}", run.out, run.err);
}

#[test]
fn a_tile_that_fits_nothing_is_named() {
    let folder = folder("strange-tile");
    let run = ktwin(&["test", &written(&folder, "k.c", "op = 'silu'\ntile = { N = 100000000 }", SILU)]);
    assert!(run.code == 2 && run.out.contains("`tile = { N = 100000000 }`"), "{}", run.out);
}
