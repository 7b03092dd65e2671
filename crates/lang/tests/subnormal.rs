//! Languages that may take subnormal numbers for zero: bars of what goes into an operation know it, copies stay
//! exact.

use ktwin_lang::{Elements, Meaning, Op, Promise};
use ktwin_num::{DType, Float, Language, Tensor};

/// The bars of an op of one input of two numbers.
fn bars(body: &str, language: Language, x: [f64; 2]) -> Vec<f64> {
    let text = format!("# small -- one line\nop small(x[N]) -> y[N]\n\n{body}\n");
    let op = Op::parse("small.op", &text).unwrap();
    let case = op.bind(&[("N", 2)], &[]).unwrap();
    let inputs = [Tensor::from_f64(DType::Float(Float::F32), &[2], &x)];
    let promise = Promise::new(&op, language, Float::F32, Float::F32).reading(&inputs);
    case.evaluate(&inputs, &Meaning::Bars(promise), Elements::All).unwrap().remove(0).bars
}

#[test]
fn a_subnormal_operand_may_be_zero_in_wgsl_and_never_is_in_c() {
    let x = [2f64.powi(-130), 1.0];
    let large = bars("y[n] = x[n] * 1048576.0", Language::Wgsl, x);
    assert!(large[0] >= x[0] * 1048576.0, "{large:?}");
    assert_eq!(large[1], 0.0);
    assert_eq!(bars("y[n] = x[n] * 1048576.0", Language::C, x), [0.0, 0.0]);
}

#[test]
fn sums_of_subnormal_numbers_are_not_exact_in_wgsl() {
    let x = [2f64.powi(-130), 2f64.powi(-131)];
    let sum = "y[n] = sum[m in N](x[m])";
    assert!(bars(sum, Language::Wgsl, x)[0] >= x[0] + x[1]);
    assert_eq!(bars(sum, Language::C, x), [0.0, 0.0]);
    assert_eq!(bars(sum, Language::Wgsl, [1.5, 0.25]), [0.0, 0.0]);
}

#[test]
fn copies_are_exact_everywhere() {
    let x = [2f64.powi(-130), -0.0];
    assert_eq!(bars("y[n] = x[n]", Language::Wgsl, x), [0.0, 0.0]);
    assert_eq!(bars("y[n] = if n == 0 then x[n] else x[0]", Language::Wgsl, x), [0.0, 0.0]);
}

#[test]
fn doubt_in_a_comparison_reaches_every_reduction_it_decides() {
    let text = [
        "# ranks -- by place",
        "op ranks(x[R, D]) -> y[R, K]",
        "where K == D",
        "",
        "rank[r, d] = sum[j in D where x[r, j] > x[r, d]](1)",
        "y[r, k] = max[d where rank[r, d] == k](x[r, d])",
    ];
    let op = Op::parse("ranks.op", &text.join("\n")).unwrap();
    let case = op.bind(&[("R", 2), ("D", 2)], &[]).unwrap();
    let tiny = 2f64.powi(-130);
    let inputs = [Tensor::from_f64(DType::Float(Float::F32), &[2, 2], &[tiny, 2.0 * tiny, tiny, 2.0 * tiny])];
    let promise = Promise::new(&op, Language::Wgsl, Float::F32, Float::F32).reading(&inputs);
    let out = case.evaluate(&inputs, &Meaning::Bars(promise), Elements::All).unwrap().remove(0);
    assert_eq!(out.values, [2.0 * tiny, tiny, 2.0 * tiny, tiny]);
    assert!(out.bars.iter().all(|b| b.is_infinite()), "{:?}", out.bars);
}
