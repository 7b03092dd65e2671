//! Results on disk: one line of JSON each, written as soon as it is known, and read again by a run that goes
//! on. What a killed run left of a line is cut off.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ktwin::explain::visible;
use ktwin_check::{Kind, Measures, Verdict};
use serde::{Deserialize, Serialize};

use super::unread;

/// The version of the lines: it grows when a field changes its meaning or goes.
pub const SCHEMA: u32 = 1;
/// The most bytes of results that are put together.
const LARGEST: u64 = 4 << 30;

/// What the results are of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// [`SCHEMA`].
    pub schema: u32,
    /// A hash of all that decides a verdict.
    pub task: String,
    /// The task's name.
    pub name: String,
    /// Which part of several.
    pub shard: Option<String>,
    /// How many submissions there are to judge.
    pub submissions: usize,
}

/// One thing that is wrong with a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wrong {
    /// Its kind.
    pub kind: Kind,
    /// The line of the submission.
    pub line: Option<u32>,
    /// The text of that line.
    pub text: String,
    /// The finding in a sentence, where the task shows it.
    pub message: Option<String>,
}

/// What is said of a submission.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its path.
    pub submission: String,
    /// A hash of its bytes.
    pub content: String,
    /// A hash of its text without comments and blanks.
    pub code: String,
    /// What is said of it.
    pub verdict: Verdict,
    /// The devices that it ran on.
    pub devices: Vec<String>,
    /// Why there is nothing more to say, where that tells of no input.
    pub reason: String,
    /// Cases, those of them that passed, and those that are sharp.
    pub cases: usize,
    pub passed: usize,
    pub sharp: usize,
    /// The largest share of its bar that any element's error is.
    pub ratio: f64,
    /// Every measure of each output, the worst over all cases: of a kernel that passes, or where the task shows values.
    #[serde(default)]
    pub measures: Vec<Measures>,
    /// What it was held to, in one line.
    pub promise: String,
    /// The rung that it behaves like.
    pub behaves_like: Option<String>,
    /// The box that it ran in.
    pub sandbox: Option<String>,
    /// What is wrong with it.
    pub wrong: Vec<Wrong>,
    /// More on the failure, as the task shows it.
    pub more: Vec<String>,
    /// The submission of the same contents that was judged for it.
    pub same_as: Option<String>,
    /// Seconds.
    pub seconds: f64,
    /// How fast it is, where the task asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<Speed>,
}

/// How fast a submission is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// A hash of its bytes.
    pub content: String,
    /// Where it was timed.
    pub device: String,
    /// What ranks it: nanoseconds of a call, or instructions that a simulator counted; the geometric mean over sizes.
    pub figure: Option<f64>,
    /// Whether that is a time.
    pub is_time: bool,
    /// The same of each of the sizes.
    pub cases: Vec<(String, f64)>,
    /// Why there is none.
    pub why: Option<String>,
    /// What the submission turned out to be where it was timed, if it was wrong there.
    #[serde(default)]
    pub verdict: Option<Verdict>,
}

/// How results begin: a run that was killed may have left no more.
const BEGIN: &[u8] = br#"{"record":"task""#;

/// A line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
enum Line {
    Task(Header),
    Result(Box<Record>),
    Speed(Speed),
}

/// Adds a speed to all that have those contents.
fn timed(records: &mut [Record], speed: &Speed) {
    let theirs = records.iter_mut().filter(|r| r.content == speed.content && r.verdict == Verdict::Pass);
    for record in theirs {
        record.speed = Some(speed.clone());
        if let Some(verdict) = speed.verdict {
            record.verdict = verdict;
            record.reason = speed.why.clone().unwrap_or_default();
        }
    }
}

/// Results that grow.
pub struct Journal {
    file: File,
    shown: String,
    /// All that is known.
    pub records: Vec<Record>,
}

/// What a file holds: its headers, its records, and how many of its bytes are whole lines.
fn lines(text: &[u8]) -> Result<(Vec<Header>, Vec<Record>, usize), String> {
    let (mut headers, mut records, mut whole) = (Vec::new(), Vec::<Record>::new(), 0);
    let mut known: BTreeMap<(String, String), Verdict> = BTreeMap::new();
    for (number, line) in text.split_inclusive(|b| *b == b'\n').enumerate() {
        if !line.ends_with(b"\n") {
            break;
        }
        match serde_json::from_slice(line) {
            Ok(Line::Task(header)) => headers.push(header),
            Ok(Line::Result(record)) => {
                plausible(&record).map_err(|why| format!("line {}: {why}", number + 1))?;
                let key = (record.submission.clone(), record.content.clone());
                match known.insert(key, record.verdict) {
                    None => records.push(*record),
                    // said twice
                    Some(before) if before == record.verdict => {}
                    Some(before) => {
                        let (line, name, now) = (number + 1, visible(&record.submission), record.verdict);
                        return Err(format!("line {line}: {name} is {now} here, and {before} above"));
                    }
                }
            }
            Ok(Line::Speed(speed)) => timed(&mut records, &speed),
            Err(e) => {
                return Err(format!(
                    "line {}: this is not a result of `ktwin judge`: {}",
                    number + 1,
                    unread(&e)
                ));
            }
        }
        whole += line.len();
    }
    match headers.iter().find(|h| h.schema != SCHEMA) {
        Some(other) => Err(format!("results of version {}; this is version {SCHEMA}", other.schema)),
        None if headers.is_empty() && !records.is_empty() => Err("results without their task".to_string()),
        None => Ok((headers, records, whole)),
    }
}

