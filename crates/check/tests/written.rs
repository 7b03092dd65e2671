//! Outputs that are never written are found where nothing else is: a bar without an end hides whatever is written.

use std::sync::atomic::AtomicBool;

use ktwin_check::{Amount, Call, Closure, Kernel, KernelReport, Kind, Options, Verdict, check};

/// In f16 the product overflows, or does not where a kernel divides first.
const OP: &str = "op scaled(x[N]) -> y[N]\n\ny[n] = x[n] * 1e30 / 1e30\n";

/// A kernel that leaves some elements as they are.
fn test(written: fn(usize) -> bool) -> KernelReport {
    let toml = "op = 'scaled'\ncompute = 'f16'\nargs = ['x', 'y', { N = 'u32' }]\n";
    let kernel = Kernel::of_contract("kernel", toml, &[("scaled", OP)]).unwrap();
    let function = move |call: &mut Call| {
        let (x, mut y) = (call.read("x"), call.read("y"));
        for at in (0..x.len()).filter(|at| written(*at)) {
            y[at] = x[at];
        }
        call.write("y", &y);
    };
    let options = Options { amount: Amount::QUICK, seed: Some(7), ..Options::default() };
    check(&kernel, &Closure::new(function), &options, &|_| {}, &AtomicBool::new(false))
}

#[test]
fn what_has_no_finite_bar_must_be_written() {
    let report = test(|at| at < 64);
    let failure = report.failure.unwrap();
    assert_eq!((report.verdict, failure.findings[0].kind), (Verdict::Fail, Kind::Unwritten));
    assert_eq!(test(|_| true).verdict, Verdict::Blind);
}
