//! Regimes: parts agree with the whole, domains hold, and `exact` is exact and sharp.

use ktwin_num::{
    BlockFormat, DType, Domain, Fill, Float, Regime, Role, Sharp, Sorted, exponent, fill, fill_range, pow2,
};
use proptest::prelude::*;

fn range(f: &Fill, dtype: DType, start: u64, n: usize, total: u64) -> Vec<f64> {
    let mut out = vec![0.0; n];
    fill_range(f, dtype, start, total, &mut out);
    out
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

const POSITIVE: Domain = Domain { lo: 0.0, lo_open: true, ..Domain::ALL_REALS };
const SHARE: Domain = Domain { lo: 0.0, hi: 1.0, ..Domain::ALL_REALS };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn parts_equal_the_whole(
        regime in 0..Regime::ALL.len(), dtype in 0..DType::ALL.len(), seed: u64, stream in 0u64..9,
        start in 0usize..1000, n in 0usize..600, target: bool, domain in 0usize..4,
    ) {
        let domain = [Domain::ALL_REALS, POSITIVE, SHARE, Domain::indices(50)][domain];
        let sharp = target.then_some(Sharp { accumulate: Float::F32, length: 64, role: Role::Wide });
        let f = Fill { stream, domain, sharp, ..Fill::new(Regime::ALL[regime], seed) };
        let dtype = DType::ALL[dtype].1;
        let whole = fill(&f, dtype, &[4, 512]).to_f64();
        let n = n.min(2048 - start);
        let part = range(&f, dtype, start as u64, n, 2048);
        prop_assert_eq!(bits(&part), bits(&whole[start..start + n]));
        // Every number is one of the type's, and of the domain's, except for the one NaN or infinity.
        if dtype.elements_per_block() == 1 {
            let strange = part.iter().filter(|v| !domain.contains(**v)).count();
            let allowed = matches!(f.regime, Regime::Nan | Regime::Inf) && !domain.integer;
            prop_assert!(strange <= usize::from(allowed), "{} of {} outside", strange, n);
            let again: Vec<f64> = part.iter().map(|v| dtype.round(*v)).collect();
            prop_assert_eq!(bits(&again), bits(&part));
        }
    }
}

#[test]
fn seeds_and_streams_differ() {
    let f = Fill::new(Regime::Normal, 1);
    let a = range(&f, DType::F64, 0, 100, 100);
    for other in [Fill { seed: 2, ..f }, Fill { stream: 1, ..f }] {
        let b = range(&other, DType::F64, 0, 100, 100);
        assert!(a.iter().zip(&b).filter(|(a, b)| a == b).count() == 0);
    }
}

#[test]
fn pinned() {
    // One seed, one sequence, on every platform: these must never change.
    let f = Fill::new(Regime::Normal, 7);
    let got: Vec<String> =
        range(&f, DType::F64, 0, 4, 4).iter().map(|v| format!("{:016x}", v.to_bits())).collect();
    assert_eq!(got, PINNED_NORMAL);
    let f = Fill { domain: Domain::indices(1000), ..Fill::new(Regime::Uniform, 7) };
    assert_eq!(range(&f, DType::I32, 0, 6, 100), PINNED_INDICES);
}

const PINNED_NORMAL: [&str; 4] =
    ["bfe265cd4feaae8d", "bfbe5f0a9231f9c1", "bff997e8513d2370", "3fcdfa8380e4fcf5"];
const PINNED_INDICES: [f64; 6] = [270.0, 79.0, 734.0, 382.0, 479.0, 400.0];

#[test]
fn indices_reach_both_ends() {
    for seed in 0..20 {
        for regime in [Regime::Uniform, Regime::Normal, Regime::Exact, Regime::Nan, Regime::Mixed] {
            let f = Fill { domain: Domain::indices(1 << 20), ..Fill::new(regime, seed) };
            for dtype in [DType::I32, DType::U32, DType::F32] {
                let got = range(&f, dtype, 0, 50, 50);
                assert!(got.contains(&0.0) && got.contains(&1_048_575.0), "{regime} {seed}");
                assert!(got.iter().all(|v| f.domain.contains(*v)));
            }
        }
    }
    let one = Fill { domain: Domain::indices(1), ..Fill::new(Regime::Uniform, 0) };
    assert_eq!(range(&one, DType::I32, 0, 3, 3), [0.0; 3]);
}

