//! Reductions whose condition says where each term goes: the same numbers as the slow way, in one pass over the terms.

use ktwin_lang::{Elements, Meaning, Op, Output, Promise};
use ktwin_num::{DType, Float, Language, Tensor};

const INT: DType = DType::Int { bits: 32, signed: true };

fn op(text: &str) -> Op {
    Op::parse("a.op", text).unwrap_or_else(|e| panic!("{e}"))
}

/// Numbers that look drawn.
fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let bits = |at: u64| (at * 2 + seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    (0..n as u64).map(|at| bits(at) as f64 / 8192.0 - 1024.0).collect()
}

fn barred(op: &Op, dims: &[(&str, i64)], inputs: &[Tensor], of: Elements) -> Output {
    let promise = Promise::new(op, Language::C, Float::F32, Float::F32).reading(inputs);
    let case = op.bind(dims, &[]).unwrap_or_else(|e| panic!("{e}"));
    case.evaluate(inputs, &Meaning::Bars(promise), of).unwrap_or_else(|e| panic!("{e}")).swap_remove(0)
}

fn same(fast: &Output, slow: &Output, of: &str) {
    assert_eq!(fast.values.len(), slow.values.len());
    for at in 0..fast.values.len() {
        let (a, b) = (fast.values[at], slow.values[at]);
        assert!(a == b || (a - b).abs() <= 1e-12 * a.abs().max(1.0), "{of} {at}: {a} {b}");
        let (a, b) = (fast.bars[at], slow.bars[at]);
        assert!(a == b || (0.5..1.5).contains(&(a / b)), "{of} {at}: bars {a} {b}");
    }
}

#[test]
fn terms_go_where_their_key_says() {
    let (t, v, d) = (900, 37, 3);
    let ids: Vec<f64> = numbers(t, 1).iter().map(|x| x.rem_euclid(v as f64).floor()).collect();
    let inputs =
        [Tensor::from_f64(INT, &[t], &ids), Tensor::from_f64(DType::F32, &[t, d], &numbers(t * d, 2))];
    let dims = [("T", t as i64), ("V", v), ("D", d as i64)];
    for fold in ["sum", "prod", "max", "min"] {
        for (fast, slow) in [
            ("ids[t] == k", "ids[t] <= k and ids[t] >= k"),
            ("k == ids[t]", "ids[t] <= k and ids[t] >= k"),
            ("x[t, d] > 0 and ids[t] == k", "x[t, d] > 0 and ids[t] <= k and ids[t] >= k"),
            ("ids[t] == k and t > 5 and t < T - 1", "ids[t] <= k and ids[t] >= k and t > 5 and t < T - 1"),
            // keys that no index has
            ("ids[t] * 3 - 7 == k", "ids[t] * 3 - 7 <= k and ids[t] * 3 - 7 >= k"),
        ] {
            for (space, range) in [("k, d", "V, D"), ("d, k", "D, V")] {
                let of = |condition: &str| {
                    let indices = space.replace('k', "k in V").replace('d', "d in D");
                    let term = format!("{fold}[t where {condition}](x[t, d])");
                    let text = format!("op a(ids[T] in 0..V, x[T, D]) -> y[{range}]\ny[{indices}] = {term}");
                    barred(&op(&text), &dims, &inputs, Elements::All)
                };
                same(&of(fast), &of(slow), &format!("{fold} {fast} {space}"));
            }
        }
    }
}

#[test]
fn what_else_must_hold_is_asked_only_of_terms_that_go_somewhere() {
    // only what goes to a place is read there
    let text = |condition: &str| {
        format!("op a(at[N] in 0..4, x[N]) -> y[K]\nwhere K <= N\ny[k] = sum[n where {condition}](x[n])")
    };
    let at = Tensor::from_f64(INT, &[4], &[0.0, 1.0, 3.0, 1.0]);
    let inputs = [at, Tensor::from_f64(DType::F32, &[4], &[1.0, 2.0, 3.0, 4.0])];
    let of = |condition: &str| barred(&op(&text(condition)), &[("N", 4), ("K", 2)], &inputs, Elements::All);
    assert_eq!(of("at[n] == k").values, [1.0, 6.0]);
    assert_eq!(of("at[n] == k and x[at[n] + 2] > 3").values, [0.0, 6.0]);
}

#[test]
fn counts_up_to_a_place_of_what_also_holds_are_those_of_each_place_alone() {
    let n = 700;
    let inputs = [Tensor::from_f64(DType::F32, &[n], &numbers(n, 5))];
    for (fast, slow) in [
        ("m <= n and x[m] > 0", "m <= n + 0 and x[m] > 0"),
        ("x[m] > 0 and m < n and x[m] < 100", "x[m] > 0 and m < n + 0 and x[m] < 100"),
        ("x[m] < 0 and m >= n", "x[m] < 0 and m >= n + 0"),
    ] {
        for term in ["1", "x[m]", "m"] {
            let of = |condition: &str| {
                let text = format!("op a(x[N]) -> y[N]\ny[n] = sum[m in N where {condition}]({term})");
                barred(&op(&text), &[("N", n as i64)], &inputs, Elements::All)
            };
            same(&of(fast), &of(slow), &format!("{fast} {term}"));
        }
    }
}

