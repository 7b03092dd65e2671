//! Kernels that NVRTC compiled (`tests/ptx/*.cu` and the `.ptx` beside each), run on the simulator and compared with
//! the same thing computed plainly.

use ktwin_sim::{Buffer, Launch, Module, Options, Param, Run};

fn load(name: &str) -> Module {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ptx");
    let read =
        |end: &str| std::fs::read_to_string(format!("{folder}/{name}.{end}")).expect("the file is there");
    Module::from_ptx_with_source(&read("ptx"), &read("cu"))
        .unwrap_or_else(|e| panic!("{name}: {}", e.rendered))
}

fn run(name: &str, launch: &mut Launch) -> Run {
    let module = load(name);
    let run = module.run(launch, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let all: Vec<String> = run.errors().map(|f| f.to_string()).collect();
    assert!(all.is_empty(), "{name}: {all:#?}");
    run
}

fn numbers(n: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12_345);
    (0..n)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect()
}

fn close(got: &[f32], want: &[f32], bar: f32) {
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= bar * w.abs().max(1.0), "element {i}: {g}, expected {w}");
    }
}

fn result(launch: &Launch, binding: u32) -> Vec<f32> {
    launch.bound(0, binding).expect("it is bound").to_f32()
}

fn f32s(binding: u32, values: &[f32]) -> Buffer {
    Buffer::from_f32(0, binding, values)
}

fn out(binding: u32, elements: usize) -> Buffer {
    Buffer::output(0, binding, 4 * elements)
}

#[test]
fn saxpy() {
    let (x, y) = (numbers(1000, 1), numbers(1000, 2));
    let mut launch = Launch::new([2, 1, 1]).block([128, 1, 1]).buffer(f32s(0, &x)).buffer(f32s(1, &y));
    launch.params = vec![Param::pointer(0), Param::pointer(1), Param::f32(2.5), Param::u32(1000)];
    run("saxpy", &mut launch);
    let want: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 2.5f32.mul_add(*x, *y)).collect();
    assert_eq!(result(&launch, 1), want);
}

#[test]
fn block_sum() {
    let x = numbers(1500, 3);
    let mut launch = Launch::new([3, 1, 1]).block([256, 1, 1]).buffer(f32s(0, &x)).buffer(out(1, 3));
    launch.params = vec![Param::pointer(0), Param::pointer(1), Param::u32(1500)];
    run("block_sum", &mut launch);
    let want: Vec<f32> = x.chunks(512).map(|c| c.iter().sum()).collect();
    close(&result(&launch, 1), &want, 1e-4);
}

#[test]
fn gemm_tiled() {
    let (m, n, k) = (35, 50, 41);
    let (a, b) = (numbers(m * k, 4), numbers(k * n, 5));
    let mut launch = Launch::new([4, 3, 1]).block([16, 16, 1]);
    launch.buffers = vec![f32s(0, &a), f32s(1, &b), out(2, m * n)];
    launch.params = (0..3).map(Param::pointer).chain([m, n, k].map(|v| Param::u32(v as u32))).collect();
    run("gemm_tiled", &mut launch);
    let at = |i: usize| (0..k).map(|p| a[i / n * k + p] * b[p * n + i % n]).sum();
    close(&result(&launch, 2), &(0..m * n).map(at).collect::<Vec<f32>>(), 1e-5);
}

#[test]
fn softmax() {
    let (rows, d) = (5, 300);
    let x: Vec<f32> = numbers(rows * d, 6).iter().map(|v| 8.0 * v).collect();
    let mut launch = Launch::new([5, 1, 1]).block([128, 1, 1]).buffer(f32s(0, &x)).buffer(out(1, rows * d));
    launch.params = vec![Param::pointer(0), Param::pointer(1), Param::u32(d as u32)];
    run("softmax", &mut launch);
    let row = |x: &[f32]| {
        let sum: f64 = x.iter().map(|v| f64::from(*v).exp()).sum();
        x.iter().map(|v| (f64::from(*v).exp() / sum) as f32).collect::<Vec<_>>()
    };
    close(&result(&launch, 1), &x.chunks(d).flat_map(row).collect::<Vec<f32>>(), 1e-6);
}

#[test]
fn histogram() {
    let bytes: Vec<u8> = numbers(5000, 7).iter().map(|v| (v.abs() * 256.0) as u8).collect();
    let mut launch = Launch::new([3, 1, 1]).block([64, 1, 1]);
    launch.buffers = vec![Buffer::input(0, 0, bytes.clone()), Buffer::from_u32(0, 1, &[0; 256])];
    launch.params = vec![Param::pointer(0), Param::pointer(1), Param::u32(5000)];
    run("histogram", &mut launch);
    let mut want = [0u32; 256];
    bytes.iter().for_each(|b| want[usize::from(*b)] += 1);
    assert_eq!(launch.bound(0, 1).unwrap().to_u32(), want);
}

