//! `ktwin test`: the command line, the choice of reporters and the exit code. Testing is the library's
//! business.

mod json;
mod junit;
mod paint;
pub mod progress;
pub mod stop;
mod terminal;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ktwin::catalogue;
use ktwin::suite::{self, FindError, Suite};
use ktwin_check::{Case, Event, KernelReport, Least, Terms, Totals};
use ktwin_devices::Limits;

use crate::outcome::{DONE, Failure, INTERRUPTED, Outcome, USAGE, WRONG};
use stop::Stop;

/// Nothing ran, or what ran could not have failed.
pub const NO_EVIDENCE: u8 = 3;

const AFTER: &str = "\
A kernel is a file with its contract at its top (docs: `ktwin new --help` writes one that runs at once).
Folders are searched for files with a contract.

Examples:
  ktwin test kernels/                                      shaders on the simulated GPU, C and C++ on the host
  ktwin test kernels/ --device sim,vulkan                  shaders on a driver too
  ktwin test k.wgsl --case R=1,D=257,regime=exact,seed=7   exactly one case

Exit codes: 0 every kernel passes; 1 a kernel is wrong, crashes, hangs, or a required device is not there;
2 wrong usage, or a file that is no valid kernel; 3 a kernel was not judged: nothing ran, ktwin itself failed, there
is no evidence, the time was up, or it was skipped (its device is not there, no device named runs its language, a
case did not fit in memory) without --allow-skip; 130 interrupted.";

/// How results are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people.
    Terminal,
    /// One event a line.
    Json,
    /// JUnit XML.
    Junit,
}

/// Test kernels: is each right, to what precision, and if not, where and why
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    /// Files of kernels, and folders to search
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Devices to run on, as `ktwin devices` lists them, or programs that run kernels, by path; where none is named,
    /// sim for shaders and native for C, C++ and Rust
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    device: Vec<String>,
    /// Devices that must be there: their absence is a failure, not a skip. They are run on, too. `sandbox`: kernels
    /// in machine code run in a whole sandbox or not at all
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    require: Vec<String>,
    /// Each size once, in few regimes, and few drawn cases
    #[arg(long)]
    quick: bool,
    /// The seed of all inputs; drawn anew for each kernel where it is not given
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// One case alone, as a failure shows it
    #[arg(long, value_name = "CASE")]
    case: Option<String>,
    /// Another contract than the kernel's own: a TOML file with what is promised. Of the kernel's own
    /// contract only what concerns the launch counts, and what would weaken the promise is refused
    #[arg(long, value_name = "FILE")]
    contract: Option<PathBuf>,
    /// The least that a contract must promise: a TOML file, or words such as
    /// compute=f32,deterministic,share=0.5,N=..=4096. A kernel that promises less fails
    #[arg(long, value_name = "FILE|WORDS")]
    min_promise: Option<String>,
    /// Only kernels whose path holds this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Kernels that were skipped beside others that pass are no failure: exit code 0, not 3
    #[arg(long)]
    allow_skip: bool,
    /// How results are shown
    #[arg(long, value_enum, default_value = "terminal")]
    format: Format,
    /// Writes JUnit XML to a file, beside what is shown
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Kernels at a time; as many as there are processors where it is not given
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// Seconds that one launch in a child process may take
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u64,
    /// Seconds that the whole run may take; what was not run by then is said, and the exit code is 3 where nothing
    /// was wrong
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
    /// What plans leave out, and notes of the device, for passing kernels too
    #[arg(long, short)]
    verbose: bool,
}

/// What may be required beside devices: that kernels run in a whole box.
const SANDBOX: &str = "sandbox";

