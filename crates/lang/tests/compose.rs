//! Ops of ops: what is composed is the same op as the one written out; mistakes in calls are told at their place.

mod support;

use ktwin_lang::{Elements, Meaning, Op, Promise};
use ktwin_num::{Float, Language};
use serde_json::Value as Json;
use support::vectors::complaint;
use support::{Array, Call, disagreement, find, op, parse};

/// What an op must be refused with.
fn refused(text: &str) -> String {
    Op::parse_with("t.op", text, &find)
        .map_or_else(|mistake| mistake.to_string(), |op| panic!("accepted: {}", op.name))
}

/// Numbers without a pattern, between -1 and 1.
fn drawn(shape: &[usize], seed: usize) -> Array {
    Array::of(shape, |at| ((at * 7919 + seed * 104_729) % 1013) as f64 / 506.5 - 1.0)
}

const WRITTEN_OUT: &str = "op rmsnorm_gemm(x[M, K], w[K], v[N, K]; eps > 0 = 1e-5) -> y[M, N]
ms[m]   = sum[k](x[m, k]^2) / K
n[m, k] = x[m, k] / sqrt(ms[m] + eps) * w[k]
y[m, i in N] = sum[k](n[m, k] * v[i, k])";

fn given(op: Op) -> Call {
    let call = Call::new(op).input("x", &drawn(&[3, 20], 1)).input("w", &drawn(&[20], 2));
    call.input("v", &drawn(&[5, 20], 3)).real("eps", 0.25)
}

#[test]
fn a_composed_op_is_the_op_written_out_and_so_are_its_bars() {
    let (composed, written) = (given(op("rmsnorm_gemm")), given(Op::parse("w.op", WRITTEN_OUT).unwrap()));
    assert_eq!(composed.output("y"), written.output("y"));
    let bars = |call: &Call| {
        let promise = Promise::new(&call.op, Language::C, Float::F32, Float::F32);
        call.evaluate(&Meaning::Bars(promise), Elements::All).unwrap()[0].bars.clone()
    };
    assert!(bars(&written).iter().all(|bar| *bar > 0.0));
    assert_eq!(bars(&composed), bars(&written));
}

#[test]
fn calls_may_call_and_share_names_with_what_they_call() {
    // `d`, `y` and `ms` mean something to rmsnorm too
    let text = "op twice(x[R, E], d[E]; ms = 2.0) -> y[R, E]
n = rmsnorm(x, d; eps = 1)
r = rmsnorm(n, d)
y[r2 in R, e] = r[r2, e] * ms";
    let (x, w) = (drawn(&[4, 6], 5), drawn(&[6], 6));
    let norm = |x: &Array, eps| call_rmsnorm(x, &w, eps);
    let got = Call::new(parse("t.op", text)).input("x", &x).input("d", &w).real("ms", 3.0).output("y");
    let want = norm(&norm(&x, 1.0), 1e-5).map(|v| 3.0 * v);
    assert_eq!(disagreement(&got, &want, 1e-13), None);
}

#[test]
fn a_layer_of_a_decoder_agrees_with_numpy() {
    let read = |path: &str| std::fs::read_to_string(support::folder(path)).unwrap();
    let block = parse("transformer_block.op", &read("kernels/c/transformer_block.op"));
    let cases: Json =
        serde_json::from_str(&read("crates/lang/tests/composed/transformer_block.json")).unwrap();
    let cases = cases.as_array().unwrap();
    assert_eq!(cases.len(), 2);
    for case in cases {
        assert_eq!(complaint(&block, case), None);
    }
}

fn call_rmsnorm(x: &Array, w: &Array, eps: f64) -> Array {
    support::call("rmsnorm").input("x", x).input("w", w).real("eps", eps).output("y")
}

#[test]
fn several_results_in_place_outputs_and_domains_come_through() {
    let text = "op first(x[N], table[V, D], ids[T] in 0..V) -> x[N], h[T, D], y[T, D]
x = turned(x)
rows = embedding(ids, table)
ones[d] = 1
h, y = add_rmsnorm(rows, rows, ones)
op turned(x[N]) -> x[N]
x[n] = x[(n + 1) % N]";
    let table = Array::new(&[2, 2], vec![1.0, 1.0, -2.0, 2.0]);
    let call = Call::new(parse("t.op", text)).input("x", &Array::new(&[3], vec![1.0, 2.0, 3.0]));
    let call = call.input("table", &table).input("ids", &Array::new(&[3], vec![1.0, 0.0, 1.0]));
    assert_eq!(call.output("x").values, [2.0, 3.0, 1.0]);
    assert_eq!(call.output("h").values, [-4.0, 4.0, 2.0, 2.0, -4.0, 4.0]);
    let wrong = text.replace("ids[T] in 0..V", "ids[T]");
    assert!(refused(&wrong).contains("declare it with one: `ids[...] in 0..V`"), "{}", refused(&wrong));
}