#[test]
fn who_may_belong_leaves_what_counts_it_free() {
    let x = [1.0, -2.0, f64::NAN, 3.0, 4.0];
    let inputs = [Tensor::from_f64(DType::F32, &[5], &x)];
    let free = |definitions: &str| {
        let out =
            barred(&op(&format!("op a(x[N]) -> y[N]\n{definitions}")), &[("N", 5)], &inputs, Elements::All);
        out.bars.iter().map(|bar| bar.is_infinite()).collect::<Vec<bool>>()
    };
    // a square of NaN is in doubt once it is cut
    let kept = "k[n] = clamp(int(x[n] * x[n]), 0, 4)\n";
    let counted = format!("{kept}y[n] = sum[m in N where m <= n and k[m] > 0](1)");
    let slowly = counted.replace("m <= n", "m <= n + 0");
    assert_eq!(free(&slowly), free(&counted));
    let spread = format!("{kept}y[n] = sum[m in N where k[m] == n](x[m])");
    let slowly = spread.replace("k[m] == n", "k[m] <= n and k[m] >= n");
    assert_eq!(free(&slowly), free(&spread));
    assert_eq!(free(&spread), [true; 5]);
}

#[test]
fn one_pass_goes_over_the_terms_once() {
    let text = "op compact(x[N]) -> y[N]\n\
        rank[n] = sum[m in N where m <= n and x[m] > 0](1)\n\
        to[n] = if x[n] > 0 then rank[n] - 1 else -1\n\
        y[k in N] = sum[n where to[n] == k](x[n])";
    let n = 300_000;
    let op = op(text);
    let case = op.bind(&[("N", n)], &[]).unwrap();
    assert!(case.points() < 6.0 * n as f64, "{}", case.points());
    let x = numbers(n as usize, 3);
    let inputs = [Tensor::from_f64(DType::F32, &[n as usize], &x)];
    let out = barred(&op, &[("N", n)], &inputs, Elements::All);
    let kept: Vec<f64> = x.iter().copied().filter(|x| *x > 0.0).collect();
    assert_eq!(out.values[..kept.len()], kept);
    assert!(out.values[kept.len()..].iter().all(|v| *v == 0.0) && out.bars.iter().all(|b| *b == 0.0));
}

#[test]
fn ranks_are_those_that_counting_gives() {
    let (r, d) = (3, 300);
    let mut x: Vec<f64> = numbers(r * d, 7).iter().map(|x| (x / 64.0).round()).collect();
    for (at, odd) in [(5, f64::NAN), (17, f64::INFINITY), (311, f64::NEG_INFINITY), (400, -0.0), (401, 0.0)] {
        x[at] = odd;
    }
    let inputs = [Tensor::from_f64(DType::F32, &[r, d], &x)];
    let dims = [("R", r as i64), ("D", d as i64)];
    for order in ["<", ">"] {
        for (equal, sides) in [
            ("", "KEY"),
            (" or x[r, j] == x[r, k] and j < k", "KEY"),
            (" or j > k and x[r, k] == x[r, j]", "KEY"),
            (" or k > j and x[r, j] == x[r, k]", "turned"),
        ] {
            let key = match sides {
                "KEY" => format!("x[r, j] {order} x[r, k]"),
                _ => format!("x[r, k] {order} x[r, j]"),
            };
            let of = |key: &str, space: &str, range: &str| {
                let text =
                    format!("op a(x[R, D]) -> y[{range}]\ny[{space}] = sum[j in D where {key}{equal}](1)");
                let op = op(&text);
                let case = op.bind(&dims, &[]).unwrap();
                (barred(&op, &dims, &inputs, Elements::All), case.comparisons() > 0.0)
            };
            for (space, range) in [("r in R, k in D", "R, D"), ("k in D, r in R", "D, R")] {
                let ((fast, is_fast), (slow, is_slow)) =
                    (of(&key, space, range), of(&format!("{key} + 0"), space, range));
                assert!(is_fast && !is_slow, "{key}{equal}");
                same(&fast, &slow, &format!("{key}{equal} {space}"));
            }
        }
    }
}

#[test]
fn what_is_not_a_rank_is_counted() {
    for condition in [
        "x[m] <= x[n]",
        "x[m] < x[n] or x[m] == x[n]",
        "x[m] < x[n] or x[m] == x[n] and m <= n",
        "x[m] < z[n] or x[m] == x[n] and m < n",
        "x[m] < x[n] or z[m] == z[n] and m < n",
        "x[m] < x[n] and m < n",
        "x[m] < x[n + 0 * n]",
    ] {
        let op = op(&format!("op a(x[N], z[N]) -> y[N]\ny[n] = sum[m in N where {condition}](1)"));
        let ranks = op.bind(&[("N", 50)], &[]).unwrap().comparisons() > 0.0;
        assert_eq!(ranks, condition.contains("0 * n"), "{condition}");
    }
}