#[test]
fn regimes_are_what_they_say() {
    let n = 4096;
    let of = |regime| range(&Fill::new(regime, 3), DType::F16, 0, n, n as u64);
    let count = |regime, p: &dyn Fn(f64) -> bool| of(regime).iter().filter(|v| p(**v)).count();
    assert_eq!(count(Regime::Zeros, &|v| v == 0.0), n);
    assert_eq!(count(Regime::Ones, &|v| v == 1.0), n);
    let constant = of(Regime::Constant);
    assert!(constant.iter().all(|v| *v == constant[0]) && (0.5..=2.0).contains(&constant[0]));
    assert_eq!(count(Regime::Nan, &f64::is_nan), 1);
    assert_eq!(count(Regime::Inf, &f64::is_infinite), 1);
    assert!((3500..3850).contains(&count(Regime::Sparse, &|v| v == 0.0)));
    let beside = Fill { kind: Some(2), ..Fill::new(Regime::Sparse, 3) };
    let beside = range(&beside, DType::F16, 0, n, n as u64);
    assert!((1850..2250).contains(&beside.iter().filter(|v| **v == 0.0).count()));
    assert!(count(Regime::Tiny, &|v| v != 0.0 && v.abs() < Float::F16.min_normal()) > n / 2);
    assert!(count(Regime::Tiny, &|v| v.abs() > Float::F16.min_normal()) > n / 20);
    assert_eq!(count(Regime::Large, &|v| (15.9..=256.0).contains(&v.abs())), n);
    assert!((10..80).contains(&count(Regime::Outliers, &|v| v.abs() > 6.0)));
    let ties: std::collections::BTreeSet<u64> = of(Regime::Ties).iter().map(|v| v.to_bits()).collect();
    assert!((5..=11).contains(&ties.len()) && ties.contains(&(1.0f64 + 3.0 / 256.0).to_bits()));
    // rounded to f32 first, what is nearer to the odd neighbour becomes a tie
    let near = Fill { kind: Some(ktwin_num::NEAR_HALVES), ..Fill::new(Regime::Ties, 3) };
    let near = range(&near, DType::F64, 0, 64, 64);
    let twice =
        |float: Float| near.iter().filter(|v| float.round(**v) != float.round(Float::F32.round(**v))).count();
    assert!(twice(Float::F16) > 3 && twice(Float::BF16) > 3 && twice(Float::F32) == 0);
    let near = of(Regime::Neighbours);
    let least = near.iter().fold(f64::INFINITY, |a, b| a.min(*b));
    assert!(
        near.iter().all(|v| (v - least) / Float::F16.ulp(1.0) <= 7.0) && near.iter().any(|v| *v != least)
    );
    assert!((600..1300).contains(&count(Regime::Spread, &|v| v.abs() > 74.0)));
    assert!((100..400).contains(&count(Regime::Small, &|v| v.abs() > 2.0 / 1024.0)));
    let wide = Fill { kind: Some(1), ..Fill::new(Regime::Wide, 3) };
    let wide = range(&wide, DType::F32, 0, n, n as u64);
    let between =
        |lo: i32, hi: i32| wide.iter().filter(|v| (lo..hi).contains(&(v.abs().log2() as i32))).count();
    assert!(
        between(23, 56) > n / 5
            && between(-56, -23) > n / 5
            && between(-80, 65) == n
            && between(-80, -64) > n / 20
    );
    let mixed = of(Regime::Mixed);
    let (sum, size) = mixed.iter().fold((0.0, 0.0), |(s, a), v| (s + v, a + v.abs()));
    assert!(f64::abs(sum) < 0.01 * size);
    assert!(mixed.iter().enumerate().all(|(i, v)| (*v > 0.0) == (i % 2 == 0)));
}

#[test]
fn far_is_far_on_either_side() {
    for (kind, (lo, hi)) in [
        (0, (-2e5, -1e4)),
        (1, (1e4, 2e5)),
        (2, (-1e4, -300.0)),
        (4, (-500.0, 40.0)),
        (5, (-40.0, 500.0)),
        (6, (-3e6, -1e6)),
    ] {
        for seed in 0..20 {
            let f = Fill { kind: Some(kind), ..Fill::new(Regime::Far, seed) };
            let got = range(&f, DType::F32, 0, 500, 500);
            assert!(got.iter().all(|v| (lo..=hi).contains(v)), "kind {kind}, seed {seed}: {got:?}");
            let whole = range(&f, DType::I32, 0, 500, 500);
            assert!(whole.iter().all(|v| v.signum() == got[0].signum() || v.abs() < 60.0), "{whole:?}");
            // every type has room for it
            for (name, dtype) in DType::ALL.iter().filter(|(_, d)| matches!(d, DType::Float(_))) {
                assert!(range(&f, *dtype, 0, 500, 500).iter().all(|v| v.is_finite()), "{name}");
            }
        }
    }
}

