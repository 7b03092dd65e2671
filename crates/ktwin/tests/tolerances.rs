//! `ktwin judge-rule`, `ktwin calibrate` and `ktwin test --policy` as a user calls them, and docs/tolerances.md, which
//! the first of them makes.

mod support;

use std::path::PathBuf;

use ktwin_check::policy_examples::EXAMPLES;
use ktwin_check::{Kernel, PRESETS, RULES};
use support::{folder, ktwin, refuse, succeed};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn kernel(name: &str) -> String {
    root().join("kernels/wgsl").join(name).display().to_string()
}

/// The cells of a rule's line in a table.
fn cells<'t>(text: &'t str, rule: &str) -> Vec<&'t str> {
    let line =
        text.lines().find(|line| line.trim_start().starts_with(rule)).unwrap_or_else(|| panic!("{text}"));
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

#[test]
fn rules_are_judged_in_one_table() {
    let args = ["judge-rule", "--op", "row_sum,softmax", "--storage", "f32", "bar", "exact", "nmse_q4"];
    let text = succeed(&args);
    assert_eq!(cells(&text, "bar")[1..5], ["0"; 4], "{text}");
    // a term that a changed formula drops may be smaller than the roundings of the sum
    assert!(cells(&text, "bar")[5].starts_with("0.") && text.contains(", 477 wrong\n"), "{text}");
    assert!(cells(&text, "exact")[1] != "0" && cells(&text, "exact")[3] == "0", "{text}");
    assert!(cells(&text, "nmse_q4")[1] == "0" && cells(&text, "nmse_q4")[3] == "100.0 %", "{text}");
    assert_eq!(succeed(&args), text, "one seed, one table");
    assert!(refuse(&["judge-rule", "nsme:1"]).contains("did you mean `nmse`?"));
    assert!(refuse(&["judge-rule", "--storage", "q4_0"]).contains("write f32, f16 or bf16"));
}

#[test]
fn the_page_has_every_policy_with_its_formula_and_its_example_is_a_contract() {
    let page = std::fs::read_to_string(root().join("docs/tolerances.md")).unwrap();
    let list = succeed(&["judge-rule", "--list"]);
    for row in RULES {
        let formula = row.formula.replace('|', "\\|");
        assert!(page.contains(&format!("| `{}` | {formula} |", row.usage())), "{}", row.name);
        assert!(list.contains(&row.usage()) && list.contains(row.formula), "{}", row.name);
    }
    for one in EXAMPLES {
        let line = format!("| `{}` | {} | {} |", one.policy, one.takes, one.refuses);
        assert!(page.contains(&line), "{line}");
    }
    for preset in PRESETS {
        let judged = format!("| `{}` | ", preset.name);
        assert!(page.matches(&judged).count() == 4 && list.contains(preset.is), "{}", preset.name);
    }
    for toml in page.split("```toml\n").skip(1).filter_map(|block| block.split("```").next()) {
        let kernel = Kernel::of_contract("docs/tolerances.md", toml, ktwin::catalogue::OPS);
        assert!(kernel.unwrap().contract.policy.is_some());
    }
}

#[test]
fn a_calibration_finds_the_gap_and_a_policy_for_the_contract() {
    let svg = folder("calibrate").join("picture.svg");
    let drawn = svg.display().to_string();
    let text = succeed(&["calibrate", &kernel("rmsnorm.wgsl"), "--rung", "bf16", "--svg", &drawn]);
    assert!(text.contains("typical (normal, uniform)") && text.contains("stress (large, mixed"), "{text}");
    assert!(text.contains("gap  ") && text.contains("policy = { use = \"allclose:rtol="), "{text}");
    assert!(std::fs::read_to_string(svg).unwrap().starts_with("<svg "), "{text}");
    let error = refuse(&["calibrate", &kernel("rmsnorm.wgsl"), "--rung", "f64"]);
    assert!(error.contains("the kernel promises f32; name a lower one"), "{error}");
    let error = refuse(&["calibrate", &kernel("rmsnorm.wgsl"), "--share", "75"]);
    assert!(error.contains("write a number from 0 to 1"), "{error}");
}

#[test]
fn a_run_by_a_policy_says_so_and_why() {
    let test = |more: &[&str]| {
        let file = kernel("rmsnorm.wgsl");
        ktwin(&[&["test", &file, "--quick", "--seed", "3"], more].concat())
    };
    let by = test(&["--policy", "kernelbench", "--why", "a first look"]);
    assert_eq!(by.code, 0, "{}{}", by.out, by.err);
    let said = "decided by kernelbench (allclose:rtol=1e-2,atol=1e-2), since a first look";
    assert!(by.out.contains(said), "{}", by.out);
    let exact = test(&["--policy", "exact", "--why", "bits"]);
    assert!(exact.code == 1 && exact.out.contains("refused by exact"), "{}", exact.out);
    assert!(
        exact.out.contains(" --policy exact --why bits"),
        "the command repeats the policy: {}",
        exact.out
    );
    assert!(test(&["--policy", "exact"]).code == 2 && test(&["--policy", "exact", "--why", " "]).code == 2);
}
