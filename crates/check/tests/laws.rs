//! Kernels of random ops as Rust functions, with generators of their own: honest ones pass, each mistake is found.

use std::sync::atomic::AtomicBool;

use ktwin_check::{
    Amount, Call, Case, Closure, FALSE_ALARMS, Kernel, KernelReport, Kind, Options, Verdict, check, plan,
};

const OPS: &[(&str, &str)] = &[
    ("dropout", include_str!("../../../ops/dropout.op")),
    // one draw for a row
    (
        "rows",
        "op rows(x[R, D]; p in 0.0..1.0 = 0.5, seed in 0..0x100000000) -> y[R, D]\n\
         u = random[r] in 0.0..1.0\ny[r, d] = if u[r] < p then 0 else x[r, d]\n",
    ),
    // a law without steps, of one draw
    (
        "waits",
        "op waits(; rate > 0 = 1.0, seed in 0..0x100000000, offset in 0..0x100000000) -> y[N]\n\
         u = random[n] in 0.0..1.0\ny[n] = -log(u[n]) / rate\n",
    ),
    // no scalar chooses the draws
    ("fixed", "op fixed() -> y[N]\nu = random[n] in 0.0..1.0\ny[n] = if u[n] < 0.25 then 1 else 0\n"),
    ("dice", "op dice(; seed = 0) -> y[N]\nu = random[n] in 1..7\ny[n] = u[n]\n"),
];
const DROPOUT: &str = "op = 'dropout'\nargs = ['x', 'y', { R = 'u32', D = 'u32', p = 'f32', seed = 'u32' }]\n\
     dims = { R = '..=512' }\n";
const ROWS: &str = "op = 'rows'\nargs = ['x', 'y', { R = 'u32', D = 'u32', p = 'f32', seed = 'u32' }]\n";
const WAITS: &str = "op = 'waits'\nargs = ['y', { N = 'u32', rate = 'f32', seed = 'u32', offset = 'u32' }]\n";
const DICE: &str = "op = 'dice'\nargs = ['y', { N = 'u32', seed = 'u32' }]\n";

/// A number in 0..1 with 24 bits, of a key and a place.
fn uniform(key: u64, at: usize) -> f32 {
    let mut z = (key << 32 ^ at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678_9abc);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (((z ^ (z >> 31)) >> 40) as f32 + 0.5) / 16_777_216.0
}

fn test(toml: &str, function: impl Fn(&mut Call) + Send + Sync + 'static) -> KernelReport {
    let kernel = Kernel::of_contract("kernel", toml, OPS).unwrap();
    let options = Options { amount: Amount::QUICK, seed: Some(7), ..Options::default() };
    check(&kernel, &Closure::new(function), &options, &|_| (), &AtomicBool::new(false))
}

/// Writes every element of `y`, made of its place and the seed.
fn fill(of: impl Fn(&Call, u64, usize) -> f32 + Send + Sync + 'static) -> impl Fn(&mut Call) + Send + Sync {
    move |call| {
        let (seed, count) = (call.value("seed") as u64, call.read("y").len());
        let y: Vec<f64> = (0..count).map(|at| f64::from(of(call, seed, at))).collect();
        call.write("y", &y);
    }
}

/// Dropout where `drawn` says what is drawn for an element.
fn dropout(
    drawn: impl Fn(u64, usize, usize, f32) -> (f32, f32) + Send + Sync,
) -> impl Fn(&mut Call) + Send + Sync {
    move |call: &mut Call| {
        let (seed, d, p) = (call.value("seed") as u64, call.size("D"), call.value("p") as f32);
        let one = |(at, x): (usize, &f64)| {
            let (u, p) = drawn(seed, at / d, at % d, p);
            if u < p { 0.0 } else { f64::from(*x as f32 / (1.0 - p)) }
        };
        let y: Vec<f64> = call.read("x").iter().enumerate().map(one).collect();
        call.write("y", &y);
    }
}

fn place(row: usize, column: usize) -> usize {
    row << 16 | column
}

fn findings(report: &KernelReport) -> Vec<String> {
    let failure = report.failure.as_ref();
    failure.map_or(Vec::new(), |f| f.findings.iter().map(ToString::to_string).collect())
}

#[test]
fn honest_generators_pass_and_the_evidence_is_told() {
    let report = test(DROPOUT, dropout(|seed, r, d, p| (uniform(seed, place(r, d)), p)));
    assert_eq!(report.verdict, Verdict::Pass, "{:?}", findings(&report));
    let law = report.law.expect("a law");
    assert!(law.false_alarms > 0.0 && law.false_alarms <= FALSE_ALARMS * 1.000001, "{law:?}");
    assert!(law.visible < 0.01 && law.samples > 1 << 20, "{law:?}");
    let least = law.least.expect("a test");
    assert!(least.p > least.limit, "{least:?}");
}

#[test]
fn a_probability_off_by_two_percent_is_found() {
    // what is kept has the right size: the law alone tells
    let report = test(
        DROPOUT,
        dropout(|seed, r, d, p| {
            let u = uniform(seed, place(r, d));
            (if u < 1.02 * p { 0.0 } else { 1.0 }, p)
        }),
    );
    assert_eq!(report.verdict, Verdict::Fail);
    assert!(findings(&report)[0].contains("wrong law: "), "{:?}", findings(&report));
}