#[test]
fn twins_are_alike_in_every_input() {
    for seed in 0..20 {
        let f = Fill::new(Regime::Twins, seed);
        let (a, b) =
            (range(&f, DType::F32, 0, 99, 99), range(&Fill { stream: 3, ..f }, DType::F32, 0, 99, 99));
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 0.2 * a.abs()) && a != b);
    }
}

#[test]
fn block_formats_keep_their_blocks() {
    for format in BlockFormat::ALL {
        let dtype = DType::Block(format);
        let tensor = fill(&Fill::new(Regime::Normal, 5), dtype, &[2, 1024]);
        let values = tensor.to_f64();
        let spread = values.iter().map(|v| v * v).sum::<f64>() / 2048.0;
        // one of three numbers is seldom near
        let ternary = matches!(format, BlockFormat::Tq1_0 | BlockFormat::Tq2_0);
        let most = if ternary { 1.3 } else { 1.2 };
        assert!((0.8..most).contains(&spread), "{}: variance {spread}", format.name());
        // The exact regime's numbers are whole (fp4: halves) and within the format's codes.
        let sharp = Some(Sharp { accumulate: Float::F32, length: 256, role: Role::Wide });
        let f = Fill { sharp, ..Fill::new(Regime::Exact, 5) };
        let exact = fill(&f, dtype, &[2, 1024]).to_f64();
        assert!(exact.iter().all(|v| (2.0 * v).fract() == 0.0 && v.abs() <= 128.0), "{}", format.name());
        let distinct: std::collections::BTreeSet<_> = exact.iter().map(|v| v.to_bits()).collect();
        assert!(
            distinct.len() >= if ternary { 3 } else { 4 },
            "{}: {} numbers",
            format.name(),
            distinct.len()
        );
    }
    for format in
        [BlockFormat::Q4_0, BlockFormat::Q4_1, BlockFormat::Q4K, BlockFormat::Q8_1, BlockFormat::Nvfp4]
    {
        let sharp = Some(Sharp { accumulate: Float::F32, length: 256, role: Role::Signs });
        let f = Fill { sharp, ..Fill::new(Regime::Exact, 5) };
        let signs = fill(&f, DType::Block(format), &[1024]).to_f64();
        assert!(signs.iter().all(|v| v.abs() == 1.0) && signs.contains(&-1.0), "{}", format.name());
    }
}

/// A dot product with rounding after every operation.
fn dot(a: &[f64], b: &[f64], acc: Float, order: impl Iterator<Item = usize>) -> f64 {
    order.fold(0.0, |s, i| acc.round(s + acc.round(a[i] * b[i])))
}

fn orders(n: usize) -> [Vec<usize>; 3] {
    let strided = (0..32).flat_map(|lane| (lane..n).step_by(32)).collect();
    [(0..n).collect(), (0..n).rev().collect(), strided]
}

fn pair(storage: DType, acc: Float, k: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let of = |role, stream| {
        let sharp = Some(Sharp { accumulate: acc, length: k as u64, role });
        let f = Fill { stream, sharp, ..Fill::new(Regime::Exact, seed) };
        range(&f, storage, 0, k, k as u64)
    };
    (of(Role::Wide, 0), of(Role::Signs, 1))
}

/// Whether all terms are multiples of a power of two in units of which Σ|terms| fits the significand: then the sum
/// is exact in any order, those that were not tried included.
fn fits(a: &[f64], b: &[f64], acc: Float) -> bool {
    let terms: Vec<f64> = a.iter().zip(b).map(|(a, b)| (a * b).abs()).filter(|t| *t != 0.0).collect();
    let last_bit = |t: &f64| exponent(*t) - 52 + t.to_bits().trailing_zeros().min(52) as i32;
    let unit = pow2(terms.iter().map(last_bit).min().unwrap_or(0));
    terms.iter().sum::<f64>() <= unit * pow2(acc.precision() as i32)
}

