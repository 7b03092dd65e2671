//! The checklist on runs of a kernel written here: answered in full, with gaps, and wrong.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::check::{Options, check};
use crate::closure::{Call, Closure};
use crate::event::Event;
use crate::plan::Amount;

const OPS: &[(&str, &str)] = &[("add", include_str!("../../../../ops/add.op"))];

/// The answers for a sum that is off by so much of itself, under a contract with these lines more.
fn answers(off: f64, more: &str, bench: Option<Bench>) -> Vec<Item> {
    answers_on("closure", (off, more), bench)
}

/// The same of a device of this name.
fn answers_on(device: &str, (off, more): (f64, &str), bench: Option<Bench>) -> Vec<Item> {
    let toml =
        format!("op = 'add'\nargs = ['a', 'b', 'c', {{ N = 'u32' }}]\ndims = {{ N = '1..=300' }}\n{more}");
    let kernel = Kernel::of_contract("kernel", &toml, OPS).unwrap();
    let function = move |call: &mut Call| {
        let (a, b) = (call.read("a"), call.read("b"));
        let sums = a.iter().zip(&b).map(|(a, b)| f64::from((a + b) as f32) * (1.0 + off));
        call.write("c", &sums.collect::<Vec<f64>>());
    };
    let options = Options { amount: Amount::default(), seed: Some(7), ..Options::default() };
    let cases = Mutex::new(Vec::new());
    let emit = |event| {
        if let Event::Case(case) = event {
            cases.lock().unwrap().push(case);
        }
    };
    let mut report = check(&kernel, &Closure::new(function), &options, &emit, &AtomicBool::new(false));
    let mut cases: Vec<CaseEnded> = cases.into_inner().unwrap();
    report.device = device.into();
    cases.iter_mut().for_each(|case| case.device = device.into());
    let policy = kernel.contract.policy.as_ref();
    let worth = policy.map(|policy| crate::worth::worth(&kernel, policy, 7));
    audit(&Seen { kernel: &kernel, reports: &[report], cases: &cases, worth, bench: bench.as_ref() })
}

fn item<'i>(items: &'i [Item], key: &str) -> &'i Item {
    items.iter().find(|item| item.key == key).unwrap()
}

#[test]
fn what_was_shown_is_told_with_its_evidence() {
    let items = answers(0.0, "", None);
    for key in ["right", "reference", "tolerances", "types", "layouts", "guards", "precision", "repeats"] {
        let item = item(&items, key);
        assert_eq!((item.answer, item.gaps.len()), (Answer::Shown, 0), "{item:?}");
        assert!(item.evidence.iter().all(|line| !line.is_empty()) && !item.evidence.is_empty(), "{item:?}");
    }
    assert!(item(&items, "regimes").evidence[0].contains("nan ("), "{items:?}");
    assert!(item(&items, "shapes").evidence[0].starts_with("N: cases with 1 ("), "{items:?}");
    for key in ["sanitizer", "performance", "resources"] {
        assert_eq!(item(&items, key).answer, Answer::Gap, "{items:?}");
    }
    assert_eq!(items.len(), keys().count());
}

#[test]
fn where_nothing_ran_nothing_is_shown() {
    let kernel = Kernel::of_contract("k", "op = 'add'\nargs = ['a', 'b', 'c']", OPS).unwrap();
    let skipped = KernelReport { device: "native".into(), verdict: Verdict::Skip, ..KernelReport::default() };
    let items = audit(&Seen { kernel: &kernel, reports: &[skipped], cases: &[], worth: None, bench: None });
    assert_eq!(item(&items, "shapes").answer, Answer::Gap, "{items:?}");
    assert_eq!(item(&items, "reference").gaps, ["native: nothing ran"], "{items:?}");
}

#[test]
fn each_device_that_looks_at_every_access_is_told() {
    let found = |device| item(&answers_on(device, (0.0, ""), None), "sanitizer").clone();
    let sim = found("sim");
    assert!(sim.answer == Answer::Shown && sim.evidence[0].starts_with("sim: nothing found in "), "{sim:?}");
    let alone = found("oclgrind");
    assert!(
        alone.answer == Answer::Gap && alone.evidence[0].starts_with("oclgrind: nothing found"),
        "{alone:?}"
    );
    assert!(alone.gaps[0].contains("add --device sim"), "{alone:?}");
}

#[test]
fn a_wrong_kernel_is_not_ready_whatever_else_was_shown() {
    let items = answers(1e-2, "", None);
    assert_eq!(item(&items, "right").answer, Answer::Wrong, "{items:?}");
}

#[test]
fn a_promise_that_is_weak_is_a_gap_with_its_reason() {
    let items =
        answers(0.0, "deterministic = false\npolicy = { use = 'allclose:1,1', why = 'a guess' }\n", None);
    assert!(item(&items, "repeats").gaps[0].contains("deterministic = false"), "{items:?}");
    let tolerances = item(&items, "tolerances");
    assert!(tolerances.evidence[0].contains("since a guess"), "{tolerances:?}");
    assert!(tolerances.gaps.iter().any(|gap| gap.contains("less than a tenth")), "{tolerances:?}");
}

#[test]
fn a_record_that_is_slower_is_wrong_and_one_without_a_baseline_a_gap() {
    let record = |against, untouched| {
        let (record, cases) = ("r.json".into(), vec!["N=2097152,regime=normal".into()]);
        let (largest, timed) = ("N=2097152".into(), true);
        Some(Bench { record, largest, timed, cases, against, untouched, ..Bench::default() })
    };
    let bench = |against| record(against, Some(true));
    let answer = |against| item(&answers(0.0, "", bench(against)), "performance").answer;
    assert_eq!(answer(vec![("warm".into(), Outcome::Slower)]), Answer::Wrong);
    assert_eq!(answer(vec![("warm".into(), Outcome::Same)]), Answer::Shown);
    assert_eq!(answer(vec![("warm".into(), Outcome::CannotTell)]), Answer::Gap);
    assert_eq!(answer(Vec::new()), Answer::Gap);
    for untouched in [Some(false), None] {
        let items = answers(0.0, "", record(vec![("warm".into(), Outcome::Same)], untouched));
        let found = item(&items, "performance");
        assert!(found.answer == Answer::Gap && found.gaps[0].contains("changed"), "{found:?}");
    }
    let same = vec![("warm".into(), Outcome::Same)];
    let counted = record(same, Some(true)).map(|record| Bench { timed: false, ..record });
    let items = answers(0.0, "", counted);
    assert!(item(&items, "performance").gaps[0].contains("r.json counts on the simulator"), "{items:?}");
}

#[test]
fn a_record_without_the_largest_production_shape_is_a_gap() {
    let kernel =
        Kernel::of_contract("kernel", "op = 'add'\nargs = ['a', 'b', 'c', { N = 'u32' }]", OPS).unwrap();
    let gaps = |case: &str| {
        let (record, largest, cases) = ("r.json".into(), case.into(), vec![case.to_owned()]);
        let against = vec![("warm".to_owned(), Outcome::Same)];
        let (timed, untouched) = (true, Some(true));
        let bench = Bench { record, largest, timed, cases, against, untouched, ..Bench::default() };
        let seen = Seen { kernel: &kernel, reports: &[], cases: &[], worth: None, bench: Some(&bench) };
        evidence::performance(&seen).gaps
    };
    assert_eq!(gaps("N=2097152,regime=normal"), Vec::<String>::new());
    let small = gaps("N=300,regime=normal");
    assert!(small.len() == 1 && small[0].contains("was not measured, N=2097152,regime=normal"), "{small:?}");
}
