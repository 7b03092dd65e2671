//! The changes of small ops.

use super::*;

const ATTENTION: &str = "\
op attention(q[S, D], k[T, D], v[T, D]; scale = 0.25, causal = true) -> o[S, D]
where T >= S

z[s, t] = if causal and t > s + (T - S) then -inf else scale * sum[d](q[s, d] * k[t, d])
p[s, t] = exp(z[s, t] - max[t](z[s, t]))
o[s, d] = sum[t](p[s, t] * v[t, d]) / sum[t](p[s, t])
";

fn nearby(text: &str) -> Vec<Change> {
    Op::parse("a.op", text).unwrap().nearby(&[("D", 16)], &[0.79, 0.044751])
}

fn has(all: &[Change], was: &str, now: &str) -> bool {
    all.iter().any(|c| c.was == was && c.now == now && c.op().is_some())
}

#[test]
fn one_thing_at_a_time_is_changed() {
    let all = nearby(ATTENTION);
    for (was, now) in [
        ("t > s + (T - S)", "t >= s + (T - S)"),
        ("s + (T - S)", "s"),
        ("z[s, t] - max[t](z[s, t])", "z[s, t]"),
        ("scale * sum[d](q[s, d] * k[t, d])", "sum[d](q[s, d] * k[t, d])"),
        ("sum[d](q[s, d] * k[t, d])", "sum[d where d < D // 16 * 16](q[s, d] * k[t, d])"),
        ("sum[t](p[s, t])", "sum[t where t != T - 1](p[s, t])"),
        ("exp(z[s, t] - max[t](z[s, t]))", "-(exp(z[s, t] - max[t](z[s, t])))"),
    ] {
        let near: Vec<_> = all.iter().filter(|c| c.was == was).map(|c| &c.now).collect();
        assert!(has(&all, was, now), "{was}: {near:?}");
    }
    let sound = all.iter().filter(|c| c.op().is_some()).count();
    assert!(sound > 200 && sound * 2 > all.len(), "{sound} of {}", all.len());
}

#[test]
fn digits_functions_and_places_are_changed() {
    let text = "op g(x[N]; eps = 1e-5) -> y[N]\ny[n] = sqrt(x[n] + eps) * (1 + tanh(0.044715 * x[n]))\n";
    let all = nearby(text);
    assert!(has(&all, "0.044715 * x[n]", "0.044175 * x[n]"), "{all:#?}");
    assert!(has(&all, "sqrt(x[n] + eps)", "sqrt(x[n]) + eps"));
    assert!(has(&all, "x[n] + eps", "max(x[n], eps)"));
    assert!(has(&all, "0.044715 * x[n]", "0.044751 * x[n]"));
    assert!(has(&all, "x[n] + eps", "x[n] + (0.79 * eps)"));
    assert!(has(&all, "tanh(0.044715 * x[n])", "erf(0.044715 * x[n])"));
    let text = "op g(x[N]; eps = 1e-5) -> y[N]\ny[n] = 1 / max(x[n], eps) + 1 / (sqrt(x[n] / 3) + eps)\n";
    let all = nearby(text);
    assert!(has(&all, "max(x[n], eps)", "x[n] + eps"), "{all:#?}");
    let relu = nearby("op g(x[N], b[N]) -> y[N]\ny[n] = max(x[n] + b[n], 0)\n");
    assert!(has(&relu, "max(x[n] + b[n], 0)", "max(x[n], 0) + b[n]"), "{relu:#?}");
    assert!(has(&all, "max(x[n], eps)", "sqrt(x[n]^2 + eps)"));
    assert!(has(&all, "sqrt(x[n] / 3) + eps", "(sqrt(x[n]) + eps) / sqrt(3)"));
    let gemm = "op g(a[M, K], b[K, N]) -> c[M, N]\nc[m, n] = sum[k](a[m, k] * b[k, n])\n";
    let all = nearby(gemm);
    assert!(has(&all, "a[m, k] * b[k, n]", "a[m, k] * b[n, k]"));
    let stride = "a[m, k] * b[k * K + n]";
    assert!(has(&all, "a[m, k] * b[k, n]", stride), "{all:#?}");
    assert!(has(&all, "a and b", "b and a"));
    assert!(has(&all, "a[m, k] * b[k, n]", "a[m, k] * b[K - 1 - k, N - 1 - n]"), "{all:#?}");
    assert_eq!(swapped("g = gemm(x, a) * a[n] + b", "a", "b"), "g = gemm(x, b) * b[n] + b");
}