#[test]
fn exact_is_exact_in_any_order() {
    for storage in ["f32", "f16", "bf16", "e4m3", "e5m2", "q8_0", "q4_K"].map(|n| DType::parse(n).unwrap()) {
        for acc in [Float::F32, Float::TF32, Float::F16, Float::BF16] {
            for k in [256, 1024, 4096] {
                for seed in 0..6 {
                    let (a, b) = pair(storage, acc, k, seed);
                    let b =
                        if storage.elements_per_block() > 1 { pair(DType::F16, acc, k, seed).1 } else { b };
                    assert!(fits(&a, &b, acc), "{storage} {} K={k} seed {seed}", acc.name());
                    let exact: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
                    for order in orders(k) {
                        let got = dot(&a, &b, acc, order.into_iter());
                        assert_eq!(got, exact, "{storage} {} K={k} seed {seed}", acc.name());
                    }
                }
            }
        }
    }
}

/// Of 20 dot products, how many differ from the exact one. A matrix product has thousands of them.
fn shown(storage: DType, acc: Float, k: usize, wrong: impl Fn(&[f64], &[f64]) -> f64) -> usize {
    let differs = |seed| {
        let (a, b) = pair(storage, acc, k, seed);
        wrong(&a, &b) != a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>()
    };
    (0..20).filter(|s| differs(*s)).count()
}

#[test]
fn exact_shows_coarser_accumulators() {
    let steps = [
        (Float::F32, Float::TF32),
        (Float::F32, Float::F16),
        (Float::F32, Float::BF16),
        (Float::F16, Float::BF16),
        (Float::BF16, Float::E4M3.with_overflow(ktwin_num::Overflow::Saturate)),
    ];
    for storage in ["f32", "f16", "bf16", "e4m3"].map(|n| DType::parse(n).unwrap()) {
        for (promised, coarser) in steps {
            for k in [64, 1024, 4096] {
                for which in 0..3 {
                    let n = shown(storage, promised, k, |a, b| {
                        dot(a, b, coarser, orders(k)[which].iter().copied())
                    });
                    assert!(n >= 12, "{storage} {} for {} K={k}: {n} of 20", coarser.name(), promised.name());
                }
            }
        }
    }
}

#[test]
fn exact_shows_coarser_inputs() {
    for (storage, coarser) in
        [("f32", Float::TF32), ("f32", Float::BF16), ("f16", Float::BF16), ("bf16", Float::E5M2)]
    {
        let storage = DType::parse(storage).unwrap();
        for k in [64, 1024] {
            let n = shown(storage, Float::F32, k, |a, b| {
                let a: Vec<f64> = a.iter().map(|v| coarser.round(*v)).collect();
                dot(&a, b, Float::F32, 0..k)
            });
            assert!(n >= 16, "{storage} as {} K={k}: {n} of 20", coarser.name());
        }
    }
}

#[test]
fn exact_shows_a_dropped_term() {
    for storage in [DType::F32, DType::F16, DType::BF16] {
        for dropped in [0, 17, 1023] {
            let n = shown(storage, Float::F32, 1024, |a, b| {
                dot(a, b, Float::F32, (0..1024).filter(|i| *i != dropped))
            });
            assert_eq!(n, 20, "{storage} without term {dropped}");
        }
    }
}

#[test]
fn zeros_have_either_sign_in_their_second_kind() {
    let zeros = Fill { kind: Some(1), ..Fill::new(Regime::Zeros, 5) };
    let values = range(&zeros, DType::F32, 0, 40, 40);
    let count = |sign: bool| values.iter().filter(|v| **v == 0.0 && v.is_sign_negative() == sign).count();
    assert!(count(false) > 5 && count(true) > 5 && count(false) + count(true) == 40);
}

#[test]
fn places_past_those_of_16_bits_are_not_rare() {
    for (last, share) in [(65_870, 0.25), (65_536, 0.0), (1 << 20, 1.0 - 1.0 / 16.0)] {
        let f = Fill { domain: Domain::indices(last), ..Fill::new(Regime::Normal, 7) };
        let places = range(&f, DType::I32, 0, 4096, 4096);
        let past = places.iter().filter(|place| **place >= 65_536.0).count() as f64 / 4096.0;
        assert!((past - share).abs() < 0.05, "{past} of {last}");
    }
}

