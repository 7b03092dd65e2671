//! The `ktwin` command: reads the command line and hands over to one module a subcommand. Only this file exits.

mod amount;
mod audit;
mod bench;
mod calibrate;
mod compare;
mod coverage;
mod devices;
mod help;
mod judge;
mod judge_rule;
mod new;
mod ops;
mod outcome;
mod page;
mod picture;
mod pin;
mod plan;
mod room;
mod show;
mod test;
mod tolerances;
mod twin;
mod wrap;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

const EXIT_CODES: &str = "Exit codes: 0 done, 1 a kernel is wrong, 2 wrong usage or input, \
3 nothing ran or there is no evidence, 130 interrupted.";

/// Every compute kernel has a twin on the CPU: the mathematics once, an error bar for every element.
#[derive(Parser)]
#[command(name = "ktwin", version, after_help = EXIT_CODES, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Audit(audit::Args),
    Bench(Box<bench::Args>),
    Calibrate(calibrate::Args),
    Compare(Box<compare::Args>),
    Completions(help::CompletionsArgs),
    Devices(devices::Args),
    Help(help::Args),
    Judge(judge::Args),
    JudgeRule(judge_rule::Args),
    /// Print the manual page, for `man -l`
    Man,
    Merge(judge::MergeArgs),
    New(new::Args),
    Ops(ops::Args),
    Pin(pin::Args),
    Plan(plan::Args),
    RunJob(judge::job::Args),
    Show(show::Args),
    Test(Box<test::Args>),
    Tolerances(tolerances::Args),
    Twin(Box<twin::Args>),
    /// Run kernels that another ktwin hands over
    #[command(hide = true)]
    Worker,
}

fn main() -> ExitCode {
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(said) => return outcome::shown(&said),
    };
    if matches!(command, Command::Worker) {
        return ktwin::worker();
    }
    #[cfg(unix)]
    ktwin::too_long_kills(false);
    if let Ok(own) = std::env::current_exe() {
        ktwin::use_worker(own, &["worker"]);
    }
    let outcome = match command {
        Command::Audit(args) => audit::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Completions(args) => help::completions(&args, Cli::command()),
        Command::Devices(args) => devices::run(&args),
        Command::Help(args) => help::run(&args, Cli::command()),
        Command::Judge(args) => judge::run(&args),
        Command::JudgeRule(args) => judge_rule::run(&args),
        Command::Man => help::man(Cli::command()),
        Command::Merge(args) => judge::merge(&args),
        Command::New(args) => new::run(&args),
        Command::Ops(args) => ops::run(&args),
        Command::Pin(args) => pin::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::RunJob(args) => judge::job::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Tolerances(args) => tolerances::run(&args),
        Command::Twin(args) => twin::run(&args),
        Command::Worker => Ok(outcome::DONE),
    };
    outcome::exit_code(outcome)
}
