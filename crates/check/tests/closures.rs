//! The verifier verified: Rust functions with one known mistake each get their finding, honest ones pass.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use ktwin_check::{
    Amount, Call, Closure, Event, Kernel, KernelReport, Kind, Note, Options, Place, Rule, Verdict, What,
    check,
};
use ktwin_num::Float;

const OPS: &[(&str, &str)] = &[
    ("rms", include_str!("../../../ops/rmsnorm.op")),
    ("add", include_str!("../../../ops/add.op")),
    ("gemv", include_str!("../../../ops/gemv.op")),
    ("sum", include_str!("../../../ops/sum.op")),
    ("transpose", include_str!("../../../ops/transpose.op")),
    ("cancelled", "op cancelled(x[N]) -> y[N]\n\ny[n] = (x[n] / (1 + exp(-x[n])) + 1e9) - 1e9\n"),
];

const RMS: &str = "op = 'rms'\ntile = { D = 64 }\n\
                   args = ['x', 'w', 'y', { R = 'u32', D = 'u32', eps = 'f32' }]\n";

fn test(toml: &str, function: impl Fn(&mut Call) + Send + Sync + 'static) -> KernelReport {
    let kernel = Kernel::of_contract("kernel", toml, OPS).unwrap();
    let options = Options { amount: Amount::default(), seed: Some(7), ..Options::default() };
    let events = Mutex::new(Vec::new());
    let emit = |e: Event| events.lock().unwrap().push(e);
    check(&kernel, &Closure::new(function), &options, &emit, &AtomicBool::new(false))
}

/// rmsnorm in f32, with a hand in the middle of it.
fn rms(call: &mut Call, touch: impl Fn(usize, usize, f32) -> Option<f32>) {
    let (r, d, eps) = (call.size("R"), call.size("D"), call.value("eps") as f32);
    let (x, w) = (call.read("x"), call.read("w"));
    let mut y = call.read("y");
    for row in 0..r {
        let of = &x[row * d..(row + 1) * d];
        let mean = of.iter().fold(0f32, |s, v| s + (*v as f32) * (*v as f32)) / d as f32;
        let scale = 1.0 / (mean + eps).sqrt();
        for i in 0..d {
            if let Some(v) = touch(row, i, of[i] as f32 * scale * w[i] as f32) {
                y[row * d + i] = f64::from(v);
            }
        }
    }
    call.write("y", &y);
}

fn kinds(report: &KernelReport) -> Vec<Kind> {
    let failure = report.failure.as_ref();
    failure.map_or(Vec::new(), |f| f.findings.iter().map(|f| f.kind).collect())
}

fn patterns(report: &KernelReport) -> Vec<What> {
    let failure = report.failure.as_ref();
    failure.map_or(Vec::new(), |f| f.patterns.iter().map(|p| p.what.clone()).collect())
}

/// The size of a dimension in the smallest failing case.
fn smallest(report: &KernelReport, dim: &str) -> i64 {
    let case = report.failure.as_ref().and_then(|f| f.case.as_ref()).unwrap();
    case.dims.iter().find(|(name, _)| name == dim).unwrap().1
}

#[test]
fn an_honest_kernel_passes_and_is_measured() {
    let report = test(RMS, |call| rms(call, |_, _, v| Some(v)));
    assert_eq!(report.verdict, Verdict::Pass, "{report:#?}");
    assert!(report.sharp > 0 && report.ratio <= 1.0, "{report:#?}");
    let like = report.behaves_like.unwrap();
    assert!(like.compute == Float::F32 && like.accumulate == Float::F32, "{like}");
    assert!(
        report.gaps.iter().all(|g| {
            ["size pairs", "accepted at any size", "is run at", "no tensor has more"]
                .iter()
                .any(|known| g.contains(known))
        }),
        "{:?}",
        report.gaps
    );
}

#[test]
fn elements_never_written_are_found() {
    let report = test(RMS, |call| rms(call, |_, i, v| (i < 64).then_some(v)));
    assert_eq!(kinds(&report), [Kind::Unwritten]);
    assert!(patterns(&report).contains(&What::NeverWritten), "{:?}", patterns(&report));
    assert_eq!((smallest(&report, "R"), smallest(&report, "D")), (1, 65));
    // what lay there before the launch is nothing that the kernel returned
    let worst = &report.failure.unwrap().outputs[0].worst;
    assert!(!worst.is_empty() && worst.iter().all(|e| e.got.is_none() && e.error.is_none()), "{worst:?}");
}