/// Runs the subcommand.
pub fn run(args: &Args) -> Outcome {
    let stop = Stop::watching(args.time.map(Duration::from_secs));
    let files = match suite::kernels(&args.paths, args.filter.as_deref()) {
        Ok(files) => files,
        Err(FindError::Nothing(message)) => {
            return Err(Failure { message: Some(message), code: NO_EVIDENCE });
        }
        Err(FindError::Path(message)) => return Err(Failure::usage(message)),
    };
    if args.case.is_some() && files.len() > 1 {
        return Err(Failure::usage(format!("--case repeats one kernel's case; {} are named", files.len())));
    }
    let terms = args.contract.as_ref().map(|file| Terms::load(file, catalogue::OPS)).transpose()?;
    let least = args.min_promise.as_ref().map(|words| Least::read(words, catalogue::OPS)).transpose()?;
    if let Some(case) = &args.case {
        right_case(&files[0], case, terms.as_ref())?;
    }
    let suite = Suite {
        files,
        devices: devices(args),
        quick: args.quick,
        seed: args.seed,
        case: args.case.clone(),
        jobs: args.jobs,
        limits: Limits {
            time: Duration::from_secs(args.timeout.max(1)),
            boxed: args.require.iter().any(|r| r == SANDBOX),
            ..Limits::default()
        },
        resources: args.verbose || args.format == Format::Json,
        terms,
        least,
    };
    if suite.limits.boxed {
        whole_sandbox()?;
    }
    for name in args.require.iter().filter(|r| *r != SANDBOX) {
        let device = ktwin_devices::find(name, suite.limits).map_err(Failure::usage)?;
        if let Err(absent) = device.probe() {
            return Err(Failure { message: Some(format!("{name} is required: {absent}")), code: WRONG });
        }
    }
    let (reports, totals) = shown(args, &suite, stop.asked())?;
    if let Some(file) = &args.junit {
        let written = std::fs::write(file, junit::document(&reports, &totals));
        written.map_err(|e| Failure::usage(format!("{}: {e}", file.display())))?;
    }
    Ok(exit_code(&totals, args.allow_skip, stop.is_late()))
}

/// Kernels run in a box that lacks nothing, or not at all.
fn whole_sandbox() -> Result<(), Failure> {
    let wrong = |what: String| Failure { message: Some(format!("sandbox is required: {what}")), code: WRONG };
    let standing = ktwin_devices::sandbox().map_err(|e| wrong(e.to_string()))?;
    if standing.is_whole() { Ok(()) } else { Err(wrong(format!("here it is {standing}"))) }
}

/// A case that the kernel cannot have is wrong usage; a kernel that cannot be loaded is told of later.
fn right_case(file: &std::path::Path, case: &str, terms: Option<&Terms>) -> Result<(), Failure> {
    let Ok(kernel) = suite::load(file, terms) else { return Ok(()) };
    let parsed = Case::parse(&kernel, case).map_err(Failure::usage)?;
    ktwin_check::accepts(&kernel, &parsed).map_err(|why| Failure::usage(format!("{case}: {why}")))
}

fn devices(args: &Args) -> Vec<String> {
    let mut names = args.device.clone();
    names.extend(args.require.iter().filter(|n| *n != SANDBOX && !args.device.contains(n)).cloned());
    names
}

/// Runs the suite with the reporter that was asked for.
fn shown(args: &Args, suite: &Suite, stop: &AtomicBool) -> Result<(Vec<KernelReport>, Totals), Failure> {
    let run = |emit: &(dyn Fn(Event) + Sync)| suite.run(emit, stop).map_err(Failure::usage);
    match args.format {
        Format::Terminal => {
            let reporter = Mutex::new(terminal::Reporter::new(args.verbose));
            run(&|event| lock(&reporter).see(&event))
        }
        Format::Json => run(&|event| json::write(&event)),
        Format::Junit => {
            let (reports, totals) = run(&|_| {})?;
            crate::outcome::say(&junit::document(&reports, &totals));
            Ok((reports, totals))
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn exit_code(totals: &Totals, allow_skip: bool, late: bool) -> u8 {
    match totals {
        Totals { stopped: true, .. } if !late => INTERRUPTED,
        Totals { fail: 1.., .. } => WRONG,
        Totals { invalid: 1.., .. } => USAGE,
        Totals { stopped: true, .. } => NO_EVIDENCE,
        Totals { error: 1.., .. } | Totals { pass: 0, .. } | Totals { blind: 1.., .. } => NO_EVIDENCE,
        Totals { skip: 1.., .. } if !allow_skip => NO_EVIDENCE,
        _ => DONE,
    }
}
