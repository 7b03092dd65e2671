//! From trials to the reports that events carry: findings with their lines, worst elements, gaps.

use crate::check::Repeat;
use ktwin_lang::TensorInfo;
use ktwin_num::{Regime, Tensor, plural};

use crate::compare::{Compared, indices};
use crate::error_map;
use crate::event::{ElementReport, FailureReport, InputReport, Measures, Note, OutputReport};
use crate::finding::{Finding, Kind};
use crate::kernel::Kernel;
use crate::metrics::Metrics;
use crate::mutants::{Mutant, coarser};
use crate::shares;
use crate::trial::Trial;
use crate::verdict::{CaseReport, Verdict};

/// Findings of a case with the text of their lines.
pub fn findings<'f>(kernel: &Kernel, found: impl IntoIterator<Item = &'f Finding>) -> Vec<Finding> {
    let with_text = |f: &Finding| {
        let known = f.text.trim();
        let text = match (known.is_empty(), f.line) {
            (true, Some(line)) => kernel.line(line),
            _ => known,
        };
        Finding { text: text.to_string(), ..f.clone() }
    };
    found.into_iter().map(with_text).collect()
}

fn output(trial: &Trial, number: usize, compared: &Compared) -> OutputReport {
    // what was there before the launch says nothing
    let unwritten = &trial.unwritten[number];
    let seen = |(e, report): (&crate::compare::Element, ElementReport)| match unwritten[e.at] {
        true => ElementReport { got: None, error: None, ..report },
        false => report,
    };
    let bare = without_numbers(compared);
    let whole = whole(trial, number, compared);
    let (due, got) = (&trial.expected[number].values, &trial.got[number]);
    let levels = (whole.is_empty() && compared.total > 1 && due.len() == got.len())
        .then(|| error_map::levels(compared, due, got));
    OutputReport {
        name: trial.expected[number].name.clone(),
        worst: compared.worst.iter().zip(bare.worst).map(seen).collect(),
        histogram: shares::histogram(&trial.expected[number], got),
        whole,
        levels,
        ..bare
    }
}

/// What a comparison alone says of an output: its worst elements, and where the wrong ones are.
pub fn without_numbers(compared: &Compared) -> OutputReport {
    let element = |e: &crate::compare::Element| ElementReport {
        index: indices(&compared.shape, e.at),
        expected: e.expected,
        got: Some(e.got),
        error: Some(e.error()),
        bar: e.bar,
    };
    OutputReport {
        name: compared.output.clone(),
        shape: compared.shape.clone(),
        total: compared.total,
        failing: compared.failing.len(),
        worst: compared.worst.iter().map(element).collect(),
        map: error_map::map(compared),
        histogram: Vec::new(),
        whole: Vec::new(),
        levels: None,
    }
}

/// The most rows and columns of a matrix that is shown whole.
const WHOLE: [usize; 2] = [8, 5];

/// All elements of a small matrix of real numbers.
fn whole(trial: &Trial, number: usize, compared: &Compared) -> Vec<ElementReport> {
    let [rows, columns] = compared.shape[..] else { return Vec::new() };
    let (expected, got) = (&trial.expected[number], &trial.got[number]);
    if rows > WHOLE[0] || columns > WHOLE[1] || expected.values.len() != rows * columns {
        return Vec::new();
    }
    let element = |at: usize| {
        let seen = (!trial.unwritten[number][at]).then_some(got[at]);
        ElementReport {
            index: indices(&compared.shape, at),
            expected: expected.values[at],
            got: seen,
            error: seen.map(|got| (got - expected.values[at]).abs()),
            bar: expected.bars[at],
        }
    };
    (0..got.len()).map(element).collect()
}

/// The most elements of all outputs, and of all inputs, of a case that is followed by hand.
const BY_HAND: [usize; 2] = [4, 12];

/// All inputs of a case that is small enough.
fn inputs(trial: &Trial) -> Vec<InputReport> {
    let prepared = &trial.prepared;
    let results: usize = trial.expected.iter().map(|expected| expected.values.len()).sum();
    let elements: usize = prepared.inputs.iter().map(|tensor| tensor.len()).sum();
    if results > BY_HAND[0] || elements > BY_HAND[1] {
        return Vec::new();
    }
    let named = prepared.kernel.op.inputs.iter().zip(&prepared.inputs);
    let input = |(info, tensor): (&TensorInfo, &Tensor)| InputReport {
        name: info.name.clone(),
        shape: tensor.shape.clone(),
        values: tensor.to_f64(),
    };
    named.map(input).collect()
}