/// Refuses counts that no run comes to.
pub fn plausible(record: &Record) -> Result<(), String> {
    let Record { submission, cases, passed, sharp, .. } = record;
    match passed <= cases && sharp <= cases {
        true => Ok(()),
        false => {
            let submission = visible(submission);
            Err(format!("{submission}: {passed} of {cases} cases passed, {sharp} sharp: no run says so"))
        }
    }
}

impl Journal {
    /// Results that there are already, and room for more; refused where they are of another task.
    pub fn open(path: &Path, header: &Header) -> Result<Journal, String> {
        let shown = path.display().to_string();
        let wrong = |what: String| format!("{shown}: {what}");
        let io = |e: std::io::Error| wrong(ktwin_num::reason(&e));
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = file.map_err(io)?;
        if !file.metadata().map_err(io)?.is_file() {
            return Err(wrong("this is not a regular file".to_string()));
        }
        file.try_lock().map_err(|_| wrong("another run is writing its results there".to_string()))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(io)?;
        let (headers, records, whole) = lines(&text).map_err(wrong)?;
        if whole == 0 && !text.is_empty() && !text.starts_with(BEGIN) && !BEGIN.starts_with(&text) {
            return Err(wrong("this is not a result of `ktwin judge`: name another file with --out".into()));
        }
        if let Some(last) = headers.last() {
            if last.task != header.task {
                let what = format!(
                    "results of another task ({}), or of an earlier state of this one",
                    visible(&last.name)
                );
                return Err(wrong(format!("{what}: name another file with --out")));
            }
            if last.shard != header.shard {
                return Err(wrong("results of another part: name another file with --out".to_string()));
            }
        }
        file.set_len(whole as u64).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        let mut journal = Journal { file, shown, records };
        if headers.last() != Some(header) {
            journal.line(&Line::Task(header.clone()))?;
        }
        Ok(journal)
    }

    fn line(&mut self, line: &Line) -> Result<(), String> {
        let wrong = |e: &dyn std::fmt::Display| format!("{}: {e}", self.shown);
        let mut text = serde_json::to_string(line).map_err(|e| wrong(&e))?;
        text.push('\n');
        self.file.write_all(text.as_bytes()).map_err(|e| wrong(&e))
    }

    /// One more result.
    pub fn add(&mut self, record: Record) -> Result<(), String> {
        self.line(&Line::Result(Box::new(record.clone())))?;
        self.records.push(record);
        Ok(())
    }

    /// How fast one is that passed.
    pub fn time(&mut self, speed: Speed) -> Result<(), String> {
        self.line(&Line::Speed(speed.clone()))?;
        timed(&mut self.records, &speed);
        Ok(())
    }
}

/// Parts put together.
pub struct Merged {
    header: Header,
    pub records: Vec<Record>,
    /// What is missing, in sentences.
    pub gaps: Vec<String>,
}

/// Puts parts of one task together: each submission counts once.
pub fn merge(parts: &[PathBuf]) -> Result<Merged, String> {
    let mut found: BTreeMap<String, Record> = BTreeMap::new();
    let mut headers: Vec<Header> = Vec::new();
    let mut gaps = Vec::new();
    for part in parts {
        let shown = part.display();
        let text = ktwin_check::read_up_to(part, LARGEST).map_err(|e| format!("{shown}: {e}"))?;
        let (own, records, _) = lines(&text).map_err(|e| format!("{shown}: {e}"))?;
        let Some(header) = own.last() else { return Err(format!("{shown}: no results")) };
        if let Some(first) = headers.first().filter(|first| first.task != header.task) {
            return Err(format!("{shown}: results of another task than {}", visible(&first.name)));
        }
        let mut names: Vec<&str> = records.iter().map(|r| r.submission.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        if names.len() < header.submissions {
            gaps.push(format!("{shown}: {} of {} submissions are judged", names.len(), header.submissions));
        }
        headers.push(header.clone());
        for record in records {
            let other = found.get(&record.submission);
            if let Some(why) = other.and_then(|other| conflict(other, &record)) {
                return Err(format!("{shown}: {why}"));
            }
            found.entry(record.submission.clone()).or_insert(record);
        }
    }
    gaps.extend(missing(&headers));
    let Some(first) = headers.first() else { return Err("no results".to_string()) };
    let header = Header { shard: None, submissions: found.len(), ..first.clone() };
    Ok(Merged { header, records: found.into_values().collect(), gaps })
}

/// Why two results of one submission cannot both count.
fn conflict(one: &Record, other: &Record) -> Option<String> {
    let name = visible(&one.submission);
    if one.content != other.content {
        return Some(format!("{name} has two results, of different contents: judge it anew into a new file"));
    }
    let differ = one.verdict != other.verdict;
    differ.then(|| format!("{name} is {} in one place, and {} in another", one.verdict, other.verdict))
}

/// Parts that nobody named.
fn missing(headers: &[Header]) -> Vec<String> {
    let shards: Vec<&str> = headers.iter().filter_map(|h| h.shard.as_deref()).collect();
    let Some((_, of)) = shards.first().and_then(|s| s.split_once('/')) else { return Vec::new() };
    let all = (1..=of.parse::<usize>().unwrap_or(0)).map(|part| format!("{part}/{of}"));
    all.filter(|part| !shards.contains(&part.as_str()))
        .map(|part| format!("part {part} is missing"))
        .collect()
}

/// Writes what was put together.
pub fn write(path: &Path, merged: &Merged) -> std::io::Result<()> {
    let line = |line: &Line| serde_json::to_string(line).map_err(std::io::Error::other);
    let mut text = line(&Line::Task(merged.header.clone()))? + "\n";
    for record in &merged.records {
        text.push_str(&line(&Line::Result(Box::new(record.clone())))?);
        text.push('\n');
    }
    std::fs::write(path, text)
}
