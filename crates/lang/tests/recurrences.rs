//! Recurrences and running reductions: the same numbers as the slow way, in time that grows with their length.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ktwin_lang::{Elements, EvalError, Meaning, Op, Order, Output, Progress, Promise, Rounding, Value};
use ktwin_num::{DType, Fill, Float, Language, Regime, Tensor, fill};

fn inputs(op: &Op, dims: &[(&str, i64)]) -> Vec<Tensor> {
    let case = op.bind(dims, &[]).unwrap();
    let make = |(at, shape): (usize, &Vec<usize>)| {
        let how = Fill { stream: at as u64, ..Fill::new(Regime::Normal, 3) };
        fill(&how, DType::F32, shape)
    };
    case.input_shapes.iter().enumerate().map(make).collect()
}

fn barred(op: &Op, dims: &[(&str, i64)], of: Elements) -> Output {
    let promise = Promise::new(op, Language::C, Float::F32, Float::F32);
    let case = op.bind(dims, &[]).unwrap_or_else(|e| panic!("{e}"));
    case.evaluate(&inputs(op, dims), &Meaning::Bars(promise), of)
        .unwrap_or_else(|e| panic!("{e}"))
        .swap_remove(0)
}

fn op(text: &str) -> Op {
    Op::parse("a.op", text).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn running_reductions_are_what_each_alone_is() {
    for fold in ["sum", "prod", "max", "min"] {
        for sign in ["<=", "<", ">=", ">"] {
            let with = |to: &str| {
                op(&format!(
                    "op a(x[R, N]) -> y[N, R]\ny[n, r] = {fold}[m in N where m {sign} {to}](x[r, m])"
                ))
            };
            let dims = [("R", 3), ("N", 700)];
            let (fast, slow) =
                (barred(&with("n"), &dims, Elements::All), barred(&with("n + 0"), &dims, Elements::All));
            for at in 0..fast.values.len() {
                let (a, b) = (fast.values[at], slow.values[at]);
                assert!(a == b || (a - b).abs() <= 1e-12 * a.abs().max(1.0), "{fold} {sign} {at}: {a} {b}");
                let (a, b) = (fast.bars[at], slow.bars[at]);
                assert!(a == b || (0.9..1.5).contains(&(a / b)), "{fold} {sign} {at}: bars {a} {b}");
            }
        }
    }
}

#[test]
fn long_scans_take_no_longer_than_their_length() {
    let scan = op("op scan(x[N]) -> y[N]\ny[n] = sum[m in N where m <= n](x[m])");
    let ema = op("op ema(x[N]) -> y[N]\ny[n] = 0.9 * (y[n - 1] else 0) + 0.1 * x[n]");
    for op in [&scan, &ema] {
        let start = Instant::now();
        let all = barred(op, &[("N", 200_000)], Elements::All);
        assert!(all.bars.iter().all(|b| b.is_finite()));
        assert!(start.elapsed().as_secs_f64() < 20.0, "{} took {:?}", op.name, start.elapsed());
    }
}

#[test]
fn what_would_take_hours_says_so_before_it_begins() {
    let text = "op a(x[N]) -> y[N]\n\
                y[n] = sum[m in N where m <= n](prod[k in N where k > m + 1 and k < n + 1](x[k]))";
    let op = op(text);
    let x = Tensor::from_f64(DType::F32, &[40_000], &vec![1.0; 40_000]);
    let case = op.bind(&[("N", 40_000)], &[]).unwrap();
    let start = Instant::now();
    let error = case.evaluate(&[x], &Meaning::Exact, Elements::All).unwrap_err().to_string();
    assert!(error.contains("hours") && error.contains("as a recurrence"), "{error}");
    assert!(start.elapsed().as_secs() < 5);
}

#[test]
fn a_long_evaluation_stops_when_asked() {
    let op = op("op a(x[N]) -> y[N]\ny[n] = 0.5 * (y[n - 1] else 0) + sum[m in N](sin(x[m] + n))");
    let x = Tensor::from_f64(DType::F32, &[60_000], &vec![1.0; 60_000]);
    let case = op.bind(&[("N", 60_000)], &[]).unwrap();
    let progress = Progress::default();
    let took = std::thread::scope(|scope| {
        let run = scope.spawn(|| case.evaluate_watched(&[x], &Meaning::Exact, Elements::All, &progress));
        std::thread::sleep(Duration::from_millis(200));
        let asked = Instant::now();
        progress.stop.store(true, Ordering::Relaxed);
        assert!(matches!(run.join().unwrap(), Err(EvalError::Cancelled)));
        asked.elapsed()
    });
    assert!(took < Duration::from_secs(1), "{took:?}");
}

#[test]
fn chosen_elements_are_those_of_the_whole() {
    let text = "op a(a[T, D], b[T, D]) -> y[D, T]\n\
                h[t, d] = a[t, d] * (h[t - 1, d] else 1) + b[t, d]\n\
                k[t, d] = h[t, d] - (if t == T - 1 then 0.0 else k[t + 1, d] / 2)\n\
                y[d, t] = h[t, d] * k[t, d]";
    let (op, dims, places) = (op(text), [("T", 40), ("D", 300)], [0, 39, 40, 5001, 11_999]);
    let (all, some) = (barred(&op, &dims, Elements::All), barred(&op, &dims, Elements::Of(0, &places)));
    for (at, place) in places.iter().enumerate() {
        assert_eq!((some.values[at], some.bars[at]), (all.values[*place], all.bars[*place]));
    }
    // the definition, step by step
    let inputs = inputs(&op, &dims);
    let (a, b) = (inputs[0].to_f64(), inputs[1].to_f64());
    let mut h = vec![0.0; 40];
    for t in 0..40 {
        h[t] = a[t * 300 + 7] * (if t == 0 { 1.0 } else { h[t - 1] }) + b[t * 300 + 7];
    }
    let mut k = 0.0;
    for t in (0..40).rev() {
        k = h[t] - (if t == 39 { 0.0 } else { k / 2.0 });
        assert_eq!(all.values[7 * 40 + t], h[t] * k);
    }
}

#[test]
fn orders_of_a_linear_recurrence_are_inside() {
    // blocks of eight: each from nothing, then what came before times all its decays
    let step = op("op a(a[N], b[N]) -> y[N]\ny[n] = a[n] * (y[n - 1] else 0) + b[n]");
    let n = 4096;
    for scale in [0.5, 0.97, 1.0] {
        let a = Tensor::from_f64(DType::F32, &[n], &vec![-scale; n]);
        let b = inputs(&step, &[("N", n as i64)]).swap_remove(1);
        let case = step.bind(&[("N", n as i64)], &[]).unwrap();
        let promise = Promise::new(&step, Language::C, Float::F32, Float::F32);
        let judged = |meaning: &Meaning| {
            case.evaluate(&[a.clone(), b.clone()], meaning, Elements::All).unwrap().swap_remove(0)
        };
        let bars = judged(&Meaning::Bars(promise));
        let decay = (-scale) as f32;
        let terms: Vec<f32> = b.to_f64().iter().map(|x| *x as f32).collect();
        let mut before = 0f32;
        let mut worst = 0f64;
        let (mut own, mut kept) = (0f32, 1f32);
        for (at, term) in terms.iter().enumerate() {
            own = decay * own + term;
            kept *= decay;
            let y = own + kept * before;
            worst = worst.max((f64::from(y) - bars.values[at]).abs() / bars.bars[at]);
            if at % 8 == 7 {
                (own, kept, before) = (0.0, 1.0, y);
            }
        }
        assert!(worst < 1.0, "{scale}: {worst}");
        let coarse = Rounding { order: Order::Sequential, ..Rounding::new(&step, Float::F16, Float::F16) };
        let made = judged(&Meaning::Rounded(coarse));
        let seen = (0..n).any(|at| (made.values[at] - bars.values[at]).abs() > bars.bars[at]);
        assert!(seen, "{scale}: f16 stays inside");
    }
}

#[test]
fn a_maximum_that_begins_far_below_has_bars() {
    for first in ["-inf", "-1e38"] {
        let most = op(&format!("op most(x[N]) -> y[N]\ny[n] = max((y[n - 1] else {first}), x[n])"));
        let x = inputs(&most, &[("N", 64)]);
        let case = most.bind(&[("N", 64)], &[]).unwrap();
        let promise = Promise::new(&most, Language::C, Float::F32, Float::F32);
        let all = case.evaluate(&x, &Meaning::Bars(promise), Elements::All).unwrap().swap_remove(0);
        let wide =
            all.bars.iter().zip(&all.values).filter(|(bar, v)| **bar > 1e-5 * v.abs().max(1.0)).count();
        assert_eq!(wide, 0, "{first}: {:?}", all.bars);
    }
}

#[test]
fn what_does_not_run_one_way_is_refused() {
    for (body, words) in [
        ("y[n] + x[n]", "at the same `n`"),
        ("if n == 0 then 0.0 else y[n - 1] + y[n]", "at the same `n`"),
        ("y[n - 1] + y[n + 1]", "another read of the same recurrence"),
        ("y[N - n]", "may not stand before"),
        ("sum[m in N where m <= n](y[m])", "may not stand before"),
        ("sum[m in N](y[m])", "may not stand before"),
        ("sum[n in N](y[n - 1])", "may not stand before"),
        ("sum[k in 0..3](y[n - k])", "may not stand before"),
        ("z[n] + x[n]\nz[i in 0..N] = y[i - 1]", "have one index of the same name"),
    ] {
        let error = Op::parse("a.op", &format!("op a(x[N]) -> y[N]\ny[n] = {body}")).unwrap_err().to_string();
        assert!(error.contains(words), "{body}: {error}");
    }
    op("op a(x[N]) -> y[N]\ny[n] = x[n] + sum[k in 1..3]((y[n - k] else 0))");
}

/// Kernels that take steps together multiply decays by each other, and what overflows there was nobody's to promise.
#[test]
fn products_that_may_overflow_leave_values_free() {
    let op = op("op a(a[T], b[T]) -> h[T]\nh[t] = if t == 0 then b[t] else a[t] * h[t - 1] + b[t]");
    let case = op.bind(&[("T", 9)], &[]).unwrap();
    let tensor = |x: f64| Tensor::from_f64(DType::F32, &[9], &[x; 9]);
    let last = |a: f64, b: f64| {
        let promise = Promise::new(&op, Language::C, Float::F32, Float::F32);
        let out = case.evaluate(&[tensor(a), tensor(b)], &Meaning::Bars(promise), Elements::All).unwrap();
        (out[0].values[8], out[0].bars[8])
    };
    let (value, bar) = last(1e5, 1e-8);
    assert!(value < 1e33 && bar.is_infinite(), "{value} {bar}");
    let (value, bar) = last(1e3, 1e-8);
    assert!(value > 1e15 && bar < 1e-5 * value, "{value} {bar}");
}

/// What it begins with may be small, and the decays by which it is multiplied large.
#[test]
fn small_beginnings_of_large_decays_are_free() {
    for first in ["if t == 0 then h0 else h[t - 1]", "h[t - 1] else h0"] {
        let op = op(&format!("op a(a[T]; h0) -> h[T]\nh[t] = a[t] * ({first})"));
        let case = op.bind(&[("T", 9)], &[("h0", Value::Real(1e-9))]).unwrap();
        for (a, free) in [(2.1e4, true), (1e4, false)] {
            let tensor = Tensor::from_f64(DType::F32, &[9], &[a; 9]);
            let promise = Promise::new(&op, Language::C, Float::F32, Float::F32);
            let out = case.evaluate(&[tensor], &Meaning::Bars(promise), Elements::All).unwrap();
            assert!(out[0].values[8] < 1e30 && out[0].bars[8].is_infinite() == free, "{first}: {a}");
        }
    }
}

#[test]
fn products_of_several_factors_may_underflow_on_the_way() {
    let op = op("op a(d[N], x[N]) -> y[N]\ny[n] = d[n] * (y[n - 1] else 0) + x[n]");
    let promise = Promise::new(&op, Language::C, Float::F32, Float::F32);
    let case = op.bind(&[("N", 9)], &[]).unwrap();
    let decay = 1.1e-5f32;
    let mut first = [0.0; 9];
    first[0] = 1e31;
    let inputs = [
        Tensor::from_f64(DType::F32, &[9], &[f64::from(decay); 9]),
        Tensor::from_f64(DType::F32, &[9], &first),
    ];
    let out = case.evaluate(&inputs, &Meaning::Bars(promise), Elements::All).unwrap().swap_remove(0);
    let joined = f64::from((0..8).fold(1.0, |product, _| product * decay) * 1e31f32);
    let off = (joined - out.values[8]).abs();
    assert!(off > 1e-6 * out.values[8] && off <= out.bars[8], "{joined} {} {}", out.values[8], out.bars[8]);
    assert!(out.bars[8] < 10.0 * off, "{off} {}", out.bars[8]);
}

#[test]
fn recurrences_of_several_definitions_read_others() {
    // what only the second definition reads is needed too
    let text = "op r(x[4] in 0..100, k[4] in 0..9) -> y[4]\n\
                m[r in 0..2, i in 0..4] = if r == 0 then k[i] else m[r - 1, i]\n\
                a[h in 0..4, i in 0..4] = if h == 0 then x[i] else b[h - 1, i]\n\
                b[h in 0..4, i in 0..4] = a[h, i] + m[h // 2, i]\n\
                y[j in 0..4] = a[3, j]";
    let op = op(text);
    let case = op.bind(&[], &[]).unwrap();
    let inputs = [[1, 2, 3, 4], [5, 6, 7, 8]].map(|values| Tensor::from_i64(DType::I32, &[4], &values));
    let made = case.evaluate(&inputs, &Meaning::Exact, Elements::All).unwrap();
    assert_eq!(made[0].values, [16.0, 20.0, 24.0, 28.0]);
}
