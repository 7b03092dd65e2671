//! What a registry says of kernels and of reports, and its mistakes.

use super::read::entries;
use super::*;
use crate::event::{FailureReport, KernelReport};
use crate::finding::Kind;
use crate::verdict::Verdict;

const DAY: Day = Day { year: 2026, month: 6, day: 30 };

fn registry(folder: &Path, text: &str) -> Registry {
    let root = folder.canonicalize().unwrap();
    Registry { file: folder.join(REGISTRY), root, entries: entries("ktwin.toml", text).unwrap() }
}

fn mistake(text: &str) -> String {
    entries("ktwin.toml", text).unwrap_err().to_string()
}

#[test]
fn the_last_entry_that_fits_counts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let one =
        |path: &str, ulps: u32| format!("[[kernel]]\npath = '{path}'\npolicy = 'ulp:{ulps}'\nwhy = 'w'\n");
    let text = [one("src/**/*.rs", 1), one("src/*.rs", 2), one("src/./lib.rs", 3), one("src/lib.rs", 4)];
    let registry = registry(root, &text.concat());
    let policy =
        |file: &str| registry.policy(&root.join(file)).map(|(entry, p)| (entry.line, p.text.clone()));
    assert_eq!(policy("src/lib.rs"), Some((13, "ulp:4".into())));
    assert_eq!(policy("src/case.rs"), Some((5, "ulp:2".into())), "* stays in its folder");
    assert_eq!(policy("src/registry/mod.rs"), Some((1, "ulp:1".into())));
    assert_eq!((policy("Cargo.toml"), policy("src/none.rs")), (None, None));
}

#[test]
fn mistakes_name_the_line_and_what_to_write() {
    let entry = |lines: &str| mistake(&format!("[[kernel]]\n{lines}"));
    assert!(entry("path = 'a'\npolicy = 'bar:2'").contains("`a` needs `why`"));
    assert!(entry("path = 'a'\npolicy = 'bar:2'\nwhy = ' '").contains("ktwin.toml:1"));
    assert!(entry("policy = 'bar:2'\nwhy = 'w'").contains("an entry needs `path`"));
    assert!(entry("path = '../a'\npolicy = 'bar:2'\nwhy = 'w'").contains("leaves the folder"));
    assert!(entry("path = 'a[b'\npolicy = 'bar:2'\nwhy = 'w'").contains("is not a pattern"));
    assert!(entry("path = 'a'\npolicy = 'nsme:1'\nwhy = 'w'").contains("did you mean `nmse`?"));
    assert!(entry("path = 'a'\nwhy = 'w'").contains("needs `policy` or `expect`"));
    assert!(entry("path = 'a'\nexpect = 'pass'\nwhy = 'w'").contains("\"fail\", \"crash\" or \"hang\""));
    let raced = entry("path = 'a'\nexpect = 'fail'\nfinding = 'rase'\nwhy = 'w'");
    assert!(raced.contains("did you mean `race`?") && raced.contains("ktwin.toml:4"), "{raced}");
    assert!(entry("path = 'a'\nexpect = 'fail'\nuntil = '2026-12-31'\nwhy = 'w'").contains("without quotes"));
    assert!(entry("path = 'a'\npolicy = 'bar:2'\nuntil = 2026-12-31\nwhy = 'w'").contains("nor date"));
    assert!(entry("path = 'a'\npolicy = 'bar:2'\nexpect = 'fail'\nwhy = 'w'").contains("two entries"));
    assert!(entry("path = 'a'\npolcy = 'bar:2'\nwhy = 'w'").contains("did you mean `policy`?"));
    assert!(mistake("[[kernels]]\npath = 'a'").contains("unknown key `kernels`"));
    assert!(mistake("kernel = 3").contains("an integer is not expected here"));
    assert!(mistake("kernel = [").contains("a registry is TOML"));
    assert!(entries("ktwin.toml", "").unwrap().is_empty());
}

/// What becomes of a verdict where a race is expected until a day.
fn judged(verdict: Verdict, kind: Kind, until: &str, whole: bool) -> KernelReport {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = format!(
        "[[kernel]]\npath = 'src/lib.rs'\nexpect = 'fail'\nfinding = 'race'\nuntil = {until}\nwhy = 'issue 41'\n"
    );
    let failure = FailureReport { kinds: vec![kind], ..FailureReport::default() };
    let report = KernelReport {
        kernel: root.join("src/lib.rs").display().to_string(),
        device: "sim".into(),
        verdict,
        failure: verdict.is_bad().then_some(failure),
        ..KernelReport::default()
    };
    registry(root, &text).judged(report, whole, DAY)
}

#[test]
fn a_kernel_that_is_wrong_as_expected_is_not_a_failure() {
    let known = judged(Verdict::Fail, Kind::Race, "2026-06-30", true);
    assert_eq!(known.verdict, Verdict::Expected);
    assert_eq!(known.reason, "fail (race) until 2026-06-30, as ktwin.toml:1 expects, since issue 41");
}

#[test]
fn whatever_is_no_longer_as_expected_is_a_failure() {
    let past = judged(Verdict::Fail, Kind::Race, "2026-06-29", true);
    assert!(past.verdict == Verdict::Fail && past.reason.contains("2026-06-29, which is past"), "{past:?}");
    let other = judged(Verdict::Fail, Kind::OutOfBounds, "2026-12-31", true);
    assert!(other.verdict == Verdict::Fail && other.reason.contains("something else"), "{other:?}");
    let crash = judged(Verdict::Crash, Kind::Race, "2026-12-31", true);
    assert!(crash.verdict == Verdict::Crash && crash.reason.contains("something else"), "{crash:?}");
    let mended = judged(Verdict::Pass, Kind::Race, "2026-12-31", true);
    assert!(mended.verdict == Verdict::Fail && mended.reason.contains("remove that entry"), "{mended:?}");
    assert_eq!(mended.failure.unwrap().findings[0].kind, Kind::UnexpectedPass);
}

#[test]
fn what_shows_nothing_says_nothing() {
    let part = judged(Verdict::Pass, Kind::Race, "2026-12-31", false);
    assert!(part.verdict == Verdict::Pass && part.reason.contains("do not show"), "{part:?}");
    for verdict in [Verdict::Skip, Verdict::Blind, Verdict::Error] {
        assert_eq!(judged(verdict, Kind::Race, "2026-12-31", true).verdict, verdict);
    }
}
