//! All submissions of a task, several at a time, each in a process of its own with a deadline. Results are
//! written as they come.

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use ktwin::explain::visible;
use ktwin_check::{Task, Verdict};
use serde::de::DeserializeOwned;

use super::exchange;
use super::journal::{Journal, Record, Speed};
use super::room::Room;
use super::submissions::Submission;
use crate::outcome::Failure;
use crate::test::progress::Bar;

/// How often a process is looked at.
const LOOK: Duration = Duration::from_millis(5);
/// What a process that was asked to end may still take.
const GRACE: Duration = Duration::from_secs(1);
/// Most bytes that are read of what a process says.
const MOST: u64 = 16 << 20;

/// Everything that one run is made of.
pub struct Batch<'a> {
    pub task: &'a Task,
    /// The task's file.
    pub file: &'a Path,
    /// Submissions at a time; 0 for as many as there are processors.
    pub jobs: usize,
    pub stop: &'a AtomicBool,
    /// Whether another program has them judged, wherever it likes.
    pub elsewhere: bool,
}

/// Submissions of the same contents.
pub type Same<'a> = Vec<&'a Submission>;

/// Keeps a record about each submission of the same contents.
pub fn add(group: &Same, record: &Record, journal: &mut Journal) -> Result<(), String> {
    group.iter().enumerate().try_for_each(|(number, submission)| {
        let first = (number > 0).then(|| group[0].name.clone());
        journal.add(about(submission, record.clone(), first))
    })
}

impl Batch<'_> {
    /// Judges all that no record is about.
    pub fn run(&self, all: &[Submission], journal: &mut Journal) -> Result<(), Failure> {
        let groups = self.due(all, journal).map_err(Failure::usage)?;
        match self.elsewhere {
            true => exchange::run(self, &groups, journal).map_err(Failure::usage),
            false => self.here(&groups, journal),
        }
    }

    /// One submission, judged in a process of its own.
    pub fn record(&self, submission: &Submission) -> Result<Option<Record>, Failure> {
        Ok(self.one(submission, Room::new()?.path()))
    }

    /// Judges them on this machine.
    fn here(&self, groups: &[Same], journal: &mut Journal) -> Result<(), Failure> {
        let room = Room::new()?;
        let threads = match self.jobs {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            jobs => jobs,
        };
        let next = AtomicUsize::new(0);
        let (sender, results) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..threads.min(groups.len()) {
                let (sender, next, room) = (sender.clone(), &next, room.path());
                scope.spawn(move || {
                    while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let record = self.one(group[0], room);
                        let Some(record) = record.filter(|_| !self.stop.load(Ordering::Relaxed)) else {
                            return;
                        };
                        if sender.send((group, record)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let mut bar = Bar::new();
            bar.begin(groups.iter().map(Vec::len).sum());
            for (group, record) in results {
                group.iter().for_each(|_| bar.kernel());
                let added = add(group, &record, journal);
                added.inspect_err(|_| self.stop.store(true, Ordering::Relaxed)).map_err(Failure::usage)?;
                bar.cases(&group[0].name, record.cases);
            }
            bar.finish();
            Ok(())
        })
    }

    /// What is to be judged, by contents. What has the contents of a submission that was judged before is
    /// that.
    fn due<'s>(&self, all: &'s [Submission], journal: &mut Journal) -> Result<Vec<Same<'s>>, String> {
        let mut groups: Vec<Same> = Vec::new();
        for submission in all {
            if journal.records.iter().any(|r| submission.is(r)) {
                continue;
            }
            let same = |r: &&Record| r.content == submission.content && submission.bytes.is_ok();
            if let Some(known) = journal.records.iter().find(same).cloned() {
                let first = known.same_as.clone().unwrap_or(known.submission.clone());
                journal.add(about(submission, known, Some(first)))?;
            } else if let Some(group) =
                groups.iter_mut().find(|g| g[0].content == submission.content && submission.bytes.is_ok())
            {
                group.push(submission);
            } else {
                groups.push(vec![submission]);
            }
        }
        Ok(groups)
    }

    /// One submission, alone in a folder; nothing where the run was stopped.
    fn one(&self, submission: &Submission, room: &Path) -> Option<Record> {
        let started = Instant::now();
        let of = |verdict, reason: String| Record { verdict, reason, ..Record::default() };
        let bytes = match &submission.bytes {
            Ok(bytes) => bytes,
            Err(why) => return Some(of(Verdict::Invalid, why.clone())),
        };
        let mut record = match self.alone("--one", submission, bytes, room) {
            Ok(said) if !said.is_whole => return None,
            Ok(said) => said.json().unwrap_or_else(|why| of(why.verdict(), why.to_string())),
            Err(e) => of(Verdict::Error, format!("ktwin could not run it: {e}")),
        };
        record.seconds = started.elapsed().as_secs_f64();
        Some(record)
    }

    /// How fast a submission is that passed, measured while nothing else is judged; nothing where the run was stopped.
    fn speed(&self, submission: &Submission, room: &Path) -> Option<Speed> {
        let of = |why: String| Speed { why: Some(why), ..Speed::default() };
        let bytes = submission.bytes.as_ref().ok()?;
        let speed = match self.alone("--race", submission, bytes, room) {
            Ok(said) if !said.is_whole => return None,
            Ok(said) => said.json().unwrap_or_else(|why| of(why.to_string())),
            Err(e) => of(format!("ktwin could not run it: {e}")),
        };
        Some(Speed { content: submission.content.clone(), ..speed })
    }

    /// Times what passed and has no time yet, one after the other.
    pub fn race(&self, all: &[Submission], journal: &mut Journal) -> Result<(), Failure> {
        let room = Room::new()?;
        for submission in all {
            let is_due = |r: &&Record| submission.is(r) && r.verdict == Verdict::Pass && r.speed.is_none();
            if self.stop.load(Ordering::Relaxed) || !journal.records.iter().any(|r| is_due(&r)) {
                continue;
            }
            let Some(speed) = self.speed(submission, room.path()) else { continue };
            journal.time(speed).map_err(Failure::usage)?;
        }
        Ok(())
    }

    fn alone(&self, what: &str, submission: &Submission, bytes: &[u8], room: &Path) -> std::io::Result<Said> {
        let folder = tempfile::Builder::new().prefix("one-").tempdir_in(room)?;
        let name = submission.path.file_name().unwrap_or_default();
        let file = folder.path().join(name);
        std::fs::write(&file, bytes)?;
        if let Some(contract) = &submission.beside {
            std::fs::write(file.with_extension("toml"), contract)?;
        }
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("judge").arg(self.file).arg(what).arg(&file);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Ctrl-C is for the batch, which ends its processes in its own way
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let mut out = child.stdout.take();
        let reader = std::thread::spawn(move || {
            let mut text = Vec::new();
            let read = out.as_mut().map(|out| out.take(MOST).read_to_end(&mut text));
            read.transpose().map(|_| text)
        });
        let limit = Duration::from_secs_f64(self.task.limits.total);
        let status = self.wait(&mut child, limit)?;
        let text = reader.join().map_err(|_| std::io::Error::other("its output cannot be read"))??;
        Ok(Said {
            is_whole: !self.stop.load(Ordering::Relaxed),
            status: status.ok_or(limit),
            text: renamed(&String::from_utf8_lossy(&text), &file.display().to_string(), &submission.name),
        })
    }

    /// Waits for a process to end; none where its time was up, or the run was stopped.
    fn wait(&self, child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
        let started = Instant::now();
        while started.elapsed() < limit && !self.stop.load(Ordering::Relaxed) {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            std::thread::sleep(LOOK);
        }
        // it ends by itself, and takes along what it started
        drop(child.stdin.take());
        let asked = Instant::now();
        while asked.elapsed() < GRACE && child.try_wait()?.is_none() {
            std::thread::sleep(LOOK);
        }
        child.kill()?;
        child.wait()?;
        Ok(None)
    }
}