#[test]
fn a_tile_that_is_wrong_is_named() {
    let report = test(RMS, |call| rms(call, |_, i, v| Some(if i >= 64 { v * 8.0 } else { v })));
    assert_eq!(kinds(&report)[0], Kind::WrongValues);
    assert_eq!(smallest(&report, "D"), 65);
    let told = |what: &What| match what {
        What::Where { index, place } => {
            index == "d" && matches!(place, Place::PartialTile { from: 64, .. } | Place::PastFirstTile(64))
        }
        What::FailsWhen { rule } => *rule == Rule::AtLeast { dim: "D".into(), size: 65, below: 64 },
        _ => false,
    };
    assert!(patterns(&report).iter().any(told), "{:?}", patterns(&report));
}

#[test]
fn a_constant_factor_is_named() {
    let report = test(RMS, |call| rms(call, |_, _, v| Some(v * 8.0)));
    let eight = |what: &What| matches!(what, What::Factor { factor } if (factor - 8.0).abs() < 1e-3);
    assert!(patterns(&report).iter().any(eight), "{:?}", patterns(&report));
}

#[test]
fn what_failing_cases_share_is_named() {
    let report = test(RMS, |call| {
        let odd = call.size("D") % 2 == 1;
        // it shows however wide bars are
        rms(call, move |_, _, v| Some(if odd { f32::NAN } else { v }));
    });
    let odd = What::FailsWhen { rule: Rule::NotMultiple { dim: "D".into(), of: 2 } };
    assert!(patterns(&report).contains(&odd), "{:?}", patterns(&report));
}

#[test]
fn a_size_below_another_is_named() {
    let report = test(RMS, |call| {
        let wide = call.size("R") < call.size("D");
        rms(call, move |_, _, v| Some(if wide { f32::NAN } else { v }));
    });
    let wide = What::FailsWhen { rule: Rule::Below { dim: "R".into(), other: "D".into() } };
    assert!(patterns(&report).contains(&wide), "{:?}", patterns(&report));
}

#[test]
fn what_is_counted_in_20_bits_is_found() {
    let report = test(RMS, |call| {
        let d = call.size("D");
        rms(call, move |row, i, v| Some(if row * d + i >= 1 << 20 { v + 1.0 } else { v }));
    });
    assert_eq!(kinds(&report), [Kind::WrongValues], "{report:#?}");
}

#[test]
fn what_no_element_proves_is_no_pass() {
    let toml = "op = 'cancelled'\nargs = ['x', 'y', { N = 'u32' }]\n";
    let report = test(toml, |call| {
        let y: Vec<f64> = call.read("x").iter().map(|x| x.max(0.0)).collect();
        call.write("y", &y);
    });
    assert_eq!(report.verdict, Verdict::Blind, "{report:#?}");
    assert!(report.reason.contains("no element of y proves anything"), "{}", report.reason);
}

#[test]
fn two_mistakes_in_different_cases_are_told_apart() {
    let report = test(RMS, |call| {
        let d = call.size("D");
        let wrong = move |i: usize| d % 4 != 0 && i == d - 1 || d > 300 && i == 7;
        rms(call, move |_, i, v| Some(if wrong(i) { v * 4.0 + 1.0 } else { v }));
    });
    let told = patterns(&report);
    let tail = What::FailsWhenever { rule: Rule::NotMultiple { dim: "D".into(), of: 4 } };
    let long = |what: &What| match what {
        What::FailsWhenever { rule: Rule::AtLeast { dim, size, .. } } => dim == "D" && *size == 304,
        _ => false,
    };
    assert!(told.contains(&tail) && told.iter().any(long), "{told:?}");
    let others = report.failure.unwrap().others;
    let size = |note: &Note| note.case.dims.iter().find(|(dim, _)| dim == "D").map(|(_, size)| *size);
    assert_eq!(others.iter().map(size).collect::<Vec<_>>(), [Some(304)], "{others:?}");
}

#[test]
fn two_places_are_named() {
    let report = test(RMS, |call| {
        let d = call.size("D");
        rms(call, move |_, i, v| Some(if i + 1 == d || i % 16 == 5 { v * 4.0 + 1.0 } else { v }));
    });
    let told = |what: &What| match what {
        What::WhereEither { places: [one, other] } => {
            matches!(one.place, Place::LastColumn(_)) && other.place == Place::Residue { modulo: 16, rest: 5 }
        }
        _ => false,
    };
    assert!(patterns(&report).iter().any(told), "{:?}", patterns(&report));
}

