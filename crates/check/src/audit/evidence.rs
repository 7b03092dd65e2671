//! One function a question of the checklist: what reports, cases and records show of it.

use std::collections::BTreeSet;

use ktwin_num::{Regime, plural};

use super::{Found, Seen};
use crate::bench::Outcome;
use crate::event::KernelReport;
use crate::finding::Kind;
use crate::inputs::reals;
use crate::languages::{Code, SourceKind};
use crate::plan;
use crate::report::{is_of_evidence, is_of_rungs};
use crate::sanitize::Sanitized;
use crate::verdict::Verdict;
use crate::worth::Fault;

/// Regimes that a release wants to have seen, where the op takes real numbers.
const ADVERSARIAL: [Regime; 5] = [Regime::Zeros, Regime::Large, Regime::Mixed, Regime::Nan, Regime::Inf];

pub fn right(seen: &Seen) -> Found {
    let mut found = Found::default();
    for report in seen.reports {
        let (device, cases) = (&report.device, plural(report.cases.total(), "case"));
        match report.verdict {
            Verdict::Pass => found.evidence.push(format!("{device}: {cases}, none wrong")),
            verdict if verdict.is_bad() || verdict == Verdict::Expected => {
                found.wrong = true;
                found.evidence.push(format!("{device}: {verdict}, {} of {cases} wrong", report.cases.fail));
            }
            verdict => found.gaps.push(format!("{device}: {verdict}: {}", report.reason)),
        }
    }
    if seen.reports.is_empty() {
        found.gaps.push("nothing ran".into());
    }
    found
}

pub fn reference(seen: &Seen) -> Found {
    let content = &seen.kernel.content;
    let from = if content.catalogue { "the catalogue's" } else { "the project's own" };
    let op = format!("{from} op {} ({}), evaluated in f64 on the CPU", seen.kernel.op.name, content.hash);
    let mut found = Found::shown(op);
    for report in seen.reports {
        match report.sandbox.as_deref() {
            None if report.cases.total() == 0 => found.gaps.push(format!("{}: nothing ran", report.device)),
            None => found.evidence.push(format!("{}: the kernel has no access to it", report.device)),
            Some(whole @ ("full" | "driver")) => {
                found.evidence.push(format!("{}: another process, sandbox {whole}", report.device));
            }
            Some(part) => found.gaps.push(format!("{}: the sandbox is {part}", report.device)),
        }
    }
    found
}

pub fn tolerances(seen: &Seen) -> Found {
    let contract = &seen.kernel.contract;
    let outputs = seen.kernel.op.outputs.iter().map(|output| {
        let dtype = contract.type_of(&output.name).map_or("f32".to_string(), |d| d.to_string());
        format!("{} {dtype}", output.name)
    });
    let outputs = outputs.collect::<Vec<_>>().join(", ");
    let Some(policy) = contract.policy.as_ref().filter(|policy| !policy.is_bar()) else {
        return Found::shown(format!(
            "{outputs}: the error bar of arithmetic in {}",
            contract.compute.name()
        ));
    };
    let mut found = Found::shown(format!("{outputs}: {}", policy.reasoned()));
    match &seen.worth {
        Some(Ok(worth)) => found.gaps.extend(worth.faults().iter().map(|fault| {
            let what = match fault {
                Fault::Loose => "honest evaluations use less than a tenth of it",
                Fault::Useless(_) => "every evaluation at some coarser rung passes",
                Fault::Tight => "honest evaluations are refused",
            };
            format!("{what}: `ktwin tolerances` says more")
        })),
        Some(Err(why)) => found.gaps.push(format!("what it is worth is not known: {why}")),
        None => found.gaps.push("what it is worth was not looked at".into()),
    }
    found
}

pub fn types(seen: &Seen) -> Found {
    let Some(promise) = seen.reports.iter().find_map(|report| report.promise.as_ref()) else {
        return Found::gap("nothing ran");
    };
    let types = promise.types.iter().map(|(name, dtype)| format!("{name} {dtype}")).collect::<Vec<_>>();
    let arithmetic = format!("computes in {}, sums in {}", promise.compute, promise.accumulate);
    match seen.right().next() {
        Some(_) => Found::shown(format!("{}; {arithmetic}", types.join(", "))),
        None => Found::gap("no case was right"),
    }
}

