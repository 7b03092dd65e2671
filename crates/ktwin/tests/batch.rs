//! `ktwin judge` and `ktwin merge`: batches that are killed, shared out and put together again, and what a ranking says
//! of sixty submissions.
#![cfg(target_os = "linux")]

#[path = "batch/softmax.rs"]
mod softmax;
#[path = "batch/speed.rs"]
mod speed;
mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{Run, command, files, folder, ktwin};

const TASK: &str = "name = 'rows'\nop = 'softmax'\nsecret = 'nobody knows this one'\nlanguages = ['c', 'wgsl']\n\
                    plan = 'quick'\nlimits = { launch = 2, total = 30, memory = 300 }\n\
                    dims = { R = '1..=65535', D = '1..=16384' }\n";
/// Sizes for what is about batches, and not about kernels.
const SMALL: &str = "dims = { R = '1..=12', D = '1..=70' }";

/// Kernels on the host need a compiler, and hostile ones the whole box.
fn can_judge() -> bool {
    let compiler =
        ktwin_devices::find("native", ktwin_devices::Limits::default()).is_ok_and(|n| n.probe().is_ok());
    let whole = ktwin_devices::sandbox().is_ok_and(|standing| standing.is_whole());
    if !(compiler && whole) {
        eprintln!("skipped: no compiler, or no whole sandbox");
    }
    compiler && whole
}

fn write(path: PathBuf, text: &str) -> String {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// The same with small sizes.
fn small(name: &str, of: &[&str]) -> (PathBuf, String, String) {
    let (dir, task, handed_in) = prepared(name, of);
    let text = TASK.replace("dims = { R = '1..=65535', D = '1..=16384' }", SMALL);
    assert_ne!(text, TASK);
    std::fs::write(&task, text).unwrap();
    (dir, task, handed_in)
}

/// A folder with the task and the submissions whose names begin so.
fn prepared(name: &str, of: &[&str]) -> (PathBuf, String, String) {
    let dir = folder(name);
    let task = write(dir.join("task.toml"), TASK);
    for one in softmax::all().iter().filter(|s| of.iter().any(|of| s.name.starts_with(of))) {
        write(dir.join("handed_in").join(&one.name), &one.text);
    }
    let handed_in = dir.join("handed_in").display().to_string();
    (dir, task, handed_in)
}

/// The results of a file: by the last part of the name.
fn results(out: &Path) -> BTreeMap<String, Value> {
    let text = std::fs::read_to_string(out).unwrap();
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        if value["record"] == "result" {
            let name = value["submission"].as_str().unwrap().rsplit('/').next().unwrap().to_string();
            assert!(found.insert(name.clone(), value).is_none(), "{name} is counted twice");
        }
    }
    found
}

fn verdicts(out: &Path) -> BTreeMap<String, String> {
    let verdict = |v: &Value| v["verdict"].as_str().unwrap().to_string();
    results(out).iter().map(|(name, value)| (name.clone(), verdict(value))).collect()
}

#[test]
#[ignore = "long: run by .ci/run"]
fn sixty_submissions_are_ranked_without_an_error() {
    if !can_judge() {
        return;
    }
    let (dir, task, handed_in) = prepared("batch-sixty", &["right", "wrong", "hostile"]);
    let forms = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../kernels/forms/c");
    for name in files(&forms).iter().filter(|n| {
        n.starts_with("softmax__") && !["f64", "fixed", "constant"].iter().any(|one| n.contains(one))
    }) {
        std::fs::copy(forms.join(name), dir.join("handed_in").join(format!("right_{name}"))).unwrap();
    }
    let out = dir.join("results.jsonl");
    let started = Instant::now();
    let run = ktwin(&["judge", &task, &handed_in, "--out", &out.display().to_string()]);
    println!("60 submissions in {:.1} s", started.elapsed().as_secs_f64());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let all = results(&out);
    assert_eq!(all.len(), 60, "{:?}", all.keys());
    assert_eq!(all.keys().filter(|name| name.starts_with("right_")).count(), 30);
    assert_eq!(all.keys().filter(|name| name.starts_with("hostile_")).count(), 10);
    for (name, value) in &all {
        assert_eq!(value["verdict"] == "pass", name.starts_with("right_"), "{name}: {value}");
        assert!(value["verdict"] != "error" && value["verdict"] != "skip", "{name}: {value}");
    }
    // the thirty that are right stand above all others
    let ranked: Vec<&str> = run.out.lines().skip(1).take(60).collect();
    assert!(ranked[..30].iter().all(|line| line.contains("right_")), "{}", run.out);
    assert!(ranked[30..].iter().all(|line| line.starts_with('-')), "{}", run.out);
}

