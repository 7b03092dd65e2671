//! The meanings of numbers against each other, on the vectors of every op: all elements or chosen ones,
//! with bars or
//! without, double-double, and rounded as an honest f32 kernel would.

mod support;

use ktwin_lang::{Elements, Meaning, Order, Output, Promise, Rounding};
use ktwin_num::{DType, Float, Language};
use serde_json::Value as Json;
use support::vectors::{call_of, cases};
use support::{Array, Call, disagreement, folder, op, stems};

/// Calls `see` with every case of every op; what it finds wrong is collected and shown together.
fn every_case(see: impl Fn(&Call, &Json) -> Option<String>) {
    let mut wrong = Vec::new();
    for name in stems(&folder("ops"), "op") {
        let op = op(&name);
        for (at, case) in cases(&name).iter().enumerate() {
            let complaint = see(&call_of(&op, case), case);
            wrong.extend(complaint.map(|what| format!("{name}, case {at}: {what}")));
        }
    }
    assert!(wrong.is_empty(), "{} cases\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn chosen_elements_are_those_of_the_whole() {
    every_case(|call, _| {
        let whole = call.evaluate(&Meaning::Exact, Elements::All).unwrap_or_default();
        whole.iter().enumerate().find_map(|(number, all)| {
            let places: Vec<usize> = (0..all.values.len()).rev().step_by(2).collect();
            let some = match call.evaluate(&Meaning::Exact, Elements::Of(number, &places)) {
                Ok(some) => some[0].values.clone(),
                Err(error) => return Some(error),
            };
            let want: Vec<f64> = places.iter().map(|at| all.values[*at]).collect();
            let n = places.len();
            disagreement(&Array::new(&[n], some), &Array::new(&[n], want), 1e-14)
        })
    });
}

#[test]
fn double_double_gives_the_same_values_and_more() {
    every_case(|call, _| {
        let exact = call.evaluate(&Meaning::Exact, Elements::All).unwrap_or_default();
        let double = match call.evaluate(&Meaning::Double, Elements::All) {
            Ok(double) => double,
            Err(error) => return Some(error),
        };
        exact.iter().zip(&double).find_map(|(one, two)| {
            let limit = if one.integer { 0.0 } else { 1e-12 };
            let wrong = disagreement(
                &Array::new(&one.shape, two.values.clone()),
                &Array::new(&one.shape, one.values.clone()),
                limit,
            );
            wrong.map(|what| format!("{}: {what}", one.name))
        })
    });
}

/// The first element that lies outside its bar.
fn outside(bar: &Output, got: &Output) -> Option<String> {
    (0..bar.values.len()).find_map(|at| {
        let (want, allowed, got) = (bar.values[at], bar.bars[at], got.values[at]);
        let same = want == got || (want.is_nan() && got.is_nan()) || allowed == f64::INFINITY;
        let inside = same || (want - got).abs() <= allowed;
        (!inside).then(|| format!("{}[{at}] = {got:e}, expected {want:e} +- {allowed:e}", bar.name))
    })
}

/// What an honest kernel of this rung gets wrong, in any order of its sums, fused or not.
fn dishonesty(call: &Call, rung: Float, storage: DType) -> Option<String> {
    let promise = Promise::new(&call.op, Language::Wgsl, rung, rung);
    let (_, tensors) = call.bound().ok()?;
    let bars = match call.evaluate(&Meaning::Bars(promise.reading(&tensors)), Elements::All) {
        Ok(bars) => bars,
        Err(error) => return Some(error),
    };
    let kinds = Order::ALL.iter().flat_map(|order| [(*order, false), (*order, true)]);
    kinds.into_iter().find_map(|(order, fused)| {
        let mut rounding = Rounding::new(&call.op, rung, rung);
        (rounding.order, rounding.fused) = (order, fused);
        let got = match call.evaluate(&Meaning::Rounded(rounding), Elements::All) {
            Ok(got) => got,
            Err(error) => return Some(error),
        };
        let wrong = bars.iter().zip(&got).find_map(|(bar, got)| outside(bar, got));
        wrong.map(|what| format!("{storage} {order:?} fused {fused}: {what}"))
    })
}

#[test]
fn honest_kernels_lie_within_their_bars() {
    for (rung, storage) in [(Float::F32, DType::F32), (Float::F16, DType::F16), (Float::BF16, DType::BF16)] {
        every_case(|call, case| dishonesty(&call_of(&call.op, case).stored(storage), rung, storage));
    }
}
