//! `ktwin ops`: the catalogue, ops explained, or files checked. Prints; computes nothing itself.

mod accuracy;
mod check;
mod list;
mod matrix;
mod page;
mod prove;

use std::path::PathBuf;

use ktwin::catalogue;

use crate::outcome::{DONE, Outcome, say};

/// List the ops of the catalogue, explain some of them, or check op files of your own
///
/// Exit codes: 0 done, 1 an error bar does not hold (--prove), 2 no such op, or a mistake in a file.
#[derive(clap::Args)]
pub struct Args {
    /// Ops to explain: names of the catalogue or paths of .op files
    #[arg(value_name = "OP")]
    ops: Vec<String>,
    /// Check .op files: prints the place of a mistake and what to write instead
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "ops")]
    check: Vec<PathBuf>,
    /// Prove the error bars of these ops, or of all, and print a table: honest evaluations stay inside, coarser
    /// rungs do not
    #[arg(long, conflicts_with = "check")]
    prove: bool,
    /// Print which languages there is a kernel in for each op, and which devices run them
    #[arg(long, conflicts_with_all = ["check", "prove", "ops"])]
    matrix: bool,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Outcome {
    if !args.check.is_empty() {
        return check::files(&args.check);
    }
    if args.matrix {
        say(&matrix::text()?);
        return Ok(DONE);
    }
    if args.prove {
        return prove::run(&args.ops);
    }
    if args.ops.is_empty() {
        say(&list::catalogue()?);
        return Ok(DONE);
    }
    for (number, name) in args.ops.iter().enumerate() {
        let op = catalogue::op(name)?;
        let gap = if number > 0 { "\n" } else { "" };
        say(&format!("{gap}{}", page::text(&op, name)));
    }
    Ok(DONE)
}