#[test]
fn habits_of_kernels_are_tried() {
    let with = |text: &str, numbers: &[f64]| Op::parse("a.op", text).unwrap().nearby(&[], numbers);
    let relu = with("op g(x[N], b[N]) -> y[N]\nz[n] = x[n] + b[n]\ny[n] = max(z[n], 0)\n", &[1e-6]);
    assert!(has(&relu, "max(z[n], 0)", "max(x[n], 0) + b[n]"), "{relu:#?}");
    assert!(has(&relu, "x[n] + b[n]", "(if abs(x[n]) >= 1e-6 then x[n] else 0) + b[n]"), "{relu:#?}");
    let gate = with("op g(x[N]) -> y[N]\ny[n] = x[n] * sigmoid(x[n])\n", &[]);
    assert!(has(&gate, "sigmoid(x[n])", "exp(x[n]) / (1 + exp(x[n]))"), "{gate:#?}");
    let norm = with("op g(x[N]) -> y\ny = log(sum[n](exp(x[n]))) + sqrt(x[0])\n", &[1e-10, 11.0, 0.4999]);
    for part in ["(if x[n] >= -11 then exp(x[n]) else 0)", "+ 1e-10)", "x[0] ^ 0.4999"] {
        assert!(norm.iter().any(|c| c.now.contains(part) && c.op().is_some()), "{part}: {norm:#?}");
    }
    let dot = with("op g(a[K], b[K]) -> y\ny = sum[k](a[k] * b[k])\n", &[]);
    assert!(has(&dot, "sum[k](a[k] * b[k])", "sum[k where a[k] != 0](a[k] * b[k])"), "{dot:#?}");
    let backward = with("op g(ids[T] in 0..V, dy[T]) -> d[V]\nd[v] = sum[t where ids[t] == v](dy[t])\n", &[]);
    let last = "(ids[t] == v) and t == max[t_ in 0..T where ids[t_] == v](t_)";
    assert!(backward.iter().any(|c| c.now.contains(last) && c.op().is_some()), "{backward:#?}");
    let named =
        with("op g(x[R, D]) -> y[R]\ntop[r] = max[d](x[r, d])\ny[r] = sum[d](exp(x[r, d] - top[r]))\n", &[]);
    let so_far = |c: &&Change| c.now.contains("max[d_ in 0..D where d_ <= d](x[r, d_])");
    assert!(named.iter().any(|c| so_far(&c) && c.op().is_some()), "{named:#?}");
}

#[test]
fn what_is_written_twice_is_changed_twice() {
    let text = "op a(q[H, D], k[G, D]) -> o[H, D]\nwhere H % G == 0\n\
                o[h, d] = q[h, d] * k[h // (H // G), d] + k[h // (H // G), d]\n";
    let all = nearby(text);
    let same = |c: &&Change| c.was.contains("h // (H // G)") && c.now.contains("h % G");
    let counts: Vec<usize> = all.iter().filter(same).map(|c| c.text.matches("h % G").count()).collect();
    assert!(counts.contains(&1) && counts.contains(&2), "{counts:?}");
    // by another index, too
    let text = "op a(x[N]; limit = 0.0) -> y[N], count\ncount = sum[n where x[n] > limit](1)\n\
                y[n] = sum[m in N where m <= n and x[m] > limit](1)\n";
    let all = nearby(text);
    let both = |c: &&Change| c.was == "x[n] > limit" && c.now == "x[n] >= limit";
    assert!(all.iter().filter(both).any(|c| c.text.contains("x[m] >= limit")), "{all:#?}");
}

#[test]
fn what_a_kernel_writes_for_a_constant_is_tried() {
    let all = nearby("op g(x[N]) -> y[N]\ny[n] = sqrt(2 / pi) * x[n]\n");
    assert!(has(&all, "sqrt(2 / pi)", "0.79"), "{all:#?}");
    assert!(!all.iter().any(|c| c.now.contains("0.044751")), "{all:#?}");
}

#[test]
fn variance_is_taken_in_one_pass() {
    let text = "op v(x[R, D]) -> y[R]\nm[r] = mean[d](x[r, d])\ny[r] = sum[d]((x[r, d] - m[r])^2) / D\n";
    let one = "sum[d]((x[r, d])^2) - D * (m[r])^2";
    assert!(has(&nearby(text), "sum[d]((x[r, d] - m[r])^2)", one), "{:#?}", nearby(text));
}

