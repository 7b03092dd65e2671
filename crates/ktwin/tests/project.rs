//! What a project says of its kernels, as a user meets it: `ktwin.toml`, tolerances, audits, golden outputs.

mod support;

use std::path::{Path, PathBuf};

use ktwin_check::Registry;
use support::{folder, ktwin, refuse, succeed};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A project of its own with some kernels and a registry.
fn project(name: &str, kernels: &[&str], registry: &str) -> PathBuf {
    let folder = folder(name);
    std::fs::create_dir(folder.join(".git")).unwrap();
    std::fs::create_dir(folder.join("kernels")).unwrap();
    for kernel in kernels {
        let file = root().join(kernel);
        std::fs::copy(&file, folder.join("kernels").join(file.file_name().unwrap())).unwrap();
    }
    if !registry.is_empty() {
        std::fs::write(folder.join("ktwin.toml"), registry).unwrap();
    }
    folder
}

fn path(folder: &Path, name: &str) -> String {
    folder.join("kernels").join(name).display().to_string()
}

fn entry(lines: &str) -> String {
    format!("[[kernel]]\n{lines}\nwhy = \"a reason of ours\"\n")
}

const NORM: &str = "kernels/wgsl/rmsnorm_naive.wgsl";

#[test]
fn the_registry_names_the_policy_that_decides() {
    let registry = entry("path = \"kernels/rms*.wgsl\"\npolicy = \"allclose:1e-2,1e-2\"");
    let folder = project("registry-policy", &[NORM], &registry);
    let file = path(&folder, "rmsnorm_naive.wgsl");
    let out = succeed(&["test", &file, "--quick", "--seed", "3"]);
    assert!(out.contains("decided by allclose:1e-2,1e-2, since a reason of ours"), "{out}");
    let by = succeed(&["test", &file, "--quick", "--seed", "3", "--policy", "bar", "--why", "to see"]);
    assert!(by.contains("decided by bar"), "the command line comes first: {by}");
    let weaker = ktwin(&["test", &file, "--quick", "--min-promise", "compute=f32"]);
    assert!(weaker.code == 1 && weaker.out.contains("decides, not the error bar"), "{}", weaker.out);
    let text = std::fs::read_to_string(&file).unwrap();
    let own = text.replacen("op ", "policy = { use = 'ulp:9', why = 'w' }\nop ", 1);
    assert_ne!(own, text);
    std::fs::write(&file, own).unwrap();
    let twice = ktwin(&["test", &file, "--quick"]);
    assert!(twice.code == 2 && twice.out.contains("ktwin.toml:1 another"), "{}", twice.out);
}

#[test]
fn the_examples_of_the_page_are_read() {
    let page = std::fs::read_to_string(root().join("docs/project.md")).unwrap();
    let toml = page.split("```toml\n").nth(1).and_then(|block| block.split("```").next()).unwrap();
    let folder = project("registry-page", &[], toml);
    assert_eq!(Registry::of(&folder).unwrap().unwrap().entries.len(), 2);
}

#[test]
fn a_wrong_registry_is_told_of_with_its_line() {
    let folder = project("registry-wrong", &[NORM], "[[kernel]]\npath = \"kernels/*\"\npolicy = \"ulp:4\"\n");
    let run = ktwin(&["test", &path(&folder, "rmsnorm_naive.wgsl"), "--quick"]);
    assert!(
        run.code == 2 && run.out.contains("ktwin.toml:1:1") && run.out.contains("needs `why`"),
        "{}",
        run.out
    );
}

#[test]
fn a_device_of_the_registry_is_one_that_there_is() {
    let of = |device: &str| {
        let lines = format!("path = \"kernels/*.wgsl\"\nexpect = \"fail\"\ndevice = \"{device}\"");
        let folder = project("registry-device", &[NORM], &entry(&lines));
        ktwin(&["test", &path(&folder, "rmsnorm_naive.wgsl"), "--quick", "--seed", "3"])
    };
    let unknown = of("gpu");
    assert!(unknown.code == 2 && unknown.out.contains("ktwin.toml:1: no device `gpu`"), "{}", unknown.out);
    for elsewhere in ["metal", "opencl:0", "./a/program"] {
        assert_eq!(of(elsewhere).code, 0, "{elsewhere}");
    }
}

