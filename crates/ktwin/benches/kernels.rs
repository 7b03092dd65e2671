//! Kernels of this folder, measured: the example of docs/bench.md.

use std::time::Duration;

/// What `cargo bench` runs.
pub fn main() -> Result<(), String> {
    let quick = |file: &str| ktwin::bench(file).at("N=512").at("N=4096").time(Duration::from_millis(300));
    let silu = quick("kernels/c/silu.c");
    println!("{}", silu.measure()?);
    // what each row has is plain data
    for row in &silu.measure()?.rows {
        assert!(row.warm.is_some_and(|times| times.median < 1e6), "{}: over a millisecond", row.case);
    }
    for (case, ratio) in silu.against(&quick("kernels/c/silu.c"), 8)? {
        println!("{case}: {}, {:.3} times as long", ratio.outcome, ratio.ratio);
    }
    Ok(())
}
