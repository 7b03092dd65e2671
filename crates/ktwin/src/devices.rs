//! `ktwin devices`: which devices are there, what they can do, and how to get those that are not.

use ktwin_devices::DEVICES;

use crate::outcome::{DONE, Outcome, say};

/// A compiler's name, what it is for, and what asks for it.
type Compiler = (&'static str, &'static str, fn() -> Result<String, ktwin_check::Failure>);

/// Not devices, but what some languages need everywhere.
const COMPILERS: &[Compiler] = &[
    ("nvrtc", "the compiler of CUDA C++; PTX does without", ktwin_devices::nvrtc),
    ("glsl", "the compiler of GLSL; SPIR-V does without", ktwin_devices::glsl),
];

/// List the devices: what is there, what is not, and how to get it
///
/// Exit codes: 0 done.
#[derive(clap::Args)]
pub struct Args {}

/// Runs the subcommand.
pub fn run(_args: &Args) -> Outcome {
    let names = DEVICES.iter().map(|d| d.name).chain(COMPILERS.iter().map(|c| c.0));
    let width = names.map(str::len).max().unwrap_or(0);
    let mut text = String::new();
    for device in DEVICES {
        let name = device.name;
        match device.probe() {
            Ok(there) => {
                let features = if there.features.is_empty() {
                    String::new()
                } else {
                    format!(" ({})", there.features.join(", "))
                };
                text.push_str(&format!("{name:<width$}  here    {}{features}\n", there.detail));
            }
            Err(failure) => text.push_str(&format!("{name:<width$}  absent  {failure}\n")),
        }
        text.push_str(&format!("{:<width$}          {}\n", "", device.about));
    }
    for (name, about, there) in COMPILERS {
        match there() {
            Ok(there) => text.push_str(&format!("{name:<width$}  here    {there}\n")),
            Err(failure) => text.push_str(&format!("{name:<width$}  absent  {failure}\n")),
        }
        text.push_str(&format!("{:<width$}          {about}\n", ""));
    }
    say(&text);
    Ok(DONE)
}
