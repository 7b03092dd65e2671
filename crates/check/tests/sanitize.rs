//! A sanitizer beside a device: a pass stays one only where it ran and found nothing.

use std::sync::atomic::AtomicBool;

use ktwin_check::{
    Build, Call, Closure, Description, Device, Failure, Finding, Kernel, KernelReport, Kind, Options,
    Program, Sanitized, SanitizerTool, Source, SourceKind, Verdict, check,
};

const OPS: &[(&str, &str)] = &[("add", include_str!("../../../ops/add.op"))];

/// A device with a sanitizer that answers like this.
struct Beside(Closure, fn() -> Result<Option<Sanitized>, Failure>);

impl Device for Beside {
    fn name(&self) -> &str {
        "beside"
    }

    fn probe(&self) -> Result<Description, Failure> {
        self.0.probe()
    }

    fn accepts(&self, kind: SourceKind) -> bool {
        self.0.accepts(kind)
    }

    fn sanitize(&self, _: &Source, command: &str) -> Result<Option<Sanitized>, Failure> {
        assert!(command.starts_with("again ") && command.contains("N="), "{command}");
        (self.1)()
    }

    fn compile(&self, source: &Source, build: &Build) -> Result<Box<dyn Program>, Failure> {
        self.0.compile(source, build)
    }
}

fn tested(wrong: bool, answer: fn() -> Result<Option<Sanitized>, Failure>) -> KernelReport {
    let kernel = Kernel::of_contract("k", "op = 'add'\nargs = ['a', 'b', 'c', { N = 'u32' }]", OPS).unwrap();
    let sum = move |call: &mut Call| {
        let (a, b) = (call.read("a"), call.read("b"));
        let sums = a.iter().zip(&b).map(|(a, b)| a + if wrong { 2.0 * b } else { *b });
        call.write("c", &sums.collect::<Vec<f64>>());
    };
    let mut options = Options { sanitize: true, seed: Some(3), ..Options::default() };
    options.repeat.before = "again ".into();
    let device = Beside(Closure::new(sum), answer);
    check(&kernel, &device, &options, &|_| (), &AtomicBool::new(false))
}

fn said(findings: &[(Kind, bool)]) -> Sanitized {
    let tool = SanitizerTool { name: "memcheck".into(), ..SanitizerTool::default() };
    let found = |(kind, note): &(Kind, bool)| Finding { note: *note, ..Finding::new(*kind, "seen") };
    Sanitized { tools: vec![tool], findings: findings.iter().map(found).collect() }
}

#[test]
fn a_pass_stays_one_where_nothing_is_found() {
    let nothing = tested(false, || Ok(Some(said(&[(Kind::Race, true)]))));
    assert_eq!(nothing.verdict, Verdict::Pass);
    assert_eq!(nothing.sanitized.map(|said| (said.tools.len(), said.findings.len())), Some((1, 1)));
    let by_itself = tested(false, || Ok(None));
    assert!(by_itself.verdict == Verdict::Pass && by_itself.sanitized.is_none());
}

#[test]
fn what_it_finds_is_wrong() {
    let found = tested(false, || Ok(Some(said(&[(Kind::Race, false), (Kind::Race, false)]))));
    assert_eq!((found.verdict, found.cases.fail), (Verdict::Fail, 0));
    let failure = found.failure.unwrap_or_default();
    assert!(failure.case.is_some() && failure.repeat.starts_with("again "), "{failure:?}");
    assert_eq!((failure.findings.len(), failure.kinds), (1, vec![Kind::Race]));
    // beside what was found without it
    let both = tested(true, || Ok(Some(said(&[(Kind::Race, false)]))));
    let kinds = both.failure.unwrap_or_default().kinds;
    assert!(kinds.contains(&Kind::Race) && kinds.contains(&Kind::WrongValues), "{kinds:?}");
}

#[test]
fn one_that_did_not_run_lets_nothing_pass() {
    let skipped = tested(false, || Err(Failure::Absent { why: "none".into(), get: "install it".into() }));
    assert_eq!(skipped.verdict, Verdict::Skip);
    assert_eq!(skipped.reason, "no sanitizer ran: none; install it");
    let broken = tested(false, || Err(Failure::Broken("memcheck: it printed no summary".into())));
    assert_eq!(broken.verdict, Verdict::Error);
    // what is wrong stays wrong
    let wrong = tested(true, || Err(Failure::Unsupported("none".into())));
    assert_eq!(wrong.verdict, Verdict::Fail);
    assert!(wrong.gaps[0].starts_with("no sanitizer ran"), "{:?}", wrong.gaps);
}
