//! Everyday kernels in PTX: sums, products, softmax, scans, attention, against the same computed plainly.

mod common;

use common::{close, f32s, from_halves, halves, numbers, out, result, run};
use ktwin_sim::{Buffer, Launch, Param};

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
