//! Random shaders, right by construction: no finding, the same bits at every warp width and schedule and,
//! where there is a driver, on it too. The same seeds on every run; `KTWIN_RANDOM_SECONDS` (10 where not
//! set) says for how long, `KTWIN_RANDOM_SEED` where to begin: `KTWIN_RANDOM_SEED=123
//! KTWIN_RANDOM_SECONDS=0` runs one again.

use ktwin_sim::{Mode, Options};
use ktwin_sim_proof::shader::Shader;
use ktwin_sim_proof::simulate::{self, Outcome};
use ktwin_sim_proof::{check, generate};
use std::time::{Duration, Instant};

const SCHEDULES: [(u32, u64, Mode); 7] = [
    (1, 0, Mode::Nearest),
    (8, 1, Mode::Nearest),
    (16, 2, Mode::Nearest),
    (64, 3, Mode::Nearest),
    (32, 4, Mode::Nearest),
    (32, 5, Mode::Worst),
    (4, 6, Mode::Range),
];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn random_shaders() {
    let (start, first) = (Instant::now(), number("KTWIN_RANDOM_SEED", 0));
    let limit = Duration::from_secs(number("KTWIN_RANDOM_SECONDS", 10));
    let mut seed = first;
    let (mut wrong, mut telling) = (Vec::new(), 0);
    loop {
        let shader = generate::shader(seed).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        match agrees(&shader) {
            Ok(outcome) => telling += u64::from(distinct(&outcome) > 50),
            Err(why) => {
                eprintln!("seed {seed}: {why}");
                wrong.push(why);
            }
        }
        seed += 1;
        if start.elapsed() > limit || wrong.len() == 10 {
            break;
        }
    }
    eprintln!("{} random shaders, driver: {}", seed - first, driver_name());
    let told = seed - first < 20 || 2 * telling > seed - first - wrong.len() as u64;
    assert!(told, "only {telling} of {} shaders have results that tell anything", seed - first);
    assert!(
        wrong.is_empty(),
        "{} disagree; repeat one with KTWIN_RANDOM_SEED=… KTWIN_RANDOM_SECONDS=0",
        wrong.len()
    );
}

// How many different words come out: equal ones would hide any mistake.
fn distinct(outcome: &Outcome) -> usize {
    outcome.buffers[2].chunks_exact(4).collect::<std::collections::BTreeSet<_>>().len()
}

fn agrees(shader: &Shader) -> Result<Outcome, String> {
    let module = simulate::compile(shader)?;
    let run = |warp, seed, mode| -> Result<Outcome, String> {
        let options = Options { warp, seed, mode, budget: 1 << 22, notes: false, ..Options::default() };
        let outcome = simulate::run(&module, shader, &options)?;
        match outcome.errors() {
            errors if errors.is_empty() => Ok(outcome),
            errors => Err(format!("warp {warp}, seed {seed}:{errors}")),
        }
    };
    let first = run(32, 0, Mode::Nearest)?;
    for (warp, seed, mode) in SCHEDULES {
        let other = run(warp, seed, mode)?;
        for (i, _) in shader.outputs() {
            check::compare(shader, i, &other.buffers[i], &first.buffers[i])
                .map_err(|e| format!("warp {warp}, schedule {seed}, {mode:?}: {e}"))?;
        }
    }
    on_driver(shader, &first)?;
    Ok(first)
}

#[cfg(not(feature = "vulkan"))]
fn on_driver(_: &Shader, _: &Outcome) -> Result<(), String> {
    Ok(())
}

#[cfg(not(feature = "vulkan"))]
fn driver_name() -> String {
    "none (built without the feature `vulkan`)".to_string()
}

#[cfg(feature = "vulkan")]
fn on_driver(shader: &Shader, ours: &Outcome) -> Result<(), String> {
    let Ok(driver) = ktwin_sim_proof::driver::driver() else { return Ok(()) };
    let theirs = driver.run(shader)?;
    for (i, _) in shader.outputs() {
        check::compare(shader, i, &theirs[i], &ours.buffers[i]).map_err(|e| format!("driver: {e}"))?;
    }
    Ok(())
}

#[cfg(feature = "vulkan")]
fn driver_name() -> String {
    match ktwin_sim_proof::driver::driver() {
        Ok(driver) => driver.name.clone(),
        Err(why) => format!("none ({why})"),
    }
}