#[test]
fn mistakes_in_calls_are_told_at_their_place() {
    let begin = "op t(x[R, D], w[D], v[N, E]; eps = 1e-5) -> y[R, D]\n";
    for (line, place, says) in [
        ("y = rmsnorm(x)", "2:5", "takes 2 tensors, this gives 1"),
        ("y = rmsnorm(x, x)", "2:16", "`w` of `rmsnorm` has 1 dimensions, `x` has 2"),
        ("y = rmsnorm(x, q)", "2:16", "`q` is not known here"),
        ("y = rmsnorm(x, eps)", "2:16", "`eps` is a scalar"),
        ("y = rmsnorm(x, w; epsilon = 1)", "2:19", "has no scalar `epsilon`"),
        ("y = rmsnorm(x, w; eps = w)", "2:25", "`w` is neither"),
        ("y = rmsnorm(x, w; eps, eps)", "2:24", "`eps` is given twice"),
        ("y, z = rmsnorm(x, w)", "2:1", "gives 1 result, this names 2"),
        ("y = gemm_nt(x, v)", "2:16", "`K` of `gemm_nt` is D by `x`, E by `v`"),
        ("y = rmsnrom(x, w)", "2:5", "there is no op `rmsnrom`"),
        ("y[r, d] = rmsnorm(x, w; eps)", "2:23", "functions have no scalars after `;`"),
        ("y = embedding(x, v)", "2:15", "`ids` of `embedding` has 1 dimensions"),
        ("y = rmsnorm(y, w)", "2:5", "needs its own result"),
        ("y = t(x, w, v)", "2:5", "`t` is made of itself: t calls t"),
        ("y = rmsnorm(x, w)\nms = attention(v, v, v)", "3:16", "has 3 dimensions"),
    ] {
        let told = refused(&format!("{begin}{line}"));
        assert!(told.contains(says) && told.starts_with(&format!("t.op:{place}: ")), "{line}: {told}");
    }
}

#[test]
fn what_goes_round_or_on_for_ever_is_refused() {
    let round = "op a(x[N]) -> y[N]\ny = b(x)\nop b(x[N]) -> y[N]\ny = c(x)\nop c(x[N]) -> y[N]\ny = b(x)";
    assert!(refused(round).contains("`b` is made of itself: b calls c calls b"), "{}", refused(round));
    // 2 to the 30th definitions
    let mut text = String::new();
    for at in 0..30 {
        text += &format!("op o{at}(x[N]) -> y[N]\nu = o{0}(x)\nv = o{0}(x)\ny[n] = u[n] + v[n]\n", at + 1);
    }
    text += "op o30(x[N]) -> y[N]\ny[n] = x[n]\n";
    assert!(refused(&text).contains("more than 512 definitions"), "{}", refused(&text));
    let chain: Vec<String> =
        (0..900).map(|at| format!("op o{at}(x[N]) -> y[N]\ny = o{}(x)\n", at + 1)).collect();
    assert!(refused(&chain.concat()).contains("made of at most 64"), "{}", refused(&chain.concat()));
}

#[test]
fn a_mistake_in_a_called_file_is_told_there() {
    let find = |name: &str| {
        (name == "part").then(|| ("part.op".into(), "op part(x[N]) -> y[N]\ny[n] = x[m]".into()))
    };
    let told = Op::parse_with("t.op", "op t(x[N]) -> y[N]\ny = part(x)", &find).unwrap_err().to_string();
    assert!(told.starts_with("t.op:2:5: in `part`: `m` is not known here"), "{told}");
    let find =
        |name: &str| (name == "part").then(|| ("part.op".into(), "op part(x[N]) -> y[N]\ny[n] x".into()));
    let told = Op::parse_with("t.op", "op t(x[N]) -> y[N]\ny = part(x)", &find).unwrap_err().to_string();
    assert!(told.starts_with("part.op:2:6: "), "{told}");
}

#[test]
fn what_a_called_op_splits_is_a_size_of_it() {
    let parts = "op parts(ptr[P] splits Z) -> y[P]\ny[p] = Z - ptr[p] + 0.0\n";
    let find = |name: &str| (name == "parts").then(|| ("parts.op".to_string(), parts.to_string()));
    let text = "op after(begins[B] splits M) -> z[B]\nr = parts(begins)\nz[b] = 2 * r[b]\n";
    let op = Op::parse_with("t.op", text, &find).unwrap();
    let begins = Array::new(&[3], vec![0.0, 2.0, 7.0]);
    assert_eq!(Call::new(op).input("begins", &begins).dim("M", 7).output("z").values, [14.0, 10.0, 0.0]);
}