#[test]
fn two_rows_alike_and_seeds_without_effect_are_found() {
    let rows =
        test(DROPOUT, dropout(|seed, r, d, p| (uniform(seed, place(if r == 5 { 2 } else { r }, d)), p)));
    assert!(findings(&rows)[0].contains("at R = 2 and 5"), "{:?}", findings(&rows));
    // the same draws under every seed: they may be unusual ones, too
    let all = [1, 2, 3].map(|seed| test(DROPOUT, dropout(move |_, r, d, p| (uniform(seed, place(r, d)), p))));
    assert!(all.iter().all(|report| report.verdict == Verdict::Fail));
    let named = |report: &KernelReport| findings(report)[0].contains("under other seeds");
    assert!(all.iter().any(named), "{:?}", all.each_ref().map(findings));
}

#[test]
fn a_seed_cut_to_sixteen_bits_is_found() {
    let cut = dropout(|seed, r, d, p| (uniform(seed & 0xffff, place(r, d)), p));
    let report = test(DROPOUT, cut);
    assert!(findings(&report)[0].contains("under other seeds"), "{:?}", findings(&report));
}

#[test]
fn a_place_in_the_key_is_found() {
    // the next seed has the same draws, four elements on
    let moved = dropout(|seed, r, d, p| (uniform(seed + d as u64 / 4, place(r, d % 4)), p));
    let report = test(DROPOUT, moved);
    assert!(findings(&report)[0].contains("moved by -4 along D"), "{:?}", findings(&report));
}

#[test]
fn elements_that_share_a_draw_are_one_outcome() {
    let kernel = |each: bool| {
        move |call: &mut Call| {
            let (seed, d, p) = (call.value("seed") as u64, call.size("D"), call.value("p") as f32);
            let drawn = |at: usize| uniform(seed, if each { at } else { at / d });
            let one = |(at, x): (usize, &f64)| if drawn(at) < p { 0.0 } else { *x };
            let y: Vec<f64> = call.read("x").iter().enumerate().map(one).collect();
            call.write("y", &y);
        }
    };
    let honest = test(ROWS, kernel(false));
    assert_eq!(honest.verdict, Verdict::Pass, "{:?}", findings(&honest));
    let each = test(ROWS, kernel(true));
    assert!(findings(&each).iter().any(|f| f.contains("that share draws")), "{:?}", findings(&each));
}

#[test]
fn a_law_without_steps_has_its_support_and_its_seeds() {
    let of = |call: &Call, at: usize, key: u64| -uniform(key, at).ln() / call.value("rate") as f32;
    let key = |call: &Call, seed: u64| seed ^ (call.value("offset") as u64).wrapping_mul(0x9e37_79b9);
    let honest = test(WAITS, fill(move |call, seed, at| of(call, at, key(call, seed))));
    assert_eq!(honest.verdict, Verdict::Pass, "{:?}", findings(&honest));
    let negative = test(WAITS, fill(move |call, seed, at| -of(call, at, key(call, seed))));
    assert!(findings(&negative)[0].contains("wrong values"), "{:?}", findings(&negative));
    let offset = test(WAITS, fill(move |call, seed, at| of(call, at, seed)));
    assert!(findings(&offset)[0].contains("under other seeds"), "{:?}", findings(&offset));
}

#[test]
fn whole_numbers_come_as_often_as_they_should() {
    let of = |faces: f32| fill(move |_, seed, at| 1.0 + (uniform(seed, at) * faces).floor());
    assert_eq!(test(DICE, of(6.0)).verdict, Verdict::Pass);
    let five = findings(&test(DICE, of(5.0)));
    assert!(five.iter().any(|f| f.contains("wrong law: y = 6 never comes out: 0 times")), "{five:?}");
    let seven = findings(&test(DICE, of(7.0)));
    assert!(seven[0].contains("wrong values"), "{seven:?}");
}

#[test]
fn an_op_without_a_seed_says_what_it_leaves_out() {
    let toml = "op = 'fixed'\nargs = ['y', { N = 'u32' }]\n";
    let report = test(toml, fill(|_, _, at| if uniform(3, at) < 0.25 { 1.0 } else { 0.0 }));
    assert_eq!(report.verdict, Verdict::Pass, "{:?}", findings(&report));
    assert!(report.gaps.iter().any(|gap| gap.contains("no scalar chooses the draws")), "{:?}", report.gaps);
}

#[test]
fn a_scalar_named_seed_comes_before_that_of_the_case() {
    let kernel = Kernel::of_contract("kernel", DROPOUT, OPS).unwrap();
    for case in plan(&kernel, Amount::QUICK).unwrap().cases {
        let case = Case { seed: 77, ..case };
        let again = Case::parse(&kernel, &case.to_string()).unwrap();
        assert_eq!((&again.scalars, again.seed), (&case.scalars, 77));
    }
}

#[test]
fn no_rule_decides_of_a_law() {
    let toml = format!("{DROPOUT}policy = {{ use = 'exact', why = 'none' }}\n");
    let refused = Kernel::of_contract("kernel", &toml, OPS).unwrap_err().to_string();
    assert!(refused.contains("is random, and judged by its law"), "{refused}");
    assert_eq!(Kind::parse("wrong law"), Some(Kind::WrongLaw));
}