/// What may be why an output is wrong: where a NaN or an infinity was born that has no place in it, and shuffles that
/// give anything.
fn likely<'t>(trial: &'t Trial) -> impl Iterator<Item = &'t Finding> {
    let worst = || trial.report.outputs.iter().flat_map(|compared| &compared.worst);
    let wrong = trial.report.outputs.iter().any(|compared| !compared.failing.is_empty());
    let nan = worst().any(|e| e.got.is_nan() && !e.expected.is_nan());
    let infinity = nan || worst().any(|e| e.got.is_infinite() && e.expected.is_finite());
    let tells = move |f: &&Finding| match f.kind {
        Kind::NanBorn => nan,
        Kind::InfinityBorn => infinity,
        Kind::UndefinedShuffle => wrong,
        _ => false,
    };
    let ordinary = !matches!(trial.prepared.case.regime, Regime::Nan | Regime::Inf);
    trial.report.findings.iter().filter(move |f| ordinary && f.note).filter(tells).take(2)
}

/// A failing trial, looked at.
pub fn failure(trial: &Trial, repeat: &Repeat) -> FailureReport {
    let case = &trial.prepared.case;
    let wrong = trial.report.outputs.iter().enumerate().filter(|(_, c)| !c.failing.is_empty());
    FailureReport {
        repeat: repeat.of(case),
        case: Some(case.clone()),
        findings: findings(trial.prepared.kernel, trial.report.errors().chain(likely(trial))),
        inputs: inputs(trial),
        outputs: wrong.map(|(n, c)| output(trial, n, c)).collect(),
        kinds: Vec::new(),
        others: Vec::new(),
        patterns: Vec::new(),
        reason: String::new(),
    }
}

/// A failure that left nothing to look at.
pub fn without_result(kernel: &Kernel, report: &CaseReport, repeat: &Repeat) -> FailureReport {
    FailureReport {
        repeat: repeat.of(&report.case),
        case: Some(report.case.clone()),
        findings: findings(kernel, report.errors()),
        reason: if report.findings.is_empty() { report.reason.clone() } else { String::new() },
        ..FailureReport::default()
    }
}

/// How far each output is off: the worst over all cases.
pub fn measures(reports: &[CaseReport]) -> Vec<Measures> {
    let mut out: Vec<(&str, Metrics)> = Vec::new();
    for compared in reports.iter().flat_map(|r| &r.outputs).filter(|c| c.judged() > 0) {
        match out.iter_mut().find(|(name, _)| *name == compared.output) {
            Some((_, worst)) => *worst = worst.worse(compared.metrics),
            None => out.push((&compared.output, compared.metrics)),
        }
    }
    out.into_iter().map(|(name, metrics)| Measures::new(name, metrics)).collect()
}