#[test]
fn transpose() {
    let (rows, cols) = (70, 45);
    let x = numbers(rows * cols, 8);
    let mut launch = Launch::new([2, 3, 1]).block([32, 8, 1]).buffer(f32s(0, &x)).buffer(out(1, rows * cols));
    launch.params =
        vec![Param::pointer(0), Param::pointer(1), Param::u32(rows as u32), Param::u32(cols as u32)];
    run("transpose", &mut launch);
    let want: Vec<f32> = (0..rows * cols).map(|i| x[i % rows * cols + i / rows]).collect();
    assert_eq!(result(&launch, 1), want);
}

fn halves(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| ktwin_num::f32_to_f16(*v).to_le_bytes()).collect()
}

fn from_halves(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks(2).map(|c| ktwin_num::f16_to_f32(u16::from_le_bytes([c[0], c[1]]))).collect()
}

#[test]
fn rmsnorm_half() {
    let (rows, d) = (3, 192);
    let (x, w) = (from_halves(&halves(&numbers(rows * d, 9))), from_halves(&halves(&numbers(d, 10))));
    let mut launch = Launch::new([3, 1, 1]).block([64, 1, 1]);
    launch.buffers = vec![
        Buffer::input(0, 0, halves(&x)),
        Buffer::input(0, 1, halves(&w)),
        Buffer::output(0, 2, 2 * rows * d),
    ];
    launch.params = (0..3).map(Param::pointer).chain([Param::u32(d as u32), Param::f32(1e-5)]).collect();
    run("rmsnorm_half", &mut launch);
    let row = |x: &[f32]| {
        let scale = (x.iter().map(|v| v * v).sum::<f32>() / d as f32 + 1e-5).sqrt();
        x.iter().zip(&w).map(|(x, w)| x / scale * w).collect::<Vec<f32>>()
    };
    close(
        &from_halves(&launch.bound(0, 2).unwrap().bytes),
        &x.chunks(d).flat_map(row).collect::<Vec<_>>(),
        1e-3,
    );
}

#[test]
fn scan_block() {
    let x: Vec<u32> = numbers(500, 11).iter().map(|v| (v * 100.0) as i32 as u32).collect();
    let mut launch = Launch::new([4, 1, 1]).block([128, 1, 1]);
    launch.dynamic_shared = 2 * 128 * 4;
    launch.buffers = vec![Buffer::from_u32(0, 0, &x), out(1, 500)];
    launch.params = vec![Param::pointer(0), Param::pointer(1), Param::u32(500)];
    run("scan_block", &mut launch);
    let scan = |c: &[u32]| {
        c.iter()
            .scan(0u32, |s, v| {
                *s = s.wrapping_add(*v);
                Some(*s)
            })
            .collect::<Vec<u32>>()
    };
    assert_eq!(launch.bound(0, 1).unwrap().to_u32(), x.chunks(128).flat_map(scan).collect::<Vec<u32>>());
}

#[test]
fn int8_dot() {
    let (rows, words) = (6, 70);
    let bytes =
        |n: usize, seed| numbers(n, seed).iter().map(|v| (v * 127.0) as i8 as u8).collect::<Vec<u8>>();
    let (a, x) = (bytes(rows * words * 4, 12), bytes(words * 4, 13));
    let mut launch = Launch::new([6, 1, 1]).block([32, 1, 1]);
    launch.buffers = vec![Buffer::input(0, 0, a.clone()), Buffer::input(0, 1, x.clone()), out(2, rows)];
    launch.params = (0..3).map(Param::pointer).chain([Param::u32(words as u32)]).collect();
    run("int8_dot", &mut launch);
    let dot = |r: &[u8]| {
        r.iter().zip(&x).map(|(a, b)| i32::from(*a as i8) * i32::from(*b as i8)).sum::<i32>() as u32
    };
    assert_eq!(launch.bound(0, 2).unwrap().to_u32(), a.chunks(words * 4).map(dot).collect::<Vec<u32>>());
}

