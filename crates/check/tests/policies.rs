//! Every measure and every policy against NumPy's: `scripts/policies.py` makes the vectors from the formulas alone.

use std::sync::atomic::AtomicBool;

use ktwin_check::calibrate::{STRESS, TYPICAL, calibrate, pair};
use ktwin_check::{
    Amount, Call, Closure, Decider, Expected, Kernel, KernelReport, Metrics, Options, PRESETS, Policy, RULES,
    Verdict, check,
};
use ktwin_num::{DType, Float};
use serde_json::Value;

fn numbers(case: &Value, key: &str) -> Vec<f64> {
    case[key].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("vectors/policies.json")).unwrap()
}

fn expected(case: &Value) -> Expected {
    let shape = numbers(case, "shape").iter().map(|n| *n as usize).collect();
    let (values, bars) = (numbers(case, "values"), numbers(case, "bars"));
    let dtype = DType::parse(case["dtype"].as_str().unwrap()).unwrap();
    Expected {
        name: "y".into(),
        shape,
        dtype,
        values,
        low: Vec::new(),
        bars,
        any: Default::default(),
        policy: None,
    }
}

#[test]
fn measures_are_those_of_numpy() {
    for case in cases() {
        let metrics = Metrics::of(&expected(&case), &numbers(&case, "got"));
        for (name, value) in metrics.named() {
            let due = case["measures"][name].as_f64().unwrap_or(f64::INFINITY);
            // two sums in another order; a correlation near 1 keeps few digits of what it lacks
            let near = due == value || (due - value).abs() <= 1e-9 * due.abs().max(1e-30);
            assert!(near, "{name}: {value}, NumPy has {due}");
        }
    }
}

#[test]
fn policies_decide_as_numpy_does() {
    let mut tried: Vec<String> = Vec::new();
    for (number, case) in cases().iter().enumerate() {
        let (plain, got, rounded) = (expected(case), numbers(case, "got"), numbers(case, "rounded"));
        let terms = case["terms"].as_u64().unwrap() as usize;
        for (text, due) in case["takes"].as_object().unwrap() {
            let policy = Policy::parse(text).unwrap();
            let scale = (terms, case["roundoff"].as_f64().unwrap());
            let decider = Decider::new(&policy, &plain, &rounded, scale);
            let judged = Expected { policy: Some(decider), ..plain.clone() };
            let taken = judged.compare(&got, &[]).failing.is_empty();
            assert_eq!(Some(taken), due.as_bool(), "case {number}: {text}");
            assert_eq!(judged.refuses(got.iter().copied()), !taken, "case {number}: {text}");
            tried.push(text.clone());
        }
    }
    for name in RULES.iter().map(|r| r.name).chain(PRESETS.iter().map(|p| p.name)) {
        assert!(tried.iter().any(|t| t.split(':').next() == Some(name)), "{name} is in no vector");
    }
}

#[test]
fn rules_that_go_by_the_type_decide_as_numpy_does() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("vectors/types.json")).unwrap();
    for (number, case) in cases.iter().enumerate() {
        let (values, got) = (numbers(case, "values"), numbers(case, "got"));
        let plain = Expected {
            name: "y".into(),
            shape: vec![values.len()],
            dtype: DType::parse(case["dtype"].as_str().unwrap()).unwrap(),
            bars: vec![0.0; values.len()],
            values,
            low: Vec::new(),
            any: Default::default(),
            policy: None,
        };
        for (text, due) in case["takes"].as_object().unwrap() {
            let decider = Decider::new(&Policy::parse(text).unwrap(), &plain, &[], (1, 0.0));
            let judged = Expected { policy: Some(decider), ..plain.clone() };
            let taken = judged.compare(&got, &[]).failing.is_empty();
            assert_eq!(Some(taken), due.as_bool(), "case {number}: {text} of {}", case["dtype"]);
        }
    }
}

