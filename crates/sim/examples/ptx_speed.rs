//! How fast PTX runs: thread instructions a second, with all checks on. `cargo run --release --example ptx_speed`.

use ktwin_sim::{Buffer, Launch, Module, Options, Param};
use std::time::Instant;

fn main() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ptx");
    let u = Param::u32;
    let floats = |n: u32, count: usize| Buffer::from_f32(0, n, &vec![0.5; count]);
    let gemm = vec![floats(0, 1 << 16), floats(1, 1 << 16), Buffer::output(0, 2, 4 << 16)];
    let rows = vec![floats(0, 1 << 19), Buffer::output(0, 1, 4 << 19)];
    let halves = |n: u32| Buffer::input(0, n, vec![0x3c; 2 << 18]);
    let norm = vec![halves(0), halves(1), Buffer::output(0, 2, 2 << 18)];
    let tensor = vec![halves(0), halves(1), Buffer::output(0, 2, 4 << 16)];
    let cases = [
        ("gemm_tiled", [16, 16, 1], [16, 16, 1], gemm, vec![u(256), u(256), u(256)]),
        ("softmax", [512, 1, 1], [256, 1, 1], rows, vec![u(1024)]),
        ("rmsnorm_half", [256, 1, 1], [256, 1, 1], norm, vec![u(1024), Param::f32(1e-5)]),
        ("mma_gemm", [8, 8, 1], [128, 1, 1], tensor, vec![u(256), u(1024)]),
    ];
    for (name, grid, block, buffers, values) in cases {
        let Ok(text) = std::fs::read_to_string(format!("{folder}/{name}.ptx")) else { continue };
        let start = Instant::now();
        let Ok(module) = Module::from_ptx(&text) else { continue };
        let compiled = start.elapsed();
        let mut launch = Launch::new(grid).block(block);
        launch.params = (0..buffers.len() as u32).map(Param::pointer).chain(values).collect();
        launch.buffers = buffers;
        let mut best = f64::INFINITY;
        let mut instructions = 0;
        for _ in 0..4 {
            let start = Instant::now();
            match module.run(&mut launch, &Options::default()) {
                Ok(run) => {
                    instructions = run.counts.lane_instructions;
                    let clean = if run.is_clean() { "" } else { " (not clean)" };
                    print!("{clean}");
                }
                Err(error) => println!("{name}: {error}"),
            }
            best = best.min(start.elapsed().as_secs_f64());
        }
        let speed = instructions as f64 / best / 1e6;
        println!(
            "{name:14} {speed:7.0} million lane instructions/s, {:.1} ms, compiled in {compiled:.1?}",
            best * 1e3
        );
    }
}