#[test]
fn a_killed_run_goes_on_where_it_stopped() {
    if !can_judge() {
        return;
    }
    let (dir, task, handed_in) = small("batch-killed", &["right"]);
    let (whole, part) = (dir.join("whole.jsonl"), dir.join("part.jsonl"));
    let judge = |out: &Path| ktwin(&["judge", &task, &handed_in, "--out", &out.display().to_string()]);
    assert_eq!(judge(&whole).code, 0);
    for signal in ["KILL", "TERM", "KILL"] {
        let before = std::fs::read_to_string(&part).unwrap_or_default().lines().count();
        let mut run =
            command(&["judge", &task, &handed_in, "--jobs", "2", "--out", &part.display().to_string()]);
        let mut child = run.stdout(std::process::Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        while std::fs::read_to_string(&part).unwrap_or_default().lines().count() < before.max(1) + 3 {
            assert!(begun.elapsed() < Duration::from_secs(60), "nothing is written");
            std::thread::sleep(Duration::from_millis(5));
        }
        let kill = [format!("-{signal}"), child.id().to_string()];
        assert!(std::process::Command::new("kill").args(kill).status().unwrap().success());
        child.wait().unwrap();
    }
    // a line that was not finished
    let mut text = std::fs::read_to_string(&part).unwrap();
    let known = results(&part).len();
    assert!(known < 18, "{known}");
    text.push_str("{\"record\":\"result\",\"submission\":\"x");
    std::fs::write(&part, text).unwrap();
    let run = judge(&part);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains(&format!("{known} of them earlier")), "{}", run.out);
    assert_eq!(verdicts(&part), verdicts(&whole));
    assert_eq!(verdicts(&whole).len(), 18);
    // nothing is left to do
    assert!(judge(&part).out.contains("18 of them earlier"));
}

/// What nobody judged is not put together with the rest.
fn refuses_forged(whole: &Path, forged: &Path, merge: impl Fn(&[PathBuf]) -> Run) {
    let text = std::fs::read_to_string(whole).unwrap();
    let pass = text.lines().find(|line| line.contains("\"pass\"")).unwrap();
    let of = |key: &str| {
        let rest = pass.split(&format!("\"{key}\":")).nth(1).unwrap();
        rest.split(',').next().unwrap().trim_matches('"')
    };
    let merged = |text: String| {
        std::fs::write(forged, text).unwrap();
        let run = merge(&[forged.to_path_buf()]);
        assert!(run.code == 2 && run.err.lines().count() == 1, "{}", run.err);
        run.err
    };
    // counts that no run comes to
    let more = pass.replace(&format!("\"passed\":{}", of("passed")), "\"passed\":99999");
    let said = merged(text.replace(pass, &more));
    assert!(said.contains("no run says so") && said.contains("line "), "{said}");
    // a name that would begin a line of its own
    merged(text.replace(pass, &more.replace(of("submission"), "a\\nktwin: all is well")));
    // one submission with two contents
    let content = of("content");
    let said = merged(format!("{text}{}\n", pass.replace(content, &"0".repeat(content.len()))));
    assert!(said.contains("has two results, of different contents"), "{said}");
}

