//! `ktwin plan`: the cases that `ktwin test` would run, why each was chosen, what their sizes cover and what they leave
//! out. Nothing is run.

use std::path::PathBuf;

use ktwin::catalogue;
use ktwin::explain::visible;
use ktwin::suite::{self, FindError};
use ktwin_check::coverage::{self, CLASSES};
use ktwin_check::{Case, Kernel, Plan, plan};
use ktwin_num::{Regime, plural};
use serde_json::{Value, json};

use crate::amount::AmountArgs;
use crate::outcome::{DONE, Failure, Outcome, USAGE, print, say};

const AFTER: &str = "\
Examples:
  ktwin plan kernel.wgsl                 every case with its reason, the sizes covered, the gaps
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
            plan.map(|plan| (kernel, plan)).map_err(|why| format!("{}: {why}", file.display()))
        });
        match (planned, args.format) {
            (Ok((kernel, plan)), Format::Json) => print(&format!("{}\n", document(&kernel, &plan))),
            (Ok((kernel, plan)), Format::Terminal) => say(&page(&kernel, &plan, args.cases)),
            (Err(message), _) => {
                crate::outcome::tell(&format!("ktwin: {}", ktwin::explain::visible_lines(&message)));
                code = USAGE;
            }
        }
    }
    Ok(code)
}

fn page(kernel: &Kernel, plan: &Plan, cases: bool) -> String {
    let mut text = format!(
        "{}  {}: {}, {}\n",
        visible(&kernel.name),
        kernel.op.name,
        plural(plan.cases.len(), "case"),
        plural(plan.gaps.len(), "gap")
    );
    if cases {
        let names: Vec<String> = plan.cases.iter().map(Case::seedless).collect();
        let width = names.iter().map(String::len).max().unwrap_or(0);
        for (name, why) in names.iter().zip(&plan.why) {
            text.push_str(&format!("  {name:<width$}  {why}\n"));
        }
    }
    text.push_str(&sizes(kernel, plan));
    for regime in Regime::ALL {
        let cases = plan.cases.iter().filter(|c| c.regime == regime).count();
        if cases > 0 {
            text.push_str(&format!("  {cases:>4} {:<10}  {}\n", regime.name(), regime.description()));
        }
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
    for pair in coverage::pairs(kernel, plan) {
        let (a, b) = pair.dims;
        text.push_str(&format!("  {a} < {b} in {}, {a} > {b} in {}\n", plural(pair.less, "case"), pair.more));
    }
    text
}

fn document(kernel: &Kernel, plan: &Plan) -> Value {
    let cases =
        plan.cases.iter().zip(&plan.why).map(|(case, why)| json!({ "case": case.seedless(), "why": why }));
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
