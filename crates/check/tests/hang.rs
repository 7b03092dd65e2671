//! Kernels that do not end: each of their cases would take all the time that a launch may.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use ktwin_check::{
    Amount, Build, Description, Device, Failure, Kernel, Launch, Options, Program, Ran, Source, SourceKind,
    Verdict, check,
};

/// A device on which every launch ends like this, which counts how often it was asked.
#[derive(Clone)]
struct Ends(fn() -> Failure, Arc<AtomicUsize>);

impl Device for Ends {
    fn name(&self) -> &str {
        "ends"
    }

    fn probe(&self) -> Result<Description, Failure> {
        Ok(Description { detail: String::new(), features: Vec::new() })
    }

    fn accepts(&self, _: SourceKind) -> bool {
        true
    }

    fn compile(&self, _: &Source, _: &Build) -> Result<Box<dyn Program>, Failure> {
        Ok(Box::new(self.clone()))
    }
}

impl Program for Ends {
    fn block(&self, _: &str) -> Option<[u32; 3]> {
        None
    }

    fn run(&self, launches: Vec<Launch>) -> Vec<Result<Ran, Failure>> {
        self.1.fetch_add(1, Ordering::Relaxed);
        launches.iter().map(|_| Err((self.0)())).collect()
    }
}

#[test]
fn one_case_that_does_not_end_is_enough() {
    let ops = [("add", include_str!("../../../ops/add.op"))];
    let toml = "op = 'add'\nargs = ['a', 'b', 'c', { N = 'u32' }]\n";
    let kernel = Kernel::of_contract("kernel", toml, &ops).unwrap();
    let options = Options { amount: Amount::default(), seed: Some(7), ..Options::default() };
    let told = |ends: fn() -> Failure| {
        let device = Ends(ends, Arc::default());
        let report = check(&kernel, &device, &options, &|_| (), &AtomicBool::new(false));
        (report.verdict, device.1.load(Ordering::Relaxed))
    };
    assert_eq!(told(|| Failure::hang(Duration::from_secs(5))), (Verdict::Hang, 1));
    // of crashes, a few say more
    assert_eq!(told(|| Failure::Crash("it died".into())), (Verdict::Crash, 3));
}