#[test]
fn parts_together_are_the_whole() {
    if !can_judge() {
        return;
    }
    let (dir, task, handed_in) = small("batch-parts", &["right_", "wrong_1"]);
    let whole = dir.join("whole.jsonl");
    let judge = |out: &Path, more: &[&str]| {
        let out = out.display().to_string();
        ktwin(&[&["judge", &task, &handed_in, "--out", &out], more].concat())
    };
    assert_eq!(judge(&whole, &[]).code, 0);
    let parts: Vec<PathBuf> = (1..=3).map(|k| dir.join(format!("part{k}.jsonl"))).collect();
    for (number, part) in parts.iter().enumerate() {
        assert_eq!(judge(part, &["--shard", &format!("{}/3", number + 1)]).code, 0);
    }
    assert!(parts.iter().all(|part| results(part).len() < verdicts(&whole).len()));
    let merged = dir.join("merged.jsonl");
    let merge = |parts: &[PathBuf]| {
        let mut args: Vec<String> = parts.iter().map(|p| p.display().to_string()).collect();
        args.extend(["--out".to_string(), merged.display().to_string()]);
        ktwin(&[&["merge"], &args.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat())
    };
    let run = merge(&parts);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert_eq!(verdicts(&merged), verdicts(&whole));
    // the same part twice counts once, and a part that is missing is noticed
    let run = merge(&[parts[0].clone(), parts[0].clone(), parts[2].clone()]);
    assert_eq!(run.code, 3, "{}", run.out);
    assert!(run.out.contains("part 2/3 is missing"), "{}", run.out);
    refuses_forged(&whole, &dir.join("forged.jsonl"), merge);
    // another task
    let other = write(dir.join("other.toml"), &TASK.replace("this one", "that one"));
    let out = whole.display().to_string();
    let run = ktwin(&["judge", &other, &handed_in, "--out", &out]);
    assert_eq!(run.code, 2, "{}", run.out);
    assert!(run.err.contains("results of another task"), "{}", run.err);
    // a task that nothing fits, or that is too much work, is the task's mistake
    for (limit, says) in
        [("R < 0", "no case is left"), ("R > 8000\", \"D > 1000", "too much work for a plan")]
    {
        let none = write(dir.join("none.toml"), &format!("{TASK}\nwhere = [\"{limit}\"]\n"));
        let run =
            ktwin(&["judge", &none, &handed_in, "--out", &dir.join("none.jsonl").display().to_string()]);
        assert!(run.code == 2 && run.err.contains(says), "{}{}", run.out, run.err);
    }
    let last = dir.join("last.jsonl").display().to_string();
    ktwin(&["judge", &other, &format!("{handed_in}/right_0.c"), "--out", &last]);
    let run = ktwin(&["merge", &out, &last, "--out", &merged.display().to_string()]);
    assert!(run.code == 2 && run.err.contains("results of another task"), "{}", run.err);
}

#[test]
fn the_same_task_says_the_same_and_duplicates_are_judged_once() {
    if !can_judge() {
        return;
    }
    let (dir, task, handed_in) = small("batch-twice", &["right_0", "wrong_0", "wrong_4"]);
    let text = std::fs::read_to_string(dir.join("handed_in/wrong_4.c")).unwrap();
    write(dir.join("handed_in/again/wrong_4_again.c"), &text);
    write(dir.join("handed_in/wrong_4_other.c"), &format!("{text}\n// by another hand\n"));
    let one = |name: &str| {
        let out = dir.join(name);
        let run = ktwin(&["judge", &task, &handed_in, "--out", &out.display().to_string()]);
        assert_eq!(run.code, 0, "{}{}", run.out, run.err);
        let mut all = results(&out);
        all.values_mut().for_each(|value| value["seconds"] = Value::Null);
        (run.out, all)
    };
    let (said, first) = one("one.jsonl");
    assert_eq!(first, one("two.jsonl").1);
    // names are sorted: the copy in the folder comes first
    assert!(said.contains("wrong_4.c  (the same file as "), "{said}");
    assert!(said.contains("wrong_4_other.c  (the same code as "), "{said}");
    assert_eq!(first["wrong_4_again.c"]["verdict"], first["wrong_4.c"]["verdict"]);
    assert!(said.contains("(2 like others)"), "{said}");
}

#[test]
fn hidden_inputs_stay_hidden() {
    if !can_judge() {
        return;
    }
    let (dir, task, _) = prepared("batch-hidden", &["none"]);
    // it tells what it read wherever it can
    let text = softmax::all().remove(0).text.replace(
        "float most",
        "for (int i = 0; i < 4; i++) fprintf(stderr, \"told %a\\n\", x[0]); y[0] = x[0]; abort(); float most",
    );
    let crash = write(dir.join("handed_in/crash.c"), &text);
    let wrong = text.replace("abort();", "return;");
    let wrong = write(dir.join("handed_in/wrong.c"), &wrong);
    // and it names a file of the judge as its op
    let read = text.replace("args", &format!("op = \"{task}\"\nargs"));
    let read = write(dir.join("handed_in/read.c"), &read);
    let judge = |task: &str, name: &str| {
        let (out, reports) = (dir.join(name).display().to_string(), dir.join(format!("{name}.reports")));
        let all = [task, &crash, &wrong, &read, "--out", &out, "--reports", &reports.display().to_string()];
        let run = ktwin(&[&["judge"], &all[..]].concat());
        assert_eq!(run.code, 0, "{}{}", run.out, run.err);
        let texts = files(&reports).into_iter().map(|f| std::fs::read_to_string(reports.join(f)).unwrap());
        (run.out.clone() + &std::fs::read_to_string(&out).unwrap() + &texts.collect::<String>(), run.out)
    };
    let (all, table) = judge(&task, "hidden.jsonl");
    assert!(table.contains("crash") && table.contains("fail"), "{table}");
    for tells in ["told", "seed=", "expected", "smallest failing case", "regime", "nobody knows"] {
        assert!(!all.contains(tells), "{tells}: {all}");
    }
    let cases = write(dir.join("cases.toml"), &format!("{TASK}show = 'cases'\n"));
    let (all, _) = judge(&cases, "cases.jsonl");
    assert!(all.contains("smallest failing case: R="), "{all}");
    for tells in ["told", "seed=0", "seed=1", "expected", "nobody knows"] {
        assert!(!all.contains(tells), "{tells}: {all}");
    }
    let values = write(dir.join("values.toml"), &format!("{TASK}show = ['cases', 'values']\n"));
    let (all, _) = judge(&values, "values.jsonl");
    assert!(["told", "seed=", "expected"].iter().all(|tells| all.contains(tells)), "{all}");
}

#[test]
fn what_is_no_submission_is_told_and_nothing_is_left_out() {
    if !can_judge() {
        return;
    }
    let (dir, _, handed_in) = prepared("batch-odd", &["right_0.c"]);
    let task = write(dir.join("small.toml"), &TASK.replace("memory = 300", "memory = 300, source = 4"));
    for (name, text) in
        [("none.c", "int x;"), ("other.cu", "x"), ("bytes.c", "\u{0}\u{1}"), ("notes.txt", "x")]
    {
        write(dir.join("handed_in").join(name), text);
    }
    // more than the device has: that says nothing of the judge
    let wide = |grid: &str, lanes: &str| {
        format!(
            "/*--- ktwin\nargs = ['x', 'y', {{ R = 'u32', D = 'u32' }}]\ngrid = {grid}\n---*/\n\
             @group(0) @binding(0) var<storage, read> x: array<f32>;\n\
             @group(0) @binding(1) var<storage, read_write> y: array<f32>;\n\
             struct Sizes {{ r: u32, d: u32 }}\n\
             @group(0) @binding(2) var<uniform> s: Sizes;\n\
             @compute @workgroup_size({lanes})\n\
             fn softmax(@builtin(global_invocation_id) id: vec3u) {{ y[id.x] = x[id.x] * f32(s.r + s.d); }}\n"
        )
    };
    write(dir.join("handed_in/grid.wgsl"), &wide("['R * 4000000000', 4000000000, 4000000000]", "1"));
    write(dir.join("handed_in/lanes.wgsl"), &wide("['R']", "4096"));
    std::fs::write(dir.join("handed_in/latin.c"), b"/*--- ktwin\n\xff\n---*/").unwrap();
    write(dir.join("handed_in/long.c"), &"//\n".repeat(4000));
    let endless = dir.join("handed_in/endless.c");
    assert!(std::process::Command::new("mkfifo").arg(&endless).status().unwrap().success());
    let out = dir.join("results.jsonl");
    let run = ktwin(&["judge", &task, &handed_in, "--out", &out.display().to_string()]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let all = results(&out);
    let names: Vec<&str> = all.keys().map(String::as_str).collect();
    let wanted =
        ["bytes.c", "endless.c", "grid.wgsl", "lanes.wgsl", "latin.c", "long.c", "none.c", "other.cu"];
    assert_eq!(names, [&wanted[..], &["right_0.c"]].concat());
    for (name, value) in &all {
        let wanted = if name == "right_0.c" { "pass" } else { "invalid" };
        assert_eq!(value["verdict"], wanted, "{name}: {value}");
    }
    assert_eq!(all["other.cu"]["reason"], "the task allows c, wgsl");
    assert_eq!(all["long.c"]["reason"], "12 KiB is too large; the task allows 4 KiB");
}

#[test]
fn a_submission_may_not_take_all_the_time() {
    if !can_judge() {
        return;
    }
    let (dir, _, handed_in) = prepared("batch-time", &["right_0.c", "hostile_1."]);
    let text = TASK.replace("launch = 2, total = 30", "launch = 60, total = 8");
    let (task, out) = (write(dir.join("short.toml"), &text), dir.join("results.jsonl"));
    let run = ktwin(&["judge", &task, &handed_in, "--jobs", "1", "--out", &out.display().to_string()]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let all = results(&out);
    assert_eq!(all["right_0.c"]["verdict"], "pass");
    assert_eq!(all["hostile_1.c"]["verdict"], "hang");
    assert_eq!(all["hostile_1.c"]["reason"], "it took longer than the task's limit of 8 s");
}

#[test]
fn the_example_of_the_documentation_runs() {
    if !can_judge() {
        return;
    }
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/judge.md");
    let text = std::fs::read_to_string(docs).unwrap();
    let block = |language: &str| {
        let start = text.find(&format!("```{language}\n")).unwrap() + language.len() + 4;
        text[start..start + text[start..].find("```").unwrap()].to_string()
    };
    let dir = folder("batch-docs");
    write(dir.join("task.toml"), &block("toml"));
    write(dir.join("secret.txt"), "of the judge alone");
    write(dir.join("submissions/first.c"), &block("c"));
    let shell = block("sh");
    let line = shell.lines().find(|line| line.starts_with("ktwin judge")).unwrap();
    let mut run = command(&line.split_whitespace().skip(1).collect::<Vec<_>>());
    let output = run.current_dir(&dir).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("1 submission: 1 pass"), "{said}");
    assert_eq!(files(&dir.join("reports")).len(), 1);
}