/// The kinds of what is wrong in any case.
pub fn kinds(reports: &[CaseReport]) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = reports.iter().flat_map(CaseReport::errors).map(|f| f.kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

/// Notes of the device, each line once, with the first case in which it was met.
pub fn notes(kernel: &Kernel, reports: &[CaseReport]) -> Vec<Note> {
    let mut out: Vec<Note> = Vec::new();
    for report in reports {
        for finding in findings(kernel, report.findings.iter().filter(|f| f.note)) {
            let same = |n: &Note| n.finding.line == finding.line && n.finding.kind == finding.kind;
            if !out.iter().any(same) {
                out.push(Note { finding, case: report.case.clone() });
            }
        }
    }
    out
}

/// Why nothing better is said of a kernel that is not wrong: the reason of the first case of this verdict, and of
/// how many.
pub fn reason(reports: &[CaseReport], verdict: Verdict) -> String {
    let like = || reports.iter().filter(|r| r.verdict == verdict && !r.reason.is_empty());
    let Some(first) = like().next() else { return String::new() };
    let (some, all) = (like().count(), reports.len());
    match verdict {
        Verdict::Skip if some < all => format!("{some} of {all} cases were skipped: {}", first.reason),
        Verdict::Error if some < all => {
            format!("{some} of {all} cases could not be judged: {}", first.reason)
        }
        _ => first.reason.clone(),
    }
}

/// How gaps begin that concern a promised rung.
const UNSEEN: &str = "no case can tell";

/// Whether a gap is that nothing shows a promised rung.
pub fn is_of_rungs(gap: &str) -> bool {
    gap.starts_with(UNSEEN)
}

/// What the cases together leave untested.
pub fn gaps(kernel: &Kernel, reports: &[CaseReport], planned: usize) -> Vec<String> {
    let mut out = Vec::new();
    let ran: Vec<&CaseReport> =
        reports.iter().filter(|r| matches!(r.verdict, Verdict::Pass | Verdict::Blind)).collect();
    if reports.len() < planned {
        out.push(format!("{} of {} not run", planned - reports.len(), plural(planned, "case")));
    }
    if let Some(skipped) = reports.iter().find(|r| r.verdict == Verdict::Skip) {
        let count = reports.iter().filter(|r| r.verdict == Verdict::Skip).count();
        out.push(format!("{} skipped: {}", plural(count, "case"), skipped.reason));
    }
    if ran.is_empty() || kernel.op.is_random() || reports.iter().any(|r| r.verdict.is_bad()) {
        return out;
    }
    let sums = ran.iter().any(|r| r.case.bind(&kernel.op).is_ok_and(|at| at.longest_sum() > 1));
    for (name, mutant) in Mutant::ALL {
        if ran.iter().any(|r| r.refuses.contains(mutant)) {
            continue;
        }
        let contract = &kernel.contract;
        let blind = |what: &str, float: ktwin_num::Float| {
            coarser(float).map(|c| format!("{UNSEEN} {what} in {} from {}", float.name(), c.name()))
        };
        match mutant {
            // nothing that is stored has a precision
            Mutant::CoarserCompute | Mutant::CoarserAccumulate if kernel.whole_numbers() => {}
            Mutant::CoarserCompute => out.extend(blind("arithmetic", contract.compute)),
            Mutant::CoarserAccumulate if sums => out.extend(blind("sums", contract.accumulate)),
            Mutant::CoarserAccumulate => {}
            // an op that hands its input through cannot be told from one
            Mutant::InputCopy => {}
            // a single number is not a row and has no neighbour
            _ if ran.iter().flat_map(|r| &r.outputs).all(|o| o.total == 1) => {}
            _ => out.push(format!("no case would notice {name}")),
        }
    }
    out.extend(wide(&ran));
    out
}

/// Elements that prove nothing are told of where they are at least one in so many.
const TOLD: usize = 16;
/// What gaps say of elements in which no mistake would show.
const NO_EVIDENCE: &str = "prove nothing in ordinary cases";

/// Whether a gap is that some elements are no evidence.
pub(crate) fn is_of_evidence(gap: &str) -> bool {
    gap.contains(NO_EVIDENCE)
}

/// Why what was seen is no evidence: no element of an output is one in any ordinary case.
pub fn proves_nothing(reports: &[CaseReport]) -> Option<String> {
    let ran = reports.iter().filter(|r| matches!(r.verdict, Verdict::Pass | Verdict::Blind));
    let (name, ..) =
        without_evidence(&ran.collect::<Vec<_>>()).into_iter().find(|(_, without, all)| without == all)?;
    Some(format!("no element of {name} proves anything in ordinary cases: by their bars all might be 0"))
}

/// Outputs in which ordinary data leave many elements without evidence.
fn wide(ran: &[&CaseReport]) -> Vec<String> {
    let many = without_evidence(ran).into_iter();
    let many = many.filter(|(_, without, all)| *without > 0 && without * TOLD >= *all);
    let told = |(name, without, all)| {
        let of = plural(all, "element");
        format!("{without} of {of} of {name} {NO_EVIDENCE}: by their bars they might be 0")
    };
    many.map(told).collect()
}

/// Of each output, how many elements of ordinary cases are no evidence, and how many there are.
fn without_evidence<'r>(ran: &[&'r CaseReport]) -> Vec<(&'r str, usize, usize)> {
    let mut outputs: Vec<(&str, usize, usize)> = Vec::new();
    for output in ran.iter().copied().filter(|r| r.case.regime.is_ordinary()).flat_map(|r| &r.outputs) {
        let (without, all) = (output.wide, output.total);
        match outputs.iter_mut().find(|o| o.0 == output.output) {
            Some(seen) => *seen = (seen.0, seen.1 + without, seen.2 + all),
            None => outputs.push((&output.output, without, all)),
        }
    }
    outputs.retain(|(.., all)| *all > 0);
    outputs
}