#[test]
fn attention() {
    let (s, t, d) = (6, 40, 16);
    let (q, k, v) = (numbers(s * d, 14), numbers(t * d, 15), numbers(t * d, 16));
    let mut launch = Launch::new([3, 1, 1]).block([64, 1, 1]);
    launch.buffers = vec![f32s(0, &q), f32s(1, &k), f32s(2, &v), out(3, s * d)];
    launch.params = (0..4).map(Param::pointer).collect();
    launch.params.extend([Param::u32(s as u32), Param::u32(t as u32), Param::f32(0.25)]);
    run("attention", &mut launch);
    let row = |i: usize| {
        let z = |j: usize| (0..d).map(|c| q[i * d + c] * k[j * d + c]).sum::<f32>() * 0.25;
        let p: Vec<f32> = (0..=i + t - s).map(|j| z(j).exp()).collect();
        let sum: f32 = p.iter().sum();
        let mix = |c: usize| p.iter().enumerate().map(|(j, p)| p * v[j * d + c]).sum::<f32>() / sum;
        (0..d).map(mix).collect::<Vec<f32>>()
    };
    close(&result(&launch, 3), &(0..s).flat_map(row).collect::<Vec<f32>>(), 1e-5);
}

fn brains(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| ktwin_num::f32_to_bf16(*v).to_le_bytes()).collect()
}

fn small(n: usize, seed: u32) -> Vec<f32> {
    numbers(n, seed).iter().map(|v| (v * 8.0).round() / 8.0).collect()
}

fn product(a: &[f32], b: &[f32], (m, n, k): (usize, usize, usize), scale: f32) -> Vec<f32> {
    (0..m * n).map(|i| scale * (0..k).map(|p| a[i / n * k + p] * b[p * n + i % n]).sum::<f32>()).collect()
}

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

#[test]
fn integers() {
    let edges = [0, 1, -1, 2, -2, 3, 7, 31, 32, 100, -100, 65_535, -32_768, i32::MAX, i32::MIN, i32::MIN + 1];
    let pairs: Vec<(i32, i32)> = edges.iter().flat_map(|a| edges.iter().map(move |b| (*a, *b))).collect();
    let pairs: Vec<_> = pairs.into_iter().filter(|p| *p != (i32::MIN, -1)).collect();
    let words = |f: fn(&(i32, i32)) -> i32| pairs.iter().map(|p| f(p) as u32).collect::<Vec<u32>>();
    let mut launch = Launch::new([1, 1, 1]).entry("integers").block([pairs.len() as u32, 1, 1]);
    launch.buffers = vec![Buffer::from_u32(0, 0, &words(|p| p.0)), Buffer::from_u32(0, 1, &words(|p| p.1))];
    launch.buffers.push(Buffer::output(0, 2, pairs.len() * 128));
    launch.params = (0..3).map(Param::pointer).collect();
    run("numbers", &mut launch);
    let bytes = &launch.bound(0, 2).unwrap().bytes;
    let got: Vec<i64> = bytes.chunks(8).map(|c| i64::from_le_bytes(c.try_into().unwrap())).collect();
    for (i, &(a, b)) in pairs.iter().enumerate() {
        assert_eq!(got[i * 16..(i + 1) * 16], integers_of(a, b), "{a} {b}");
    }
}

fn integers_of(a: i32, b: i32) -> [i64; 16] {
    let (u, v, p) = (a as u32, b as u32, i64::from(a).wrapping_mul(i64::from(b)));
    let wide = |x: u32| i64::from(x);
    let halves = |w: u32, i: u32| i64::from((w >> (16 * i)) as u16 as i16);
    let chars = |w: u32, i: u32| i64::from((w >> (8 * i)) as u8 as i8);
    let sad = a.abs_diff(b).wrapping_add(7);
    let average = (((i64::from(a) + i64::from(b)) >> 1) as i32) as u32;
    let counts = u.count_ones() + (p as u64).count_ones() + (p as u64).leading_zeros();
    let float = (a as f32 / 7.0).ceil() as i32;
    [
        if b == 0 { 0 } else { i64::from(a.wrapping_div(b)) },
        if b == 0 { 0 } else { i64::from(a.wrapping_rem(b)) },
        u.checked_div(v).map_or(0, wide),
        p >> 32,
        ((u128::from(p as u64) * 0x123_4567_89ab_cdef) >> 64) as i64,
        p / i64::from(b | 1),
        (p as u64 % u64::from(v | 1)) as i64,
        wide(sad.wrapping_add(average).wrapping_add(counts)),
        i64::from(a >> (b & 31)),
        wide(if v & 23 > 31 { 0 } else { u << (v & 23) }),
        i64::from(a as i16) * i64::from(b as i16),
        i64::from(a as i8) + i64::from(b as u8),
        wide((a.min(b) as u32).wrapping_sub(u.max(v))),
        wide((halves(u, 0) * chars(v, 0) + halves(u, 1) * chars(v, 1) + 5) as u32 ^ v),
        f32::from_bits(u & 0x47ff_ffff) as i64,
        ((p as f64 / 3.0).floor() as i64).wrapping_add(i64::from(float)).wrapping_add(p as f32 as i64),
    ]
}

