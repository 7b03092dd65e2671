//! `ktwin plan`: the cases that `ktwin test` would run, why each was chosen, what their sizes cover and what they leave
//! out. Nothing is run.

use std::path::PathBuf;

use ktwin::catalogue;
use ktwin::explain::visible;
use ktwin::suite::{self, FindError};
use ktwin_check::coverage::{self, CLASSES};
use ktwin_check::{Case, Kernel, Plan, plan, seed_cases};
use ktwin_num::plural;
use serde_json::{Value, json};

use crate::amount::AmountArgs;
use crate::coverage as ours;
use crate::outcome::{DONE, Failure, Outcome, USAGE, print, say};

const AFTER: &str = "\
Examples:
  ktwin plan kernel.wgsl                 every case with its reason, the sizes covered, the gaps
  ktwin plan kernel.wgsl --seed 7        the same cases as `ktwin test --seed 7` calls them
  ktwin plan kernels/ --cases=false      what is covered and what is not, kernel by kernel
  ktwin plan kernel.wgsl --format json   the same for programs: one line a kernel

Exit codes: 0 done; 2 wrong usage, or a file that is not a valid kernel.";

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
                say(&page(&kernel, &plan, names.as_deref().unwrap_or_default()));
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

fn page(kernel: &Kernel, plan: &Plan, names: &[String]) -> String {
    let mut text = format!(
        "{}  {}: {}, {}\n",
        visible(&kernel.name),
        kernel.op.name,
        plural(plan.cases.len(), "case"),
        plural(plan.gaps.len(), "gap")
    );
    let width = names.iter().map(String::len).max().unwrap_or(0);
    for (name, why) in names.iter().zip(&plan.why) {
        text.push_str(&format!("  {name:<width$}  {why}\n"));
    }
    text.push_str(&sizes(kernel, plan));
    text.push_str(&format!("  types: {}\n", ours::types(kernel)));
    let layouts = ours::layouts(&plan.cases);
    if !layouts.is_empty() {
        text.push_str(&format!("  layouts other than row: {}\n", layouts.join(", ")));
    }
    for (cases, regime) in ours::regimes(&plan.cases) {
        text.push_str(&format!("  {cases:>4} {:<10}  {}\n", regime.name(), regime.description()));
    }
    for gap in &plan.gaps {
        text.push_str(&format!("  gap: {}\n", visible(gap)));
    }
    text
}

/// How many cases have sizes of each class, and in how many one dimension is the smaller of two.
fn sizes(kernel: &Kernel, plan: &Plan) -> String {
    let rows = coverage::rows(kernel, plan);
    if rows.is_empty() {
        return String::new();
    }
    let first = rows.iter().map(|row| row.dim.len()).max().unwrap_or(0).max("cases with".len());
    let heads = CLASSES.iter().map(|class| format!("  {class:>6}"));
    let mut text = format!("  {:<first$}{}\n", "cases with", heads.collect::<String>());
    for row in rows {
        let cells = row.cases.iter().zip(CLASSES).map(|(cases, class)| {
            let shown = cases.map_or("-".to_owned(), |n| n.to_string());
            format!("  {shown:>width$}", width = class.len().max(6))
        });
        text.push_str(&format!("  {:<first$}{}\n", row.dim, cells.collect::<String>()));
    }
    ours::pairs(kernel, plan).iter().for_each(|pair| text.push_str(&format!("  {pair}\n")));
    text
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
