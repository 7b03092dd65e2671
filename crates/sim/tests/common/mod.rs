//! What the tests of PTX share: kernels that NVRTC compiled (`tests/ptx/*.cu` and the `.ptx` beside each), inputs, and
//! comparisons.
#![allow(dead_code)] // no test uses all of it

use ktwin_sim::{Buffer, Launch, Mode, Module, Options, Run};

pub fn load(name: &str) -> Module {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ptx");
    let read =
        |end: &str| std::fs::read_to_string(format!("{folder}/{name}.{end}")).expect("the file is there");
    Module::from_ptx_with_source(&read("ptx"), &read("cu"))
        .unwrap_or_else(|e| panic!("{name}: {}", e.rendered))
}

/// Runs a launch, which must be clean, and once more for each of other schedules and modes, which must be too.
pub fn run(name: &str, launch: &mut Launch) -> Run {
    let module = load(name);
    let clean = |launch: &mut Launch, options: &Options| {
        let run = module.run(launch, options).unwrap_or_else(|e| panic!("{name}: {e}"));
        let all: Vec<String> = run.errors().map(|f| f.to_string()).collect();
        assert!(all.is_empty(), "{name} with seed {} in {:?}: {all:#?}", options.seed, options.mode);
        run
    };
    for (seed, mode) in [(1, Mode::Worst), (2, Mode::Range), (3, Mode::Nearest)] {
        clean(&mut launch.clone(), &Options { seed, mode, ..Options::default() });
    }
    clean(launch, &Options::default())
}

pub fn numbers(n: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12_345);
    (0..n)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect()
}

pub fn close(got: &[f32], want: &[f32], bar: f32) {
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= bar * w.abs().max(1.0), "element {i}: {g}, expected {w}");
    }
}

pub fn result(launch: &Launch, binding: u32) -> Vec<f32> {
    launch.bound(0, binding).expect("it is bound").to_f32()
}

pub fn f32s(binding: u32, values: &[f32]) -> Buffer {
    Buffer::from_f32(0, binding, values)
}

pub fn out(binding: u32, elements: usize) -> Buffer {
    Buffer::output(0, binding, 4 * elements)
}

pub fn halves(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| ktwin_num::f32_to_f16(*v).to_le_bytes()).collect()
}

pub fn from_halves(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks(2).map(|c| ktwin_num::f16_to_f32(u16::from_le_bytes([c[0], c[1]]))).collect()
}

pub fn brains(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| ktwin_num::f32_to_bf16(*v).to_le_bytes()).collect()
}

pub fn small(n: usize, seed: u32) -> Vec<f32> {
    numbers(n, seed).iter().map(|v| (v * 8.0).round() / 8.0).collect()
}

pub fn product(a: &[f32], b: &[f32], (m, n, k): (usize, usize, usize), scale: f32) -> Vec<f32> {
    (0..m * n).map(|i| scale * (0..k).map(|p| a[i / n * k + p] * b[p * n + i % n]).sum::<f32>()).collect()
}
