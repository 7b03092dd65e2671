//! Plans of small contracts: what they must hold.

use super::*;

const CATALOGUE: &[(&str, &str)] = &[
    (
        "rms",
        "op rms(x[R, D], w[D]; eps > 0 = 1e-5) -> y[R, D]\nm[r] = sum[d](x[r, d]^2) / D\n\
             y[r, d] = x[r, d] / sqrt(m[r] + eps) * w[d]\n",
    ),
    (
        "turn",
        "op turn(x[T, D]; pos in 0..100, scale) -> y[T, D]\nwhere D % 2 == 0\n\
              y[t, d] = x[t, d] * scale + pos\n",
    ),
    ("mm", "op mm(a[M, K], b[K, N]) -> c[M, N]\nc[m, n] = sum[k](a[m, k] * b[k, n])\n"),
];

fn kernel(toml: &str) -> Kernel {
    Kernel::of_contract("k", toml, CATALOGUE).unwrap()
}

fn sizes(plan: &Plan, dim: &str) -> Vec<i64> {
    let mut all: Vec<i64> =
        plan.cases.iter().flat_map(|c| &c.dims).filter(|(n, _)| n == dim).map(|(_, v)| *v).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[test]
fn tiles_are_walked() {
    let kernel = kernel("op = 'rms'\nargs = ['x', 'w', 'y']\ntile = { D = 256 }\ndims = { D = '1..=16384' }");
    let plan = plan(&kernel, Amount::default()).unwrap();
    for size in [1, 255, 256, 257, 643, 16384] {
        assert!(sizes(&plan, "D").contains(&size), "{size}");
    }
    for regime in EVERYWHERE {
        let of: Vec<&Case> = plan.cases.iter().filter(|c| c.regime == regime).collect();
        assert!(of.iter().any(|c| c.dims.contains(&("D".into(), 257))), "{regime}");
    }
    assert!(plan.cases.iter().all(|c| accepts_all(&kernel, c)));
    assert!(plan.cases.len() < 140, "{}", plan.cases.len());
}

fn accepts_all(kernel: &Kernel, case: &Case) -> bool {
    crate::accept::accepts(kernel, case).is_ok()
}

#[test]
fn constraints_and_limits_hold() {
    let kernel =
        kernel("op = 'turn'\nargs = ['x', 'y']\nwhere = ['T * D <= 200']\ndims = { T = 'multiple of 3' }");
    let plan = plan(&kernel, Amount::default()).unwrap();
    assert!(plan.cases.iter().all(|c| accepts_all(&kernel, c)));
    let values = |name: &str| {
        let all = plan.cases.iter().flat_map(|c| &c.scalars).filter(|(n, _)| n == name);
        let mut shown: Vec<String> = all.map(|(_, v)| v.to_string()).collect();
        shown.sort();
        shown.dedup();
        shown.len()
    };
    assert!(values("pos") >= 3 && values("scale") >= 3);
}

#[test]
fn packed_types_ask_for_whole_blocks() {
    let kernel = kernel("op = 'rms'\nargs = ['x', 'w', 'y']\ntypes = { x = 'q4_0' }");
    let plan = plan(&kernel, Amount::QUICK).unwrap();
    assert!(sizes(&plan, "D").iter().all(|d| d % 32 == 0));
}

#[test]
fn what_cannot_be_is_said() {
    let kernel = kernel("op = 'turn'\nargs = ['x', 'y']\ndims = { D = 7 }");
    assert!(plan(&kernel, Amount::default()).unwrap_err().contains("D % 2 == 0"));
}

#[test]
fn stress_reaches_the_ends() {
    let kernel = kernel("op = 'rms'\nargs = ['x', 'w', 'y']\ndims = { D = '..=16777216', R = '..=1000000' }");
    let usual = plan(&kernel, Amount::QUICK).unwrap();
    let stress = plan(&kernel, Amount { stress: true, ..Amount::QUICK }).unwrap();
    for (dim, most) in [("D", 16_777_216), ("R", 1_000_000)] {
        assert_eq!(sizes(&stress, dim).last(), Some(&most));
        assert!(sizes(&usual, dim).last() < Some(&(most / 2)));
        let gap = |plan: &Plan| plan.gaps.iter().any(|gap| gap.starts_with(&format!("{dim} is accepted")));
        assert!(gap(&usual) && !gap(&stress), "{:?}", stress.gaps);
    }
    assert!(stress.cases.iter().all(|c| accepts_all(&kernel, c)));
}

#[test]
fn scalars_have_values_that_kernels_treat_in_ways_of_their_own() {
    let kernel = kernel("op = 'turn'\nargs = ['x', 'y']");
    let plan = plan(&kernel, Amount::QUICK).unwrap();
    let scales = || plan.cases.iter().flat_map(|c| &c.scalars).filter(|(n, _)| n == "scale");
    let holds = |wanted: &dyn Fn(f64) -> bool| scales().any(|(_, v)| wanted(v.to_f64()));
    assert!(holds(&|v| v == -1.0) && holds(&|v| v == 1.0));
    assert!(holds(&|v| (1e-3..1e-2).contains(&v)) && holds(&|v| (1e-6..1e-5).contains(&v)));
}

#[test]
fn each_level_has_more_than_the_one_before() {
    let kernel = kernel("op = 'mm'\nargs = ['a', 'b', 'c']");
    let plans = Level::ALL.map(|level| plan(&kernel, level.into()).unwrap());
    let counts: Vec<usize> = plans.iter().map(|plan| plan.cases.len()).collect();
    assert!(counts.is_sorted_by(|a, b| a < b), "{counts:?}");
    let decodes = |plan: &Plan| plan.why.iter().any(|why| why.starts_with("decoding, a projection: M=1 "));
    assert_eq!(plans.each_ref().map(decodes), [false, false, true, true]);
    let named = |plan: &Plan| plan.gaps.iter().any(|gap| gap.starts_with("prefill, a projection is not run"));
    assert_eq!(plans.each_ref().map(named), [false, false, true, false]);
}
