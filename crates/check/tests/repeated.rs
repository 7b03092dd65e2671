//! A case that is named runs again exactly: the same inputs each time.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use ktwin_check::{Closure, Event, Kernel, Options, Verdict, check};

const OPS: &[(&str, &str)] = &[("add", include_str!("../../../ops/add.op"))];

#[test]
fn one_case_is_repeated_exactly() {
    let toml = "op = 'add'\nargs = ['a', 'b', 'c', { N = 'u32' }]\n";
    let kernel = Kernel::of_contract("kernel", toml, OPS).unwrap();
    let case = "N=65,regime=mixed,seed=99";
    let options = Options { case: Some(case.into()), ..Options::default() };
    let seen = Arc::new(Mutex::new(Vec::new()));
    let read = Arc::clone(&seen);
    let device = Closure::new(move |call| {
        read.lock().unwrap().push(call.bytes("a").to_vec());
        let sums: Vec<f64> = call.read("a").iter().zip(call.read("b")).map(|(a, b)| a + b).collect();
        call.write("c", &sums);
    });
    let shown = Mutex::new(Vec::new());
    let emit = |e: Event| {
        if let Event::Case(case) = e {
            shown.lock().unwrap().push(case.case.to_string());
        }
    };
    for _ in 0..2 {
        let report = check(&kernel, &device, &options, &emit, &AtomicBool::new(false));
        assert_eq!(report.verdict, Verdict::Pass, "{report:#?}");
    }
    assert_eq!(*shown.lock().unwrap(), [case, case]);
    let seen = seen.lock().unwrap();
    assert!(seen.len() >= 4 && seen.iter().all(|x| *x == seen[0]), "{} launches", seen.len());
}