#[test]
fn large_integers_of_odd_kinds_lie_at_the_ends() {
    let ends = Fill { kind: Some(1), ..Fill::new(Regime::Large, 3) };
    let values = range(&ends, DType::parse("i8").unwrap(), 0, 64, 64);
    assert!(values.iter().all(|v| [-128.0, 127.0].contains(v)));
    assert!(values.windows(2).any(|two| two == [-128.0, -128.0]) && values.contains(&127.0));
    let alone = |kind| Fill { kind: Some(kind), ..ends };
    assert_eq!(range(&alone(3), DType::parse("i8").unwrap(), 0, 9, 9), [-128.0; 9]);
    assert_eq!(range(&alone(5), DType::parse("u16").unwrap(), 0, 9, 9), [65535.0; 9]);
}

#[test]
fn one_integer_alone_is_not_always_an_end() {
    let domain = Domain { lo: 1.0, hi: 9.0, integer: true, ..Domain::ALL_REALS };
    let of = |seed| range(&Fill { domain, ..Fill::new(Regime::Normal, seed) }, DType::F32, 0, 1, 1)[0];
    let values: Vec<f64> = (0..40).map(of).collect();
    assert!(values.contains(&1.0) && values.contains(&9.0) && values.iter().any(|v| *v > 1.0 && *v < 9.0));
}

#[test]
fn far_numbers_lie_at_the_end_of_the_type_where_nothing_overflows() {
    let ends = Fill { kind: Some(1), ends: true, ..Fill::new(Regime::Below, 3) };
    for (dtype, within) in
        [(DType::F32, -3.4028e38), (DType::F16, -65000.0), (DType::parse("e4m3").unwrap(), -200.0)]
    {
        let last = -dtype.float().unwrap().max_finite();
        let below = range(&ends, dtype, 0, 200, 200);
        assert!(below.iter().all(|v| (last..=within).contains(v)) && below.contains(&last), "{dtype}");
        let above = range(&Fill { regime: Regime::Above, ..ends }, dtype, 0, 200, 200);
        assert!(above.iter().all(|v| (-within..=-last).contains(v)) && above.contains(&-last), "{dtype}");
        assert!(below[0] == last && above[0] == -last, "{dtype}: the first is the furthest");
        let all = range(&Fill { kind: Some(ktwin_num::LOWEST), ..ends }, dtype, 0, 200, 200);
        assert!(all.iter().all(|v| *v == last), "{dtype}: the last throughout");
        let others = range(&Fill { ends: false, ..ends }, dtype, 0, 200, 200);
        assert!(others.iter().all(|v| *v > last), "{dtype}");
    }
}

#[test]
fn what_is_in_order_is_so_in_every_regime_and_type() {
    let rises = |values: &[f64]| values.is_sorted_by(|a, b| a.total_cmp(b).is_le());
    for regime in Regime::ALL {
        for (seed, dtype) in [(1, DType::F32), (2, DType::I32), (3, DType::F16), (4, DType::F64)] {
            let domain = Domain { hi: 31.0, sorted: Some(Sorted::Splits), ..Domain::indices(31) };
            let how = Fill { domain, ..Fill::new(regime, seed) };
            for row in fill(&how, dtype, &[3, 40]).to_f64().chunks(40) {
                assert!(rises(row) && row[0] == 0.0 && row[39] == 30.0, "{regime:?} {dtype}: {row:?}");
            }
            let domain = Domain { sorted: Some(Sorted::Rising), ..Domain::ALL_REALS };
            let how = Fill { domain, ..Fill::new(regime, seed) };
            for row in fill(&how, dtype, &[2, 70]).to_f64().chunks(70) {
                assert!(rises(row), "{regime:?} {dtype}: {row:?}");
            }
            for (most, n) in [(64, 64), (70, 64), (1 << 30, 64), (1, 1)] {
                let domain = Domain { sorted: Some(Sorted::Distinct), ..Domain::indices(most) };
                let how = Fill { domain, ..Fill::new(regime, seed) };
                let dtype = if most > 1 << 10 { DType::I32 } else { dtype };
                for row in fill(&how, dtype, &[2, n]).to_f64().chunks_mut(n) {
                    row.sort_by(f64::total_cmp);
                    let inside = row[0] >= 0.0 && row[n - 1] < most as f64;
                    assert!(inside && row.windows(2).all(|w| w[0] < w[1]), "{regime:?} {dtype}: {row:?}");
                }
            }
        }
    }
}