#[test]
fn reals() {
    let (x, y) = (numbers(64, 25), numbers(64, 26));
    let mut launch = Launch::new([1, 1, 1]).entry("reals").block([64, 1, 1]);
    launch.buffers = vec![f32s(0, &x), f32s(1, &y), out(2, 64 * 20)];
    launch.params = (0..3).map(Param::pointer).collect();
    run("numbers", &mut launch);
    let got = result(&launch, 2);
    for (i, (&x, &y)) in x.iter().zip(&y).enumerate() {
        let (a, b) = (f64::from(x), f64::from(y));
        let size = a.abs();
        let tens = (x * 10.0).round_ties_even() + (x * 10.0).round() + (x * 10.0).floor();
        let want = [
            a / b,
            size.sqrt(),
            1.0 / size.sqrt(),
            a.sin(),
            b.cos(),
            a.tanh(),
            b.abs().ln(),
            size.powf(b),
            libm::erf(a),
            a % b,
            a / b,
            a.sin(),
            size.ln(),
            f64::from(tens + (y * 10.0).ceil() + (y * 10.0).trunc()),
            0.0,
            a * b + a,
            a * b + size.sqrt() / b.exp(),
            f64::from(x.min(y) - x.max(y) + x.copysign(y)),
            a.clamp(0.0, 1.0),
            a.exp2() + 10f64.powf(b) + size.log2() + b.cbrt() + a.exp_m1() + b.abs().ln_1p(),
        ];
        for (j, want) in want.iter().enumerate() {
            let got = f64::from(got[i * 20 + j]);
            let bar = 4e-6 * want.abs().max(1.0);
            assert!((got - want).abs() <= bar, "function {j} of {x} and {y}: {got}, expected {want}");
        }
    }
}

#[test]
fn fp8() {
    let x = [0.0, 1.0, -1.5, 0.3, 448.0, 500.0, -1e6, 0.001, 1.0625, 57_344.0, 3e-5, -0.017];
    let mut launch = Launch::new([1, 1, 1]).block([32, 1, 1]).buffer(f32s(0, &x)).buffer(out(1, 24));
    launch.params = vec![Param::pointer(0), Param::pointer(1), Param::u32(12)];
    run("fp8", &mut launch);
    let want: [f32; 24] = [
        0.0,
        0.0,
        1.0,
        1.0,
        -1.5,
        -1.5,
        0.3125,
        0.3125,
        448.0,
        448.0,
        448.0,
        512.0,
        -448.0,
        -57_344.0,
        0.001_953_125,
        0.000_976_562_5,
        1.0,
        1.0,
        448.0,
        57_344.0,
        0.0,
        3.051_757_8e-5,
        -0.017_578_125,
        -0.015_625,
    ];
    assert_eq!(result(&launch, 1), want);
}

#[test]
fn q4_gemv() {
    let (rows, blocks) = (8, 5);
    let noise = numbers(rows * blocks * 17, 27);
    let mut bytes = Vec::new();
    for block in noise.chunks(17) {
        bytes.extend(ktwin_num::f32_to_f16(block[0]).to_le_bytes());
        bytes.extend(block[1..].iter().map(|v| (v.abs() * 255.0) as u8));
    }
    let x = numbers(blocks * 32, 28);
    let mut launch = Launch::new([2, 1, 1]).block([32, 4, 1]);
    launch.buffers = vec![Buffer::input(0, 0, bytes.clone()), f32s(1, &x), out(2, rows)];
    launch.params = (0..3).map(Param::pointer).chain([Param::u32(blocks as u32)]).collect();
    run("q4_gemv", &mut launch);
    let row = |row: &[u8]| {
        let block = |(b, block): (usize, &[u8])| {
            let scale = ktwin_num::f16_to_f32(u16::from_le_bytes([block[0], block[1]]));
            let code =
                |i: usize| f32::from(if i < 16 { block[2 + i] & 15 } else { block[i - 14] >> 4 }) - 8.0;
            scale * (0..32).map(|i| code(i) * x[b * 32 + i]).sum::<f32>()
        };
        row.chunks(18).enumerate().map(block).sum::<f32>()
    };
    close(&result(&launch, 2), &bytes.chunks(blocks * 18).map(row).collect::<Vec<f32>>(), 1e-4);
}

