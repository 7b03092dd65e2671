//! Every op with one dimension after another made long, past the evaluator's blocks: all elements at once
//! against chosen
//! ones, which take another way through the evaluator, with their bars.

mod support;

use ktwin_lang::{Case, Elements, Meaning, Op, Output, Promise, Value};
use ktwin_num::{Float, Language};
use serde_json::Value as Json;
use support::vectors::{cases, scalar};
use support::{Array, Call, disagreement, folder, op, stems};

/// Past a block of 512 lanes; the first that an op's constraints allow is taken.
const LONG: [usize; 6] = [577, 578, 579, 580, 582, 584];

/// The sizes of a vectors' case with one of them long; `derived` sizes are left to the constraints.
fn sizes<'a>(op: &'a Op, case: &Json, long: &str, size: usize, derived: bool) -> Vec<(&'a str, i64)> {
    let declared = |dim: &str| op.inputs.iter().any(|i| i.axes.iter().any(|name| name == dim));
    let given = op.dims.iter().filter(|d| d.name == long || !derived || declared(&d.name));
    let size_of = |dim: &str| if dim == long { size as i64 } else { case["dims"][dim].as_i64().unwrap_or(1) };
    given.map(|d| (d.name.as_str(), size_of(&d.name))).collect()
}

/// The op bound with this dimension long, where its constraints allow it.
fn bound<'a>(op: &'a Op, case: &Json, long: &str) -> Option<Case<'a>> {
    let scalars: Vec<(&str, Value)> =
        op.scalars.iter().map(|s| (s.name.as_str(), scalar(&case["scalars"][&s.name]))).collect();
    let choices = LONG.iter().flat_map(|size| [(*size, true), (*size, false)]);
    choices.filter_map(|(size, derived)| op.bind(&sizes(op, case, long, size, derived), &scalars).ok()).next()
}

/// Values inside the domain of an input, all different from their neighbours.
fn filled(case: &Case, input: usize) -> Array {
    let (domain, whole) = (case.input_domain(input), case.op.inputs[input].integer);
    let (lo, hi) =
        (domain.lo.max(if whole { 0.0 } else { -2.0 }), domain.hi.min(if whole { 1e9 } else { 2.0 }));
    let row = case.input_shapes[input].last().map_or(1, |size| *size);
    if domain.sorted.is_some() {
        let share = |at: usize| (at % row) as f64 / (row - 1).max(1) as f64;
        let last = hi - f64::from(u8::from(domain.hi_open));
        return Array::of(&case.input_shapes[input], |at| (lo + share(at) * (last - lo)).floor());
    }
    Array::of(&case.input_shapes[input], |at| {
        let part = ((at * 7919 + 104_729 * input + 1) % 10_007) as f64 / 10_007.0;
        let value = lo + part * (hi - lo);
        if whole {
            value.floor()
        } else {
            (value * 4096.0).round() / 4096.0 + f64::from(u8::from(domain.lo_open))
        }
    })
}

fn call(case: &Case) -> Call {
    let mut call = Call::new(case.op.clone());
    for (dim, size) in case.op.dims.iter().zip(&case.dims) {
        call = call.dim(&dim.name, *size as usize);
    }
    for (scalar, value) in case.op.scalars.iter().zip(&case.scalars) {
        call = call.scalar(&scalar.name, *value);
    }
    for input in 0..case.op.inputs.len() {
        call = call.input(&case.op.inputs[input].name, &filled(case, input));
    }
    call
}

/// Elements at the edges of blocks and some between.
fn places(n: usize) -> Vec<usize> {
    let edges = [0, 1, 95, 96, 97, 511, 512, 513, n / 3, n / 2, n.saturating_sub(2), n - 1];
    edges.into_iter().filter(|at| *at < n).collect()
}

/// How chosen elements differ from those of the whole output.
fn difference(call: &Call, meaning: &Meaning, number: usize, whole: &Output) -> Option<String> {
    let places = places(whole.values.len());
    let some = match call.evaluate(meaning, Elements::Of(number, &places)) {
        Ok(mut some) => some.remove(0),
        Err(error) => return Some(error),
    };
    let picked = |all: &[f64]| Array::of(&[places.len()], |at| all[places[at]]);
    let values = disagreement(&Array::new(&[places.len()], some.values), &picked(&whole.values), 1e-11);
    let bars = disagreement(&Array::new(&[places.len()], some.bars), &picked(&whole.bars), 1e-6);
    values.or(bars.map(|what| format!("bar: {what}")))
}

#[test]
fn chosen_elements_of_long_outputs_are_those_of_the_whole() {
    let (mut tried, mut wrong) = (0, Vec::new());
    for name in stems(&folder("ops"), "op") {
        let (op, cases) = (op(&name), cases(&name));
        for long in &op.dims {
            let Some(case) = bound(&op, &cases[0], &long.name) else { continue };
            let call = call(&case);
            let meaning = Meaning::Bars(Promise::new(&op, Language::Wgsl, Float::F32, Float::F32));
            let whole = call.evaluate(&meaning, Elements::All).unwrap_or_else(|e| panic!("{name}: {e}"));
            tried += 1;
            for (number, output) in whole.iter().enumerate() {
                let what = difference(&call, &meaning, number, output);
                wrong.extend(what.map(|what| format!("{name}, long {}, {}: {what}", long.name, output.name)));
            }
        }
    }
    assert!(tried > 150, "only {tried} cases");
    assert!(wrong.is_empty(), "{} of {tried}\n{}", wrong.len(), wrong.join("\n"));
}
