//! What mathematics says of the ops of the catalogue, whatever the numbers: no expected values here, only
//! laws.

mod support;

use proptest::prelude::*;
use support::{Array, call, disagreement};

/// What f64 may lose here, measured by the largest element.
const LIMIT: f64 = 1e-11;

/// Numbers between -4 and 4 in this shape.
fn array(shape: &[usize]) -> impl Strategy<Value = Array> + use<> {
    let shape = shape.to_vec();
    let values = proptest::collection::vec(-4.0..4.0, shape.iter().product::<usize>());
    values.prop_map(move |values| Array::new(&shape, values))
}

/// A size, then arrays whose shapes depend on it.
fn vector(longest: usize) -> impl Strategy<Value = Array> {
    (1..=longest).prop_flat_map(|n| array(&[n]))
}

fn matrix(rows: usize, columns: usize) -> impl Strategy<Value = Array> {
    (1..=rows, 1..=columns).prop_flat_map(|(r, d)| array(&[r, d]))
}

fn agree(got: &Array, want: &Array) -> Result<(), TestCaseError> {
    match disagreement(got, want, LIMIT) {
        Some(what) => Err(TestCaseError::fail(what)),
        None => Ok(()),
    }
}

fn near(got: f64, want: f64, scale: f64) -> Result<(), TestCaseError> {
    prop_assert!((got - want).abs() <= LIMIT * scale.max(1.0), "{got} is not {want}");
    Ok(())
}

fn sum(values: &[f64]) -> f64 {
    values.iter().sum()
}

/// An array of three or four dimensions seen as [1, 1, ..., its own].
fn reshaped(x: &Array, shape: &[usize]) -> Array {
    Array::new(shape, x.values.clone())
}

fn transposed(x: &Array) -> Array {
    call("transpose").input("x", x).first()
}

fn unary(name: &str, x: &Array) -> Array {
    call(name).input("x", x).first()
}