#[test]
fn conv2d() {
    let (h, w) = (9usize, 13usize);
    let x = small(2 * h * w, 29);
    let mut image = vec![0; 8];
    image.extend((h as u32).to_le_bytes());
    image.extend((w as u32).to_le_bytes());
    let mut launch = Launch::new([2, 2, 1]).block([8, 8, 1]).buffer(f32s(0, &x)).buffer(out(1, h * w));
    launch.params = vec![Param::bytes(image).pointing(0, 0, 0), Param::pointer(1)];
    run("conv2d", &mut launch);
    let weights = [[[1, 2, 1], [0, 0, 0], [-1, -2, -1]], [[1, 0, -1], [2, 0, -2], [1, 0, -1]]];
    let at = |k: usize, r: isize, c: isize| {
        let inside = r >= 0 && c >= 0 && r < h as isize && c < w as isize;
        if inside { x[(k * h + r as usize) * w + c as usize] } else { 0.0 }
    };
    let want = (0..h * w).map(|i| {
        let (r, c) = ((i / w) as isize, (i % w) as isize);
        let tap = |n: usize| {
            weights[n / 9][n / 3 % 3][n % 3] as f32
                * at(n / 9, r + n as isize / 3 % 3 - 1, c + n as isize % 3 - 1)
        };
        (0..18).map(tap).sum()
    });
    assert_eq!(result(&launch, 1), want.collect::<Vec<f32>>());
}

#[test]
fn pipeline() {
    let rounds = 4;
    let x: Vec<u32> = (0..rounds * 32).map(|i| i * 37 % 101).collect();
    let mut launch = Launch::new([1, 1, 1]).block([64, 1, 1]);
    launch.buffers = vec![Buffer::from_u32(0, 0, &x), out(1, rounds as usize * 32 + 65)];
    launch.params = vec![Param::pointer(0), Param::pointer(1), Param::u32(rounds)];
    run("pipeline", &mut launch);
    let mut want: Vec<u32> = x.chunks(32).flat_map(|c| c.iter().rev().copied()).collect();
    want.push(3210);
    want.extend((0..64).map(|t| match t % 9 {
        0 => x[0],
        1 => x[1] * 3,
        2 => x[2].wrapping_sub(7),
        3 => x[3] ^ 5,
        4 => x[4] << 2,
        5 => x[5] / 3,
        6 => x[6].wrapping_neg(),
        7 => !x[7],
        _ => 42,
    }));
    assert_eq!(launch.bound(0, 1).unwrap().to_u32(), want);
}

#[test]
fn int8_wmma() {
    let bytes = |n: usize, seed| numbers(n, seed).iter().map(|v| (v * 127.0) as i8).collect::<Vec<i8>>();
    let raw = |v: &[i8]| v.iter().map(|b| *b as u8).collect::<Vec<u8>>();
    let (a, b) = (bytes(512, 30), bytes(256, 31));
    for (entry, n, k, plus) in [("int8_wmma", 16, 16, 1), ("int8_mma", 8, 32, 0)] {
        let mut launch = Launch::new([1, 1, 1]).entry(entry).block([32, 1, 1]);
        launch.buffers = vec![Buffer::input(0, 0, raw(&a)), Buffer::input(0, 1, raw(&b)), out(2, 16 * n)];
        launch.params = (0..3).map(Param::pointer).collect();
        run("int8_wmma", &mut launch);
        let at = |r: usize, c: usize| {
            plus + (0..k).map(|i| i32::from(a[r * k + i]) * i32::from(b[c * k + i])).sum::<i32>()
        };
        // the first is stored by columns
        let want = (0..16 * n).map(|i| if plus == 1 { at(i % 16, i / 16) } else { at(i / n, i % n) } as u32);
        assert_eq!(launch.bound(0, 2).unwrap().to_u32(), want.collect::<Vec<u32>>(), "{entry}");
    }
}

#[test]
fn tf32_wmma() {
    let (a, b) = (small(128, 32), small(128, 33));
    let mut launch = Launch::new([1, 1, 1]).entry("tf32_wmma").block([32, 1, 1]);
    launch.buffers = vec![f32s(0, &a), f32s(1, &b), out(2, 256)];
    launch.params = (0..3).map(Param::pointer).collect();
    run("int8_wmma", &mut launch);
    let want = (0..256).map(|i| (0..8).map(|k| a[i / 16 * 8 + k] * b[i % 16 * 8 + k]).sum());
    assert_eq!(result(&launch, 2), want.collect::<Vec<f32>>());
}