#[test]
fn a_failure_that_is_expected_is_one_until_it_is_gone() {
    let fault = "faults/rmsnorm_no_barrier.wgsl";
    let expected = |until: &str, finding: &str| {
        let what =
            format!("path = \"kernels/*.wgsl\"\nexpect = \"fail\"\nfinding = \"{finding}\"\nuntil = {until}");
        project("registry-expected", &[fault], &entry(&what))
    };
    let test = |folder: &Path| ktwin(&["test", &folder.display().to_string(), "--quick", "--seed", "3"]);
    let known = test(&expected("2999-12-31", "race"));
    assert_eq!(known.code, 0, "{}{}", known.out, known.err);
    assert!(
        known.out.contains("1 failed as expected") && known.out.contains("a reason of ours"),
        "{}",
        known.out
    );
    assert!(!known.out.contains("repeat:"), "{}", known.out);
    let folder = expected("2999-12-31", "race").display().to_string();
    let least = ["test", &folder, "--quick", "--seed", "3", "--min-promise", "compute=f32"];
    assert_eq!(ktwin(&least).code, 1, "an expectation excuses nothing where a least promise is asked");
    let past = test(&expected("2001-12-31", "race"));
    assert!(past.code == 1 && past.out.contains("2001-12-31, which is past"), "{}", past.out);
    let other = test(&expected("2999-12-31", "deadlock"));
    assert!(other.code == 1 && other.out.contains("something else"), "{}", other.out);
    let mended = project("registry-mended", &[NORM], &entry("path = \"kernels/*.wgsl\"\nexpect = \"fail\""));
    let run = ktwin(&["test", &mended.display().to_string(), "--seed", "3"]);
    assert!(run.code == 1 && run.out.contains("remove that entry"), "{}", run.out);
    let part = test(&mended);
    assert!(part.code == 0 && part.out.contains("which these cases do not show"), "{}", part.out);
}

#[test]
fn an_entry_for_all_below_a_folder_has_kernels() {
    let registry = entry("path = \"kernels/**\"\npolicy = \"bar:1\"");
    let folder = project("tolerances-below", &["kernels/wgsl/silu.wgsl"], &registry);
    let run = ktwin(&["tolerances", &folder.display().to_string()]);
    assert!(run.code == 0 && run.out.contains("silu.wgsl  silu: bar:1"), "{}{}", run.out, run.err);
}

#[test]
fn every_tolerance_is_listed_with_what_it_would_let_through() {
    let registry = [
        entry("path = \"kernels/rmsnorm_naive.wgsl\"\npolicy = \"allclose:1,10\""),
        entry("path = \"kernels/silu.wgsl\"\npolicy = \"bar:1\""),
        entry("path = \"kernels/gone.wgsl\"\npolicy = \"bar:2\""),
        entry("path = \"kernels/silu.wgsl\"\nexpect = \"crash\"\nuntil = 2001-12-31"),
    ];
    let folder = project("tolerances", &[NORM, "kernels/wgsl/silu.wgsl"], &registry.concat());
    let run = ktwin(&["tolerances", &folder.display().to_string()]);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    let about = |name: &str| run.out.split(name).nth(1).unwrap_or_else(|| panic!("{}", run.out)).to_string();
    let loose = about("rmsnorm_naive.wgsl");
    assert!(loose.contains("looser than needed") && loose.contains("useless"), "{loose}");
    let silu = about("silu.wgsl");
    let silu = silu.split("gone.wgsl").next().unwrap();
    assert!(!silu.contains("useless") && !silu.contains("too tight"), "{silu}");
    assert!(run.out.contains("no kernel is there") && run.out.contains("its date has passed"), "{}", run.out);
    let here = |folder: &Path| support::command(&["tolerances"]).current_dir(folder).output().unwrap();
    let out = String::from_utf8(here(&folder).stdout).unwrap();
    assert!(out.starts_with("kernels/rmsnorm_naive.wgsl  rmsnorm: "), "{out}");
    // an entry with a mistake is told of by itself, not as one of the first kernel
    let reasoned = entry("path = \"kernels/rmsnorm_naive.wgsl\"\npolicy = \"bar:2\"");
    let mistaken = reasoned + "[[kernel]]\npath = \"kernels/gone.wgsl\"\npolicy = \"bar:2\"\n";
    let mistaken = here(&project("tolerances-why", &[NORM], &mistaken));
    let err = String::from_utf8(mistaken.stderr).unwrap();
    assert!(err.contains("ktwin.toml:5:1: `kernels/gone.wgsl` needs `why`"), "{err}");
    assert!(mistaken.status.code() == Some(2) && !err.contains("rmsnorm_naive"), "{err}");
    let bare = project("tolerances-none", &[NORM], "");
    let none = ktwin(&["tolerances", &bare.display().to_string()]);
    assert!(none.code == 3 && none.err.contains("the error bars decide everything"), "{}", none.err);
}

