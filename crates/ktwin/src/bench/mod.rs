//! `ktwin bench`: the command line, the order of the cases, the choice of a report and the exit code. Measuring is the
//! business of `ktwin_check::bench` and of devices.

mod others;
mod page;
mod plots;
mod report;
mod rival;
mod row;
pub mod saved;
pub mod show;
pub mod sizes;
mod tune;
mod versus;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ktwin::catalogue;
use ktwin::explain::visible;
use ktwin_check::bench::{Bench, Factor, Outcome as Found, Refusal, Timing};
use ktwin_check::{Case, Device, Kernel, draw_seed};
use ktwin_devices::Limits;

use crate::outcome::{DONE, Failure, Outcome, WRONG, print, say};
use report::Told;
use row::{Against, Row};

/// Nothing was measured.
const NO_EVIDENCE: u8 = 3;

const AFTER: &str = "\
Examples:
  ktwin bench silu.c                             two usual sizes, each verified before and after it is timed
  ktwin bench gemm.c --dims M=256 N=1..=8 K=512  sizes by hand: lists, doubles (1..=8), steps (16..=64+16)
  ktwin bench new.c --vs old.c                   which of the two is faster, measured in turns
  ktwin bench silu.c --vs HEAD~1                 whether it is faster than at a revision of git
  ktwin bench silu.cl --vs device:NAME           the same kernel on another device
  ktwin bench silu.c --report page.html          a page with plots, too; or .md, .csv, .json
  ktwin bench silu.c --beside google.json        what other programs measured, in a table below
  ktwin bench silu.c --save main                 keep the figures; compare later runs with --baseline main
  ktwin bench gemm.wgsl --tune TILE=8,16,32      which numbers of its contract are the fastest
  ktwin bench silu.wgsl --device sim             what the simulator counts: the same on every machine

Exit codes: 0 done; 1 a kernel is wrong, its figures cannot be true, or it is slower than --max-slowdown allows;
2 wrong usage; 3 nothing was measured.";

/// How figures are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A table for people.
    Terminal,
    /// One document for programs.
    Json,
    /// One line a figure.
    Csv,
    /// A table in Markdown.
    Markdown,
}

/// Measure how fast a kernel is, how near the roof, and whether it is faster than another
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    /// The kernel's file
    kernel: PathBuf,
    /// The device: native by default where it takes the kernel's language, else sim
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Sizes of dimensions, as NAME=SIZES: 8, 1,2,4, 1..=64 (doubling) or 16..=64+16 (steps)
    #[arg(long, value_name = "NAME=SIZES", num_args = 1.., conflicts_with = "sweep")]
    dims: Vec<String>,
    /// Sizes that have a name: decode, prefill, square or production
    #[arg(long, value_name = "NAME")]
    sweep: Option<String>,
    /// The most time to take for a case: 5s, 1.5m, or a number of seconds
    #[arg(long, value_name = "TIME", default_value = "5", allow_negative_numbers = true,
        value_parser = crate::amount::time)]
    time: f64,
    /// Fewest samples of a case
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    samples: u32,
    /// Per cent of the median, on either side, within which it is to be known
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
    precision: f64,
    /// What to compare with: another kernel of the same op, this one at a revision of git (HEAD~1, main), or this one
    /// on another device, as device:NAME
    #[arg(long, value_name = "OTHER")]
    vs: Option<String>,
    /// How often both are measured for a comparison, at least 8
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(8..=1000))]
    rounds: u16,
    /// Try every combination of these numbers for constants of `define` or for `block`: NAME=8,16,32
    #[arg(long, value_name = "NAME=NUMBERS", num_args = 1..,
          conflicts_with_all = ["vs", "save", "baseline", "max_slowdown", "report", "beside"])]
    tune: Vec<String>,
    /// Keep the figures under this name, in .ktwin/bench
    #[arg(long, value_name = "NAME")]
    save: Option<String>,
    /// Compare with the figures that were kept under this name
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// Fail where a comparison says that it is slower by more than this: 10%
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    max_slowdown: Option<f64>,
    /// Seed of the inputs
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = crate::amount::seed)]
    seed: Option<u64>,
    /// How the figures are shown
    #[arg(long, value_enum, default_value = "terminal")]
    format: Format,
    /// Also write the figures to a file: a page with plots (.html), Markdown for a pull request (.md), one line a
    /// figure (.csv) or one document for programs (.json); give it again for another
    #[arg(long, value_name = "FILE")]
    report: Vec<PathBuf>,
    /// Show figures of other programs in a table of their own: the JSON of Google Benchmark or nvbench, the output of
    /// llama.cpp's `test-backend-ops perf`; give it again for another file
    #[arg(long, value_name = "FILE")]
    beside: Vec<PathBuf>,
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    number.map(|n| n / 100.0).ok_or_else(|| "write a percentage, as in 10%".into())
}