#[test]
fn shares_are_those_of_numpy() {
    for (number, case) in cases().iter().enumerate() {
        let (plain, got, rounded) = (expected(case), numbers(case, "got"), numbers(case, "rounded"));
        let terms = case["terms"].as_u64().unwrap() as usize;
        for (text, due) in case["shares"].as_object().unwrap() {
            let policy = Policy::parse(text).unwrap();
            let decider =
                Decider::new(&policy, &plain, &rounded, (terms, case["roundoff"].as_f64().unwrap()));
            let judged = Expected { policy: Some(decider), ..plain.clone() };
            let (share, due) = (judged.share_of_policy(&got), due.as_f64().unwrap_or(f64::INFINITY));
            // what a correlation near 1 lacks keeps few digits
            let near = due == share || (due - share).abs() <= 1e-9 * due.abs().max(1e-3);
            assert!(near, "case {number}: {text} uses {share}, NumPy has {due}");
        }
    }
}

#[test]
fn no_policy_takes_nan_for_a_number_or_judges_what_is_free() {
    let shape = vec![3];
    let (values, bars) = (vec![1.0, 2.0, 3.0], vec![0.1, 0.1, f64::INFINITY]);
    let plain = Expected {
        name: "y".into(),
        shape,
        dtype: DType::F32,
        values,
        low: Vec::new(),
        bars,
        any: Default::default(),
        policy: None,
    };
    for text in RULES.iter().map(|r| r.usage().replace("...", "1e9").replace(['[', ']'], "")) {
        let policy = Policy::parse(&text).unwrap();
        let decider = Decider::new(&policy, &plain, &[1.0, 2.0, 3.0], (1, 1e-7));
        let judged = Expected { policy: Some(decider), ..plain.clone() };
        for wrong in [f64::NAN, f64::INFINITY] {
            assert!(judged.refuses([1.0, wrong, 3.0].into_iter()), "{text} takes {wrong}");
        }
        assert!(!judged.refuses([1.0, 2.0, f64::NAN].into_iter()), "{text} judges what is free");
    }
}

const OPS: &[(&str, &str)] = &[("add", include_str!("../../../ops/add.op"))];

/// A sum that is off by so much of itself from the element with the number `from` on, under a contract with these
/// lines more.
fn add_from(from: usize, off: f64, more: &str) -> KernelReport {
    let toml = format!("op = 'add'\nargs = ['a', 'b', 'c', {{ N = 'u32' }}]\n{more}");
    let kernel = Kernel::of_contract("kernel", &toml, OPS).unwrap();
    let function = move |call: &mut Call| {
        let (a, b) = (call.read("a"), call.read("b"));
        let factor = |at: usize| if at >= from { 1.0 + off } else { 1.0 };
        let sums = a.iter().zip(&b).enumerate().map(|(at, (a, b))| f64::from((a + b) as f32) * factor(at));
        call.write("c", &sums.collect::<Vec<f64>>());
    };
    let options = Options { amount: Amount::QUICK, seed: Some(7), ..Options::default() };
    check(&kernel, &Closure::new(function), &options, &|_| (), &AtomicBool::new(false))
}

/// The same in all elements.
fn add(off: f64, more: &str) -> KernelReport {
    add_from(0, off, more)
}

#[test]
fn measures_are_those_of_the_worst_case_be_it_right_or_wrong() {
    let report = add_from(64, 0.5, "");
    assert!(report.cases.pass > 0 && report.cases.fail > 0, "{report:?}");
    let of = |name: &str| report.measures[0].values.iter().find(|(n, _)| n == name).unwrap().1;
    // half of the smallest number is all of it, or nothing
    assert!((0.499..=1.0).contains(&of("max_rel")) && of("nmse") > 1e-2 && of("ratio") > 1e3, "{report:?}");
}

#[test]
fn a_contract_names_the_policy_that_decides_and_every_report_says_so() {
    const POLICY: &str = "policy = { use = 'allclose:rtol=1e-2,atol=1e-6', why = 'the model takes it' }\n";
    assert_eq!(add(1e-3, "").verdict, Verdict::Fail);
    let taken = add(1e-3, POLICY);
    assert_eq!(taken.verdict, Verdict::Pass, "{taken:?}");
    let said = taken.promise.unwrap().sentence();
    assert!(said.ends_with("decided by allclose:rtol=1e-2,atol=1e-6, since the model takes it"), "{said}");
    let ratio = taken.measures[0].values.iter().find(|(name, _)| name == "ratio").unwrap().1;
    assert!(ratio > 1e3, "the bar is told whichever policy decides: {ratio}");
    let refused = add(0.1, POLICY);
    let failure = refused.failure.unwrap();
    assert!(failure.findings[0].message.contains("refused by allclose:rtol=1e-2,atol=1e-6"), "{failure:?}");
}

