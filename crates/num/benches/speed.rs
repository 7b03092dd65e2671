//! Nanoseconds an element of what large cases spend their time in: the best of several runs on one core.
//! `cargo bench -p ktwin-num`

use ktwin_num::{BlockFormat, DType, Fill, Float, Regime, Tensor, fill_range, math};
use std::hint::black_box;
use std::time::Instant;

fn time(name: &str, n: usize, mut run: impl FnMut()) {
    let once = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    let best = (0..25).map(|_| once(&mut run)).fold(f64::INFINITY, f64::min);
    println!("{name:<28} {:>8.3} ns", best * 1e9 / n as f64);
}

fn main() {
    const N: usize = 1 << 16;
    const BLOCK: usize = 1024;
    let inputs: Vec<f64> = (0..N).map(|i| (i as f64 * 0.618_033_988_749).fract() * 20.0 - 10.0).collect();
    let mut values = inputs.clone();
    type Slice = fn(&mut [f64]);
    let functions: [(&str, Slice); 6] = [
        ("exp_slice", math::exp_slice),
        ("log_slice", math::log_slice),
        ("tanh_slice", math::tanh_slice),
        ("sigmoid_slice", math::sigmoid_slice),
        ("round_slice f16", |v| Float::F16.round_slice(v)),
        ("round_slice f32", |v| Float::F32.round_slice(v)),
    ];
    for (name, f) in functions {
        // As the evaluator does it: blocks that stay in the nearest cache.
        time(name, N, || {
            for block in inputs.chunks_exact(BLOCK) {
                values[..BLOCK].copy_from_slice(block);
                f(black_box(&mut values[..BLOCK]));
            }
        });
    }
    for name in ["f32", "f16", "bf16", "e4m3", "q4_0", "q8_0", "q4_K", "q6_K"] {
        let dtype = DType::parse(name).unwrap_or(DType::F32);
        let mut tensor = Tensor::from_f64(dtype, &[N], &inputs);
        time(&format!("load_run {name}"), N, || tensor.load_run(0, 1, black_box(&mut values)));
        if name.len() < 5 && !name.starts_with('q') {
            time(&format!("store_run {name}"), N, || tensor.store_run(0, 1, black_box(&inputs)));
        }
    }
    let floats: Vec<f32> = inputs.iter().map(|v| *v as f32).collect();
    for format in BlockFormat::ALL {
        time(&format!("encode {}", format.name()), N, || _ = black_box(format.encode(&floats)));
    }
    for regime in Regime::ALL {
        let fill = Fill::new(regime, 1);
        time(&format!("fill {regime} f32"), N, || {
            fill_range(&fill, DType::F32, 0, N as u64, black_box(&mut values))
        });
    }
}