fn gemm(a: &Array, b: &Array) -> Array {
    call("gemm").input("a", a).input("b", b).first()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn softmax_rows_sum_to_one_and_do_not_see_a_shift(x in matrix(5, 9), shift in -300.0..300.0) {
        let y = unary("softmax", &x);
        for row in y.rows() {
            near(sum(row), 1.0, 1.0)?;
            prop_assert!(row.iter().all(|p| (0.0..=1.0).contains(p)));
        }
        agree(&unary("softmax", &x.map(|v| v + shift)), &y)?;
        agree(&unary("log_softmax", &x).map(f64::exp), &y)?;
        let everything = x.map(|_| 1.0);
        agree(&call("softmax_masked").input("x", &x).input("mask", &everything).first(), &y)?;
    }

    #[test]
    fn gemm_is_linear_and_its_forms_agree(
        (a, a2, b, s) in (1usize..6, 1usize..9, 1usize..5)
            .prop_flat_map(|(m, k, n)| (array(&[m, k]), array(&[m, k]), array(&[k, n]), -3.0..3.0))
    ) {
        let c = gemm(&a, &b);
        let joined = a.zip(&a2, |x, y| x + s * y);
        agree(&gemm(&joined, &b), &c.zip(&gemm(&a2, &b), |x, y| x + s * y))?;
        agree(&call("gemm_nt").input("a", &a).input("b", &transposed(&b)).first(), &c)?;
        agree(&call("gemm_tn").input("a", &transposed(&a)).input("b", &b).first(), &c)?;
        agree(&transposed(&gemm(&transposed(&b), &transposed(&a))), &transposed(&transposed(&c)))?;
    }

    #[test]
    fn the_unit_matrix_changes_nothing(a in matrix(6, 7)) {
        let n = a.shape[1];
        let unit = Array::of(&[n, n], |at| if at / n == at % n { 1.0 } else { 0.0 });
        prop_assert_eq!(gemm(&a, &unit), a);
    }

    #[test]
    fn normalised_rows_have_mean_0_and_length_1(x in matrix(4, 12)) {
        let d = x.shape[1];
        let (w, b) = (Array::of(&[d], |_| 1.0), Array::of(&[d], |_| 0.0));
        let eps = 1e-30;
        let y = call("layernorm").input("x", &x).input("w", &w).input("b", &b).real("eps", eps).first();
        for row in y.rows() {
            near(sum(row), 0.0, 1e3)?;
            let square: f64 = row.iter().map(|v| v * v).sum();
            prop_assert!(d == 1 || (square / d as f64 - 1.0).abs() < 1e-6);
        }
        let y = call("rmsnorm").input("x", &x).input("w", &w).real("eps", eps).first();
        for row in y.rows() {
            near(row.iter().map(|v| v * v).sum::<f64>(), d as f64, d as f64)?;
        }
    }

    #[test]
    fn rmsnorm_does_not_see_the_length_of_a_row(x in matrix(3, 8), factor in 0.1..50.0) {
        let w = Array::of(&[x.shape[1]], |at| at as f64 - 2.5);
        let norm = |x: &Array| call("rmsnorm").input("x", x).input("w", &w).real("eps", 1e-300).first();
        agree(&norm(&x.map(|v| v * factor)), &norm(&x))?;
        let gemma = call("rmsnorm_gemma").input("x", &x).input("w", &w.map(|v| v - 1.0)).real("eps", 1e-300);
        agree(&gemma.first(), &norm(&x))?;
    }

    #[test]
    fn rope_keeps_lengths_and_its_two_forms_differ_by_an_order(
        (x, pos) in (1usize..4, 1usize..3, 1usize..5)
            .prop_flat_map(|(t, h, half)| (array(&[t, h, 2 * half]), 0usize..4096))
    ) {
        let d = x.shape[2];
        let turned = call("rope").input("x", &x).int("pos", pos).first();
        for (before, after) in x.rows().zip(turned.rows()) {
            let square = |row: &[f64]| row.iter().map(|v| v * v).sum::<f64>();
            near(square(after), square(before), square(before))?;
        }
        let apart = |a: &Array| {
            let turned = |i: usize| if i < d / 2 { i * 2 } else { (i - d / 2) * 2 + 1 };
            let order = |at: usize| a.values[at / d * d + turned(at % d)];
            Array::of(&a.shape, order)
        };
        agree(&call("rope_neox").input("x", &apart(&x)).int("pos", pos).first(), &apart(&turned))?;
    }

    #[test]
    fn rope_makes_products_depend_on_distance_alone(
        (q, k) in (1usize..5).prop_flat_map(|half| (array(&[1, 1, 2 * half]), array(&[1, 1, 2 * half]))),
        (a, b, shift) in (0usize..500, 0usize..500, 0usize..500),
    ) {
        let at = |x: &Array, pos: usize| call("rope").input("x", x).int("pos", pos).first();
        let product = |a: usize, b: usize| {
            let joined = at(&q, a).zip(&at(&k, b), |x, y| x * y);
            sum(&joined.values)
        };
        near(product(a + shift, b + shift), product(a, b), 1000.0)?;
    }

    #[test]
    fn attention_to_one_key_returns_its_value(
        (q, k, v) in (1usize..4, 1usize..3, 1usize..6)
            .prop_flat_map(|(g, share, d)| (array(&[g * share, 1, d]), array(&[g, 1, d]), array(&[g, 1, d])))
    ) {
        let o = call("attention").input("q", &q).input("k", &k).input("v", &v).real("scale", 0.7).first();
        let share = q.shape[0] / k.shape[0];
        for (head, row) in o.rows().enumerate() {
            let want: Vec<f64> = v.rows().nth(head / share).unwrap_or_default().to_vec();
            agree(&Array::new(&[want.len()], row.to_vec()), &Array::new(&[want.len()], want))?;
        }
    }

    #[test]
    fn attention_over_a_full_cache_is_attention_and_scale_0_is_the_mean(
        (q, k, v) in (1usize..4, 0usize..4, 1usize..5)
            .prop_flat_map(|(s, more, d)| (array(&[4, s, d]), array(&[2, s + more, d]), array(&[2, s + more, d]))),
        causal in any::<bool>(),
    ) {
        let t = k.shape[1];
        let on = |name: &str, scale: f64| {
            let call = call(name).input("q", &q).input("k", &k).input("v", &v).real("scale", scale);
            call.scalar("causal", ktwin_lang::Value::Bool(causal))
        };
        agree(&on("attention_kv", 0.4).int("len", t).first(), &on("attention", 0.4).first())?;
        let mean = on("attention", 0.0).first();
        let last = &mean.values[(q.shape[1] - 1) * q.shape[2]..q.shape[1] * q.shape[2]];
        for (d, got) in last.iter().enumerate() {
            let column: Vec<f64> = v.rows().take(t).map(|row| row[d]).collect();
            near(*got, sum(&column) / t as f64, 4.0)?;
        }
    }

    #[test]
    fn differences_of_a_scan_are_its_input(x in vector(40)) {
        let (sums, before) = (unary("scan", &x), unary("scan_exclusive", &x));
        agree(&sums.zip(&before, |a, b| a - b), &x)?;
        near(sums.values[x.values.len() - 1], unary("sum", &x).values[0], 160.0)?;
        let row = reshaped(&x, &[1, x.values.len()]);
        agree(&reshaped(&unary("row_scan", &row), &x.shape), &sums)?;
    }

    #[test]
    fn what_moves_numbers_loses_none(x in matrix(5, 6), (top, left) in (0usize..8, 0usize..8)) {
        prop_assert_eq!(&transposed(&transposed(&x)), &x);
        let (r, d) = (x.shape[0], x.shape[1]);
        let own = Array::of(&[r, d], |at| (at % d) as f64);
        prop_assert_eq!(&call("gather").input("x", &x).input("idx", &own).first(), &x);
        let twice = call("concat").input("a", &x).input("b", &x).first();
        let back = Array::of(&[r, d], |at| (at % d + d) as f64);
        prop_assert_eq!(&call("gather").input("x", &twice).input("idx", &back).first(), &x);
        let padded = call("pad").input("x", &x).int("top", top).int("left", left).real("value", 9.0).first();
        let wide = d + left + 1;
        let inner = Array::of(&[r, d], |at| padded.values[(top + at / d) * wide + left + at % d]);
        prop_assert_eq!(&inner, &x);
        let border = padded.values.iter().filter(|v| **v == 9.0).count();
        prop_assert_eq!(border, padded.values.len() - x.values.len());
    }

    #[test]
    fn a_filter_of_one_tap_is_the_identity((h, w) in (1usize..6, 1usize..6), (kh, kw) in (0usize..3, 0usize..3)) {
        let x = Array::of(&[1, 1, h, w], |at| (at as f64 * 1.7).sin());
        let (kh, kw) = (2 * kh + 1, 2 * kh.max(kw) + 1);
        prop_assume!(kh == kw);
        let tap = Array::of(&[1, 1, kh, kw], |at| if at == kh * kw / 2 { 1.0 } else { 0.0 });
        let none = Array::of(&[1], |_| 0.0);
        let convolved = call("conv2d").input("x", &x).input("w", &tap).input("b", &none).int("pad", kh / 2).first();
        prop_assert_eq!(&convolved, &x);
        let alone = reshaped(&tap, &[1, kh, kw]);
        prop_assert_eq!(&call("depthwise").input("x", &x).input("w", &alone).int("pad", kh / 2).first(), &x);
    }

    #[test]
    fn convolution_with_a_group_for_each_channel_is_depthwise(
        (x, w) in (1usize..4, 3usize..6, 3usize..6)
            .prop_flat_map(|(c, h, w)| (array(&[2, c, h, w]), array(&[c, 1, 2, 3]))),
        stride in 1usize..3,
    ) {
        let c = x.shape[1];
        let bias = Array::of(&[c], |_| 0.0);
        let grouped = call("conv2d").input("x", &x).input("w", &w).input("b", &bias);
        let grouped = grouped.int("groups", c).int("stride", stride).int("pad", 1).first();
        let alone = call("depthwise").input("x", &x).input("w", &reshaped(&w, &[c, 2, 3]));
        agree(&grouped, &alone.int("stride", stride).int("pad", 1).first())?;
    }

    #[test]
    fn pools_lie_between_the_extremes(x in (2usize..6, 2usize..6).prop_flat_map(|(h, w)| array(&[1, 2, h, w]))) {
        let (most, mean) = (unary("max_pool", &x), unary("avg_pool", &x));
        prop_assert!(most.values.iter().zip(&mean.values).all(|(m, a)| m >= a));
        let single = call("max_pool").input("x", &x).int("size", 1).int("stride", 1).first();
        prop_assert_eq!(single, x);
    }

    #[test]
    fn sorting_orders_and_loses_nothing(x in vector(30)) {
        let y = unary("sort", &x);
        prop_assert!(y.values.is_sorted());
        let mut own = x.values.clone();
        own.sort_by(f64::total_cmp);
        prop_assert_eq!(&y.values, &own);
        let row = reshaped(&x, &[1, x.values.len()]);
        let all = call("topk").input("x", &row).int("count", x.values.len()).output("y");
        own.reverse();
        prop_assert_eq!(&all.values, &own);
        prop_assert_eq!(unary("max", &x).values[0], own[0]);
    }

    #[test]
    fn a_histogram_counts_every_element(values in proptest::collection::vec(0u32..7, 1..60)) {
        let x = Array::new(&[values.len()], values.iter().map(|v| f64::from(*v)).collect());
        let y = call("histogram").input("x", &x).dim("B", 7).first();
        prop_assert_eq!(sum(&y.values), values.len() as f64);
        let ones = Array::of(&[values.len(), 1], |_| 1.0);
        let added = call("embedding_backward").input("ids", &x).input("dy", &ones).dim("V", 7).first();
        prop_assert_eq!(&added.values, &y.values);
    }

    #[test]
    fn activations_are_odd_around_half_the_identity(x in vector(20)) {
        let mirrored = x.map(|v| -v);
        for name in ["silu", "gelu", "gelu_erf", "relu", "softplus"] {
            agree(&unary(name, &x).zip(&unary(name, &mirrored), |a, b| a - b), &x)?;
        }
        agree(&unary("sigmoid", &x).zip(&unary("sigmoid", &mirrored), |a, b| a + b), &x.map(|_| 1.0))?;
        let far = unary("gelu", &x).zip(&unary("gelu_erf", &x), |a, b| a - b);
        prop_assert!(far.values.iter().all(|v| v.abs() < 5e-4));
    }

    #[test]
    fn variance_does_not_see_a_shift(x in vector(25), shift in -20.0..20.0) {
        let (own, moved) = (unary("variance", &x).values[0], unary("variance", &x.map(|v| v + shift)).values[0]);
        near(own, moved, 100.0)?;
        prop_assert!(own >= 0.0);
        let mean = unary("mean", &x).values[0];
        near(call("mse").input("a", &x).input("b", &x.map(|_| mean)).first().values[0], own, 10.0)?;
    }

    #[test]
    fn caches_change_only_where_they_are_told_to(cache in matrix(9, 3), seed in any::<usize>()) {
        let (t, d) = (cache.shape[0], cache.shape[1]);
        let pos = seed % t;
        let x = Array::of(&[1 + (seed / t) % (t - pos), d], |at| 100.0 + at as f64);
        let written = call("kv_write").input("cache", &cache).input("x", &x).int("pos", pos).first();
        let new = pos * d..(pos + x.shape[0]) * d;
        for (at, value) in written.values.iter().enumerate() {
            let want = if new.contains(&at) { x.values[at - new.start] } else { cache.values[at] };
            prop_assert_eq!(*value, want);
        }
    }

    #[test]
    fn an_optimiser_without_gradient_stands_still(p in vector(12), step in 1usize..1000) {
        let zero = p.map(|_| 0.0);
        let adam = call("adam").input("p", &p).input("g", &zero).input("m", &zero).input("v", &zero);
        prop_assert_eq!(&adam.int("step", step).output("p"), &p);
        let sgd = call("sgd").input("p", &p).input("g", &zero).input("v", &zero);
        prop_assert_eq!(&sgd.output("p"), &p);
    }

    #[test]
    fn experts_are_distinct_and_their_gates_sum_to_one(
        (x, w) in (1usize..6, 1usize..4, 2usize..7).prop_flat_map(|(t, d, e)| (array(&[t, d]), array(&[e, d])))
    ) {
        let two = call("moe_top2").input("x", &x).input("w", &w);
        let one = call("moe_top1").input("x", &x).input("w", &w);
        let (pairs, best) = (two.output("expert"), one.output("expert"));
        for (pair, first) in pairs.rows().zip(&best.values) {
            prop_assert!(pair[0] != pair[1] && pair[0] == *first);
        }
        for gates in two.output("gate").rows() {
            near(sum(gates), 1.0, 1.0)?;
            prop_assert!(gates[0] >= gates[1]);
        }
        prop_assert!(one.output("gate").values.iter().all(|g| *g >= 1.0 / w.shape[0] as f64 && *g <= 1.0));
    }

    #[test]
    fn gradients_are_slopes((x, dy) in matrix(3, 6).prop_flat_map(|x| {
        let s = x.shape.clone();
        (Just(x), array(&s))
    })) {
        let w = Array::of(&[x.shape[1]], |at| 1.0 + at as f64 / 3.0);
        let inner = |a: &Array, b: &Array| sum(&a.zip(b, |x, y| x * y).values);
        let along = Array::of(&x.shape, |at| (at as f64 * 2.3).cos());
        let slope = |f: &dyn Fn(&Array) -> Array| {
            let h = 1e-5;
            let at = |sign: f64| inner(&f(&x.zip(&along, |v, a| v + sign * h * a)), &dy);
            (at(1.0) - at(-1.0)) / (2.0 * h)
        };
        let norm = |x: &Array| call("rmsnorm").input("x", x).input("w", &w).real("eps", 0.1).first();
        let back = call("rmsnorm_backward").input("x", &x).input("w", &w).input("dy", &dy).real("eps", 0.1);
        let got = inner(&back.output("dx"), &along);
        prop_assert!((got - slope(&norm)).abs() < 1e-5 * (1.0 + got.abs()));
        let back = call("softmax_backward").input("y", &unary("softmax", &x)).input("dy", &dy);
        let got = inner(&back.output("dx"), &along);
        prop_assert!((got - slope(&|x| unary("softmax", x))).abs() < 1e-5 * (1.0 + got.abs()));
    }
}
