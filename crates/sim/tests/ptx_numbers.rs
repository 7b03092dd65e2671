//! Arithmetic of PTX against its definitions, and kernels that lean on it.

mod common;

use common::{close, f32s, numbers, out, result, run, small};
use ktwin_sim::{Buffer, Launch, Param};

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
        wide(u << (v & 23)),
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