#[test]
fn a_factor_near_one_is_named() {
    let report = test(RMS, |call| rms(call, |_, _, v| Some((f64::from(v) * 1.00005) as f32)));
    let near = |what: &What| matches!(what, What::Factor { factor } if (factor - 1.00005).abs() < 1e-6);
    assert!(patterns(&report).iter().any(near), "{:?}", patterns(&report));
}

#[test]
fn too_coarse_arithmetic_is_found_and_named() {
    let coarse = |v: f32| ktwin_num::f16_to_f32(ktwin_num::f32_to_f16(v));
    let report = test(RMS, move |call| rms(call, |_, _, v| Some(coarse(v))));
    assert_eq!(report.verdict, Verdict::Fail);
    let like = report.behaves_like.unwrap();
    // both have 11 significant bits
    let coarse = |rung: Float| [Float::F16, Float::TF32].contains(&rung);
    assert!(coarse(like.compute) || coarse(like.accumulate), "{like}");
}

#[test]
fn a_mistake_is_not_taken_for_a_coarser_rung() {
    // about as far off as tf32 may be, but nothing that rounding does
    let mistakes: [fn(usize, f32) -> f32; 4] = [
        |_, v| v * 1.0003,
        |i, v| if i % 16 == 3 { v * 1.0004 } else { v },
        |i, v| if i == 0 { v * 0.9996 } else { v },
        |i, v| v * [1.0004, 0.9996].get(i % 64).unwrap_or(&1.0),
    ];
    for (number, wrong) in mistakes.into_iter().enumerate() {
        let report = test(RMS, move |call| rms(call, |_, i, v| Some(wrong(i, v))));
        assert_eq!((report.verdict, report.behaves_like), (Verdict::Fail, None), "{number}");
    }
}

const ADD: &str = "op = 'add'\ntile = { N = 32 }\nargs = ['a', 'b', 'c', { N = 'u32' }]\n";

fn add(call: &mut Call) {
    let (a, b) = (call.read("a"), call.read("b"));
    let c: Vec<f64> = a.iter().zip(&b).map(|(a, b)| f64::from(*a as f32 + *b as f32)).collect();
    call.write("c", &c);
}

#[test]
fn a_changed_input_is_found() {
    let report = test(ADD, |call| {
        add(call);
        call.bytes("b")[0] ^= 1;
    });
    assert_eq!(kinds(&report), [Kind::InputChanged]);
}

#[test]
fn writing_between_rows_is_found() {
    let toml = format!("{RMS}layout = {{ y = 'strided' }}\n");
    let report = test(&toml, |call| {
        let n = call.read("y").len();
        call.write("y", &vec![1.0; n]);
    });
    // the whole buffer is overwritten: rows are wrong everywhere, and gaps where there are some
    assert_eq!(report.verdict, Verdict::Fail);
    let report = test(&format!("{ADD}layout = {{ c = 'offset' }}\n"), |call| {
        add(call);
        let n = call.read("c").len();
        if n > call.size("N") {
            let c = call.read("c");
            call.write("c", &[&[0.0], &c[..n - 1]].concat());
        }
    });
    assert_eq!(kinds(&report), [Kind::OutOfBounds], "{report:#?}");
}

#[test]
fn shifted_and_repeated_rows_are_named() {
    let shifted = test(ADD, |call| {
        add(call);
        let mut c = call.read("c");
        c.rotate_right(1);
        call.write("c", &c);
    });
    assert_eq!(shifted.verdict, Verdict::Fail);
    let transpose = "op = 'transpose'\nargs = ['x', 'y', { M = 'u32', N = 'u32' }]\n";
    let copied = test(transpose, |call| {
        let x = call.read("x");
        call.write("y", &x);
    });
    let told = |what: &What| matches!(what, What::EqualToInput { .. } | What::Transposed);
    assert!(patterns(&copied).iter().any(told), "{:?}", patterns(&copied));
}

#[test]
fn batch_invariance_is_tested() {
    let toml = format!("{RMS}batch_invariant = true\n");
    let honest = test(&toml, |call| rms(call, |_, _, v| Some(v)));
    assert_eq!(honest.verdict, Verdict::Pass, "{honest:#?}");
    let report = test(&toml, |call| {
        let alone = call.size("R") == 1;
        rms(call, |_, _, v| Some(if alone && v != 0.0 { f32::from_bits(v.to_bits() ^ 1) } else { v }));
    });
    assert!(kinds(&report).contains(&Kind::NotBatchInvariant), "{report:#?}");
}

