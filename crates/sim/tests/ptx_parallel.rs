//! Kernels in PTX that use what only a GPU has: tensor cores, fences between workgroups, locks, votes, cub.

mod common;

use common::{brains, f32s, from_halves, halves, numbers, out, product, result, run, small};
use ktwin_sim::{Buffer, Launch, Param};

#[test]
fn wmma_gemm() {
    let (m, n, k) = (32, 48, 64);
    let (a, b) = (small(m * k, 17), small(k * n, 18));
    let mut launch = Launch::new([3, 2, 1]).block([32, 1, 1]);
    launch.buffers = vec![Buffer::input(0, 0, halves(&a)), Buffer::input(0, 1, halves(&b)), out(2, m * n)];
    launch.params = (0..3).map(Param::pointer).chain([m, n, k].map(|v| Param::u32(v as u32))).collect();
    run("wmma_gemm", &mut launch);
    assert_eq!(result(&launch, 2), product(&a, &b, (m, n, k), 2.0));
}

#[test]
fn mma_gemm() {
    let (m, n, k) = (64, 32, 80);
    let (a, b) = (small(m * k, 19), small(k * n, 20));
    let mut launch = Launch::new([1, 2, 1]).block([128, 1, 1]);
    launch.buffers = vec![Buffer::input(0, 0, brains(&a)), Buffer::input(0, 1, brains(&b)), out(2, m * n)];
    launch.params = (0..3).map(Param::pointer).chain([n, k].map(|v| Param::u32(v as u32))).collect();
    run("mma_gemm", &mut launch);
    assert_eq!(result(&launch, 2), product(&a, &b, (m, n, k), 1.0));
}

#[test]
fn half_ops() {
    let (x, y) = (from_halves(&halves(&numbers(32, 21))), from_halves(&halves(&numbers(32, 22))));
    let mut launch = Launch::new([1, 1, 1]).block([32, 1, 1]);
    launch.buffers = vec![Buffer::input(0, 0, halves(&x)), Buffer::input(0, 1, halves(&y)), out(2, 32 * 12)];
    launch.params = (0..3).map(Param::pointer).chain([Param::u32(32)]).collect();
    run("half_ops", &mut launch);
    let half = |v: f64| half::f16::from_f64(v).to_f32();
    let brain = |v: f64| half::bf16::from_f64(v).to_f32();
    let want = x.iter().zip(&y).flat_map(|(&x, &y)| {
        let (a, b) = (f64::from(x), f64::from(y));
        let (c, d) = (f64::from(brain(a)), f64::from(brain(b)));
        let square = |v: f64| half(v * v + v);
        [
            half(a + b),
            half(a * b),
            half(a * b + a),
            x.max(y),
            half(a.exp2()),
            square(a),
            square(b),
            brain(c + d),
            brain(c * d + c),
            f32::from(u8::from(x < y)),
            x.round_ties_even(),
            half(a - b),
        ]
    });
    assert_eq!(result(&launch, 2), want.collect::<Vec<f32>>());
}

#[test]
fn lookback() {
    let x: Vec<u32> = (0..1000).map(|i| i * 7 % 13).collect();
    let mut launch = Launch::new([8, 1, 1]).block([128, 1, 1]);
    launch.buffers = vec![
        Buffer::from_u32(0, 0, &x),
        out(1, 1000),
        Buffer::from_u32(0, 2, &[0; 8]),
        Buffer::from_u32(0, 3, &[0; 8]),
    ];
    launch.params = (0..4).map(Param::pointer).chain([Param::u32(1000)]).collect();
    run("lookback", &mut launch);
    let want: Vec<u32> = x
        .iter()
        .scan(0, |s, v| {
            *s += v;
            Some(*s)
        })
        .collect();
    assert_eq!(launch.bound(0, 1).unwrap().to_u32(), want);
}

#[test]
fn last_block() {
    let x = small(500, 23);
    let mut launch = Launch::new([8, 1, 1]).block([64, 1, 1]);
    launch.buffers = vec![f32s(0, &x), out(1, 8), out(2, 1), Buffer::from_u32(0, 3, &[0])];
    launch.params = (0..4).map(Param::pointer).chain([Param::u32(500)]).collect();
    run("last_block", &mut launch);
    assert_eq!(result(&launch, 2), [x.iter().sum::<f32>()]);
}

#[test]
fn spin_lock() {
    for entry in ["spin_lock", "spin_outside"] {
        let mut launch = Launch::new([2, 1, 1]).entry(entry).block([64, 1, 1]);
        launch.buffers = vec![Buffer::from_u32(0, 0, &[0]), Buffer::from_u32(0, 1, &[0])];
        launch.params = (0..2).map(Param::pointer).collect();
        run("spin_lock", &mut launch);
        assert_eq!(launch.bound(0, 1).unwrap().to_u32(), [128], "{entry}");
    }
}

#[test]
fn warp_ops() {
    let x: Vec<u32> = (0..32).map(|i| i * 5 % 9).collect();
    let mut launch = Launch::new([1, 1, 1]).block([32, 1, 1]);
    launch.buffers = vec![Buffer::from_u32(0, 0, &x), out(1, 320)];
    launch.params = (0..2).map(Param::pointer).collect();
    run("warp_ops", &mut launch);
    let bits = |f: &dyn Fn(u32) -> bool| (0..32).fold(0u32, |b, i| b | u32::from(f(x[i])) << i);
    let want = (0..32usize).flat_map(|lane| {
        let v = x[lane];
        let bytes =
            |at: u32| if at < 4 { v >> (8 * at) & 255 } else { (lane as u32) >> (8 * (at - 4)) & 255 };
        let perm = bytes(0) | bytes(4) << 8 | bytes(1) << 16 | bytes(5) << 24;
        let funnel = ((u64::from(lane as u32) << 32 | u64::from(v)) << 5 >> 32) as u32;
        let first_set = if v == 0 { 0 } else { v.trailing_zeros() + 1 };
        [
            bits(&|v| v > 3),
            u32::from(x.contains(&7)),
            1,
            bits(&|w| w == v),
            x[lane / 8 * 8 + (lane + 1) % 8],
            if lane % 16 == 0 { v } else { x[lane - 1] },
            if lane % 2 == 1 { x[lane ^ 2] } else { 16 },
            x[lane / 8 * 8..lane / 8 * 8 + 8].iter().sum(),
            8,
            v.reverse_bits() ^ v.leading_zeros() ^ first_set ^ perm ^ funnel,
        ]
    });
    assert_eq!(launch.bound(0, 1).unwrap().to_u32(), want.collect::<Vec<u32>>());
}

#[test]
fn cub_reduce() {
    let x = small(256, 24);
    let mut launch = Launch::new([2, 1, 1]).block([128, 1, 1]);
    launch.buffers = vec![f32s(0, &x), out(1, 256), out(2, 2)];
    launch.params = (0..3).map(Param::pointer).collect();
    run("cub_reduce", &mut launch);
    assert_eq!(result(&launch, 2), x.chunks(128).map(|c| c.iter().sum()).collect::<Vec<f32>>());
    let scan = |c: &[f32]| {
        c.iter()
            .scan(0.0, |s, v| {
                *s += v;
                Some(*s)
            })
            .collect::<Vec<f32>>()
    };
    assert_eq!(result(&launch, 1), x.chunks(128).flat_map(scan).collect::<Vec<f32>>());
}
