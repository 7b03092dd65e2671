//! `ktwin plan` as a user calls it: the cases that `ktwin test` runs, each with its reason.

use crate::support::{folder, ktwin, refuse, succeed};

const KERNEL: &str = "/*--- ktwin
op   = \"relu\"
args = [\"x\", \"y\", { N = \"u32\" }]
tile = { N = 64 }
dims = { N = \"..=100000\" }
---*/
#include <stdint.h>
void relu(const float *x, float *y, uint32_t n) { for (uint32_t i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] : 0; }
";

fn kernel(folder: &std::path::Path) -> String {
    let file = folder.join("relu.c");
    std::fs::write(&file, KERNEL).unwrap();
    file.display().to_string()
}

#[test]
fn every_case_has_its_reason() {
    let folder = folder("plan");
    let file = kernel(&folder);
    let page = succeed(&["plan", &file]);
    for line in [
        "N = 65: one more than a tile of 64",
        "N alone is long",
        "N = 100000, the largest that the contract accepts",
        "data of the regime far",
    ] {
        assert!(page.contains(line), "{line} in\n{page}");
    }
    assert!(page.contains("cases with") && page.contains("tile-1"), "{page}");
    assert!(page.contains("limit\n") && page.contains("  types: x f32, y f32\n"), "{page}");
    // as many as are run
    let json: serde_json::Value =
        serde_json::from_str(&succeed(&["plan", &file, "--format", "json", "--quick"])).unwrap();
    let planned = json["cases"].as_array().unwrap();
    assert!(planned.iter().all(|case| case["why"].as_str().is_some_and(|why| !why.is_empty())), "{json}");
    let run = ktwin(&["test", &file, "--quick", "--format", "json"]);
    let events = run.out.lines().filter(|line| line.contains("\"event\":\"case\"")).count();
    assert!(events == planned.len() || run.code == 3, "{events} of {}: {}", planned.len(), run.err);
}

#[test]
fn what_is_no_kernel_is_refused() {
    let folder = folder("plan-none");
    let file = folder.join("x.c");
    std::fs::write(&file, "int x;\n").unwrap();
    assert!(refuse(&["plan", &folder.display().to_string()]).contains("no file there has a contract"));
    let run = ktwin(&["plan", &file.display().to_string()]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
}

#[test]
fn longer_plans_are_told_when_asked_for() {
    let folder = folder("plan-further");
    let file = kernel(&folder);
    let flags = |page: &str| -> Vec<String> {
        let of = |line: &str| line.trim_start().split_once(':').map(|(flag, _)| flag.to_owned());
        page.lines().filter(|line| line.contains(" times the work, ")).filter_map(of).collect()
    };
    assert_eq!(flags(&succeed(&["plan", &file])), [""; 0]);
    let all = ["the usual plan", "--standard", "--thorough", "--quick --stress"];
    assert_eq!(flags(&succeed(&["plan", &file, "--quick", "--further"])), all);
    assert_eq!(flags(&succeed(&["plan", &file, "--thorough", "--stress", "--further"])), [""; 0]);
}
