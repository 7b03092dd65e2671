//! Results as other benchmarks write theirs: KernelBench's `eval_results.json`, and the lines that GPU MODE's programs
//! report. Makes strings; writes nothing.

use std::collections::BTreeMap;
use std::path::Path;

use ktwin_check::{Style, Task, Verdict};
use serde_json::{Value, json};

use super::journal::Record;
use super::ranking;
use super::submissions::Submission;

/// A submission's place in KernelBench, by its file's name: `level_1_problem_36_sample_0_kernel.py`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sample {
    level: u64,
    problem: u64,
    sample: u64,
}

impl Sample {
    fn of(name: &str) -> Option<Sample> {
        let file = Path::new(name).file_name()?.to_str()?.strip_suffix("_kernel.py")?;
        let numbers = ["level_", "_problem_", "_sample_"].into_iter().try_fold(
            (Vec::new(), file),
            |(mut out, rest), word| {
                let rest = rest.strip_prefix(word)?;
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                out.push(rest[..end].parse().ok()?);
                Some((out, &rest[end..]))
            },
        );
        match numbers {
            Some((all, "")) => Some(Sample { level: all[0], problem: all[1], sample: all[2] }),
            _ => None,
        }
    }
}

/// The number that a problem's file begins with, and that of the folder around it, as in `level1/36_RMSNorm_.py`.
fn numbers(path: &Path) -> (Option<u64>, Option<u64>) {
    let name =
        |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let level =
        path.parent().map(name).and_then(|name| name.strip_prefix("level")?.trim_matches('_').parse().ok());
    (level, name(path).split('_').next().and_then(|number| number.parse().ok()))
}

/// Whether a submission is one of this task's. A run of KernelBench holds those of all problems in one folder.
pub fn is_of(task: &Task, submission: &Submission) -> bool {
    let Some(problem) = &task.terms.problem else { return true };
    let (level, number) = numbers(&problem.path);
    Sample::of(&submission.name).is_none_or(|own| {
        number.is_none_or(|number| own.problem == number) && level.is_none_or(|level| own.level == level)
    })
}

/// Files of results beside the texts: their names and what they hold.
pub fn files(task: &Task, records: &[&Record]) -> Vec<(String, String)> {
    let Some(problem) = &task.terms.problem else { return Vec::new() };
    match problem.style() {
        Style::KernelBench => vec![("eval_results.json".into(), kernelbench(&problem.path, records))],
        Style::GpuMode => {
            let name = |record| ranking::file_name(record).replace(".txt", ".result");
            records.iter().map(|record| (name(record), gpumode(record))).collect()
        }
    }
}

/// Results by problem, each with its sample. What has no number of its own has its place in the list.
fn kernelbench(problem: &Path, records: &[&Record]) -> String {
    let mut sorted: Vec<&Record> = records.to_vec();
    sorted.sort_by(|a, b| a.submission.cmp(&b.submission));
    let own = numbers(problem).1.unwrap_or(0);
    let mut all: BTreeMap<u64, Vec<Value>> = BTreeMap::new();
    for (place, record) in sorted.into_iter().enumerate() {
        let sample = Sample::of(&record.submission);
        let (number, sample) = sample.map_or((own, place as u64), |own| (own.problem, own.sample));
        all.entry(number).or_default().push(json!({
            "sample_id": sample,
            "compiled": record.cases > 0,
            "correctness": record.verdict == Verdict::Pass,
            "metadata": metadata(record),
            // nothing is timed on the processor
            "runtime": -1.0,
            "runtime_stats": {},
        }));
    }
    let by_name: BTreeMap<String, Vec<Value>> =
        all.into_iter().map(|(number, list)| (number.to_string(), list)).collect();
    serde_json::to_string_pretty(&by_name).unwrap_or_default() + "\n"
}

fn metadata(record: &Record) -> Value {
    let Record { verdict, cases, passed, promise, .. } = record;
    let mut out = json!({
        "hardware": record.devices.join(", "),
        "submission": record.submission,
        "ktwin": { "verdict": verdict, "cases": cases, "passed": passed, "promise": promise },
    });
    let key = match record.verdict {
        Verdict::Pass => return out,
        _ if record.cases == 0 => "compilation_error",
        Verdict::Crash | Verdict::Hang => "runtime_error",
        _ => "correctness_issue",
    };
    out[key] = json!(why(record));
    out
}

/// Why one did not pass, in a line, as far as the task tells.
fn why(record: &Record) -> String {
    let lines = ranking::report(record);
    let after = |line: &&str| !line.starts_with("held to: ");
    lines.lines().skip(1).filter(after).collect::<Vec<_>>().join("; ")
}

/// Keys and values, as a GPU MODE task's own program reports them.
fn gpumode(record: &Record) -> String {
    let passes = record.verdict == Verdict::Pass;
    let status = if passes { "pass" } else { "fail" };
    let mut out = String::from("test-count: 1\ntest.0.spec: all cases of the plan\n");
    out.push_str(&format!("test.0.status: {status}\n"));
    if !passes {
        out.push_str(&format!("test.0.error: {}: {}\n", record.verdict, why(record)));
    }
    out + &format!("check: {status}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, verdict: Verdict, cases: usize) -> Record {
        Record { submission: name.into(), verdict, cases, passed: cases / 2, ..Record::default() }
    }

    #[test]
    fn samples_are_known_by_their_names() {
        let own = Sample { level: 1, problem: 36, sample: 20 };
        assert_eq!(Sample::of("runs/one/level_1_problem_36_sample_20_kernel.py"), Some(own));
        for other in ["kernel.py", "level_1_problem_36_kernel.py", "level_1_problem_x_sample_0_kernel.py"] {
            assert_eq!(Sample::of(other), None);
        }
        assert_eq!(numbers(Path::new("KernelBench/level1/36_RMSNorm_.py")), (Some(1), Some(36)));
        assert_eq!(numbers(Path::new("rows.py")), (None, None));
    }

    #[test]
    fn results_are_by_problem() {
        let right = record("level_1_problem_36_sample_3_kernel.py", Verdict::Pass, 40);
        let wrong = record("level_1_problem_36_sample_4_kernel.py", Verdict::Fail, 40);
        let broken = record("zero.py", Verdict::Fail, 0);
        let text = kernelbench(Path::new("level1/36_RMSNorm_.py"), &[&wrong, &right, &broken]);
        let all: Value = serde_json::from_str(&text).unwrap();
        let of = |at: usize, key: &str| all["36"][at][key].clone();
        assert_eq!((of(0, "sample_id"), of(0, "correctness")), (json!(3), json!(true)));
        assert_eq!((of(1, "compiled"), of(1, "correctness")), (json!(true), json!(false)));
        assert!(of(1, "metadata")["correctness_issue"].as_str().unwrap().contains("20 of 40 cases passed"));
        assert_eq!((of(2, "compiled"), of(2, "sample_id")), (json!(false), json!(2)));
        assert!(of(2, "metadata")["compilation_error"].is_string());
    }

    #[test]
    fn gpu_mode_reads_lines() {
        assert!(gpumode(&record("a.py", Verdict::Pass, 4)).ends_with("test.0.status: pass\ncheck: pass\n"));
        let wrong = gpumode(&record("a.py", Verdict::Crash, 4));
        assert!(wrong.contains("test.0.error: crash: ") && wrong.ends_with("check: fail\n"), "{wrong}");
    }
}
