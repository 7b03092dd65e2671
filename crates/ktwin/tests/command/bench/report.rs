//! Figures in files: `ktwin bench --report`.

use std::path::Path;

use super::{bench, kernel};
use crate::support::folder;

/// What the files of a run hold, by extension.
fn reports(folder: &Path, args: &[&str]) -> [String; 4] {
    let files = ["r.html", "r.md", "r.csv", "r.json"];
    let mut all = args.to_vec();
    all.extend(["--time", "0.2", "--precision", "50"]);
    files.iter().for_each(|file| all.extend(["--report", file]));
    let run = bench(folder, &all);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    files.map(|file| std::fs::read_to_string(folder.join(file)).unwrap())
}

#[test]
fn a_run_is_told_in_every_kind_of_file() {
    let folder = folder("bench-report");
    let quick = kernel(&folder, "quick.c", "", "work(x, y, n);");
    let slow = kernel(&folder, "slow.c", "", "for (volatile int k = 0; k < 8; k++) work(x, y, n);");
    let args = [&*quick, "--dims", "N=512,4096", "--vs", &slow, "--rounds", "8"];
    let [page, markdown, csv, json] = reports(&folder, &args);
    // one file that needs nothing else
    for foreign in ["<script", "http:", "https:", "<link rel=\"stylesheet", "@import"] {
        assert!(!page.replace("http://www.w3.org/2000/svg", "").contains(foreign), "{foreign}: {page}");
    }
    for part in [
        "prefers-color-scheme: dark",
        "width=device-width",
        "<li>N=512,regime=normal</li>",
        "GFLOP/s",
        "faster",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let plots = |label: &str| page.matches(&format!("aria-label='{label}'")).count();
    assert_eq!(plots("time against size"), 1, "{page}");
    // a comparison in each case, with the caches cold and warm or warm alone
    assert!(plots("times of both") >= 2, "{page}");
    assert!(!page.contains("NaN") && !page.contains("inf"), "{page}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["cases"].as_array().map(Vec::len), Some(2), "{json}");
    // where the roof can be measured it is drawn, with a mark a case and state of the caches
    let series: usize =
        json["cases"].as_array().unwrap().iter().map(|c| c["times"].as_array().unwrap().len()).sum();
    if json["cases"][0]["roof"].is_object() {
        assert_eq!(plots("roofline"), 1, "{page}");
        let from = &page[page.find("aria-label='roofline'").unwrap()..];
        assert_eq!(from[..from.find("</svg>").unwrap()].matches("<circle").count(), series, "{page}");
    }
    assert!(
        markdown.starts_with("# quick.c  silu on native")
            && markdown.contains("| N=4096,regime=normal | warm |"),
        "{markdown}"
    );
    assert_eq!(csv.lines().count(), 1 + series, "{csv}");
}

#[test]
fn counts_have_a_page_too() {
    let folder = folder("bench-report-counts");
    let shader = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/wgsl/rmsnorm.wgsl");
    let [page, markdown, ..] = reports(&folder, &[shader, "--device", "sim", "--dims", "R=4", "D=256,512"]);
    assert!(
        page.contains("<td>warp instructions<td>") && page.contains("warp instructions against size"),
        "{page}"
    );
    assert!(!page.contains("roofline") && markdown.contains("| warp instructions |"), "{page}{markdown}");
}

#[test]
fn a_report_that_cannot_be_is_refused_before_anything_is_measured() {
    let folder = folder("bench-report-refused");
    let name = kernel(&folder, "one.c", "", "work(x, y, n);");
    for (file, says) in [
        ("r.pdf", "a report ends in .html, .md, .csv, .json"),
        ("none/r.html", "name a file in a folder that can be written to"),
        ("one.c", "which a report would replace"),
    ] {
        let run = bench(&folder, &[&*name, "--dims", "N=64", "--report", file]);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{file}: {}", run.err);
        assert!(run.err.contains(says) && !run.err.contains("measuring"), "{file}: {}", run.err);
    }
}