#[test]
fn reads_that_may_lie_outside_are_tried() {
    let all = nearby("op g(c[M, N], bias[N]) -> y[M, N]\ny[m, n] = c[m, n] + bias[n]\n");
    let padded = all.iter().find(|c| c.text.contains("(bias[m] else nan)")).unwrap();
    assert!(padded.now.ends_with("bias[m]") && padded.op().is_some(), "{padded:?}");
    assert!(all.iter().any(|c| c.text.contains("(bias[n - 1] else nan)") && c.op().is_some()), "{all:#?}");
}

#[test]
fn a_maximum_may_start_elsewhere_or_be_that_so_far() {
    let all = Op::parse("a.op", "op r(x[R, D]) -> y[R]\ny[r] = max[d](x[r, d])\n").unwrap();
    assert!(has(&all.nearby(&[], &[1e9, 0.5]), "max[d](x[r, d])", "max(-1e9, max[d](x[r, d]))"));
    let so_far = "max[t_ in 0..T where t_ <= t](z[s, t_])";
    let all = nearby(ATTENTION);
    let found = all.iter().find(|c| c.now.contains(so_far)).unwrap();
    assert!(found.op().is_some(), "{}", found.text);
    assert!(all.iter().any(|c| c.now.contains("t_ // 32 <= t // 32") && c.op().is_some()));
}

#[test]
fn squares_are_taken_otherwise() {
    let all = nearby("op e(x[N], t[N]) -> y\ny = mean[n]((x[n] - t[n])^2)\n");
    for now in ["abs((x[n] - t[n]))", "(x[n])^2 - 2 * (x[n]) * (t[n]) + (t[n])^2"] {
        assert!(all.iter().any(|c| c.text.contains(now) && c.op().is_some()), "{now}: {all:#?}");
    }
}

#[test]
fn the_last_of_equals_is_tried() {
    let text = "op a(x[R, D]) -> y[R]\ny[r] = argmax[d where d != 1](x[r, d])\n";
    let all = nearby(text);
    let last = all.iter().find(|c| c.now.starts_with("the last of equals")).unwrap();
    assert!(last.op().is_some(), "{}", last.text);
    let inner = "((0) + (D) - 1 - argmax[d where ((0) + (D) - 1 - d) != 1](x[r, ((0) + (D) - 1 - d)]))";
    assert!(last.text.contains(inner), "{}", last.text);
}

#[test]
fn forms_are_left_out() {
    let text = "op m(x[N]) -> y\ny = sum[n](x[n]) / N\nalso y = sum[n](x[n] / N)\n";
    assert!(has(&nearby(text), "sum[n](x[n]) / N", "sum[n](x[n])"));
}

#[test]
fn outputs_are_changed_as_a_whole() {
    let gate = "op g(x[T, E]) -> p[T]\ntop[t] = max[e](x[t, e])\np[t] = 1 / sum[e](exp(x[t, e] - top[t]))\n";
    assert!(has(&nearby(gate), "p[t]", "top[t]"));
    let relu = "op g(x[N], dy[N]) -> dx[N]\ndx[n] = if x[n] > 0 then dy[n] else 0\n";
    assert!(has(&nearby(relu), "dx[n]", "dx[n] * x[n]"));
    let pool = "op g(x[A, B]) -> y[P, Q]\nwhere P == A // 2, Q == B // 2\ny[p, q] = x[2 * p, 2 * q]\n";
    assert!(has(&nearby(pool), "y[p, q]", "y[(p * Q + q) // P % P, q]"), "{:#?}", nearby(pool));
    let rounds = "op g(x[N]) -> y[N]\n\
                  a[r in 0..11, n] = if r == 0 then x[n] else 2 * a[r - 1, n]\n\
                  y[n] = a[10, n] + a[10, n]\n";
    assert!(has(&nearby(rounds), "10", "9"));
    let norm =
        "op g(x[N], w[N]) -> y[N]\nmu[] = sum[n](x[n]) / N\nc[n] = x[n] - mu[]\ny[n] = c[n] * w[n] + c[n]\n";
    assert!(has(&nearby(norm), "c[n] * w[n]", "(x[n]) * w[n]"), "{:#?}", nearby(norm));
    let l2 = "op g(x[N]; eps = 1e-5) -> y[N]\ny[n] = x[n] / max(x[n]^2, eps)\n";
    assert!(has(&nearby(l2), "x[n] / max(x[n]^2, eps)", "if (x[n]^2) < eps then 0 else x[n] / (x[n]^2)"));
}

