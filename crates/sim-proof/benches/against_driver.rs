//! The simulator against a Vulkan driver on the same shaders and data, side by side in one run, kernel time
//! only. Only what agrees is timed. `cargo bench -p ktwin-sim-proof --features vulkan [-- FILTER]`

use ktwin_sim::{Module, Options};
use ktwin_sim_proof::driver::{Driver, driver};
use ktwin_sim_proof::shader::{self, Shader};
use ktwin_sim_proof::{check, simulate};
use std::process::Command;
use std::time::{Duration, Instant};

const SAMPLES: usize = 5;
const FIRST_RESULT: &str = "--first-result";

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.iter().any(|a| a == FIRST_RESULT) {
        return first_result();
    }
    let filter = args.iter().find(|a| !a.starts_with("--")).cloned().unwrap_or_default();
    let driver = driver().as_ref().unwrap_or_else(|why| panic!("{why}"));
    let shaders = shader::folder("ok").unwrap_or_else(|e| panic!("{e}"));
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    println!("driver: {}; {threads} cores; medians of {SAMPLES}, times in ms\n", driver.name);
    println!("{HEAD}");
    for (name, shader) in shaders.iter().filter_map(Shader::at_bench_size) {
        if name.contains(&filter) {
            println!(
                "{}",
                row(&name, &shader, driver).unwrap_or_else(|why| format!("{name:<28} WRONG: {why}"))
            );
        }
    }
    println!("\nstart of a process to its first result (small rmsnorm): {}", first_results());
}

const HEAD: &str = "shader                        driver  all checks   ratio  one core   M lane instr/s  \
                    checks off  cost of checks  compile";

fn row(name: &str, shader: &Shader, driver: &Driver) -> Result<String, String> {
    let start = Instant::now();
    let module = simulate::compile(shader)?;
    let compile = start.elapsed();
    let all = Options::default();
    let one = Options { threads: 1, ..all };
    let off = Options { checks: false, counts: false, notes: false, ..one };
    let lanes = verify(shader, driver, &module)?;
    let mut times: [Vec<Duration>; 4] = Default::default();
    // One after the other, so that a slow spell of the machine hits all alike.
    for _ in 0..SAMPLES {
        times[0].push(driver.time(shader, 4, 1)?);
        for (slot, options) in [(1, all), (2, one), (3, off)] {
            times[slot].push(time(&module, shader, &options)?);
        }
    }
    let [theirs, ours, single, unchecked] = times.map(median);
    let ms = |t: Duration| t.as_secs_f64() * 1e3;
    Ok(format!(
        "{name:<28} {:>7.2} {:>11.2} {:>6.1}x {:>9.2} {:>16.0} {:>11.2} {:>14.0}% {:>7.2}",
        ms(theirs),
        ms(ours),
        ours.as_secs_f64() / theirs.as_secs_f64(),
        ms(single),
        lanes as f64 / single.as_secs_f64() / 1e6,
        ms(unchecked),
        // without checks there is one thread: on and off are compared on one core
        (single.as_secs_f64() / unchecked.as_secs_f64() - 1.0) * 100.0,
        ms(compile),
    ))
}

// Both agree; how many lane instructions there are.
fn verify(shader: &Shader, driver: &Driver, module: &Module) -> Result<u64, String> {
    let theirs = driver.run(shader)?;
    let ours = simulate::run(module, shader, &Options::default())?;
    if !ours.run.is_clean() {
        return Err(ours.errors());
    }
    for (i, _) in shader.outputs() {
        check::compare(shader, i, &theirs[i], &ours.buffers[i])?;
    }
    Ok(ours.run.counts.lane_instructions)
}

fn time(module: &Module, shader: &Shader, options: &Options) -> Result<Duration, String> {
    let mut launch = simulate::launch(shader);
    let start = Instant::now();
    module.run(&mut launch, options).map_err(|e| e.to_string())?;
    Ok(start.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

// What a fresh process does: compile, run, look at the result.
fn first_result() {
    let source = include_str!("../shaders/ok/rmsnorm.wgsl");
    let shader = Shader::new("rmsnorm", source.to_string()).unwrap_or_else(|e| panic!("{e}"));
    let start = Instant::now();
    let module = simulate::compile(&shader).unwrap_or_else(|e| panic!("{e}"));
    let outcome = simulate::run(&module, &shader, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    assert!(outcome.run.is_clean());
    println!("{}", start.elapsed().as_secs_f64() * 1e3);
}

fn first_results() -> String {
    let Ok(me) = std::env::current_exe() else { return "no executable".to_string() };
    let mut whole = Vec::new();
    let mut inside = Vec::new();
    for _ in 0..SAMPLES {
        let start = Instant::now();
        let Ok(output) = Command::new(&me).arg(FIRST_RESULT).output() else { continue };
        whole.push(start.elapsed());
        let ms: f64 = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap_or(f64::NAN);
        inside.push(Duration::from_secs_f64(ms / 1e3));
    }
    let (whole, inside) = (median(whole), median(inside));
    format!(
        "{:.1} ms, of which compiling and running {:.1} ms",
        whole.as_secs_f64() * 1e3,
        inside.as_secs_f64() * 1e3
    )
}
