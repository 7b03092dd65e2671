//! `ktwin run-job`: one job, data in and report out. Which machine gets a job, and how often, is for engines that
//! exist.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use ktwin::catalogue;
use ktwin::suite::Suite;
use ktwin_check::{Amount, KernelReport, LoadError, Task};
use serde::{Deserialize, Serialize};

use super::batch::{Batch, renamed};
use super::journal::{Record, SCHEMA};
use super::room::Room;
use super::submissions::Submission;
use super::unread;
use crate::outcome::{DONE, Failure, Outcome, print};

const AFTER: &str = "\
A job is an object of JSON: `schema` (1) and `source`, a kernel as { \"name\": \"k.wgsl\", \"text\": \"...\" }, with \
its contract as \"contract\" if that is in a separate file. With `task`, the path of a task, it is judged by that, as \
`ktwin judge` does; else it is tested, on `devices`, by the whole plan or a `quick` one, with a `seed`, or in one \
`case`. `job` is a number that comes back with the answer.

Example:
  echo '{\"schema\": 1, \"quick\": true, \"source\": {\"name\": \"k.wgsl\", \"text\": \"...\"}}' | ktwin run-job

Exit codes: 0 the answer was printed, whatever the verdict; 2 wrong usage, or not a job; 130 interrupted.";

/// Run one job of a batch: JSON in, JSON out
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    /// A file with the job; standard input where none is named
    job: Option<PathBuf>,
}

/// A file as data.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// What it is called.
    name: String,
    /// Its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Its bytes in hexadecimal digits, where they are no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
    /// The contract beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    contract: Option<String>,
}

/// One job.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    schema: u32,
    #[serde(default)]
    job: Option<usize>,
    source: File,
    /// The task's file, and what it was where the job was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    devices: Vec<String>,
    #[serde(default)]
    quick: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    case: Option<String>,
}

/// What is said of a job.
#[derive(Debug, Serialize, Deserialize)]
pub struct Answer {
    schema: u32,
    /// The job's number.
    pub job: Option<usize>,
    /// What the task makes of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<Record>,
    /// What each device says of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reports: Vec<KernelReport>,
}

impl File {
    /// A file's bytes as data.
    pub fn new(name: &str, bytes: &[u8], contract: Option<&[u8]>) -> File {
        let text = std::str::from_utf8(bytes).ok().map(str::to_string);
        let hex = text.is_none().then(|| bytes.iter().map(|byte| format!("{byte:02x}")).collect());
        let contract = contract.map(|text| String::from_utf8_lossy(text).into_owned());
        File { name: name.to_string(), text, hex, contract }
    }

    /// Writes it into a folder, under the last part of its name.
    fn write(&self, folder: &Path) -> Result<PathBuf, String> {
        let last = Path::new(&self.name).file_name();
        let path = folder.join(last.ok_or_else(|| format!("source: `{}` does not name a file", self.name))?);
        let bytes = match (&self.text, &self.hex) {
            (Some(text), None) => text.clone().into_bytes(),
            (None, Some(hex)) => {
                from_hex(hex).ok_or("source: `hex` holds pairs of hexadecimal digits and nothing else")?
            }
            _ => return Err("source: give either `text` or `hex`".to_string()),
        };
        let wrong = |e: std::io::Error| format!("{}: {}", path.display(), ktwin_num::reason(&e));
        std::fs::write(&path, bytes).map_err(wrong)?;
        if let Some(contract) = &self.contract {
            std::fs::write(path.with_extension("toml"), contract).map_err(wrong)?;
        }
        Ok(path)
    }
}

/// Whoever sends a job names a file of this machine, and may have no right to know what is in it.
fn unread_task(path: &Path, why: LoadError) -> Failure {
    let shown = path.display();
    Failure::usage(match why {
        LoadError::File(why) => why,
        LoadError::Contract(_) => {
            format!("{shown}: not a valid task file: `ktwin judge` shows what is wrong")
        }
    })
}

