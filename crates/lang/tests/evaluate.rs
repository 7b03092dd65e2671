//! The evaluator on small cases with answers known by hand, and its meanings against each other.

use ktwin_lang::{Elements, Meaning, Op, Promise, Value};
use ktwin_num::{DType, Float, Language, Tensor};

const RMSNORM: &str = "op rmsnorm(x[R, D], w[D]; eps = 1e-5) -> y[R, D]
ms[r]   = sum[d](x[r, d]^2) / D
y[r, d] = x[r, d] / sqrt(ms[r] + eps) * w[d]";

const F32: DType = DType::Float(Float::F32);

fn evaluate(text: &str, dims: &[(&str, i64)], inputs: &[Tensor], meaning: &Meaning) -> Vec<f64> {
    let op = Op::parse("t.op", text).unwrap_or_else(|e| panic!("{e}"));
    let case = op.bind(dims, &[]).unwrap();
    let out = case.evaluate(inputs, meaning, Elements::All).unwrap_or_else(|e| panic!("{e}"));
    out[0].values.clone()
}

fn tensor(shape: &[usize], values: &[f64]) -> Tensor {
    Tensor::from_f64(F32, shape, values)
}

#[test]
fn rmsnorm_by_hand() {
    let x = tensor(&[2, 2], &[3.0, 4.0, 1.0, 1.0]);
    let w = tensor(&[2], &[1.0, 2.0]);
    let y = evaluate(RMSNORM, &[("R", 2), ("D", 2)], &[x, w], &Meaning::Exact);
    let rms = (12.5f64 + 1e-5).sqrt();
    assert_eq!(y[0], 3.0 / rms);
    assert_eq!(y[1], 4.0 / rms * 2.0);
}

#[test]
fn exact_products_have_no_bar_and_inexact_ones_do() {
    let op = Op::parse("t.op", "op mul(a[N], b[N]) -> y[N]\ny[n] = a[n] * b[n]").unwrap();
    let case = op.bind(&[("N", 2)], &[]).unwrap();
    let inputs = [tensor(&[2], &[3.0, 0.1]), tensor(&[2], &[5.0, 0.3])];
    let promise = Promise::new(&op, Language::Wgsl, Float::F32, Float::F32);
    let out = case.evaluate(&inputs, &Meaning::Bars(promise), Elements::All).unwrap();
    assert_eq!(out[0].bars[0], 0.0);
    assert!(out[0].bars[1] > 0.0 && out[0].bars[1] < 1e-8);
}

/// `s (q - z)` may be computed as `s q - s z`, which is 0 only nearly where q = z. Integers that f32 cannot hold are
/// taken from each other before they become reals.
#[test]
fn a_difference_of_integers_may_be_taken_apart() {
    let text = "op d(q[N] in -2147483648..2147483648, z[N] in -2147483648..2147483648, s[N]) -> y[N]
y[n] = s[n] * (q[n] - z[n])";
    let op = Op::parse("t.op", text).unwrap();
    let case = op.bind(&[("N", 3)], &[]).unwrap();
    let whole = |values: &[i64]| Tensor::from_i64("i32".parse().unwrap(), &[3], values);
    let (q, z) = (whole(&[100, 100, 1 << 30]), whole(&[100, 101, 1 << 30]));
    let promise = Promise::new(&op, Language::C, Float::F32, Float::F32);
    let inputs = [q, z, tensor(&[3], &[0.3, 0.3, 0.3])];
    let out = case.evaluate(&inputs, &Meaning::Bars(promise), Elements::All).unwrap();
    let bars = &out[0].bars;
    let (least, most) = (0.3 * 200.0 * 2f64.powi(-24), 1e-4);
    assert!(bars[..2].iter().all(|bar| (least..most).contains(bar)) && bars[2] == 0.0, "{bars:?}");
}

