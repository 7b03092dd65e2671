//! `ktwin help`: what is worth a page of its own, and every subcommand; completions and the manual page.

use clap::Command;
use clap_complete::Shell;
use ktwin_check::{SourceKind, contract_example, contract_keys};
use ktwin_devices::{COMPILERS, Limits, Registry};
use ktwin_num::did_you_mean;

use crate::outcome::{DONE, Failure, Outcome, print, say};
use crate::wrap::wrapped;

/// Topics, each with what it is about and its page.
const TOPICS: &[(&str, &str, fn() -> String)] = &[
    ("contract", "what a kernel promises, at the top of its file", contract),
    ("devices", "what runs kernels, and how to get it", devices),
    ("exit-codes", "what the exit codes mean", exit_codes),
    ("op", "how an op is written", op),
];

/// Explain a subcommand, or a topic: contract, devices, exit-codes, op
#[derive(clap::Args)]
pub struct Args {
    /// A subcommand or a topic
    topic: Option<String>,
}

/// Print a script that completes the command line
///
/// For bash: ktwin completions bash > ~/.local/share/bash-completion/completions/ktwin
#[derive(clap::Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs `ktwin help`.
pub fn run(args: &Args, mut command: Command) -> Outcome {
    let Some(topic) = &args.topic else {
        let topics = TOPICS.iter().map(|(name, about, _)| format!("  {name:<12} {about}\n"));
        let topics: String = topics.collect();
        say(&format!("{}\nTopics, as in `ktwin help contract`:\n{topics}", command.render_long_help()));
        return Ok(DONE);
    };
    if let Some((_, _, page)) = TOPICS.iter().find(|(name, _, _)| name == topic) {
        say(&page());
        return Ok(DONE);
    }
    let visible = |c: &Command| !c.is_hide_set();
    let known: Vec<String> =
        command.get_subcommands().filter(|c| visible(c)).map(|c| c.get_name().to_string()).collect();
    if let Some(found) = command.find_subcommand_mut(topic).filter(|c| visible(c)) {
        let named = found.clone().bin_name(format!("ktwin {topic}"));
        say(&named.clone().render_long_help().to_string());
        return Ok(DONE);
    }
    let all = || known.iter().map(String::as_str).chain(TOPICS.iter().map(|(name, _, _)| *name));
    let near = did_you_mean(topic, all());
    let all: Vec<&str> = all().collect();
    Err(Failure::usage(format!("no help on `{topic}`{near} (there is help on {})", all.join(", "))))
}

/// Prints completions.
pub fn completions(args: &CompletionsArgs, mut command: Command) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "ktwin", &mut script);
    print(&String::from_utf8_lossy(&script));
    Ok(DONE)
}

/// Prints the manual page.
pub fn man(command: Command) -> Outcome {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    print(&String::from_utf8_lossy(&page));
    Ok(DONE)
}

/// A contract to begin with, and the keys that there are.
fn contract() -> String {
    let mut keys: Vec<&str> = contract_keys();
    keys.sort_unstable();
    format!(
        "The contract is TOML in a comment at the top of a kernel's file, from a line `--- ktwin` to a line `---`:\n\n\
         {}\nEvery tensor of the op is an argument; `{{ ... }}` is a struct of sizes and scalars, in the order of its \
         fields.\nShaders say themselves how many lanes a workgroup has, so `block` is left out there; C, C++ and Rust \
         have no\n`grid` either. A binary's contract is in the .toml file beside it.\n\n{}\n\
         `ktwin new NAME --op OP` writes a kernel with its contract. docs/contract.md explains each key.\n",
        contract_example(SourceKind::Cuda),
        wrapped(&format!("The keys: {}.", keys.join(", ")), WIDE, 0) + "\n",
    )
}

/// Columns of a page.
const WIDE: usize = 110;

fn devices() -> String {
    let registry = Registry::new(Limits::default());
    let mut text = "A kernel runs on the first device for its language, or on those that --device names:\n\n"
        .to_string();
    let all = registry.all();
    let devices = all.iter().map(|device| (device.name(), device.about()));
    for (name, about) in devices.chain(COMPILERS.iter().map(|compiler| (compiler.name, compiler.about))) {
        text.push_str(&format!("  {name:<12} {about}\n"));
    }
    text + "\nA device that is absent is a skip, never a pass; --require NAME makes that a failure. \
            `ktwin devices` says which\nare here and how to get the others.\n"
}

fn exit_codes() -> String {
    "\
  0    every kernel passes, or what was asked for is done
  1    a kernel is wrong, crashes or hangs, or a required device is missing
  2    wrong usage, or a file that is not a valid kernel or op
  3    a kernel was not judged: nothing ran, there is no evidence, a case was skipped, time ran out,
       or ktwin itself failed
  130  interrupted

A skip is never a pass: --allow-skip accepts kernels that were skipped where others pass.
"
    .to_string()
}

fn op() -> String {
    "\
An op is mathematics in one file, without a language, a device or a tile:

    # rmsnorm.op -- root mean square normalisation, by rows
    op rmsnorm(x[R, D], w[D]; eps > 0 = 1e-5) -> y[R, D]

    ms[r]   = sum[d](x[r, d]^2) / D
    y[r, d] = x[r, d] / sqrt(ms[r] + eps) * w[d]

Dimensions are capital letters, and a lower-case index runs over the dimension of its letter. Reductions name the
index that they consume: sum, mean, prod, max, min, argmax, argmin, any; each may have a `where`. `/` is real
division, `//` and `%` are integer, `^` is power. `if c then a else b` reads only the branch that is taken, and
`(x[h + r - P] else 0)` is a padded read.

`ktwin ops` lists the catalogue, `ktwin ops NAME` explains one, `ktwin ops --check FILE` checks one of your own.
docs/op-language.md describes the whole language.
"
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_fit_a_terminal() {
        for (name, _, page) in TOPICS.iter().filter(|(name, ..)| *name != "devices") {
            let page = page();
            let longest = page.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!(longest <= 118, "{name}: {longest} columns");
        }
    }
}
