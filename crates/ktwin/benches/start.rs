//! From the start of the process to the verdict on one small kernel on the simulated GPU, whole plan, all checks
//! on: `cargo bench -p ktwin --bench start`. The limit is 150 ms.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const TURNS: usize = 21;
const LIMIT: f64 = 150.0;
const KERNELS: [&str; 3] = ["silu", "rmsnorm", "gemv_q4_0"];

/// Milliseconds of one run; none where the kernel did not pass.
fn run(kernel: &Path) -> Option<f64> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ktwin"));
    command.arg("test").arg(kernel).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().ok()?;
    status.success().then(|| start.elapsed().as_secs_f64() * 1e3)
}

fn main() {
    println!("{:<12} {:>8} {:>8} {:>8}   limit {LIMIT} ms", "kernel", "least", "median", "most");
    for name in KERNELS {
        let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../kernels/wgsl/{name}.wgsl"));
        let Some(mut times) = (0..TURNS).map(|_| run(&kernel)).collect::<Option<Vec<f64>>>() else {
            println!("{name:<12} does not pass");
            continue;
        };
        times.sort_by(f64::total_cmp);
        println!("{name:<12} {:>8.1} {:>8.1} {:>8.1}", times[0], times[TURNS / 2], times[TURNS - 1]);
    }
}