fn from_hex(hex: &str) -> Option<Vec<u8>> {
    let pairs = hex.as_bytes().chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

impl Job {
    /// A submission to be judged by a task.
    pub fn of_task(number: usize, task: PathBuf, id: String, source: File) -> Job {
        let (job, task, id) = (Some(number), Some(task), Some(id));
        let (devices, quick, seed, case) = (Vec::new(), false, None, None);
        Job { schema: SCHEMA, job, source, task, id, devices, quick, seed, case }
    }

    fn read(args: &Args) -> Result<Job, String> {
        let mut text = String::new();
        let (shown, read) = match &args.job {
            None => ("standard input".to_string(), std::io::stdin().read_to_string(&mut text)),
            Some(path) => {
                let read = ktwin_check::read_text(path).map(|whole| text = whole);
                (path.display().to_string(), read.map(|()| 0))
            }
        };
        read.map_err(|e| format!("{shown}: {e}"))?;
        let job: Job =
            serde_json::from_str(&text).map_err(|e| format!("{shown}: this is not a job: {}", unread(&e)))?;
        match job.schema {
            SCHEMA => Ok(job),
            other => Err(format!("{shown}: a job of version {other}; this is version {SCHEMA}")),
        }
    }

    fn run(&self) -> Result<Answer, Failure> {
        let room = Room::new()?;
        let file = self.source.write(room.path()).map_err(Failure::usage)?;
        let (record, reports) = match &self.task {
            Some(task) => (Some(self.judged(task, &file, room.path())?), Vec::new()),
            None => (None, self.tested(&file)?),
        };
        Ok(Answer { schema: SCHEMA, job: self.job, record, reports })
    }

    fn judged(&self, path: &Path, file: &Path, room: &Path) -> Result<Record, Failure> {
        let task = Task::load(path, catalogue::OPS).map_err(|why| unread_task(path, why))?;
        if self.id.as_ref().is_some_and(|id| *id != task.id) {
            let what = "another task than where the job was made: the file must be the same on all machines";
            return Err(Failure::usage(format!("{}: {what}", path.display())));
        }
        let found = Submission::read(file, &[room.to_path_buf()], task.limits.source);
        let submission = Submission { name: self.source.name.clone(), ..found };
        let stop = AtomicBool::new(false);
        let batch = Batch { task: &task, file: path, jobs: 1, stop: &stop, elsewhere: false };
        batch.record(&submission)?.ok_or_else(|| Failure::usage("interrupted"))
    }

    fn tested(&self, file: &Path) -> Result<Vec<KernelReport>, Failure> {
        let suite = Suite {
            files: vec![file.to_path_buf()],
            devices: self.devices.clone(),
            amount: Amount::quick(self.quick),
            seed: self.seed,
            case: self.case.clone(),
            strange: true,
            ..Suite::default()
        };
        let (reports, _) = suite.run(&|_| {}, &AtomicBool::new(false)).map_err(Failure::usage)?;
        let json = serde_json::to_string(&reports)?;
        Ok(serde_json::from_str(&renamed(&json, &file.display().to_string(), &self.source.name))?)
    }
}

/// Runs `ktwin run-job`.
pub fn run(args: &Args) -> Outcome {
    let answer = Job::read(args).map_err(Failure::usage)?.run()?;
    print(&format!("{}\n", serde_json::to_string(&answer)?));
    Ok(DONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_travel_as_they_are() {
        let dir = tempfile::tempdir().unwrap();
        for bytes in [&b"int f;\n"[..], &[0x7f, 0xff, 0, 1]] {
            let file = File::new("a/b.c", bytes, Some(b"op = 'silu'"));
            let path = file.write(dir.path()).unwrap();
            assert_eq!(path, dir.path().join("b.c"));
            assert_eq!(std::fs::read(&path).unwrap(), bytes);
            assert_eq!(std::fs::read(dir.path().join("b.toml")).unwrap(), b"op = 'silu'");
        }
        let odd = File { name: "k.c".into(), text: None, hex: Some("0g".into()), contract: None };
        assert!(odd.write(dir.path()).unwrap_err().contains("hexadecimal"));
        let none = File { name: "..".into(), text: Some(String::new()), hex: None, contract: None };
        assert!(none.write(dir.path()).unwrap_err().contains("does not name a file"));
    }
}
