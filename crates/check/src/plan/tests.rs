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
    ("clip", "op clip(x[N]; top in 0.01..0.9 = 0.5) -> y[N]\ny[n] = min(x[n], top)\n"),
    (
        "between",
        "op between(x[N]; lo in -2.0..0.0 = -1.0, hi in 0.0..2.0 = 1.0) -> y[N]\ny[n] = clamp(x[n], lo, hi)\n",
    ),
    ("top", "op top(x[N]) -> at\nat = argmax[n](x[n])\n"),
    ("mm", "op mm(a[M, K], b[K, N]) -> c[M, N]\nc[m, n] = sum[k](a[m, k] * b[k, n])\n"),
];

pub(super) fn kernel(toml: &str) -> Kernel {
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
    assert!(plan.cases.len() < 200, "{}", plan.cases.len());
}

#[test]
fn every_size_that_a_contract_names_is_run() {
    let kernel = kernel("op = 'rms'\nargs = ['x', 'w', 'y']\ndims = { D = '64 | 96 | 200' }");
    let plan = plan(&kernel, Amount::QUICK).unwrap();
    assert_eq!(sizes(&plan, "D"), [64, 96, 200]);
}

#[test]
fn a_size_lies_between_any_two_powers_of_two() {
    for (toml, dim, octaves) in
        [("op = 'top'\nargs = ['x', 'at']", "N", 0..15), ("op = 'rms'\nargs = ['x', 'w', 'y']", "D", 0..13)]
    {
        let plan = plan(&kernel(toml), Amount::QUICK).unwrap();
        let all = sizes(&plan, dim);
        for octave in octaves {
            assert!(
                all.iter().any(|size| size.ilog2() == octave),
                "{dim}: nothing from 2^{octave} in {all:?}"
            );
        }
        for octave in [10, 11] {
            assert!(all.contains(&octaves::place(octave)), "{dim}: {all:?}");
        }
    }
    assert_eq!([3, 10, 13].map(octaves::place), [11, 1403, 11223]);
}

#[test]
fn whole_tiles_meet_in_all_dimensions() {
    for (tile, each) in [("", [32, 32, 32]), ("tile = { M = 8, N = [64, 16] }", [8, 32, 16])] {
        let kernel = kernel(&format!("op = 'mm'\nargs = ['a', 'b', 'c']\n{tile}"));
        let plan = plan(&kernel, Amount::QUICK).unwrap();
        // in the order of the case: M, K, N
        let all = plan.cases.iter().map(|case| case.dims.iter().map(|(_, n)| *n).collect::<Vec<i64>>());
        let whole: Vec<Vec<i64>> =
            all.filter(|d| d.iter().zip(each).all(|(n, tile)| n % tile == 0)).collect();
        let holds = |wanted: &dyn Fn(&[i64]) -> bool| whole.iter().any(|dims| wanted(dims));
        for (a, b) in [(0, 1), (0, 2), (1, 2)].into_iter().filter(|_| tile.is_empty()) {
            assert!(holds(&|d| d[a] < d[b]) && holds(&|d| d[a] > d[b]), "{tile}: {whole:?}");
        }
        assert!(holds(&|d| d[0] > each[0] && d[1] > each[1] && d[2] > each[2]), "{tile}: {whole:?}");
        assert!(holds(&|d| d[0] == d[1] && d[1] == d[2] && d[0] >= 32), "{tile}: {whole:?}");
    }
}