pub fn layouts(seen: &Seen) -> Found {
    let mut found = Found::default();
    for (tensor, layouts) in &seen.kernel.contract.layout {
        for layout in layouts.iter().filter(|layout| **layout != ktwin_num::Layout::Row) {
            let has = |name: &String, l| *name == tensor.text && l == layout;
            let cases = seen.ran().filter(|c| c.case.layouts.iter().any(|(name, l)| has(name, l))).count();
            let what = format!("{} {layout}", tensor.text);
            match cases {
                0 => found.gaps.push(format!("{what}: accepted, and in no case")),
                cases => found.evidence.push(format!("{what}: {}", plural(cases, "case"))),
            }
        }
    }
    if found.evidence.is_empty() && found.gaps.is_empty() {
        found.evidence.push("rows are all that the contract accepts".into());
    }
    found
}

pub fn regimes(seen: &Seen) -> Found {
    if seen.ran().next().is_none() {
        return Found::gap("no case ran");
    }
    let mut found = Found::default();
    let count = |regime| seen.ran().filter(|ended| ended.case.regime == regime).count();
    let each = Regime::ALL.iter().map(|r| (r, count(*r))).filter(|(_, n)| *n > 0);
    let each: Vec<String> = each.map(|(regime, cases)| format!("{regime} ({cases})")).collect();
    found.evidence.push(each.join(", "));
    let seeds: BTreeSet<u64> = seen.ran().map(|ended| ended.case.seed).collect();
    let run: Vec<String> = seen.reports.iter().filter_map(|r| r.seed).map(|s| s.to_string()).collect();
    found.evidence.push(format!("{}, from the seed {}", plural(seeds.len(), "seed"), run.join(", ")));
    if reals(&seen.kernel.op).is_empty() {
        found.evidence.push("the op takes no real numbers".into());
        return found;
    }
    let missing = ADVERSARIAL.iter().filter(|regime| count(**regime) == 0);
    found.gaps.extend(missing.map(|regime| format!("{regime}: in no case")));
    found
}

pub fn guards(seen: &Seen) -> Found {
    let broken = [Kind::Unwritten, Kind::OutOfBounds, Kind::InputChanged];
    let kinds = seen.cases.iter().flat_map(|c| &c.findings).filter(|f| !f.note).map(|f| f.kind);
    let bad: BTreeSet<Kind> = kinds.filter(|kind| broken.contains(kind)).collect();
    if let Some(kind) = bad.first() {
        return Found::wrong(format!("found: {}", kind.name()));
    }
    match seen.right().count() {
        0 => Found::gap("no case was right"),
        cases => Found::shown(format!(
            "{}: outputs in buffers of their shape and type, canaries on both sides, two poisons, inputs unchanged",
            plural(cases, "case")
        )),
    }
}

pub fn precision(seen: &Seen) -> Found {
    let mut found = Found::default();
    for report in seen.reports {
        let (sharp, all) = (report.sharp, plural(report.cases.total(), "case"));
        let like = report.behaves_like.map_or(String::new(), |like| format!(", and it behaves like {like}"));
        found.evidence.push(format!("{}: {sharp} of {all} would show a coarser rung{like}", report.device));
        let blind = report.gaps.iter().filter(|gap| is_of_rungs(gap) || is_of_evidence(gap));
        found.gaps.extend(blind.map(|gap| format!("{}: {gap}", report.device)));
        if sharp == 0 && report.gaps.iter().all(|gap| !is_of_rungs(gap)) {
            found.gaps.push(format!("{}: no case is sharp", report.device));
        }
    }
    found
}

pub fn repeats(seen: &Seen) -> Found {
    let different = seen.cases.iter().flat_map(|c| &c.findings).any(|f| f.kind == Kind::NotRepeatable);
    match (different, seen.kernel.contract.promises.deterministic, seen.right().count()) {
        (true, ..) => Found::wrong("two launches on the same inputs gave different bits"),
        (_, false, _) => Found::gap("the contract does not promise it: deterministic = false"),
        (.., 0) => Found::gap("no case was right"),
        (.., cases) => {
            Found::shown(format!("{}, each launched twice on the same bits", plural(cases, "case")))
        }
    }
}

pub fn sanitizer(seen: &Seen) -> Found {
    let found: BTreeSet<&str> = seen
        .cases
        .iter()
        .flat_map(|c| &c.findings)
        .filter(|f| !f.note && is_unsafe(f.kind))
        .map(|f| f.kind.name())
        .collect();
    if !found.is_empty() {
        return Found::wrong(format!("found: {}", found.into_iter().collect::<Vec<_>>().join(", ")));
    }
    let mut found = Found::default();
    let all = |of: &'static str| seen.reports.iter().filter(move |r| r.device.split(':').next() == Some(of));
    for (of, sees) in LOOKING {
        all(of).for_each(|report| looked(&mut found, seen, report, sees));
    }
    for (device, said) in seen.reports.iter().filter_map(|r| Some((&r.device, r.sanitized.as_ref()?))) {
        found.evidence.push(by_another(device, said));
    }
    found.evidence.extend(not_run(seen));
    if all("sim").next().is_none() {
        found.gaps.push(match (found.evidence.is_empty(), seen.kernel.source.kind) {
            (true, SourceKind::C | SourceKind::Cpp | SourceKind::Rust) => {
                "the simulator does not run its language: guard pages and canaries alone were there".into()
            }
            _ => "the simulator did not run: add --device sim".into(),
        });
    }
    found
}

