//! How fast the machine runs six kernels, checks on and off: `cargo run --release -p ktwin-sim-proof --example
//! speed`.

use ktwin_sim::{Buffer, Launch, Module, Options};
use std::time::Instant;

/// One kernel of `shaders/ok`, its grid and its buffers.
struct Kernel {
    name: &'static str,
    source: &'static str,
    grid: [u32; 3],
    buffers: Vec<Buffer>,
}

fn noise(len: usize, seed: u32) -> Vec<f32> {
    let mut state = seed;
    let mut draw = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..len).map(|_| draw()).collect()
}

fn words(len: usize, seed: u32) -> Vec<u32> {
    let mut state = seed;
    let mut draw = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state & 0xbfff_bfff // as halves: no NaN, no infinity
    };
    (0..len).map(|_| draw()).collect()
}

fn kernels() -> Vec<Kernel> {
    let f = |binding, len| Buffer::from_f32(0, binding, &noise(len, binding + 1));
    let u = |binding, values: &[u32]| Buffer::from_u32(0, binding, values);
    let out = |binding, len: usize| Buffer::output(0, binding, 4 * len);
    let kernel = |name, source, grid, buffers| Kernel { name, source, grid, buffers };
    vec![
        kernel(
            "gemm 256^3",
            include_str!("../shaders/ok/gemm_tiled.wgsl"),
            [16, 16, 1],
            vec![u(0, &[256, 256, 256, 0]), f(1, 65536), f(2, 65536), out(3, 65536)],
        ),
        kernel(
            "rmsnorm 256x4096",
            include_str!("../shaders/ok/rmsnorm.wgsl"),
            [256, 1, 1],
            vec![u(0, &[4096]), f(1, 1 << 20), f(2, 4096), out(3, 1 << 20)],
        ),
        kernel(
            "softmax 256x4096",
            include_str!("../shaders/ok/softmax.wgsl"),
            [256, 1, 1],
            vec![u(0, &[4096]), f(1, 1 << 20), out(2, 1 << 20)],
        ),
        kernel(
            "attention 4,256,256,64",
            include_str!("../shaders/ok/attention.wgsl"),
            [256, 4, 1],
            vec![u(0, &[256, 256]), f(1, 65536), f(2, 65536), f(3, 65536), out(4, 65536)],
        ),
        kernel(
            "gemv q4_0 1024x4096",
            include_str!("../shaders/ok/gemv_q4_0.wgsl"),
            [1024, 1, 1],
            vec![u(0, &[1024, 4096]), u(1, &words(1024 * 128 * 18 / 4, 1)), f(2, 4096), out(3, 1024)],
        ),
        kernel(
            "histogram 2^20",
            include_str!("../shaders/ok/histogram.wgsl"),
            [64, 1, 1],
            vec![
                u(0, &noise(1 << 20, 3).iter().map(|v| (v * 2e9) as i32 as u32).collect::<Vec<_>>()),
                u(1, &[0; 256]),
            ],
        ),
    ]
}

/// The best of several runs, in seconds, and the lane instructions of one.
fn time(kernel: &Kernel, options: &Options) -> Result<(f64, u64), Box<dyn std::error::Error>> {
    let module = Module::from_wgsl(kernel.source)?;
    let mut best = f64::INFINITY;
    let mut instructions = 0;
    for _ in 0..5 {
        let launch = Launch::new(kernel.grid);
        let mut launch = kernel.buffers.iter().fold(launch, |l, b| l.buffer(b.clone()));
        let start = Instant::now();
        let run = module.run(&mut launch, options)?;
        best = best.min(start.elapsed().as_secs_f64());
        instructions = run.counts.lane_instructions;
        if let Some(finding) = run.findings.first() {
            return Err(format!("{}: {finding}", kernel.name).into());
        }
    }
    Ok((best, instructions))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let only = std::env::args().nth(1).unwrap_or_default();
    println!(
        "{:24} {:>10} {:>10} {:>10} {:>12}",
        "kernel", "2 threads", "1 thread", "unchecked", "M lanes/s"
    );
    for kernel in kernels().iter().filter(|k| k.name.contains(&only)) {
        let (all, _) = time(kernel, &Options::default())?;
        let (one, lanes) = time(kernel, &Options { threads: 1, ..Options::default() })?;
        let bare = Options { threads: 1, checks: false, counts: false, notes: false, ..Options::default() };
        let (bare, _) = time(kernel, &bare)?;
        let ms = |t: f64| format!("{:.2} ms", t * 1e3);
        let rate = lanes as f64 / one / 1e6;
        println!("{:24} {:>10} {:>10} {:>10} {rate:>12.0}", kernel.name, ms(all), ms(one), ms(bare));
    }
    Ok(())
}