#[test]
fn a_calibration_writes_the_entry_with_its_evidence() {
    let folder = project("calibrate-write", &["kernels/wgsl/rmsnorm.wgsl"], "");
    let file = path(&folder, "rmsnorm.wgsl");
    let out = succeed(&["calibrate", &file, "--rung", "bf16", "--write"]);
    assert!(out.contains("written to "), "{out}");
    let registry = Registry::of(&folder).unwrap().unwrap();
    assert_eq!((registry.entries.len(), registry.entries[0].path.as_str()), (1, "kernels/rmsnorm.wgsl"));
    let why = &registry.entries[0].why;
    assert!(why.contains("against bf16: honest") && why.contains("--seed 7"), "{why}");
    let tested = succeed(&["test", &file, "--quick", "--seed", "3"]);
    assert!(tested.contains("decided by allclose:rtol="), "{tested}");
    // bf16 is far enough from f32 for the middle of the gap to be too loose
    assert!(out.contains("tighter than the middle of the gap"), "{out}");
    let listed = succeed(&["tolerances", &folder.display().to_string()]);
    assert!(!listed.contains("looser than needed"), "{listed}");
    let again = refuse(&["calibrate", &file, "--rung", "bf16", "--write"]);
    assert!(again.contains("ktwin.toml:1 has the policy"), "{again}");
}