/// What a run came to.
#[derive(Default)]
struct Seen {
    rows: Vec<Row>,
    /// Cases without figures, and why.
    refused: Vec<(String, String)>,
    wrong: bool,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Outcome {
    if !(args.time > 0.0 && args.time <= 3600.0 && args.precision > 0.0) {
        return Err(Failure::usage(
            "--time is above 0 and at most 3600 seconds, --precision above 0 per cent",
        ));
    }
    if args.max_slowdown.is_some() && args.vs.is_none() && args.baseline.is_none() {
        return Err(Failure::usage("--max-slowdown needs a comparison: add --vs OTHER or --baseline NAME"));
    }
    let kernel = load(&args.kernel)?;
    let device = device(args, &kernel)?;
    let then = args.baseline.as_deref().map(saved::load).transpose().map_err(Failure::usage)?;
    let other = args.vs.as_deref().map(|vs| rival::find(vs, &args.kernel, &kernel, &*device)).transpose()?;
    args.save.as_deref().map(saved::writable).transpose().map_err(Failure::usage)?;
    args.report.iter().try_for_each(|file| reportable(file, &args.kernel)).map_err(Failure::usage)?;
    let others = args.beside.iter().map(|file| others::read(file)).collect::<Result<Vec<_>, _>>();
    let others = others.map_err(Failure::usage)?.concat();
    let seed = args.seed.unwrap_or_else(draw_seed);
    let cases = sizes::cases(&kernel, &args.dims, args.sweep.as_deref()).map_err(Failure::usage)?;
    if !args.tune.is_empty() {
        return tune::run(args, &kernel, &*device, &cases, seed);
    }
    let mut bench = Bench::new(&kernel, &*device, seed);
    bench.compile(&cases).map_err(refused)?;
    let mut seen = measured(args, &kernel, &*device, &bench, &cases);
    if let Some(other) = &other {
        let kernel = other.kernel.as_ref().unwrap_or(&kernel);
        let theirs = Bench::new(kernel, other.device.as_deref().unwrap_or(&*device), seed);
        against(args, &bench, (&other.name, theirs), (&cases, seed), &mut seen)?;
    }
    let name = format!("{} ({})", device.name(), device.probe().map(|d| d.detail).unwrap_or_default());
    let document = |seen: &Seen| saved::document(&kernel, &name, &seen.rows, &seen.refused);
    if let (Some(baseline), Some(then)) = (&args.baseline, &then) {
        let now = document(&seen);
        saved::compare(baseline, then, &now, &mut seen.rows).map_err(Failure::usage)?;
    }
    if let Some(most) = args.max_slowdown {
        seen.rows.iter_mut().for_each(|row| open(row, most));
    }
    if let Some(save) = &args.save {
        // with what the comparison came to
        let path = saved::save(save, &document(&seen)).map_err(Failure::usage)?;
        crate::outcome::tell(&format!("ktwin: kept in {}", path.display()));
    }
    let vs = other.as_ref().map(|other| other.name.as_str());
    let (rows, refused) = (&seen.rows, &seen.refused);
    let told = Told { kernel: &kernel, vs, device: &name, rows, refused, others: &others };
    show(args, &told);
    args.report.iter().try_for_each(|file| report::write(file, &told)).map_err(Failure::usage)?;
    Ok(exit_code(args, &seen))
}

/// Measures a kernel in each case.
fn measured(args: &Args, kernel: &Kernel, device: &dyn Device, bench: &Bench, cases: &[Case]) -> Seen {
    let (mut seen, started) = (Seen::default(), Instant::now());
    for (done, case) in cases.iter().enumerate() {
        let each = started.elapsed().as_secs_f64() / done.max(1) as f64;
        let left = match (done, cases.len()) {
            (_, 1) => String::new(),
            (0, all) => format!(" (1 of {all})"),
            (done, all) => {
                format!(" ({} of {all}, about {:.0} s left)", done + 1, each * (all - done) as f64)
            }
        };
        crate::outcome::tell(&format!("ktwin: measuring {}{left}", case.seedless()));
        match one(args, kernel, device, bench, case) {
            Ok(row) => seen.rows.push(row),
            Err(why) => {
                seen.wrong |= why.is_bad();
                seen.refused.push((case.seedless(), why.to_string()));
            }
        }
    }
    seen
}

fn load(path: &Path) -> Result<Kernel, Failure> {
    Kernel::load(path, catalogue::OPS).map_err(Failure::usage)
}

fn refused(why: Refusal) -> Failure {
    let code = if why.is_bad() { WRONG } else { NO_EVIDENCE };
    Failure { message: Some(why.to_string()), code }
}

/// What a kernel may take of the machine.
fn at_most() -> Limits {
    Limits { time: Duration::from_secs(60), ..Limits::default() }
}

fn device(args: &Args, kernel: &Kernel) -> Result<Arc<dyn Device>, Failure> {
    let names: Vec<&str> = match &args.device {
        Some(name) => vec![name],
        None => vec!["native", "sim"],
    };
    for name in names {
        let device = ktwin_devices::find(name, at_most()).map_err(Failure::usage)?;
        if device.accepts(kernel.source.kind) {
            return Ok(device);
        }
    }
    Err(Failure::usage(format!("{}: no device that measures takes this language", kernel.name)))
}

fn one(
    args: &Args,
    kernel: &Kernel,
    device: &dyn Device,
    bench: &Bench,
    case: &Case,
) -> Result<Row, Refusal> {
    let most = Duration::from_secs_f64(args.time);
    let least = Duration::from_secs(1).min(most);
    let (samples, precision) = (args.samples as usize, args.precision / 100.0);
    let timing = Timing { samples, precision, least, most, calls: None };
    let cost = sizes::cost(kernel, case).map_err(Refusal::Odd)?;
    let measured = bench.ready(case)?.measure(&timing)?;
    let factor = Factor::of(kernel);
    let roof = device.roof(cost.bytes() as usize, factor);
    let mut row = Row::of(case, cost, &measured, roof.as_ref(), timing.precision).map_err(Refusal::Odd)?;
    row.of_factor(factor);
    Ok(row)
}

/// Compares with another kernel in every case that has figures.
fn against(
    args: &Args,
    bench: &Bench,
    (name, mut theirs): (&str, Bench),
    (cases, seed): (&[Case], u64),
    seen: &mut Seen,
) -> Result<(), Failure> {
    theirs.compile(cases).map_err(refused)?;
    for case in cases {
        let Some(row) = seen.rows.iter_mut().find(|row| row.case == case.seedless()) else { continue };
        match versus::versus(name, case, [bench, &theirs], args.rounds.into(), seed) {
            Ok(found) => row.against.extend(found),
            Err(why) => {
                seen.wrong = true;
                seen.refused.push((case.seedless(), why));
            }
        }
    }
    Ok(())
}

/// Says of which comparisons it cannot be told whether they are slower than allowed.
fn open(row: &mut Row, most: f64) {
    let spans = |a: &&Against| a.interval.is_some_and(|(low, high)| low <= 1.0 + most && high > 1.0 + most);
    let notes = row.against.iter().filter(spans).map(|a| {
        let percent = 100.0 * most;
        format!("{}: cannot tell whether it is slower than {percent} %: the interval spans it", a.what)
    });
    let notes: Vec<String> = notes.collect();
    row.notes.extend(notes);
}

fn show(args: &Args, told: &Told) {
    match args.format {
        Format::Terminal => say(&told.terminal()),
        Format::Markdown => say(&told.markdown()),
        Format::Csv => print(&told.csv()),
        Format::Json => print(&told.json()),
    }
    for (case, why) in told.refused {
        crate::outcome::tell(&format!("ktwin: {case}: {}", visible(why)));
    }
}

/// Whether a report can be written to a file, in the place of no kernel.
fn reportable(file: &Path, kernel: &Path) -> Result<(), String> {
    let whole = |path: &Path| path.canonicalize().ok();
    if whole(file).is_some_and(|file| whole(kernel) == Some(file)) {
        return Err(format!("{}: this is the kernel, which a report would replace", file.display()));
    }
    report::writable(file)
}

fn exit_code(args: &Args, seen: &Seen) -> u8 {
    let comparisons = || seen.rows.iter().flat_map(|row| &row.against);
    let slower = args.max_slowdown.is_some_and(|most| {
        comparisons()
            .any(|a| a.outcome == Found::Slower && a.interval.map_or(a.ratio, |(low, _)| low) > 1.0 + most)
    });
    match () {
        _ if seen.wrong || slower => WRONG,
        _ if seen.rows.is_empty() => NO_EVIDENCE,
        _ => DONE,
    }
}
