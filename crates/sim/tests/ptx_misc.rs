//! What kernels do with memory: local arrays, tables of pointers, structs through calls, compare-and-swap loops.

mod common;

use common::{close, f32s, numbers, result, run};
use ktwin_sim::{Launch, Param};

fn of(entry: &str, x: &[f32], y: &[f32], d: u32) -> Vec<f32> {
    let mut launch =
        Launch::new([1, 1, 1]).entry(entry).block([64, 1, 1]).buffer(f32s(0, x)).buffer(f32s(1, y));
    launch.params = vec![Param::pointer(0), Param::pointer(1), Param::u32(d)];
    run("misc", &mut launch);
    result(&launch, 1)
}

#[test]
fn local_arrays() {
    let x = numbers(64 * 20, 40);
    let want = x.chunks(20).flat_map(|row| {
        let mut row = row.to_vec();
        row.sort_by(|a, b| b.total_cmp(a));
        row[..4].to_vec()
    });
    assert_eq!(of("top4", &x, &[0.0; 256], 20), want.collect::<Vec<f32>>());
}

#[test]
fn structs_through_calls() {
    let x: Vec<f32> = (0..64 * 6).map(|i| i as f32).collect();
    let want: Vec<f32> = x.chunks(6).flat_map(|row| [row.iter().sum(), 3.0]).collect();
    assert_eq!(of("structs", &x, &[0.0; 128], 6), want);
}

#[test]
fn tables_of_pointers() {
    let x = numbers(64, 41);
    let want: Vec<f32> = (0..64).map(|t| if (t + 1) % 2 == 1 { -x[t] } else { x[t] }).collect();
    assert_eq!(of("tables", &x, &[0.0; 64], 0), want);
}

#[test]
fn compare_and_swap() {
    let x: Vec<f32> = (0..64).map(|i| (i * 29 % 64) as f32 / 8.0).collect();
    let got = of("swaps", &x, &[0.0; 8], 0);
    assert_eq!(got[0], 63.0 / 8.0);
    let double = f64::from_bits(u64::from(got[2].to_bits()) | u64::from(got[3].to_bits()) << 32);
    assert_eq!(double, x.iter().map(|v| f64::from(*v)).sum::<f64>());
    let halves = got[4].to_bits();
    assert_eq!((halves & 0xffff, halves >> 16), (0x5400, 0x5000)); // 64 and 32
    assert_eq!(got[5..7], [x[..32].iter().sum::<f32>(), x[32..].iter().sum::<f32>()]);
}

#[test]
fn copies_fill_with_zeros() {
    let x = numbers(101, 42);
    let want: Vec<f32> = (0..256).map(|i| x.get(i).copied().unwrap_or(0.0)).collect();
    assert_eq!(of("edges", &x, &[1.0; 256], 101), want);
}

#[test]
fn fast_functions() {
    let x = numbers(64, 43);
    let want = x.iter().map(|&v| {
        let (v, size) = (f64::from(v), f64::from(v.abs()));
        (v.exp() / (1.0 + v.exp()) + v.tan() * size.powf(1.5) + size.sqrt() / (v + 2.0)) as f32
    });
    close(&of("fast", &x, &[0.0; 64], 0), &want.collect::<Vec<f32>>(), 1e-5);
}

#[test]
fn sums_of_halves() {
    let got = of("halves", &[0.0], &[0.0; 2], 0);
    let half = |bits: u32| ktwin_num::f16_to_f32(bits as u16);
    let words: Vec<u32> = got.iter().map(|v| v.to_bits()).collect();
    let sums = [half(words[0]), half(words[0] >> 16), half(words[1]), half(words[1] >> 16)];
    assert_eq!(sums, [22.0, 42.0, 63.0, 0.0]);
}

#[test]
fn barriers_in_shared_memory() {
    let x = numbers(64, 44);
    let want: Vec<f32> = (0..64).map(|t| x[(t + 4) % 64]).collect();
    assert_eq!(of("arrivals", &x, &[0.0; 64], 0), want);
}