#[test]
fn chosen_elements_are_the_whole_output_s() {
    let (m, n, k) = (40, 37, 600);
    let text = "op gemm(a[M, K], b[K, N]) -> c[M, N]\nc[m, n] = sum[k](a[m, k] * b[k, n])";
    let op = Op::parse("t.op", text).unwrap();
    let case = op.bind(&[("M", m as i64), ("N", n as i64), ("K", k as i64)], &[]).unwrap();
    let fill =
        |count: usize, by: usize| (0..count).map(|i| ((i * by) % 97) as f64 / 31.0 - 1.5).collect::<Vec<_>>();
    let inputs = [tensor(&[m, k], &fill(m * k, 7)), tensor(&[k, n], &fill(k * n, 13))];
    let meaning = Meaning::Bars(Promise::new(&op, Language::Wgsl, Float::F32, Float::F32));
    let whole = case.evaluate(&inputs, &meaning, Elements::All).unwrap();
    let places: Vec<usize> = (0..m * n).step_by(3).collect();
    let some = case.evaluate(&inputs, &meaning, Elements::Of(0, &places)).unwrap();
    let few = case.evaluate(&inputs, &meaning, Elements::Of(0, &places[..5])).unwrap();
    for (at, place) in places.iter().enumerate() {
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1e-3);
        assert!(close(some[0].values[at], whole[0].values[*place]), "element {place}");
        // the matrix product takes sizes in f32
        let (one, other) = (some[0].bars[at], whole[0].bars[*place]);
        assert!((one - other).abs() <= 2e-3 * other, "bar {place}: {one} {other}");
        if at < 5 {
            assert!(close(few[0].values[at], whole[0].values[*place]));
        }
    }
}

#[test]
fn only_the_taken_branch_reads() {
    let text = "op shift(x[N]) -> y[N]\ny[n] = if n > 0 then x[n - 1] else 0.0";
    let y = evaluate(text, &[("N", 3)], &[tensor(&[3], &[1.0, 2.0, 3.0])], &Meaning::Exact);
    assert_eq!(y, [0.0, 1.0, 2.0]);
}

#[test]
fn reading_outside_is_an_error_at_its_place() {
    let op = Op::parse("t.op", "op shift(x[N]) -> y[N]\ny[n] = x[n + 1]").unwrap();
    let case = op.bind(&[("N", 3)], &[]).unwrap();
    let error =
        case.evaluate(&[tensor(&[3], &[0.0; 3])], &Meaning::Exact, Elements::All).unwrap_err().to_string();
    assert!(error.contains("t.op:2:8") && error.contains("outside 0..3"), "{error}");
}

#[test]
fn what_an_empty_range_lacks_is_taken_otherwise() {
    let text = "op t(x[N]) -> y[N]\ns[i in N..N] = x[i]\ny[n] = (s[n] else 2) + x[n]";
    let y = evaluate(text, &[("N", 3)], &[tensor(&[3], &[0.0, 1.0, 2.0])], &Meaning::Exact);
    assert_eq!(y, [2.0, 3.0, 4.0]);
}

#[test]
fn double_agrees_with_exact() {
    let x: Vec<f64> = (0..200).map(|i| (i as f64 * 0.37).sin()).collect();
    let w: Vec<f64> = (0..100).map(|i| 1.0 + i as f64 / 100.0).collect();
    let inputs = [
        Tensor::from_f64(DType::Float(Float::F64), &[2, 100], &x),
        Tensor::from_f64(DType::Float(Float::F64), &[100], &w),
    ];
    let dims = [("R", 2), ("D", 100)];
    let exact = evaluate(RMSNORM, &dims, &inputs, &Meaning::Exact);
    let double = evaluate(RMSNORM, &dims, &inputs, &Meaning::Double);
    for (a, b) in exact.iter().zip(&double) {
        assert!((a - b).abs() <= 1e-15 * b.abs().max(1e-3));
    }
}

#[test]
fn scalars_are_checked() {
    let op = Op::parse("t.op", RMSNORM).unwrap();
    let error = op.bind(&[("R", 2), ("D", 2)], &[("esp", Value::Real(1.0))]).unwrap_err().to_string();
    assert!(error.contains("did you mean eps"), "{error}");
    let error = op.bind(&[("R", 2)], &[]).unwrap_err().to_string();
    assert!(error.contains("D has no size"), "{error}");
}

#[test]
fn a_condition_of_one_operand_is_no_prefix() {
    const FLAG: DType = DType::Int { bits: 32, signed: true };
    let text = "op t(x[R, D], m[R, D] in 0..2) -> y[R]\ny[r] = max[d in D where not (m[r, d] == 1)](x[r, d])";
    let (x, m) =
        (tensor(&[2, 2], &[3.0, 4.0, 5.0, 1.0]), Tensor::from_f64(FLAG, &[2, 2], &[0.0, 1.0, 1.0, 0.0]));
    assert_eq!(evaluate(text, &[("R", 2), ("D", 2)], &[x, m], &Meaning::Exact), [3.0, 1.0]);
}
