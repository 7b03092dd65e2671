//! Other people's figures beside ours: `ktwin bench --beside`.

use super::{bench, kernel, measured};
use crate::support::folder;

const GOOGLE: &str = r#"{ "context": {}, "benchmarks": [ { "name": "theirs|4096", "run_type": "iteration",
    "real_time": 2.5, "cpu_time": 2.4, "time_unit": "us", "bytes_per_second": 1.25e10 } ] }"#;
const NVBENCH: &str = r#"{ "benchmarks": [ { "name": "copy", "states": [ { "name": "N=2^20", "is_skipped": false,
    "summaries": [ { "tag": "nv/cold/time/gpu/mean",
      "data": [ { "name": "value", "type": "float64", "value": "1.25e-05" } ] } ] } ] } ] }"#;
const CONSOLE: &str = "  MUL_MAT(m=16,n=1,k=256):     4092 runs -    12.50 us/run -   8.39 kFLOP/run - \
                       \u{1b}[1;34m  1.20 GFLOPS\u{1b}[0m\n";
const CSV: &str =
    "op_name,op_params,time_us,flops,bandwidth_gb_s\n\"ADD\",\"type=f32,k=1\",\"3.0\",\"0\",\"10\"\n";

#[test]
fn what_others_measured_is_in_a_table_of_its_own() {
    let folder = folder("bench-beside");
    let name = kernel(&folder, "silu.c", "", "work(x, y, n);");
    for (file, text) in [("g.json", GOOGLE), ("n.json", NVBENCH), ("l.txt", CONSOLE), ("l.csv", CSV)] {
        std::fs::write(folder.join(file), text).unwrap();
    }
    let files = ["--beside", "g.json", "--beside", "n.json", "--beside", "l.txt", "--beside", "l.csv"];
    let args = [
        &[&*name, "--dims", "N=64"],
        &files[..],
        &["--report", "r.html", "--report", "r.md", "--report", "r.csv"],
    ];
    let (run, code) = measured(&folder, &args.concat());
    assert_eq!(code, 0, "{run}");
    let others = run["others"].as_array().unwrap();
    let seen: Vec<(&str, &str, f64)> = others
        .iter()
        .map(|o| {
            (o["name"].as_str().unwrap(), o["from"].as_str().unwrap(), o["time_ns"].as_f64().unwrap().round())
        })
        .collect();
    let wanted = [
        ("theirs|4096", "Google Benchmark", 2500.0),
        ("copy N=2^20", "nvbench", 12_500.0),
        ("MUL_MAT(m=16,n=1,k=256)", "llama.cpp", 12_500.0),
        ("ADD(type=f32,k=1)", "llama.cpp", 3000.0),
    ];
    assert_eq!(seen, wanted);
    // ours alone are the cases
    assert_eq!(run["cases"].as_array().map(Vec::len), Some(1), "{run}");
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
    let [page, markdown, csv] = ["r.html", "r.md", "r.csv"].map(read);
    assert!(page.contains("<td>theirs|4096<td>Google Benchmark<td>2.50 µs<td>-<td>12.5"), "{page}");
    assert!(markdown.contains("| theirs\\|4096 | Google Benchmark | 2.50 µs | - | 12.5 | - |"), "{markdown}");
    assert!(csv.ends_with("\"ADD(type=f32,k=1)\",llama.cpp,3000.0,,,,,,,10.7374,\n"), "{csv}");
    let columns = |line: &str| line.split(',').count();
    let one = csv.lines().find(|line| line.starts_with("copy")).unwrap();
    assert_eq!(columns(one), columns(csv.lines().next().unwrap()), "{csv}");
    let shown = bench(&folder, &[&*name, "--dims", "N=64", "--time", "0.1", "--beside", "l.txt"]);
    assert!(shown.out.contains("measured by others") && shown.out.contains("12.5 µs"), "{}", shown.out);
}

#[test]
fn a_file_of_no_known_format_is_refused_at_once() {
    let folder = folder("bench-beside-refused");
    let name = kernel(&folder, "silu.c", "", "work(x, y, n);");
    std::fs::write(folder.join("words.txt"), "nothing of the kind\n").unwrap();
    for (file, says) in [("words.txt", "neither the JSON of Google Benchmark"), ("none.json", "none.json")] {
        let run = bench(&folder, &[&*name, "--dims", "N=64", "--beside", file]);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{file}: {}", run.err);
        assert!(run.err.contains(says) && !run.err.contains("measuring"), "{file}: {}", run.err);
    }
}
