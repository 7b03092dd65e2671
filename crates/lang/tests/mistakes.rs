//! Ops that can never be computed as they are written: refused at the place, in every form that a reader may try.

use ktwin_lang::Op;

/// What is said of a text, or nothing.
fn said(text: &str) -> String {
    Op::parse("a.op", text).err().map_or(String::new(), |mistake| mistake.to_string())
}

/// Refused at this line with these words.
fn refused(text: &str, line: usize, words: &str) {
    let said = said(text);
    assert!(said.starts_with(&format!("a.op:{line}:")) && said.contains(words), "{text}\n{said}");
}

#[test]
fn constraints_are_of_sizes_and_some_sizes_meet_them() {
    let op = |limits: &str| {
        format!("op a(x[N], i[N] in 0..9; k in 1..9 = 2) -> y[N]\nwhere {limits}\n\ny[n] = x[n]\n")
    };
    for limits in ["x[0] > 2", "N > 1, i[N - 1] > 3", "sum[n](x[n]) > 1"] {
        refused(&op(limits), 2, "a constraint is of sizes and scalars");
    }
    refused(&op("1 == 2"), 2, "this never holds");
    refused(&op("N > 10, N < 5"), 2, "no size of N is left: at least 11, and at most 4");
    refused(&op("N < 1"), 2, "no size of N is left");
    refused(&op("N % 0 == 0"), 2, "this divides by 0");
    for limits in ["N > 10", "1 == 1", "N >= 5, N <= 5", "k > 10", "N % 2 == 1 or N < 0"] {
        assert_eq!(said(&op(limits)), "", "{limits}");
    }
}

#[test]
fn nothing_is_divided_by_no_number() {
    for body in ["x[N // 0]", "x[n % 0]", "x[n] * (N / 0)", "x[n // (2 - 2)]"] {
        refused(&format!("op a(x[N]) -> y[N]\n\ny[n] = {body}\n"), 3, "this divides by 0");
    }
    assert_eq!(said("op a(x[N]) -> y[N]\n\ny[n] = x[n] / 0.0 + x[n // 2]\n"), "");
}

#[test]
fn domains_are_of_finite_numbers_and_hold_their_defaults() {
    let op = |scalar: &str| format!("op a(x[N]; {scalar}) -> y[N]\n\ny[n] = x[n]\n");
    for scalar in ["s > nan", "s < inf", "s in 0.0..inf = 1", "s >= 0 / 0.0 = 1.0"] {
        refused(&op(scalar), 1, "a domain's side is a finite number");
    }
    for scalar in ["k in 1..9 = true", "s > 0 = false"] {
        refused(&op(scalar), 1, "the domain is of numbers, the default is a truth value");
    }
    for scalar in ["s > 0 = inf", "s in 0.0..1.0 = nan"] {
        refused(&op(scalar), 1, "the default lies outside its domain");
    }
    for scalar in ["s > 0 = 1", "s = inf", "on = true", "k in 1..N + 1 = 1"] {
        assert_eq!(said(&op(scalar)), "", "{scalar}");
    }
    refused("op a(x[N] in 0..nan) -> y[N]\n\ny[n] = x[n]\n", 1, "a domain's side is a finite number");
}

#[test]
fn infinity_is_no_number_of_a_domain() {
    let op =
        Op::parse("a.op", "op a(x[N]; eps > 0 = 1e-5, top = 1.0) -> y[N]\n\ny[n] = min(x[n] + eps, top)\n")
            .unwrap();
    let bound = |name: &str| op.bind(&[("N", 4)], &[(name, ktwin_lang::Value::Real(f64::INFINITY))]).err();
    assert!(bound("eps").is_some_and(|e| e.0 == "scalar eps=inf is outside its domain > 0"));
    assert_eq!(bound("top"), None);
}

#[test]
fn words_are_english() {
    let op = |body: &str| format!("op a(x[N]) -> y[N]\n\ny[n] = {body}\n");
    refused(&op("2x[n]"), 3, "a product needs a `*`: write `2 * ...`");
    refused(&op("exp(x[n], 1)"), 3, "`exp` takes 1 argument, this gives 2");
    refused(&op("x[n, n]"), 3, "`x` has 1 dimension, this gives 2 indices");
}

#[test]
fn a_byte_order_mark_is_no_part_of_an_op() {
    let op = Op::parse("a.op", "\u{feff}# a -- as it is\nop a(x[N]) -> y[N]\n\ny[n] = x[n]\n").unwrap();
    assert_eq!(op.summary(), "as it is");
}

#[test]
fn indices_side_by_side_have_names_of_their_own() {
    for line in ["y[n, n] = x[n]", "y[n, m in N] = sum[k in 0..3, k in 0..2](x[n] * k)", "y[n, n in N] = 1.0"]
    {
        refused(&format!("op a(x[N]) -> y[N, N]\n\n{line}\n"), 3, "stands for two indices here");
    }
    // one inside another is the inner one
    assert_eq!(said("op a(x[N]) -> y[N]\n\ny[n] = x[n] - sum[n](x[n])\n"), "");
}
