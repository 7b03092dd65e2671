//! `ktwin plan`: the cases that `ktwin test` would run, why each was chosen, what their sizes cover and what they leave
//! out. Nothing is run.

use std::path::PathBuf;

use ktwin::catalogue;
use ktwin::explain::visible;
use ktwin::suite::{self, FindError};
use ktwin_check::coverage::{self, CLASSES};
use ktwin_check::{Amount, Case, Kernel, Level, Plan, plan, seed_cases};
use ktwin_num::plural;
use serde_json::{Value, json};

use crate::amount::AmountArgs;
use crate::coverage as ours;
use crate::outcome::{DONE, Failure, Outcome, USAGE, print, say};
use crate::wrap::{self, wrapped};

const AFTER: &str = "\
Examples:
  ktwin plan kernel.wgsl                 every case with its reason, the sizes covered, the gaps
  ktwin plan kernel.wgsl --seed 7        the same cases as `ktwin test --seed 7` calls them
  ktwin plan kernels/ --cases=false      what is covered and what is not, kernel by kernel
  ktwin plan kernel.wgsl --further       and what longer plans would take
  ktwin plan kernel.wgsl --format json   the same for programs: one line a kernel

Exit codes: 0 done; 2 wrong usage, or a file that is not a valid kernel.";

/// How far the second line of what is wrapped is indented.
const HANG: usize = 6;

/// How a plan is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people.
    Terminal,
    /// One line of JSON a kernel.
    Json,
}

/// Show the cases that a kernel is tested with, why each was chosen, and what they leave out
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    /// Kernel files, and folders to search
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    plan: AmountArgs,
    /// Name each case as a run of `ktwin test --seed N` does
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = crate::amount::seed)]
    seed: Option<u64>,
    /// Whether to list each case
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    cases: bool,
    /// Also tell what longer plans would take, and how many gaps they leave
    #[arg(long)]
    further: bool,
    /// How the plan is shown
    #[arg(long, value_enum, default_value = "terminal")]
    format: Format,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Outcome {
    let files = suite::kernels(&args.paths, None).map_err(|error| match error {
        FindError::Nothing(message) | FindError::Path(message) => Failure::usage(message),
    })?;
    let mut code = DONE;
    for file in files {
        let planned = Kernel::load(&file, catalogue::OPS).map_err(|e| e.to_string()).and_then(|kernel| {
            let plan = plan(&kernel, args.plan.amount());
            plan.map(|mut plan| {
                args.seed.into_iter().for_each(|seed| seed_cases(&mut plan.cases, seed));
                (kernel, plan)
            })
            .map_err(|why| format!("{}: {why}", file.display()))
        });
        match (planned, args.format) {
            (Ok((kernel, plan)), Format::Json) => {
                print(&format!("{}\n", document(&kernel, &plan, args.name())));
            }
            (Ok((kernel, plan)), Format::Terminal) => {
                let names = args.cases.then(|| plan.cases.iter().map(args.name()).collect::<Vec<_>>());
                let more =
                    if args.further { further(&kernel, &plan, args.plan.amount()) } else { Vec::new() };
                say(&page(&kernel, &plan, (names.as_deref().unwrap_or_default(), &more), wrap::columns()));
            }
            (Err(message), _) => {
                crate::outcome::tell(&format!("ktwin: {}", ktwin::explain::visible_lines(&message)));
                code = USAGE;
            }
        }
    }
    Ok(code)
}

impl Args {
    /// What cases are called: with their seeds where there is one.
    fn name(&self) -> fn(&Case) -> String {
        if self.seed.is_some() { Case::to_string } else { Case::seedless }
    }
}

/// What each longer plan would take, and how many of the gaps it leaves.
fn further(kernel: &Kernel, plan: &Plan, amount: Amount) -> Vec<String> {
    let longer = Level::ALL.into_iter().filter(|level| *level > amount.level);
    let longer = longer.map(|level| Amount { level, ..amount });
    let stress = (!amount.stress).then_some(Amount { stress: true, ..amount });
    let line = |amount: Amount| {
        let other = ktwin_check::plan(kernel, amount).ok()?;
        let times = (work(kernel, &other) / work(kernel, plan)).max(1.0);
        let flags = match amount.flags() {
            flags if flags.is_empty() => "the usual plan".to_owned(),
            flags => flags.trim_start().to_owned(),
        };
        let (cases, gaps) = (plural(other.cases.len(), "case"), plural(other.gaps.len(), "gap"));
        Some(format!("  {flags}: {cases}, about {times:.0} times the work, {gaps}"))
    };
    let launched = amount.stress.then(|| {
        format!("  --stress also launches one case {} times in one process", ktwin_check::LAUNCHES_OF_ONE[1])
    });
    longer.chain(stress).filter_map(line).chain(launched).collect()
}

