//! Sums so long that a term is not far above a unit of what was summed before: roundings then go one way, and bars
//! must know it, without being wide where sums are short.

use ktwin_lang::{Elements, Meaning, Op, Progress, Promise};
use ktwin_num::{DType, Fill, Float, Language, Regime, fill};

/// The value and the bar that the twin gives, and the sum that a plain loop in f32 makes.
fn summed(term: &str, honest: fn(f32) -> f32, n: usize, regime: Regime, seed: u64) -> (f64, f64, f64) {
    let text = format!("op long(x[N]) -> y\n\ny = sum[n]({term})\n");
    let op = Op::parse("long.op", &text).unwrap();
    let case = op.bind(&[("N", n as i64)], &[]).unwrap();
    let x = fill(&Fill::new(regime, seed), DType::F32, &[n]);
    let mut promise = Promise::new(&op, Language::C, Float::F32, Float::F32);
    promise.structured = regime.is_structured();
    let loops = x.to_f64().iter().fold(0.0f32, |sum, x| sum + honest(*x as f32));
    let out =
        case.evaluate_over(&[x], &Meaning::Bars(promise), Elements::All, &Progress::default(), Vec::new());
    let out = out.unwrap().swap_remove(0);
    (out.values[0], out.bars[0], f64::from(loops))
}

#[test]
fn a_plain_loop_stays_inside() {
    let terms: [(&str, fn(f32) -> f32); 3] = [
        ("x[n]^2", |x| x * x),
        ("abs(x[n])", f32::abs),
        ("exp(4 * x[n])", |x| f64::exp(f64::from(4.0 * x)) as f32),
    ];
    for (term, honest) in terms {
        for n in [100_000, 1_000_000, 2_000_000] {
            for regime in [Regime::Normal, Regime::Uniform] {
                let (value, bar, got) = summed(term, honest, n, regime, 7);
                assert!(
                    (got - value).abs() <= bar,
                    "{term} {n} {regime}: {} of the bar",
                    (got - value).abs() / bar
                );
            }
        }
    }
}

#[test]
fn bars_of_shorter_sums_stay_sharp() {
    let (value, bar, _) = summed("x[n]^2", |x| x * x, 4096, Regime::Normal, 7);
    let unit = Float::F32.unit_roundoff();
    assert!(bar < 10.0 * 64.0 * unit * value, "{bar} for {value}");
}
