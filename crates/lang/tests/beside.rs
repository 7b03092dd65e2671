//! What evaluations have in common is computed once: they give what each gives alone, but for the order in
//! which a block of a sum is taken.

mod support;

use ktwin_lang::{Case, Elements, Held, Meaning, Op, Output, Promise};
use ktwin_num::{Float, Language, Tensor};
use support::vectors::{call_of, cases};
use support::{folder, op, stems};

/// The same tensors, those from number `open` on with their elements in reverse.
fn reversed(inputs: &[Tensor], open: usize) -> Vec<Tensor> {
    let turned = |(at, tensor): (usize, &Tensor)| {
        let mut out = tensor.clone();
        if at >= open {
            let size = tensor.dtype.bytes_per_block();
            out.bytes = tensor.bytes.chunks(size).rev().flatten().copied().collect();
        }
        out
    };
    inputs.iter().enumerate().map(turned).collect()
}

/// Whether numbers are equal but for a last bit or two of the largest of them.
fn near(a: &[f64], b: &[f64]) -> bool {
    let largest = a.iter().map(|v| v.abs()).filter(|v| v.is_finite()).fold(0.0, f64::max);
    let near = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || (a - b).abs() <= 1e-14 * largest;
    a.len() == b.len() && a.iter().zip(b).all(near)
}

fn same(a: &[Output], b: &[Output]) -> bool {
    let one = |(a, b): (&Output, &Output)| {
        let exact = a.integer && a.values != b.values;
        !exact && near(&a.values, &b.values) && near(&a.bars, &b.bars)
    };
    a.len() == b.len() && a.iter().zip(b).all(one)
}

/// Both evaluations that differ in the inputs from number `open` on, and how many there were.
fn agree(case: &Case, inputs: &[Tensor], meaning: &Meaning, open: usize) -> usize {
    let (held, mut seen) = (Held::beside(open), 0);
    for inputs in [inputs.to_vec(), reversed(inputs, open), inputs.to_vec()] {
        // an index from the end need not be one
        let Ok(alone) = case.evaluate(&inputs, meaning, Elements::All) else { continue };
        let beside = case.evaluate_beside(&inputs, meaning, &held).unwrap_or_else(|e| panic!("{e}"));
        assert!(same(&beside, &alone), "{} from {open} on: {beside:?} {alone:?}", case.op.name);
        seen += 1;
    }
    seen
}

fn all_of(op: &Op, name: &str) -> usize {
    let promise = Promise { structured: false, ..Promise::new(op, Language::C, Float::F32, Float::F32) };
    let mut seen = 0;
    for call in cases(name).iter().map(|case| call_of(op, case)) {
        let (case, inputs) = call.bound().unwrap_or_else(|e| panic!("{name}: {e}"));
        for open in 0..inputs.len() {
            for meaning in [Meaning::Exact, Meaning::Bars(promise.clone())] {
                seen += agree(&case, &inputs, &meaning, open);
            }
        }
    }
    seen
}

#[test]
fn what_is_computed_once_is_what_each_evaluation_computes() {
    let seen: usize = stems(&folder("ops"), "op").iter().map(|name| all_of(&op(name), name)).sum();
    assert!(seen > 3000, "only {seen} evaluations");
}