/// What a process said.
struct Said {
    /// Whether the run was not stopped meanwhile.
    is_whole: bool,
    /// How it ended; the limit that it went past.
    status: Result<ExitStatus, Duration>,
    /// Its output, with the submission's own name in the place of the file's.
    text: String,
}

/// Why a process said nothing.
enum Silent {
    Late(Duration),
    Broken(String),
}

impl Silent {
    fn verdict(&self) -> Verdict {
        match self {
            Silent::Late(_) => Verdict::Hang,
            Silent::Broken(_) => Verdict::Error,
        }
    }
}

impl fmt::Display for Silent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Silent::Late(limit) => {
                write!(f, "it took longer than the task's limit of {} s", limit.as_secs_f64())
            }
            Silent::Broken(why) => f.write_str(why),
        }
    }
}

impl Said {
    /// Its last line of JSON: what was known where its time was up.
    fn json<T: DeserializeOwned>(&self) -> Result<T, Silent> {
        let last = self.text.lines().next_back().filter(|_| self.text.ends_with('\n'));
        let status = match self.status {
            Ok(status) => status,
            Err(limit) => {
                return last.and_then(|line| serde_json::from_str(line).ok()).ok_or(Silent::Late(limit));
            }
        };
        if !status.success() {
            return Err(Silent::Broken(format!("ktwin itself ended with {status}")));
        }
        let odd =
            |e| Silent::Broken(format!("the process that judged it returned something unreadable: {e}"));
        serde_json::from_str(last.unwrap_or_default()).map_err(odd)
    }
}

/// JSON in which a submission has its own name in the place of the file's that it was written to.
pub fn renamed(json: &str, file: &str, name: &str) -> String {
    let quoted = |text: &str| {
        let quoted = serde_json::to_string(text).unwrap_or_default();
        quoted.get(1..quoted.len().max(2) - 1).unwrap_or_default().to_string()
    };
    // sentences name it with what cannot be seen escaped
    json.replace(&quoted(file), &quoted(name)).replace(&quoted(&visible(file)), &quoted(&visible(name)))
}

/// A record as one of a submission.
fn about(submission: &Submission, record: Record, same_as: Option<String>) -> Record {
    Record {
        submission: submission.name.clone(),
        content: submission.content.clone(),
        code: submission.code.clone(),
        same_as,
        ..record
    }
}