#[test]
fn draws_are_coarser_and_functions_taken_once() {
    let text = "op g(x[V]; seed in 0..9) -> y[]\nu = random[v] in 0.0..1.0\n\
                y[] = argmax[v](x[v] - log(-log(u[v])))\n";
    let all = nearby(text);
    assert!(has(&all, "log(-log(u[v]))", "log(u[v])"), "{all:#?}");
    assert!(all.iter().any(|c| c.now.contains("floor(u[v] * 16) / 16") && c.op().is_some()));
    let text = "op g(x[N]; seed in 0..9) -> y[N]\nu = random[n] in 0..0x10000\ny[n] = x[n] + u[n]\n";
    let coarse = "u[n] // (0x10000 // 16) * (0x10000 // 16)";
    assert!(nearby(text).iter().any(|c| c.now.contains(coarse) && c.op().is_some()));
}

#[test]
fn sums_go_on_past_the_end() {
    let softmax = "op s(x[R, D]) -> y[R, D]\n\
                   top[r] = max[d](x[r, d])\n\
                   e[r, d] = exp(x[r, d] - top[r])\n\
                   total[r] = sum[d](e[r, d])\n\
                   y[r, d] = e[r, d] / total[r]\n";
    let all = nearby(softmax);
    let filled = all.iter().find(|c| c.now == "sum[d](e[r, d]) with zeros up to a multiple of 256").unwrap();
    let text = "(sum[d](e[r, d]) + sum[d in D..(D + 255) // 256 * 256]((exp((x[r, d] else 0) - top[r]))))";
    assert!(filled.text.contains(text), "{}", filled.text);
    assert!(filled.op().is_some(), "{}", filled.text);
    let attention = "op a(q[S, D], k[T, D]) -> o[S]\n\
                     z[s, t] = if t > s then -1 else sum[d](q[s, d] * k[t, d])\n\
                     o[s] = sum[t](exp(z[s, t]))\n";
    let text =
        "sum[t in T..(T + 31) // 32 * 32](exp((if t > s then -1 else sum[d](q[s, d] * (k[t, d] else 0)))))";
    let all = nearby(attention);
    assert!(all.iter().any(|c| c.text.contains(text) && c.op().is_some()), "{all:#?}");
    let sum = "op s(x[N], w[N]) -> y\nc[n] = 2 * x[n]\ny = sum[n](c[n] * w[n] + c[n]^2)\n";
    assert!(nearby(sum).iter().all(|c| !c.now.contains("with zeros")), "nothing is added");
}

#[test]
fn scalars_are_taken_for_others_wherever_they_stand() {
    let adam = "op a(p[N], g[N], m[N]; b = 0.9, step = 2, decay = 0.1) -> q[N]\n\
                q[n] = p[n] - (b * m[n] + (1 - b) * g[n]) / (1 - b^step) - sqrt(g[n]^2 / (1 - b^step)) - step\n";
    let all = nearby(adam);
    let changed = |was: &str, now: &str| {
        let found = all.iter().filter(|c| c.was == was && c.now == now).filter_map(Change::op);
        found.map(|op| op.text.matches(&format!("({now})")).count()).max()
    };
    assert_eq!(changed("step", "step - 1"), Some(3), "{all:#?}");
    assert!(has(&all, "(1 - b) * g[n]", "(1 - b) * (g[n] + decay * p[n])"), "{all:#?}");
    let clamp = nearby("op c(x[N]; lo = -1, hi = 1) -> y[N]\ny[n] = max(min(x[n], hi), lo) / N\n");
    assert!(
        clamp.iter().any(|c| c.now.contains("max(min(x[n], hi), (-hi))") && c.op().is_some()),
        "{clamp:#?}"
    );
    let norm =
        nearby("op n(x[R, K]; eps = 1e-5) -> y[R, K]\ny[r, k] = x[r, k] / max(sum[k](x[r, k]), eps)\n");
    assert!(norm.iter().any(|c| c.now.contains("sqrt((sum[k](x[r, k]))^2 + eps^2)") && c.op().is_some()));
    assert!(norm.iter().any(|c| c.now.contains("(eps / K)") && c.op().is_some()), "{norm:#?}");
}

#[test]
fn whole_numbers_slip_and_wrap() {
    let all =
        nearby("op a(x[N]; step = 2, pad = 1) -> y[N]\ny[n] = x[n] * (1 - x[n]) + step * 2891336453 - pad\n");
    for now in ["2891336435", "0xac564b50", "(step % 256)", "(pad * step)", "1 - x[n]^2"] {
        assert!(all.iter().any(|c| c.now.contains(now) && c.op().is_some()), "{now}: {all:#?}");
    }
}
