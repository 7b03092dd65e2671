//! `ktwin devices`: which devices are there, what they can do, and how to get those that are not.

use ktwin_devices::DEVICES;

use crate::outcome::{DONE, Outcome, say};

/// Not a device, but what CUDA C++ needs everywhere.
const COMPILER: (&str, &str) = ("nvrtc", "the compiler of CUDA C++; PTX does without");

/// List the devices: what is there, what is not, and how to get it
///
/// Exit codes: 0 done.
#[derive(clap::Args)]
pub struct Args {}

/// Runs the subcommand.
pub fn run(_args: &Args) -> Outcome {
    let names = DEVICES.iter().map(|d| d.name).chain([COMPILER.0]);
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
    let (name, about) = COMPILER;
    match ktwin_devices::nvrtc() {
        Ok(there) => text.push_str(&format!("{name:<width$}  here    {there}\n")),
        Err(failure) => text.push_str(&format!("{name:<width$}  absent  {failure}\n")),
    }
    text.push_str(&format!("{:<width$}          {about}\n", ""));
    say(&text);
    Ok(DONE)
}
