//! How fast one submission is that passed, in a process of its own: the clock is this process's, never the
//! kernel's, and what is timed is judged before and after.

use std::path::Path;
use std::time::Duration;

use ktwin::catalogue;
use ktwin::suite;
use ktwin_check::bench::{Bench, Measured, Refusal, median};
use ktwin_check::{Device, Kernel, Task};
use ktwin_devices::Limits;

use super::journal::Speed;
use super::one::ends_with_its_parent;
use crate::bench::sizes;
use crate::outcome::{DONE, Failure, Outcome, print};

/// Processes whose median counts.
const ROUNDS: usize = 7;
/// Seconds of a process that is timed, in which no launch ends.
const TIME: Duration = Duration::from_secs(60);

/// Times a file at the sizes of a task.
pub fn run(task: &Path, file: &Path) -> Outcome {
    ends_with_its_parent();
    let task = Task::load(task, catalogue::OPS)?;
    let speed = timed(&task, file).unwrap_or_else(|failed| failed);
    let line = serde_json::to_string(&speed).map_err(Failure::usage)?;
    print(&format!("{line}\n"));
    Ok(DONE)
}

fn timed(task: &Task, file: &Path) -> Result<Speed, Speed> {
    let none = |why: String| Speed { why: Some(why), ..Speed::default() };
    let kernel = suite::load(file, Some(&task.terms)).map_err(|e| none(e.to_string()))?;
    let device = device(task, &kernel).map_err(none)?;
    let cases = sizes::cases(&kernel, &task.speed, None).map_err(none)?;
    let mut bench = Bench::new(&kernel, &*device, task.seed);
    let told = |why: Refusal| told(task, &why);
    bench.compile(&cases).map_err(told)?;
    let mut speed = Speed { device: device.name().to_owned(), ..Speed::default() };
    for case in &cases {
        let figure = match bench.ready(case).and_then(|ready| ready.race(ROUNDS)).map_err(told)? {
            Measured::Times(times) => {
                speed.is_time = true;
                Some(median(&times.warm))
            }
            Measured::Counts(counts) => sizes::counted(&counts),
        };
        speed
            .cases
            .push((case.seedless(), figure.ok_or_else(|| none("the device counts no instructions".into()))?));
    }
    let logs: f64 = speed.cases.iter().map(|(_, figure)| figure.ln()).sum();
    speed.figure = Some((logs / speed.cases.len() as f64).exp());
    Ok(speed)
}

/// The first of the task's devices, or of those that measure, which runs its language.
fn device(task: &Task, kernel: &Kernel) -> Result<std::sync::Arc<dyn Device>, String> {
    let limits = Limits { time: TIME, memory: task.limits.memory << 20, ..Limits::default() };
    let usual = ["native".to_owned(), "sim".to_owned()];
    let names = if task.devices.is_empty() { &usual[..] } else { &task.devices };
    for name in names {
        let device = ktwin_devices::find(name, limits)?;
        if device.accepts(kernel.source.kind) {
            return Ok(device);
        }
    }
    Err("no device of the task runs its language".into())
}

/// What may be told of a refusal: findings tell of inputs.
fn told(task: &Task, why: &Refusal) -> Speed {
    let said = match why {
        Refusal::Wrong(report) if !task.shows("values") => {
            format!("not timed, since its verdict at these sizes is {}", report.verdict.name())
        }
        other => other.to_string(),
    };
    // what crashes or hangs here does so for whoever calls it as often
    let verdict = why.verdict().filter(|verdict| verdict.is_bad());
    Speed { why: Some(said), verdict, ..Speed::default() }
}
