//! `ktwin judge`: many submissions held to one task. The command line, and what is said at the end.

mod batch;
mod exchange;
pub mod job;
mod journal;
mod one;
mod others;
mod race;
mod ranking;
mod room;
mod submissions;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use ktwin::catalogue;
use ktwin_check::{Task, Verdict};
use ktwin_devices::Limits;
use ktwin_num::plural;

use crate::bench::sizes;
use crate::outcome::{DONE, Failure, INTERRUPTED, Outcome, say};
use crate::test::NO_EVIDENCE;
use crate::test::stop::Stop;
use batch::Batch;
use journal::{Header, Journal, Record};
use submissions::Shard;

const AFTER: &str = "\
A task is a TOML file with what is promised, a secret that seeds are derived from, and limits (docs/judge.md). \
Of a submission's own contract only what concerns the launch counts. Results are lines of JSON; a run that was \
stopped continues where it left off.

Examples:
  ktwin judge rmsnorm.toml submissions/ --out results.jsonl
  ktwin judge rmsnorm.toml submissions/ --out part3.jsonl --shard 3/16
  ktwin merge part*.jsonl --out results.jsonl

Exit codes: 0 every submission was judged, whatever its verdict; 2 wrong usage, or an invalid task; \
3 some could not be judged (ktwin itself failed, or a device is missing); 130 interrupted.";

/// Judge submissions by a task
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    /// The task: a TOML file
    task: PathBuf,
    /// Files, and folders that are searched for kernels
    #[arg(required_unless_present_any = ["one", "race"])]
    submissions: Vec<PathBuf>,
    /// The results, one line of JSON each; what is in the file already is not judged again
    #[arg(long, short, value_name = "FILE", default_value = "results.jsonl")]
    out: PathBuf,
    /// A folder for a report on each submission
    #[arg(long, value_name = "FOLDER")]
    reports: Option<PathBuf>,
    /// Judge one part of several, such as 3/16; all parts together are all submissions
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// Submissions to judge at a time; 0 for as many as there are processors
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true,
        value_parser = crate::amount::count)]
    jobs: usize,
    /// Have another program judge them, wherever it likes: jobs for `ktwin run-job` go to standard output, one a line,
    /// and what those print is expected on standard input. An empty line ends either
    #[arg(long)]
    elsewhere: bool,
    /// One submission alone, for the run above it
    #[arg(long, hide = true, value_name = "NAME")]
    one: Option<PathBuf>,
    /// The speed of one submission, for the run above it
    #[arg(long, hide = true, value_name = "NAME")]
    race: Option<PathBuf>,
}

/// Put the results of several parts together
#[derive(clap::Args)]
pub struct MergeArgs {
    /// Results of `ktwin judge`, all of one task
    #[arg(required = true)]
    parts: Vec<PathBuf>,
    /// All of them together
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// A folder for a report on each submission
    #[arg(long, value_name = "FOLDER")]
    reports: Option<PathBuf>,
}

