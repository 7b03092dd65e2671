//! Jobs as data: `ktwin run-job`, and a batch that another program has judged by it. On the simulator, so that no
//! compiler is needed.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Run, command, folder, refuse, succeed};

const TASK: &str =
    "op = 'silu'\ndims = { N = '1..=16776960' }\nsecret = 'nobody knows this one'\nplan = 'quick'\n";

/// A kernel of the repository, with what replaces one text by another.
fn silu(from: &str, to: &str) -> String {
    let path = format!("{}/kernels/wgsl/silu.wgsl", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap().replace(from, to)
}

/// Runs a command that is given a text.
fn given(args: &[&str], text: &str) -> Run {
    let mut child =
        command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let ended = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run { code: ended.status.code().unwrap_or(-1), out: text(ended.stdout), err: text(ended.stderr) }
}

#[test]
fn a_job_is_data_in_and_a_report_is_data_out() {
    let text = silu("", "");
    let job = json!({
        "schema": 1, "job": 3, "quick": true, "seed": 7, "source": { "name": "mine/silu.wgsl", "text": text },
    });
    let run = given(&["run-job"], &job.to_string());
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let answer: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&answer["schema"], &answer["job"]), (&json!(1), &json!(3)));
    let report = &answer["reports"][0];
    assert_eq!(
        (&report["verdict"], &report["kernel"], &report["seed"]),
        (&json!("pass"), &json!("mine/silu.wgsl"), &json!(7))
    );
}

#[test]
fn what_is_not_a_job_is_refused() {
    let file = folder("jobs-refused").join("job.json");
    let path = file.display().to_string();
    for (job, message) in [
        (json!({ "schema": 1 }), "missing field `source`"),
        (json!(3), "invalid type: integer `3`, expected an object, a Job"),
        (json!({ "schema": "one" }), "invalid type: string \"one\", expected a whole number"),
        (json!({ "schema": 1, "source": 3 }), "expected an object { \"name\": ..., \"text\": ... }"),
        (json!({ "schema": 2, "source": { "name": "a.c", "text": "" } }), "a job of version 2"),
        (json!({ "schema": 1, "sede": 1, "source": { "name": "a.c", "text": "" } }), "unknown field `sede`"),
        (json!({ "schema": 1, "source": { "name": "a.c" } }), "give either `text` or `hex`"),
        (json!({ "schema": 1, "source": { "name": "a.c", "hex": "0" } }), "pairs of hexadecimal digits"),
        (json!({ "schema": 1, "source": { "name": "/", "text": "" } }), "does not name a file"),
    ] {
        std::fs::write(&file, job.to_string()).unwrap();
        let said = refuse(&["run-job", &path]);
        assert!(said.contains(message), "{said}");
    }
    assert!(refuse(&["run-job", "none.json"]).contains("none.json"));
    let secret = file.with_file_name("secret.txt");
    std::fs::write(&secret, "TOPSECRET is what this says\n").unwrap();
    let source = json!({ "name": "a.wgsl", "text": silu("", "") });
    std::fs::write(&file, json!({ "schema": 1, "task": secret, "source": source }).to_string()).unwrap();
    let said = refuse(&["run-job", &path]);
    assert!(said.contains("not a valid task file") && !said.contains("TOPSECRET"), "{said}");
}

/// A task and four submissions: right, wrong, the first again, and no kernel.
fn batch(dir: &Path) -> [String; 2] {
    let all = dir.join("all");
    std::fs::create_dir(&all).unwrap();
    std::fs::write(dir.join("task.toml"), TASK).unwrap();
    for (name, text) in [("a", silu("", "")), ("b", silu("exp(", "exp2(")), ("c", silu("", ""))] {
        std::fs::write(all.join(format!("{name}.wgsl")), text).unwrap();
    }
    std::fs::write(all.join("d.wgsl"), "/*--- ktwin\nargs = [\n---*/\n").unwrap();
    [dir.join("task.toml").display().to_string(), all.display().to_string()]
}

/// The results in a file, without the seconds.
fn results(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    let mut all: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    all.iter_mut().skip(1).for_each(|record| record["seconds"] = json!(0));
    all.sort_by_key(|record| record["submission"].as_str().unwrap_or("").to_string());
    all
}

#[test]
fn a_batch_that_others_judge_is_the_same() {
    let dir = folder("jobs-batch");
    let [task, all] = batch(&dir);
    let (here, there) = (dir.join("here.jsonl"), dir.join("there.jsonl"));
    succeed(&["judge", &task, &all, "--out", &here.display().to_string()]);
    let mut judge = command(&["judge", &task, &all, "--elsewhere", "--out", &there.display().to_string()]);
    let mut child = judge.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let jobs: Vec<String> = said.by_ref().take_while(|line| !line.is_empty()).collect();
    assert_eq!(jobs.len(), 3, "the same contents are judged once");
    let mut answers = child.stdin.take().unwrap();
    // in another order, and one of them twice
    for job in jobs.iter().rev().chain(&jobs[..1]) {
        answers.write_all(given(&["run-job"], job).out.as_bytes()).unwrap();
    }
    answers.write_all(b"\n").unwrap();
    assert!(said.any(|line| line.starts_with("4 submissions: 2 pass, 1 fail, 1 invalid")));
    assert!(child.wait().unwrap().success());
    assert_eq!(results(&here), results(&there));
}
