//! What a child process costs, and what of that is its box: `cargo bench -p ktwin-devices --bench child`. The box may
//! take 5 ms.

use std::process::{Command, Stdio};
use std::time::Instant;

const TURNS: usize = 101;

fn milliseconds(mut one: impl FnMut()) -> (f64, f64) {
    let mut times: Vec<f64> = (0..TURNS)
        .map(|_| {
            let start = Instant::now();
            one();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[TURNS / 2], times[TURNS * 9 / 10])
}

fn main() {
    // a process that finds no order ends at once
    let program = std::env::current_exe().unwrap_or_default();
    let bare = milliseconds(|| {
        let mut command = Command::new(&program);
        let _ = command.env("KTWIN_WORKER_ORDER_BEFORE_MAIN", "none").stderr(Stdio::null()).status();
    });
    let boxed = milliseconds(|| {
        let _ = ktwin_devices::sandbox();
    });
    match ktwin_devices::sandbox() {
        Ok(standing) => println!("the sandbox is {standing}"),
        Err(why) => println!("no child: {why}"),
    }
    println!("{:<24} {:>8} {:>8}", "milliseconds", "median", "9 in 10");
    println!("{:<24} {:>8.2} {:>8.2}", "a process by itself", bare.0, bare.1);
    println!("{:<24} {:>8.2} {:>8.2}", "a child in its box", boxed.0, boxed.1);
}