#[test]
fn a_panic_is_a_crash_and_the_run_goes_on() {
    let report = test(RMS, |call| {
        assert!(call.size("D") != 65, "no such size");
        rms(call, |_, _, v| Some(v));
    });
    assert_eq!(report.verdict, Verdict::Crash);
    assert_eq!(smallest(&report, "D"), 65);
    let failure = report.failure.unwrap();
    assert!(failure.reason.contains("no such size") && report.cases.pass > 0, "{failure:?}");
}

#[test]
fn nan_is_no_pass() {
    let report = test(RMS, |call| rms(call, |_, _, _| Some(f32::NAN)));
    assert!(kinds(&report).contains(&Kind::WrongClass), "{report:#?}");
}

#[test]
fn a_fixed_scalar_is_noticed() {
    let report = test(RMS, |call| {
        let (r, d) = (call.size("R"), call.size("D"));
        let (x, w) = (call.read("x"), call.read("w"));
        let mut y = vec![0.0; r * d];
        for at in 0..r * d {
            let of = &x[at / d * d..(at / d + 1) * d];
            let mean = of.iter().map(|v| v * v).sum::<f64>() / d as f64;
            y[at] = x[at] / (mean + 1e-5).sqrt() * w[at % d];
        }
        call.write("y", &y);
    });
    let mut told = report.failure.iter().flat_map(|f| f.patterns.iter().map(ToString::to_string));
    assert!(told.any(|pattern| pattern.contains("read as") && pattern.contains("1e-5")), "{report:#?}");
}

#[test]
fn different_bits_each_time_are_found() {
    let count = std::sync::atomic::AtomicU32::new(0);
    let report = test(RMS, move |call| {
        let odd = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % 2 == 1;
        rms(call, |_, _, v| Some(if odd { f32::from_bits(v.to_bits() ^ 1) } else { v }));
    });
    assert!(kinds(&report).contains(&Kind::NotRepeatable), "{report:#?}");
}

#[test]
fn a_constant_set_by_its_number_leaves_numbers_alone() {
    let toml = "op = 'add'\ndefine = { '0' = 32, WIDE = 8, '1' = 'WIDE' }\n\
                args = ['a', 'b', 'c', { N = 'u32', '0' = 'u32', '1 + WIDE' = 'u32' }]\n";
    let report = test(toml, |call| {
        let (zero, nine) = (call.value("0"), call.value("1 + WIDE"));
        let (a, b) = (call.read("a"), call.read("b"));
        let sum = a.iter().zip(&b).map(|(a, b)| a + b + zero + (nine - 9.0));
        call.write("c", &sum.collect::<Vec<_>>());
    });
    assert_eq!(report.verdict, Verdict::Pass, "{report:#?}");
}

const SUM: &str = "op = 'sum'\nscratch = { turn = 'u32[2]' }\nfill = { y = 0, turn = 'N + 1' }\n\
                   args = ['x', 'turn', 'y', { N = 'u32' }]\n";

/// Adds x onto what y holds, as one workgroup of several does.
fn add_onto(call: &mut Call) {
    let (y, turn, n) = (call.read("y")[0], call.read("turn"), call.size("N") as f64);
    let total = call.read("x").iter().fold(y as f32, |sum, x| sum + *x as f32);
    let wrong = if turn == [n + 1.0; 2] { 0.0 } else { f64::NAN };
    call.write("y", &[f64::from(total) + wrong]);
}

#[test]
fn what_the_host_clears_is_cleared() {
    let report = test(SUM, add_onto);
    assert_eq!(report.verdict, Verdict::Pass, "{report:#?}");
    let report = test(&SUM.replace("y = 0, ", ""), add_onto);
    assert_eq!(report.verdict, Verdict::Fail, "{report:#?}");
}

#[test]
fn only_what_begins_with_nothing_is_filled() {
    let refused = |from: &str, to: &str| {
        let error = Kernel::of_contract("kernel", &SUM.replace(from, to), OPS).unwrap_err();
        error.to_string()
    };
    let text = refused("y = 0", "x = 0");
    assert!(text.contains("no output or scratch buffer that can be filled: `x`"), "{text}");
    let text = refused("'N + 1'", "'sum[i in 0..N](1)'");
    assert!(text.contains("a reduction cannot stand here"), "{text}");
}