/// Runs `ktwin judge`.
pub fn run(args: &Args) -> Outcome {
    if let Some(file) = &args.one {
        return one::run(&args.task, file);
    }
    if let Some(file) = &args.race {
        return race::run(&args.task, file);
    }
    let started = Instant::now();
    let task = Task::load(&args.task, catalogue::OPS)?;
    for device in &task.devices {
        ktwin_devices::find(device, Limits::default()).map_err(Failure::usage)?;
    }
    sizes::known(&task.terms.op, &task.speed).map_err(|why| Failure::usage(format!("speed: {why}")))?;
    let mut all = submissions::find(&args.submissions, args.shard, task.limits.source)?;
    let found = all.len();
    all.retain(|submission| others::is_of(&task, submission));
    if all.len() < found {
        say(&format!("{} of other problems left out\n", plural(found - all.len(), "submission")));
    }
    let header = Header {
        schema: journal::SCHEMA,
        task: task.id.clone(),
        name: task.name.clone(),
        shard: args.shard.map(|shard| shard.to_string()),
        submissions: all.len(),
    };
    args.reports.iter().try_for_each(|folder| crate::room::folder(folder)).map_err(Failure::usage)?;
    let mut journal = Journal::open(&args.out, &header).map_err(Failure::usage)?;
    let before = journal.records.iter().filter(|r| all.iter().any(|s| s.is(r))).count();
    let stop = Stop::watching(None);
    let (jobs, elsewhere) = (args.jobs, args.elsewhere);
    let batch = Batch { task: &task, file: &args.task, jobs, stop: stop.asked(), elsewhere };
    batch.run(&all, &mut journal)?;
    // parts are judged on several machines, whose times cannot be compared
    if !task.speed.is_empty() && args.shard.is_none() && !args.elsewhere {
        batch.race(&all, &mut journal)?;
    }
    let records: Vec<&Record> = journal.records.iter().filter(|r| all.iter().any(|s| s.is(r))).collect();
    told(&records, args.reports.as_deref())?;
    if let Some(folder) = &args.reports {
        for (name, text) in others::files(&task, &records) {
            written(folder, &name, &text)?;
        }
    }
    let missing = all.iter().filter(|s| !records.iter().any(|record| s.is(record))).count();
    let again = if before > 0 { format!(", {before} of them earlier") } else { String::new() };
    say(&format!("{} judged{again}, in {:.1} s\n", records.len(), started.elapsed().as_secs_f64()));
    if stop.asked().load(Ordering::Relaxed) {
        return Ok(INTERRUPTED);
    }
    Ok(code(&records, missing))
}

/// Runs `ktwin merge`.
pub fn merge(args: &MergeArgs) -> Outcome {
    crate::room::report(&args.out).map_err(Failure::usage)?;
    let merged = journal::merge(&args.parts).map_err(Failure::usage)?;
    journal::write(&args.out, &merged)
        .map_err(|e| Failure::usage(format!("{}: {}", args.out.display(), ktwin_num::reason(&e))))?;
    let records: Vec<&Record> = merged.records.iter().collect();
    told(&records, args.reports.as_deref())?;
    for gap in &merged.gaps {
        say(&format!("{gap}\n"));
    }
    Ok(code(&records, merged.gaps.len()))
}

/// The table, and a text on each submission.
fn told(records: &[&Record], folder: Option<&Path>) -> Result<(), Failure> {
    say(&ranking::table(records));
    let Some(folder) = folder else { return Ok(()) };
    let wrong =
        |e: std::io::Error| Failure::usage(format!("{}: {}", folder.display(), ktwin_num::reason(&e)));
    std::fs::create_dir_all(folder).map_err(wrong)?;
    records.iter().try_for_each(|r| written(folder, &ranking::file_name(r), &ranking::report(r)))
}

fn written(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let path = folder.join(name);
    std::fs::write(&path, text)
        .map_err(|e| Failure::usage(format!("{}: {}", path.display(), ktwin_num::reason(&e))))
}

/// Why JSON could not be read, in words that are none of Rust's.
fn unread(error: &serde_json::Error) -> String {
    const WORDS: [(&str, &str); 9] = [
        ("expected struct File", "expected an object { \"name\": ..., \"text\": ... }"),
        ("expected struct ", "expected an object, a "),
        ("internally tagged enum Line", "an object with its `record`"),
        ("path string", "a path in quotes"),
        ("a borrowed string", "a string"),
        ("expected u32", "expected a whole number"),
        ("expected u64", "expected a whole number"),
        ("expected usize", "expected a whole number"),
        ("expected f64", "expected a number"),
    ];
    WORDS.iter().fold(error.to_string(), |text, (theirs, ours)| text.replace(theirs, ours))
}

fn code(records: &[&Record], missing: usize) -> u8 {
    let unjudged = records.iter().any(|r| matches!(r.verdict, Verdict::Error | Verdict::Skip));
    if unjudged || missing > 0 { NO_EVIDENCE } else { DONE }
}