#[test]
fn every_two_values_of_scalars_meet() {
    let kernel = kernel("op = 'between'\nargs = ['x', 'y']");
    let plan = plan(&kernel, Amount::QUICK).unwrap();
    let value = |case: &Case, name: &str| {
        case.scalars.iter().find(|(n, _)| n == name).map_or(f64::NAN, |(_, v)| v.to_f64())
    };
    let further = |case: &&Case| value(case, "hi") > -value(case, "lo");
    let some = plan.cases.iter().filter(further).count();
    assert!(some > 2 && some < plan.cases.len() - 2, "{some} of {}", plan.cases.len());
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
fn a_default_is_among_the_values_whatever_their_number() {
    let kernel = kernel("op = 'clip'\nargs = ['x', 'y']");
    let plan = plan(&kernel, Amount::QUICK).unwrap();
    let tops = plan.cases.iter().flat_map(|c| &c.scalars).filter(|(n, _)| n == "top");
    assert!(tops.clone().any(|(_, v)| v.to_f64() == 0.5), "{:?}", tops.collect::<Vec<_>>());
}

#[test]
fn scratch_leaves_out_no_size_in_silence() {
    for (elements, says) in [
        ("1 // (4 // (N + 1))", "which op and contract take: limit the sizes in `dims` or `where`"),
        ("8 - N", "scratch `s` would have"),
        ("N * N * N * 100000000", "scratch takes"),
    ] {
        let with = |more: &str| {
            let scratch = format!("scratch = {{ s = 'f32[{elements}]' }}");
            let kernel = kernel(&format!("op = 'clip'\nargs = ['x', 'y', 's']\n{scratch}\n{more}"));
            plan(&kernel, Amount::QUICK).map(|plan| plan.cases.len())
        };
        let refused = with("").unwrap_err();
        assert!(refused.contains(says), "{refused}");
        // what the contract leaves out itself is its own to say
        assert!(with("dims = { N = '1..=2' }").is_ok() || elements.starts_with("N * N"), "{elements}");
    }
}

#[test]
fn several_long_cases_hang_on_one_element_of_many() {
    let count = |op: &str, args: &str| {
        let kernel = kernel(&format!("op = '{op}'\nargs = [{args}]"));
        let plan = plan(&kernel, Amount::QUICK).unwrap();
        plan.cases.iter().filter(|case| case.dims.iter().any(|(_, size)| *size > 65_536)).count()
    };
    assert!(count("top", "'x', 'at'") >= 10);
    assert!(count("clip", "'x', 'y'") < 10);
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

#[test]
fn every_plan_has_all_dimensions_long_together_and_names_the_sizes_left_out() {
    let kernel = kernel("op = 'mm'\nargs = ['a', 'b', 'c']");
    for (amount, least) in [(Amount::QUICK, 65), (Amount::default(), 257)] {
        let plan = plan(&kernel, amount).unwrap();
        let long = |case: &&Case| case.dims.iter().all(|(_, size)| *size >= least);
        assert!(plan.cases.iter().filter(long).count() >= 3, "{least}");
        for dim in ["M", "K", "N"] {
            assert!(sizes(&plan, dim).contains(&129), "{dim}");
            let gap = plan.gaps.iter().find(|gap| gap.starts_with(&format!("{dim} is run at ")));
            assert!(gap.is_some_and(|gap| gap.contains(" to ")), "{dim}: {:?}", plan.gaps);
        }
    }
}

#[test]
fn where_nan_must_come_out_zeros_are_beside_it() {
    let count = |nan: &str| {
        let kernel = kernel(&format!("op = 'mm'\nargs = ['a', 'b', 'c']\n{nan}"));
        let plan = plan(&kernel, Amount::QUICK).unwrap();
        let beside =
            |case: &&Case| matches!(case.regime, Regime::Nan | Regime::Inf) && (4..8).contains(&case.chosen);
        plan.cases.iter().filter(beside).count()
    };
    assert_eq!((count("nan = 'propagate'"), count("")), (4, 0));
}

#[test]
fn quick_plans_have_each_input_far_from_zero() {
    let kernel = kernel("op = 'mm'\nargs = ['a', 'b', 'c']");
    let plan = plan(&kernel, Amount::QUICK).unwrap();
    for input in 0..2 {
        let far = |case: &&Case| case.regime == Regime::Far && case.chosen == input;
        assert!(plan.cases.iter().any(|case| far(&case)), "{input}");
    }
}

#[test]
fn sizes_that_the_seed_chooses_are_others_for_every_seed() {
    for toml in [
        "op = 'rms'\nargs = ['x', 'w', 'y']\ntile = { R = 1023, D = 4095 }",
        "op = 'clip'\nargs = ['x', 'y']\ntile = { N = 1000000 }\ndims = { N = '..=65536' }",
        "op = 'clip'\nargs = ['x', 'y']\ndims = { N = 'multiple of 32' }",
    ] {
        let kernel = kernel(toml);
        let known = plan(&kernel, Amount::QUICK).unwrap();
        let hidden = |seed| {
            let mut plan = known.clone();
            plan.hide(&kernel, seed).unwrap();
            plan.cases.split_off(known.cases.len())
        };
        let (first, second) = (hidden(1), hidden(2));
        assert!(first.len() > 8 && second.len() > 8, "{toml}: {}", first.len());
        assert_eq!(first, hidden(1));
        let new = |case: &&Case| !second.contains(case) && !known.cases.contains(case);
        assert!(first.iter().filter(new).count() > first.len() / 2, "{toml}");
        assert!(first.iter().all(|case| crate::accepts(&kernel, case).is_ok()), "{toml}");
        let longest = first.iter().flat_map(|c| &c.dims).map(|(_, size)| *size).max();
        assert!(longest > Some(8000), "{toml}: {longest:?}");
    }
}

#[test]
fn an_end_past_15_bits_is_run() {
    for end in [32_768, 40_000, 65_536, 65_869] {
        let kernel = kernel(&format!("op = 'clip'\nargs = ['x', 'y']\ndims = {{ N = '..={end}' }}"));
        assert!(sizes(&plan(&kernel, Amount::QUICK).unwrap(), "N").contains(&end), "{end}");
    }
}

#[test]
fn limits_may_be_conditions() {
    for (limit, most) in
        [("N > 5000", i64::MAX), ("5000 < N and N <= 6000", 6000), ("N % 5001 == 0", i64::MAX)]
    {
        let toml = format!("op = 'clip'\nargs = ['x', 'y']\nwhere = ['{limit}']");
        let plan = plan(&kernel(&toml), Amount::default()).unwrap_or_else(|e| panic!("{limit}: {e}"));
        assert!(sizes(&plan, "N").iter().all(|n| (5001..=most).contains(n)), "{limit}");
    }
    for limits in ["where = ['N > 10', 'N < 5']", "dims = { N = ['10..', '..=5'] }"] {
        let none = kernel(&format!("op = 'clip'\nargs = ['x', 'y']\n{limits}"));
        let said = plan(&none, Amount::default()).unwrap_err();
        assert_eq!(said, "no size of N is within its limits (line 3): write limits that some size meets");
    }
    // two dimensions that are long together
    let toml = "op = 'rms'\nargs = ['x', 'w', 'y']\nwhere = ['R * D > 2000000']";
    let long = plan(&kernel(toml), Amount::default()).unwrap_or_else(|e| panic!("{e}"));
    let size = |case: &Case| case.dims.iter().map(|(_, n)| n).product::<i64>();
    assert!(long.cases.iter().all(|case| size(case) > 2_000_000));
    let op = "op far(x[N]) -> y[N]\nwhere N > 5000\ny[n] = x[n] + 1\n";
    let far = Kernel::of_contract("k", "op = 'far'\nargs = ['x', 'y']", &[("far", op)]).unwrap();
    assert!(plan(&far, Amount::default()).is_ok_and(|plan| sizes(&plan, "N")[0] == 5001));
    // blocks of rows: a multiple, and a size that an equation gives
    let op = "op blocks(x[R, C]) -> y[B]\nwhere B * 128 == R * C, C % 128 == 0\n\
              y[b] = sum[i in 0..128](x[(b * 128 + i) // C, (b * 128 + i) % C])\n";
    let blocks = Kernel::of_contract("k", "op = 'blocks'\nargs = ['x', 'y']", &[("blocks", op)]).unwrap();
    let plan = plan(&blocks, Amount::default()).unwrap_or_else(|e| panic!("{e}"));
    assert!(sizes(&plan, "C").len() > 4 && sizes(&plan, "R").contains(&1));
}

/// The first input of the cases of a regime and a kind, with the sizes of the case.
fn filled(kernel: &Kernel, plan: &Plan, regime: Regime, kind: usize) -> Vec<(Vec<i64>, Vec<f64>)> {
    let reals = crate::inputs::reals(&kernel.op).len();
    let of = plan.cases.iter().filter(|c| c.regime == regime && c.chosen / reals == kind);
    let first = |case: &Case| {
        let case = Case { chosen: kind * reals, seed: 5, ..case.clone() };
        let inputs = crate::inputs::prepare(kernel, &case).unwrap().inputs;
        (case.dims.iter().map(|(_, n)| *n).collect(), inputs[0].to_f64())
    };
    of.map(first).collect()
}

#[test]
fn every_plan_goes_to_the_ends_of_the_type_where_nothing_overflows() {
    let largest = f64::from(f32::MAX);
    for level in Level::ALL {
        let top = kernel("op = 'top'\nargs = ['x', 'at']");
        let planned = plan(&top, level.into()).unwrap();
        for (regime, sign) in [(Regime::Below, -1.0), (Regime::Above, 1.0)] {
            let all = filled(&top, &planned, regime, 1);
            let at_end =
                |values: &[f64]| values.iter().all(|v| (0.999_99..=1.0).contains(&(sign * v / largest)));
            assert!(all.iter().any(|(dims, values)| dims[0] > 100 && at_end(values)), "{level:?} {regime}");
        }
    }
    // products, and types that hold less
    for toml in ["op = 'mm'\nargs = ['a', 'b', 'c']", "op = 'clip'\nargs = ['x', 'y']\ntypes = { y = 'f16' }"]
    {
        let other = kernel(toml);
        let planned = plan(&other, Amount::QUICK).unwrap();
        let all = filled(&other, &planned, Regime::Above, 1);
        assert!(!all.is_empty() && all.iter().flat_map(|(_, values)| values).all(|v| *v < largest / 2.0));
    }
}

#[test]
fn what_is_not_finite_is_in_every_input_and_at_both_ends_of_it() {
    let mm = kernel("op = 'mm'\nargs = ['a', 'b', 'c']");
    let quick = plan(&mm, Amount::QUICK).unwrap();
    for input in 0..2 {
        let special = |case: &&Case| case.regime.is_special() && case.chosen == input;
        assert_eq!(quick.cases.iter().filter(special).count(), 1, "{input}");
    }
    let top = kernel("op = 'top'\nargs = ['x', 'at']");
    let quick = plan(&top, Amount::QUICK).unwrap();
    for (regime, kind, ends) in [(Regime::Nan, 0, true), (Regime::Inf, 16, false), (Regime::Inf, 4, true)] {
        let all = filled(&top, &quick, regime, kind);
        let has = |values: &[f64]| {
            let [first, .., last] = values else { return false };
            let inside = values[1..values.len() - 1].iter().filter(|v| !v.is_finite()).count() == 1;
            inside && first.is_finite() != ends && last.is_finite() != ends
        };
        assert!(all.iter().any(|(_, values)| has(values)), "{regime} {kind}");
    }
}

#[test]
fn small_numbers_meet_the_usual_scalars_and_others() {
    let kernel = kernel("op = 'turn'\nargs = ['x', 'y']");
    for level in Level::ALL {
        let plan = plan(&kernel, level.into()).unwrap();
        let tiny = plan.cases.iter().filter(|case| case.regime == Regime::Tiny && case.chosen < 1);
        let scales: Vec<f64> = tiny.flat_map(|case| &case.scalars[1..]).map(|(_, v)| v.to_f64()).collect();
        assert!(scales.contains(&0.375) && scales.iter().any(|scale| *scale > 1.0), "{scales:?}");
    }
}

#[test]
fn places_have_equal_elements_and_what_divides_has_zeros_alone() {
    let has = |toml: &str, wanted: &dyn Fn(&Case) -> bool| {
        plan(&kernel(toml), Amount::QUICK).unwrap().cases.iter().any(wanted)
    };
    let pairs = |case: &Case| case.regime == Regime::Ties && case.chosen == 6 && case.dims[0].1 > 1000;
    let zeros = |case: &Case| case.regime == Regime::Zeros && case.chosen < 2;
    let in_lane = |case: &Case| case.regime == Regime::Ties && case.chosen == 10 && case.dims[0].1 > 1000;
    assert!(has("op = 'top'\nargs = ['x', 'at']", &pairs) && has("op = 'top'\nargs = ['x', 'at']", &in_lane));
    assert!(!has("op = 'clip'\nargs = ['x', 'y']", &pairs) && !has("op = 'clip'\nargs = ['x', 'y']", &zeros));
    assert!(has("op = 'rms'\nargs = ['x', 'w', 'y']", &zeros));
}