#[test]
fn an_audit_answers_from_what_was_run_and_says_what_was_not() {
    let folder = project("audit", &[NORM, "faults/rmsnorm_no_barrier.wgsl"], "");
    let file = path(&folder, "rmsnorm_naive.wgsl");
    let gaps = ktwin(&["audit", &file, "--seed", "3"]);
    assert_eq!(gaps.code, 3, "{}{}", gaps.out, gaps.err);
    assert!(
        gaps.out.contains("gap    performance") && gaps.out.contains("no record of this text"),
        "{}",
        gaps.out
    );
    assert!(
        gaps.out.contains("repeat: ktwin test ") && gaps.out.contains("--device sim --seed 3"),
        "{}",
        gaps.out
    );
    let open: Vec<&str> = gaps.out.lines().filter(|l| l.starts_with("gap ")).map(|l| &l[7..18]).collect();
    let open = open.iter().map(|key| key.trim()).collect::<Vec<_>>().join(",");
    let page = succeed(&["audit", &file, "--seed", "3", "--allow", &open, "--format", "markdown"]);
    assert!(
        page.starts_with("# Audit of ") && page.contains("| open | `performance` | was it measured"),
        "{page}"
    );
    let json = succeed(&["audit", &file, "--seed", "3", "--allow", &open, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["answer"], "shown");
    assert_eq!((&json["items"][0]["key"], &json["items"][0]["answer"]), (&"right".into(), &"shown".into()));
    let wrong = ktwin(&["audit", &path(&folder, "rmsnorm_no_barrier.wgsl"), "--seed", "3"]);
    assert_eq!(wrong.code, 1, "{}{}", wrong.out, wrong.err);
    assert!(wrong.out.contains("wrong  sanitizer") && wrong.out.contains("found: "), "{}", wrong.out);
    assert!(refuse(&["audit", &file, "--allow", "perfromance"]).contains("did you mean `performance`?"));
}

#[test]
fn an_audit_of_wrong_values_says_what_else_was_shown() {
    let folder = project("audit_values", &["faults/gemm_transposed.wgsl"], "");
    let args = ["audit", &path(&folder, "gemm_transposed.wgsl"), "--seed", "3", "--quick"];
    let wrong = ktwin(&args);
    assert_eq!(wrong.code, 1, "{}{}", wrong.out, wrong.err);
    assert!(wrong.out.contains("wrong  right        is every case of the plan right"), "{}", wrong.out);
    assert!(
        wrong.out.contains("shown  sanitizer") && wrong.out.contains("sim: nothing found in "),
        "{}",
        wrong.out
    );
    assert!(wrong.out.contains("nan (") && !wrong.out.contains("nan: in no case"), "{}", wrong.out);
    // what was asked for is what repeats it
    assert!(wrong.out.contains("--device sim --seed 3 --quick\n"), "{}", wrong.out);
}

#[test]
fn what_an_audit_says_to_do_about_performance_works() {
    let folder = project("audit_bench", &[NORM], "");
    let here = |args: &[&str]| support::command(args).current_dir(&folder).output().unwrap();
    let audit =
        || String::from_utf8(here(&["audit", "kernels/rmsnorm_naive.wgsl", "--quick"]).stdout).unwrap();
    let said = audit();
    let commands: Vec<&str> =
        said.split('`').filter(|part| part.starts_with("ktwin bench kernels/rmsnorm_naive.wgsl")).collect();
    assert_eq!(commands.len(), 2, "{said}");
    for command in commands {
        let command = command.replace("naive.wgsl", "naive.wgsl --device sim --dims R=4 D=64");
        let done = here(&command.split(' ').skip(1).collect::<Vec<_>>());
        assert_eq!(done.status.code(), Some(0), "{command}: {}", String::from_utf8_lossy(&done.stderr));
    }
    let said = audit();
    assert!(said.contains("gap    performance") && said.contains("against `before`: "), "{said}");
    // a small case says nothing of what it is shipped for
    assert!(said.contains("the largest production shape was not measured, R=512,D=4096"), "{said}");
    assert!(said.contains("now.json, not measured anew: "), "{said}");
    // figures that were written by hand are not believed
    let record = folder.join(".ktwin/bench/now.json");
    let text = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&record, text.replacen("\"warp instructions\": ", "\"warp instructions\": 1", 1)).unwrap();
    let said = audit();
    assert!(said.contains("now.json was changed after it was saved: measure again"), "{said}");
    let other = here(&["bench", "kernels/rmsnorm_naive.wgsl", "--dims", "R=4", "D=64", "--baseline", "now"]);
    let said = String::from_utf8_lossy(&other.stderr);
    assert!(other.status.code() == Some(2) && said.contains("it was changed after it was saved"), "{said}");
}