#[test]
fn a_policy_that_takes_everything_is_no_evidence() {
    let all = add(0.0, "policy = { use = 'allclose:1e9,1e30', why = 'none' }\n");
    assert_eq!(all.verdict, Verdict::Blind);
}

#[test]
fn what_no_case_can_tell_is_the_largest_gap() {
    let blind =
        add(0.0, "dims = { N = '1..=10000000' }\npolicy = { use = 'cosine:0.99', why = 'a guess' }\n");
    assert_eq!((blind.verdict, blind.sharp), (Verdict::Pass, 0), "{blind:?}");
    assert_eq!(blind.gaps[0], "no case can tell arithmetic in f32 from tf32", "{:?}", blind.gaps);
    assert!(blind.gaps.len() > 1, "{:?}", blind.gaps);
}

#[test]
fn a_policy_has_a_reason() {
    let of = |policy: &str| {
        let toml = format!("op = 'add'\nargs = ['a', 'b', 'c', {{ N = 'u32' }}]\npolicy = {policy}\n");
        Kernel::of_contract("kernel", &toml, OPS).unwrap_err().to_string()
    };
    assert!(of("{ use = 'exact' }").contains("a policy needs `use` and `why`"));
    assert!(of("{ use = 'exact', why = ' ' }").contains("a policy needs `use` and `why`"));
    assert!(of("{ use = 'exat', why = 'x' }").contains("did you mean `exact`?"));
    assert!(of("{ use = 'exact', wy = 'x' }").contains("wy"));
}

#[test]
fn calibrated_pairs_are_those_of_numpy() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("vectors/calibration.json")).unwrap();
    for case in cases {
        let number = |key: &str| case[key].as_f64().unwrap();
        let found = pair(&numbers(&case, "due"), &numbers(&case, "lower"), number("share")).unwrap();
        for (value, due) in [(found.rtol, number("rtol")), (found.atol, number("atol"))] {
            assert!((value - due).abs() <= 1e-12 * due, "{value}, NumPy has {due}");
        }
    }
    assert!(pair(&[], &[], 0.75).is_none() && pair(&[0.0], &[0.0], 0.75).is_none());
}

#[test]
fn a_calibration_has_honest_and_coarse_on_either_side() {
    let ops =
        [("rms", include_str!("../../../ops/rmsnorm.op")), ("max", include_str!("../../../ops/max.op"))];
    let of = |toml: &str| {
        let kernel = Kernel::of_contract("kernel", toml, &ops).unwrap();
        calibrate(&kernel, Float::BF16, &TYPICAL, (0.75, 7))
    };
    let found = of("op = 'rms'\nargs = ['x', 'w', 'y', { R = 'u32', D = 'u32', eps = 'f32' }]\n").unwrap();
    assert!(found.has_gap() && found.needed() < 0.1 && found.seen() > 0.1, "{found:?}");
    let middle = found.middle().unwrap();
    assert!(found.needed() < middle && middle < found.seen());
    // numbers so large that nothing is promised of them are left out on both sides
    let toml = "op = 'rms'\nargs = ['x', 'w', 'y', { R = 'u32', D = 'u32', eps = 'f32' }]\n";
    let kernel = Kernel::of_contract("kernel", toml, &ops).unwrap();
    let stress = calibrate(&kernel, Float::F16, &STRESS, (0.75, 7)).unwrap();
    assert!(stress.has_gap() && !stress.sizes.is_empty(), "{stress:?}");
    // stored in bf16, f32 and bf16 arithmetic are hard to tell
    let coarse = of("op = 'rms'\ntypes = { x = 'bf16', w = 'bf16', y = 'bf16' }\n\
                     args = ['x', 'w', 'y', { R = 'u32', D = 'u32', eps = 'f32' }]\n");
    assert!(coarse.unwrap().needed() > found.needed());
}