/// The points that the twin walks in all cases.
fn work(kernel: &Kernel, plan: &Plan) -> f64 {
    plan.cases.iter().filter_map(|case| Some(case.bind(&kernel.op).ok()?.points())).sum::<f64>().max(1.0)
}

fn page(
    kernel: &Kernel,
    plan: &Plan,
    (names, more): (&[String], &[String]),
    columns: Option<usize>,
) -> String {
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let mut lines: Vec<String> =
        names.iter().zip(&plan.why).map(|(name, why)| format!("  {name:<width$}  {why}")).collect();
    lines.extend(sizes(kernel, plan, columns));
    lines.extend(ours::pairs(kernel, plan).iter().map(|pair| format!("  {pair}")));
    lines.push(format!("  types: {}", ours::types(kernel)));
    let layouts = ours::layouts(&plan.cases);
    lines.extend((!layouts.is_empty()).then(|| format!("  layouts other than row: {}", layouts.join(", "))));
    let regimes = ours::regimes(&plan.cases).into_iter();
    lines.extend(
        regimes.map(|(n, regime)| format!("  {n:>4} {:<10}  {}", regime.name(), regime.description())),
    );
    lines.extend(plan.gaps.iter().map(|gap| format!("  gap: {}", visible(gap))));
    lines.extend(more.iter().cloned());
    let (cases, gaps) = (plural(plan.cases.len(), "case"), plural(plan.gaps.len(), "gap"));
    let head = format!("{}  {}: {cases}, {gaps}", visible(&kernel.name), kernel.op.name);
    let fitted = |line: &String| match columns {
        Some(columns) => wrapped(line, columns.max(HANG + 20), HANG) + "\n",
        None => format!("{line}\n"),
    };
    [head].iter().chain(&lines).map(fitted).collect()
}

/// How many cases have sizes of each class: a line a dimension, or a line a class where that would be too wide.
fn sizes(kernel: &Kernel, plan: &Plan, columns: Option<usize>) -> Vec<String> {
    let rows = coverage::rows(kernel, plan);
    if rows.is_empty() {
        return Vec::new();
    }
    let mut table = vec![["cases with"].into_iter().chain(CLASSES).map(str::to_owned).collect::<Vec<_>>()];
    for row in rows {
        let cells = row.cases.iter().map(|cases| cases.map_or("-".to_owned(), |n| n.to_string()));
        table.push([row.dim.clone()].into_iter().chain(cells).collect());
    }
    let wide = aligned(&table);
    if columns.is_none_or(|columns| wide.iter().all(|line| line.chars().count() <= columns)) {
        return wide;
    }
    let turned = (0..table[0].len()).map(|at| table.iter().map(|row| row[at].clone()).collect());
    aligned(&turned.collect::<Vec<Vec<String>>>())
}

/// A table whose first column is of words.
fn aligned(table: &[Vec<String>]) -> Vec<String> {
    let wide = |at: usize| table.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let line = |row: &Vec<String>| {
        let cells = row.iter().enumerate().skip(1);
        let cells = cells.map(|(at, cell)| format!("  {cell:>width$}", width = wide(at).max(6)));
        format!("  {:<first$}{}", row[0], cells.collect::<String>(), first = wide(0))
    };
    table.iter().map(line).collect()
}

fn document(kernel: &Kernel, plan: &Plan, name: fn(&Case) -> String) -> Value {
    let cases = plan.cases.iter().zip(&plan.why).map(|(case, why)| json!({ "case": name(case), "why": why }));
    let rows = coverage::rows(kernel, plan).into_iter().map(|row| {
        let classes = CLASSES.iter().zip(row.cases).map(|(class, cases)| ((*class).to_owned(), json!(cases)));
        json!({ "dim": row.dim, "cases": classes.collect::<serde_json::Map<_, _>>() })
    });
    json!({
        "kernel": kernel.name,
        "op": kernel.op.name,
        "cases": cases.collect::<Vec<_>>(),
        "sizes": rows.collect::<Vec<_>>(),
        "gaps": plan.gaps,
    })
}
