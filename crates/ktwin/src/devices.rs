//! `ktwin devices`: which devices are there, what they can do, and how to get those that are not.

use ktwin_devices::{COMPILERS, Limits, Registry};

use crate::outcome::{DONE, Outcome, say};

/// List the devices: what is there, what is not, and how to get it
///
/// Exit codes: 0 done.
#[derive(clap::Args)]
pub struct Args {}

/// Runs the subcommand.
pub fn run(_args: &Args) -> Outcome {
    let registry = Registry::new(Limits::default());
    let names = registry.all().iter().map(|d| d.name()).chain(COMPILERS.iter().map(|c| c.name));
    let width = names.map(str::len).max().unwrap_or(0);
    let mut text = String::new();
    let mut one = |name: &str, about: &str, there: Result<String, ktwin_check::Failure>| {
        let (state, words) = match there {
            Ok(there) => ("here", there),
            Err(failure) => ("absent", failure.to_string()),
        };
        text.push_str(&format!("{name:<width$}  {state:<6}  {words}\n{:<width$}          {about}\n", ""));
    };
    for device in registry.all() {
        let there = device.probe().map(|there| match there.features.is_empty() {
            true => there.detail,
            false => format!("{} ({})", there.detail, there.features.join(", ")),
        });
        one(device.name(), device.about(), there);
    }
    for compiler in COMPILERS {
        one(compiler.name, compiler.about, (compiler.probe)());
    }
    say(&text);
    Ok(DONE)
}
