//! `ktwin audit`: the checklist of a release, answered from a run of the kernel and from records of `ktwin bench`. This
//! file runs the kernel; `record` finds the record, `page` writes the answers.

mod page;
mod record;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use ktwin::suite::{self, Suite};
use ktwin_check::audit::{Answer, Bench, Item, Seen, audit, keys};
use ktwin_check::worth::worth;
use ktwin_check::{Event, KernelReport, Verdict};
use ktwin_num::did_you_mean;

use crate::amount::AmountArgs;
use crate::outcome::{DONE, Failure, Outcome, WRONG, print, say};
use crate::test::NO_EVIDENCE;

const AFTER: &str = "\
Every answer comes from what was run: cases with their verdicts and findings, the contract, ktwin.toml, and the newest \
record under .ktwin/bench of exactly this text. Nothing can be ticked by hand. What was not shown is a gap, with its \
reason; --allow names questions that may stay open.

Examples:
  ktwin audit kernel.wgsl
  ktwin audit kernel.wgsl --device sim,vulkan --format markdown > release.md
  ktwin audit kernel.wgsl --thorough --stress       more sizes, up to the limit of the contract
  ktwin audit kernel.wgsl --allow performance,resources

Exit codes: 0 every question is answered, or allowed to be open, 1 something is wrong, 2 wrong usage or a wrong \
contract, 3 there are gaps.";

/// How the answers are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people.
    Terminal,
    /// For a pull request.
    Markdown,
    /// One object.
    Json,
}

/// Ask what has been shown of a kernel, and what has not, before it ships
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    /// A kernel's file
    kernel: PathBuf,
    /// Devices to run on; by default, sim for shaders and native for C, C++ and Rust
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    device: Vec<String>,
    #[command(flatten)]
    plan: AmountArgs,
    /// Questions that may stay open, by name
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    allow: Vec<String>,
    /// The seed of all inputs; by default, a new one
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = crate::amount::seed)]
    seed: Option<u64>,
    /// Also run NVIDIA's compute-sanitizer on one case, beside the device cuda
    #[arg(long)]
    sanitize: bool,
    /// How the answers are shown
    #[arg(long, value_enum, default_value = "terminal")]
    format: Format,
}

/// All that is said of a kernel.
struct Audit {
    kernel: String,
    op: String,
    items: Vec<Item>,
    /// The commands that repeat what was run.
    commands: Vec<String>,
    /// What the plans leave out.
    left_out: Vec<String>,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Outcome {
    if let Some(unknown) = args.allow.iter().find(|name| !keys().any(|key| key == name.as_str())) {
        let near = did_you_mean(unknown, keys());
        let all = keys().collect::<Vec<_>>().join(", ");
        return Err(Failure::usage(format!("--allow {unknown}: no such question{near}; there are {all}")));
    }
    let found = answered(args)?;
    match args.format {
        Format::Terminal => say(&page::terminal(&found, &args.allow)),
        Format::Markdown => say(&page::markdown(&found, &args.allow)),
        Format::Json => print(&page::json(&found, &args.allow)),
    }
    Ok(match found.answer(&args.allow) {
        Answer::Wrong => WRONG,
        Answer::Gap => NO_EVIDENCE,
        Answer::Shown => DONE,
    })
}

impl Audit {
    /// The worst answer to a question that may not stay open.
    fn answer(&self, allowed: &[String]) -> Answer {
        let has = |answer| self.items.iter().any(|item| item.answer == answer && !is_open(item, allowed));
        let worst = [Answer::Wrong, Answer::Gap].into_iter().find(|answer| has(*answer));
        worst.unwrap_or(Answer::Shown)
    }
}

/// Whether a question may stay open: what is wrong may not.
fn is_open(item: &Item, allowed: &[String]) -> bool {
    item.answer == Answer::Gap && allowed.iter().any(|name| name == item.key)
}

fn answered(args: &Args) -> Result<Audit, Failure> {
    let (kernel, _) = suite::governed(&args.kernel).map_err(Failure::usage)?;
    let suite = Suite {
        files: vec![args.kernel.clone()],
        devices: args.device.clone(),
        amount: args.plan.amount(),
        seed: args.seed,
        sanitize: args.sanitize,
        resources: true,
        registry: true,
        ..Suite::default()
    };
    suite.a_sanitizer_if_asked().map_err(Failure::usage)?;
    let cases = Mutex::new(Vec::new());
    let emit = |event| {
        if let Event::Case(case) = event {
            cases.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(case);
        }
    };
    let (reports, _) = suite.run(&emit, &AtomicBool::new(false)).map_err(Failure::usage)?;
    if let Some(invalid) = reports.iter().find(|report| report.verdict == Verdict::Invalid) {
        return Err(Failure::usage(&invalid.reason));
    }
    let cases = cases.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let policy = kernel.contract.policy.as_ref().filter(|policy| !policy.is_bar());
    let worth = policy.map(|policy| worth(&kernel, policy, args.seed.unwrap_or(7)));
    let bench = record::newest(&kernel);
    let seen = Seen { kernel: &kernel, reports: &reports, cases: &cases, worth, bench: bench.as_ref() };
    let command = |report: &KernelReport| {
        let seed = report.seed.map_or(String::new(), |seed| format!(" --seed {seed}"));
        let plan = args.plan.amount().flags();
        format!("ktwin test {} --device {}{seed}{plan}", suite::quoted(&kernel.name), report.device)
    };
    let again = commands(args, &reports, bench.as_ref());
    let left_out = reports.iter().flat_map(|r| r.gaps.iter().map(|gap| format!("{}: {gap}", r.device)));
    Ok(Audit {
        kernel: kernel.name.clone(),
        op: kernel.op.name.clone(),
        items: audit(&seen),
        commands: reports.iter().map(command).chain(again).collect(),
        left_out: left_out.collect(),
    })
}

/// What asks all of this again with the same data, and what measured the kernel.
fn commands(args: &Args, reports: &[KernelReport], bench: Option<&Bench>) -> Vec<String> {
    let kernel = suite::quoted(&args.kernel.display().to_string());
    let device = match &args.device[..] {
        [] => String::new(),
        names => format!(" --device {}", names.join(",")),
    };
    let seed = reports.iter().find_map(|report| report.seed);
    let seed = seed.map_or(String::new(), |seed| format!(" --seed {seed}"));
    let (plan, sanitize) = (args.plan.amount().flags(), if args.sanitize { " --sanitize" } else { "" });
    let audit = format!("ktwin audit {kernel}{device}{seed}{plan}{sanitize}");
    let timed = bench.map(|record| format!("ktwin bench {kernel} --device {}", record.device));
    [Some(audit), timed].into_iter().flatten().collect()
}