/// The devices that look at every access themselves, and for what.
const LOOKING: [(&str, &str); 2] = [
    ("sim", "bounds, races, uninitialised reads, barriers, alignment"),
    ("oclgrind", "bounds, races, uninitialised reads, barriers"),
];

/// What a device that looks at every access saw in the cases that it ran.
fn looked(found: &mut Found, seen: &Seen, report: &KernelReport, sees: &str) {
    let (device, all) = (&report.device, plural(report.cases.total(), "case"));
    let ran = seen.ran().filter(|ended| ended.device == *device).count();
    if ran == 0 {
        found.gaps.push(format!("{device}: {}, and no case ran", report.verdict));
        return;
    }
    found.evidence.push(format!("{device}: nothing found in {ran} of {all}: {sees}"));
    let left = report.cases.total() - ran.min(report.cases.total());
    found.gaps.extend((left > 0).then(|| format!("{device}: {left} of {all} did not run to the end")));
}

/// The sanitizer for a kernel's language that did not run.
fn not_run(seen: &Seen) -> Option<String> {
    let ran = |of: &str| seen.reports.iter().any(|report| report.device.starts_with(of));
    match seen.kernel.source.kind.code() {
        Code::Ptx if seen.reports.iter().all(|report| report.sanitized.is_none()) => {
            Some("compute-sanitizer did not run: `--device cuda --sanitize`, on a machine with a card".into())
        }
        Code::OpenCl if !ran("oclgrind") => Some("Oclgrind did not run: `--device oclgrind`".into()),
        _ => None,
    }
}

/// What compute-sanitizer said, of one case.
fn by_another(device: &str, said: &Sanitized) -> String {
    let tools: Vec<String> =
        said.tools.iter().map(|tool| format!("{}: {}", tool.name, tool.summary)).collect();
    format!("{device}: {}, of one case alone", tools.join(", "))
}

fn is_unsafe(kind: Kind) -> bool {
    use Kind::{DivergentBarrier, Misaligned, OutOfBounds, Race, Uninitialised};
    [DivergentBarrier, Misaligned, OutOfBounds, Race, Uninitialised].contains(&kind)
}

pub fn performance(seen: &Seen) -> Found {
    let bench = format!("ktwin bench {}", seen.kernel.name);
    let Some(record) = seen.bench else {
        return Found::gap(format!(
            "no record of this text: `{bench} --save before` makes one, and `{bench} --baseline before --save now` \
             one with a comparison"
        ));
    };
    let mut found =
        Found::shown(format!("the record {}, not measured anew: {}", record.record, record.largest));
    let counted =
        || format!("{} counts on the simulator: `{bench} --save NAME` on a device measures", record.record);
    found.gaps.extend((!record.timed).then(counted));
    found.gaps.extend(match record.untouched {
        Some(true) => None,
        Some(false) => Some(format!("{} was changed after it was saved: measure again", record.record)),
        None => Some(format!("{} has no hash of its text, so it may have been changed", record.record)),
    });
    let production = plan::production(seen.kernel).map(|case| case.seedless()).ok();
    let absent = production.filter(|case| !record.cases.contains(case));
    found.gaps.extend(absent.map(|case| {
        format!(
            "the largest production shape was not measured, {case}: `{bench} --sweep production --save NAME` \
             does it"
        )
    }));
    for (what, outcome) in &record.against {
        found.wrong |= *outcome == Outcome::Slower;
        let told = format!("{what}: {outcome}");
        match outcome {
            Outcome::CannotTell => found.gaps.push(format!("{told}: take more rounds, or a quieter machine")),
            _ => found.evidence.push(told),
        }
    }
    let alone = format!("it was compared with no baseline: `{bench} --baseline NAME --save OTHER` does it");
    found.gaps.extend(record.against.is_empty().then_some(alone));
    found
}

pub fn resources(seen: &Seen) -> Found {
    let all = seen.reports.iter().flat_map(|r| r.resources.iter().map(|one| format!("{}: {one}", r.device)));
    let evidence: Vec<String> = all.collect();
    match evidence.is_empty() {
        true => Found::gap("no compiler that ran says what the kernel takes of a card"),
        false => Found { evidence, ..Found::default() },
    }
}