#[test]
fn golden_outputs_are_pinned_and_drift_is_shown() {
    let folder = project("pin", &[NORM], "");
    let file = path(&folder, "rmsnorm_naive.wgsl");
    let missing = ktwin(&["pin", &file, "--check"]);
    assert!(missing.code == 1 && missing.out.starts_with("missing "), "{}", missing.out);
    // the twin alone, and the device beside it
    assert!(succeed(&["pin", &file, "--twin"]).starts_with("pinned "));
    let more = ktwin(&["pin", &file, "--check"]);
    assert!(more.code == 1 && more.out.contains("this is not pinned"), "{}", more.out);
    let out = succeed(&["pin", &file]);
    assert!(out.starts_with("pinned ") && out.contains("twin and sim"), "{out}");
    assert!(out.contains("beside what was pinned"), "{out}");
    assert!(succeed(&["pin", &file, "--check"]).starts_with("same "));
    let alone = succeed(&["pin", &file, "--twin"]);
    assert!(alone.contains("twin alone (--twin)"), "{alone}");
    // another formula of the kernel's own, still inside its bars: other bits of it, the same twin
    let text = std::fs::read_to_string(&file).unwrap();
    let other = text.replacen("/ root", "* (1.0 / root)", 1);
    assert_ne!(other, text, "{text}");
    std::fs::write(&file, other).unwrap();
    assert!(succeed(&["pin", &file, "--twin"]).starts_with("same "));
    let drift = ktwin(&["pin", &file]);
    assert_eq!(drift.code, 1, "{}{}", drift.out, drift.err);
    let changed = |sign: &str, who: &str| drift.out.contains(&format!("\n  {sign} {who} y: f32 "));
    assert!(changed("-", "sim") && changed("+", "sim") && !drift.out.contains(" twin y"), "{}", drift.out);
    assert!(drift.out.contains("\n    changed among elements "), "{}", drift.out);
    let new = folder.join("kernels/snapshots/rmsnorm_naive.wgsl.snap.new");
    let pending = std::fs::read_to_string(&new).unwrap();
    assert!(pending.starts_with("---\nsource: \"rmsnorm_naive.wgsl\"\n"), "{pending}");
    assert!(succeed(&["pin", &file, "--accept"]).starts_with("taken "));
    assert!(!new.exists() && succeed(&["pin", &file, "--check"]).starts_with("same "));
}

#[test]
fn the_snapshot_in_docs_is_what_is_written() {
    let folder = project("pin_docs", &["kernels/wgsl/gelu.wgsl"], "");
    succeed(&["pin", &path(&folder, "gelu.wgsl")]);
    let snapshot = std::fs::read_to_string(folder.join("kernels/snapshots/gelu.wgsl.snap")).unwrap();
    let page = std::fs::read_to_string(root().join("docs/project.md")).unwrap();
    let shown = page.split("```text\n").find(|block| block.starts_with("---\n")).unwrap();
    let shown = shown.split("```").next().unwrap();
    assert!(snapshot.starts_with(shown), "{snapshot}");
}

#[test]
fn a_pinned_kernel_that_became_wrong_has_changed_and_the_others_are_checked() {
    let folder = project("pin_wrong", &[NORM, "kernels/wgsl/gelu.wgsl"], "");
    let (kernels, file) = (folder.join("kernels"), path(&folder, "rmsnorm_naive.wgsl"));
    let kernels = kernels.to_str().unwrap();
    let missing = std::fs::read_to_string(&file).unwrap().replacen("/ root", "/ root * 1.5", 1);
    succeed(&["pin", kernels]);
    std::fs::write(&file, missing).unwrap();
    let wrong = ktwin(&["pin", kernels, "--check"]);
    assert_eq!(wrong.code, 1, "{}{}", wrong.out, wrong.err);
    let has = |what: &str| wrong.out.lines().any(|line| line.starts_with(what));
    assert!(
        has("changed ") && has("  - sim y: f32 ") && has("  + sim y: f32 ") && has("same "),
        "{}",
        wrong.out
    );
    assert!(wrong.out.contains("wrong values: ") && !wrong.out.contains("times)"), "{}", wrong.out);
    for accepted in [&["pin", &file][..], &["pin", &file, "--accept"]] {
        let refused = ktwin(accepted);
        assert!(refused.code == 1 && refused.out.contains("only what is right is pinned"), "{}", refused.out);
    }
    assert_eq!(support::files(&folder.join("kernels/snapshots")).len(), 2);
    std::fs::remove_dir_all(folder.join("kernels/snapshots")).unwrap();
    let never = ktwin(&["pin", &file]);
    assert!(never.code == 1 && never.out.starts_with("wrong "), "{}{}", never.out, never.err);
    // what cannot be read is no reason to leave out the rest
    std::fs::write(&file, "/*--- ktwin\nop = \"rmsnrm\"\n---*/\n").unwrap();
    let unread = ktwin(&["pin", kernels]);
    assert!(unread.code == 2 && unread.out.contains("pinned "), "{}{}", unread.out, unread.err);
}

