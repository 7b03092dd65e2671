//! Integers in doubt: elements that are made of them are free, and no others.

use ktwin_lang::{Elements, Meaning, Op, Promise};
use ktwin_num::{DType, Float, Language, Tensor};

/// Which results of an op of one input are free.
fn free(definitions: &str, shape: &str, x: &[f64]) -> Vec<bool> {
    let text = format!("# codes -- one line\nop codes(x[{shape}]) -> y[N]\n\n{definitions}\n");
    let op = Op::parse("codes.op", &text).unwrap_or_else(|e| panic!("{e:?}"));
    let n = x.len() as i64 / if shape == "N" { 1 } else { 2 };
    let sizes = if shape == "N" { vec![("N", n)] } else { vec![("N", n), ("K", 2)] };
    let case = op.bind(&sizes, &[]).unwrap();
    let own = if shape == "N" { vec![x.len()] } else { vec![n as usize, 2] };
    let inputs = [Tensor::from_f64(DType::Float(Float::F32), &own, x)];
    let promise = Promise::new(&op, Language::C, Float::F32, Float::F32).reading(&inputs);
    let out = case.evaluate(&inputs, &Meaning::Bars(promise), Elements::All).unwrap().remove(0);
    out.bars.iter().map(|b| b.is_infinite()).collect()
}

/// Numbers of which those at some places are NaN.
fn beside(n: usize, places: &[usize]) -> Vec<f64> {
    (0..n).map(|at| if places.contains(&at) { f64::NAN } else { at as f64 }).collect()
}

#[test]
fn what_is_cut_from_nan_is_free_and_its_neighbours_are_not() {
    let x = beside(3000, &[1, 1500, 1501, 2999]);
    let expected: Vec<bool> = x.iter().map(|v| v.is_nan()).collect();
    assert_eq!(free("y[n] = clamp(int(x[n]), 0, 3) + 1", "N", &x), expected);
}

#[test]
fn sums_of_what_is_cut_from_nan_are_free_and_others_are_not() {
    let x = beside(600, &[7, 400]);
    let expected: Vec<bool> = x.chunks(2).map(|row| row.iter().any(|v| v.is_nan())).collect();
    assert_eq!(free("y[n] = sum[k](clamp(int(x[n, k]), 0, 3))", "N, K", &x), expected);
}

#[test]
fn a_choice_of_nan_leaves_what_is_read_there_free() {
    let scaled = "at = argmax[n](abs(x[n]))\nbig = x[at]\ny[n] = clamp(int(7.5 * (x[n] / big)), 0, 7)";
    assert_eq!(free(scaled, "N", &[0.5, f64::NAN]), [true, true]);
    assert_eq!(free(scaled, "N", &[0.7, 2.0]), [false, false]);
}

#[test]
fn a_choice_of_what_no_short_integer_holds_is_free() {
    let bins = "y[n] = clamp(int(x[n] * 10), 0, 9)";
    assert_eq!(free(bins, "N", &[0.73, 1.23456e15, -9.87654e13, 123.4]), [false, true, true, false]);
}

#[test]
fn what_is_read_at_a_place_in_doubt_is_free() {
    let text = "# vq -- one line\nop vq(x[N], level[K]) -> y[N]\n\n\
                at[n] = argmin[k](abs(x[n] - level[k]))\ny[n] = level[at[n]]\n";
    let op = Op::parse("vq.op", text).unwrap();
    let bars = |x: f64, levels: [f64; 2]| {
        let case = op.bind(&[("N", 1), ("K", 2)], &[]).unwrap();
        let tensor = |values: &[f64]| Tensor::from_f64(DType::Float(Float::F32), &[values.len()], values);
        let inputs = [tensor(&[x]), tensor(&levels)];
        let promise = Promise::new(&op, Language::C, Float::F32, Float::F32).reading(&inputs);
        case.evaluate(&inputs, &Meaning::Bars(promise), Elements::All).unwrap().remove(0).bars[0]
    };
    // both distances are the same in f32
    assert_eq!(bars(-1.0664782524108887, [1.081_626_534_461_975, 1.081_626_296_043_396]), f64::INFINITY);
    assert_eq!(bars(0.9, [1.0, 2.0]), 0.0);
    // where no distance can be told from another, each is as good
    assert_eq!(bars(3e38, [-3e38, -2e38]), f64::INFINITY);
}

#[test]
fn what_is_never_less_than_zero_is_in_no_doubt_beside_zero() {
    let far = |text: &str| {
        let chosen = format!("if {text} then x[n] else -inf");
        free(&format!("at = argmax[n]({chosen})\ny[n] = clamp(int(x[at]), -9, 9)"), "N", &[-200.0, 1.25])
    };
    for settled in
        ["exp(x[n]) >= 0", "not (exp(x[n]) < 0)", "0 <= exp(x[n]) * abs(x[n])", "sqrt(exp(x[n])) >= 0"]
    {
        assert_eq!(far(settled), [false, false], "{settled}");
    }
    assert_eq!(far("exp(x[n]) > 0"), [true, true]);
}

#[test]
fn a_difference_of_integers_is_no_doubt_of_what_is_read_with_it() {
    let x: Vec<f64> = (0..12).map(|at| f64::from(at * 7 % 10)).collect();
    let codes = "code[n, k] = bits(int(x[n, k]), 1, 3) - int(x[n, 0])\ny[n] = sum[k](code[n, k] * x[n, k])";
    assert_eq!(free(codes, "N, K", &x), [false; 6]);
}

#[test]
fn a_choice_among_integers_cut_from_reals_is_one_of_its_neighbours() {
    // three thirds of 1.5 round to 1 or to 2: that is no freedom to be anything else
    let x = [1.5, 2.25];
    for text in [
        "int(round(x[n] / 3 * 3))",
        "if x[n] == 0 then 0 else int(round(x[n] / 3 * 3))",
        "clamp(int(round(x[n] / 3 * 3)), -127, 127)",
        "if x[n] > 9 then 9 else max(int(round(x[n] / 3 * 3)), 0)",
    ] {
        let text = format!("# a -- one\nop a(x[N]) -> y[N]\n\ny[n] = {text}\n");
        let op = Op::parse("a.op", &text).unwrap();
        let case = op.bind(&[("N", 2)], &[]).unwrap();
        let inputs = [Tensor::from_f64(DType::Float(Float::F32), &[2], &x)];
        let promise = Promise::new(&op, Language::C, Float::F32, Float::F32).reading(&inputs);
        let bars = case.evaluate(&inputs, &Meaning::Bars(promise), Elements::All).unwrap().remove(0).bars;
        assert_eq!(bars, [1.0, 0.0], "{text}");
    }
}