#[test]
fn real_weights_take_the_place_of_drawn_ones() {
    let folder = project("weights", &[NORM, "kernels/wgsl/rmsnorm.wgsl"], "");
    let file = path(&folder, "rmsnorm_naive.wgsl");
    let values: Vec<f64> = (0..24).map(|n| f64::from(n) / 8.0 - 1.5).collect();
    let w = support::save(&folder, "w.npy", ktwin_num::DType::F32, &[24], &values);
    let weights = format!("w={w}");
    let out = succeed(&["test", &file, "--quick", "--seed", "3", "--format", "json", "--weights", &weights]);
    assert!(out.contains("\"D\":24"), "a case has the array whole: {out}");
    let fails = ktwin(&["test", &file, "--quick", "--weights", &weights, "--policy", "exact", "--why", "w"]);
    assert!(
        fails.code == 1 && fails.out.contains(&format!("--weights {weights}")),
        "it repeats: {}",
        fails.out
    );
    let from_model = format!("w={}:nothing", support::sample("model.gguf"));
    assert!(refuse(&["test", &file, "--weights", &from_model]).contains("no array `nothing`"));
    for array in ["model.safetensors:w", "model.gguf:h"] {
        let weights = format!("w={}", support::sample(array));
        let out = succeed(&["test", &file, "--quick", "--seed", "3", "--weights", &weights]);
        assert!(out.starts_with("pass ") && out.contains("with the given arrays for w"), "{array}: {out}");
    }
    let matrix = support::save(&folder, "m.npy", ktwin_num::DType::F32, &[2, 12], &values);
    let wrong = ktwin(&["test", &file, "--quick", "--weights", &format!("w={matrix}")]);
    assert!(
        wrong.code == 2 && wrong.out.contains("has the shape [2, 12], and the op has w[D]"),
        "{}",
        wrong.out
    );
    let none = ktwin(&["test", &file, "--quick", "--weights", &format!("ww={w}")]);
    assert!(none.code == 2 && none.out.contains("did you mean `w`?"), "{}", none.out);
}

#[test]
fn a_test_in_rust_holds_a_kernel_to_its_snapshot() {
    let folder = project("pinned", &[NORM], "");
    let file = path(&folder, "rmsnorm_naive.wgsl");
    let drifted = || {
        let pinned = std::panic::catch_unwind(|| ktwin::kernel(&file).pinned());
        pinned.err().map(|said| said.downcast_ref::<String>().cloned().unwrap_or_default())
    };
    let snapshot = folder.join("kernels/snapshots/rmsnorm_naive.wgsl.snap");
    let next = snapshot.with_extension("snap.new");
    let said = drifted().unwrap();
    assert!(said.starts_with("nothing is pinned of "), "{said}");
    // where CI is set, nothing is written
    if std::env::var_os("CI").is_none() {
        assert!(said.contains("cargo insta review") && next.is_file() && !snapshot.exists(), "{said}");
    }
    succeed(&["pin", &file]);
    assert_eq!(drifted(), None);
    let text = std::fs::read_to_string(&snapshot).unwrap();
    let (at, _) = text.match_indices("twin y").next().unwrap();
    let line = text[at..].lines().next().unwrap();
    std::fs::write(&snapshot, text.replacen(line, "twin y: f64 [1] 00 = 1.0", 1)).unwrap();
    let said = drifted().unwrap();
    assert!(said.contains("is not as it was pinned") && said.contains("twin y"), "{said}");
}
