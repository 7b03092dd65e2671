//! One case, from inputs to a verdict: launches it, guards it, compares it.

use std::time::Instant;

use ktwin_num::{DType, Language, Regime, Tensor, plural};

use crate::case::Case;
use crate::compare::{Compared, Expected, indices};
use crate::contract::Nan;
use crate::device::{Failure, Launch, Program, Ran};
use crate::encoders;
use crate::finding::{Finding, Kind};
use crate::guard;
use crate::inputs::{Prepared, prepare};
use crate::kernel::Kernel;
use crate::launch::Memory;
use crate::law;
use crate::ties;
use crate::verdict::{CaseReport, Verdict};
use crate::wider;

/// A case that ran, with all that a diagnosis needs.
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    /// The case with its inputs.
    pub prepared: Prepared<'a>,
    /// What the outputs must be.
    pub expected: Vec<Expected>,
    /// What they are, in row order.
    pub got: Vec<Vec<f64>>,
    /// The blocks themselves, of outputs that are stored in such.
    pub packed: Vec<Option<Tensor>>,
    /// The elements that the kernel never wrote.
    pub unwritten: Vec<Vec<bool>>,
    /// What is said of it.
    pub report: CaseReport,
}

/// A report of a case that has no result.
pub fn without_result(case: &Case, verdict: Verdict, reason: String, started: Instant) -> CaseReport {
    CaseReport {
        case: case.clone(),
        verdict,
        findings: Vec::new(),
        outputs: Vec::new(),
        refuses: Vec::new(),
        law: None,
        form: None,
        reason,
        unsupported: false,
        took: started.elapsed(),
    }
}

/// What a failure of the device says of the kernel.
pub fn verdict_of(failure: &Failure) -> Verdict {
    match failure {
        Failure::Absent { .. } | Failure::Unsupported(_) => Verdict::Skip,
        Failure::Crash(_) | Failure::OutOfMemory(_) => Verdict::Crash,
        Failure::Hang { .. } => Verdict::Hang,
        Failure::Mismatch(_) => Verdict::Invalid,
        Failure::Broken(_) => Verdict::Error,
        Failure::Compile { .. } => Verdict::Fail,
    }
}

/// A report of a case that a failure of the device ended.
pub fn failed(case: &Case, failure: &Failure) -> CaseReport {
    let report = without_result(case, verdict_of(failure), failure.to_string(), Instant::now());
    CaseReport { unsupported: matches!(failure, Failure::Unsupported(_)), ..report }
}

/// A case whose launches are made and not yet run.
#[derive(Clone)]
pub struct Begun<'a> {
    prepared: Prepared<'a>,
    memories: Vec<Memory>,
    started: Instant,
}

/// Makes a case's inputs and its launches.
pub fn begin<'a>(
    kernel: &'a Kernel,
    case: &Case,
    functions: Language,
) -> Result<(Begun<'a>, Vec<Launch>), Box<CaseReport>> {
    let skip = |reason| Box::new(without_result(case, Verdict::Skip, reason, Instant::now()));
    begin_with(prepare(kernel, case).map_err(skip)?.with_functions(functions))
}

/// The same of inputs that are made already.
pub fn begin_with(prepared: Prepared<'_>) -> Result<(Begun<'_>, Vec<Launch>), Box<CaseReport>> {
    let started = Instant::now();
    // there is room for the case, so that only what the contract says of it is left to go wrong
    let invalid = |reason| Box::new(without_result(&prepared.case, Verdict::Invalid, reason, started));
    let mut launches = Vec::new();
    let mut memories = Vec::new();
    for run in 0..2 {
        let (launch, memory) = prepared.launch(run).map_err(invalid)?;
        launches.push(launch);
        memories.push(memory);
    }
    Ok((Begun { prepared, memories, started }, launches))
}

impl<'a> Begun<'a> {
    /// The case.
    pub fn case(&self) -> &Case {
        &self.prepared.case
    }

    /// The same launches by themselves.
    pub fn runs_alone(self, program: &dyn Program) -> Option<CaseReport> {
        let launches = [0, 1].map(|run| Some(self.prepared.launch(run).ok()?.0));
        let launches = launches.into_iter().collect::<Option<Vec<_>>>()?;
        Some(self.finish(program.run(launches), false).map_or_else(|report| *report, |trial| trial.report))
    }

    /// Compares what came back. Mutants are left out where only the outcome counts.
    pub fn finish(
        self,
        ran: Vec<Result<Ran, Failure>>,
        judge_mutants: bool,
    ) -> Result<Trial<'a>, Box<CaseReport>> {
        let Begun { prepared, memories, started } = self;
        let case = prepared.case.clone();
        let without = |verdict, reason| Box::new(without_result(&case, verdict, reason, started));
        let mut ran = ran.into_iter();
        let (Some(first), Some(second)) = (ran.next(), ran.next()) else {
            return Err(without(Verdict::Error, "the device returned no result".into()));
        };
        let failed = |f: Failure| Box::new(CaseReport { took: started.elapsed(), ..failed(&case, &f) });
        let ran = [first.map_err(failed)?, second.map_err(failed)?];
        let got = || came_out(&memories[0], &ran[0]);
        let prepared = if prepared.chosen.is_some() { prepared.with_doubtful(&got()) } else { prepared };
        let expected = match prepared.kernel.op.is_random() {
            true => law::nearest(&prepared, &got()),
            false => prepared.expected(),
        };
        let expected = expected.map_err(|reason| without(Verdict::Skip, reason))?;
        let judge = |prepared: Prepared<'a>| {
            let expected = prepared.expected().ok()?;
            Some(judged(prepared, expected, &memories, &ran))
        };
        let mut trial = wider::closest(judged(prepared, expected, &memories, &ran), judge);
        // a law is no function of the inputs, which a mutant could get wrong
        let judge_mutants = judge_mutants && !trial.prepared.kernel.op.is_random();
        if judge_mutants && !trial.report.verdict.is_bad() {
            trial.report.refuses = wider::refused(&trial);
            if trial.report.refuses.is_empty() {
                trial.report.verdict = Verdict::Blind;
            }
        }
        trial.report.took = started.elapsed();
        Ok(trial)
    }
}

/// Runs one case by itself, without mutants.
pub fn run<'a>(
    kernel: &'a Kernel,
    program: &dyn Program,
    case: &Case,
    functions: Language,
) -> Result<Trial<'a>, Box<CaseReport>> {
    let (begun, launches) = begin(kernel, case, functions)?;
    begun.finish(program.run(launches), false)
}

fn judged<'a>(
    prepared: Prepared<'a>,
    expected: Vec<Expected>,
    memories: &[Memory],
    ran: &[Ran; 2],
) -> Trial<'a> {
    let started = Instant::now();
    let mut report = without_result(&prepared.case, Verdict::Pass, String::new(), started);
    report.findings = ran[0].findings.clone();
    let seen = |found: &[Finding], f: &Finding| found.iter().any(|g| g.kind == f.kind && g.line == f.line);
    for finding in &ran[1].findings {
        if !seen(&report.findings, finding) {
            report.findings.push(finding.clone());
        }
    }
    for (memory, ran) in memories.iter().zip(ran) {
        for finding in guard::trespasses(memory, ran) {
            if !report.findings.iter().any(|f| f.kind == finding.kind && f.message == finding.message) {
                report.findings.push(finding);
            }
        }
    }
    let mut trial =
        Trial { prepared, expected, got: Vec::new(), packed: Vec::new(), unwritten: Vec::new(), report };
    if ran.iter().all(|r| is_whole(&memories[0], r)) {
        trial.outputs(memories, ran);
    }
    let free = trial.report.outputs.iter().any(|o| o.free > 0);
    if matches!(trial.prepared.case.regime, Regime::Nan | Regime::Inf) && free {
        // where comparisons with NaN decide what goes where, and nothing is promised of any of it, lanes may meet
        let races = trial.report.findings.iter_mut().filter(|f| f.kind == Kind::Race);
        races.for_each(|f| f.note = true);
    }
    if trial.report.errors().next().is_some() {
        trial.report.verdict = Verdict::Fail;
    } else if trial.judged() == 0 {
        trial.report.verdict = Verdict::Blind;
    }
    trial
}

/// Whether all buffers came back in their sizes.
pub(crate) fn is_whole(memory: &Memory, ran: &Ran) -> bool {
    ran.buffers.iter().map(Vec::len).eq(memory.buffers.iter().map(|b| b.bytes.len()))
}

/// The outputs of a launch, as far as it gave any.
pub(crate) fn came_out(memory: &Memory, ran: &Ran) -> Vec<Vec<f64>> {
    match is_whole(memory, ran) {
        true => law::outputs(memory, &ran.buffers),
        false => memory.outputs.iter().map(|(_, shell)| vec![0.0; shell.len()]).collect(),
    }
}

/// One launch as it was seen: what came out of it, and how that compares.
struct Observation {
    got: Vec<Vec<f64>>,
    packed: Vec<Option<Tensor>>,
    compared: Vec<Compared>,
    /// The first elements of packed blocks of each output that contradict themselves.
    contradictions: Vec<Vec<usize>>,
}

impl Observation {
    fn of(prepared: &Prepared, expected: &[Expected], memory: &Memory, ran: &Ran) -> Observation {
        let (mut got, mut packed, mut compared) = (Vec::new(), Vec::new(), Vec::new());
        for (output, (expected, (number, shell))) in expected.iter().zip(&memory.outputs).enumerate() {
            let (buffer, bytes) = (&memory.buffers[*number], &ran.buffers[*number]);
            let elements = guard::elements(shell, buffer, bytes);
            let due = ties::narrowed(prepared, output, expected, &elements);
            let mut own = due.compare(&elements, &guard::rests(shell, buffer, bytes));
            let blocks = guard::packed(shell, buffer, bytes);
            encoders::settle(expected, blocks.as_ref(), &mut own);
            compared.push(own);
            got.push(elements);
            packed.push(blocks);
        }
        ties::settle(prepared, expected, &got, &mut compared);
        let contradictions = packed.iter().map(|p| p.as_ref().map_or_else(Vec::new, guard::contradictions));
        let promised = contradictions.zip(expected).map(|(mut blocks, expected)| {
            blocks.retain(|first| !expected.is_free(*first));
            blocks
        });
        let contradictions = promised.collect();
        Observation { got, packed, compared, contradictions }
    }

    fn failing(&self) -> usize {
        let blocks = self.contradictions.iter().map(Vec::len).sum::<usize>();
        self.compared.iter().map(|c| c.failing.len()).sum::<usize>() + blocks
    }

    /// A finding of the blocks of an output whose sum is of other numbers.
    fn contradiction(&self, number: usize, expected: &Expected) -> Option<Finding> {
        let blocks = &self.contradictions[number];
        let message = format!(
            "the sum that {} of {} keeps is not that of its numbers, the first at {:?}",
            plural(blocks.len(), "block"),
            expected.name,
            indices(&expected.shape, *blocks.first()?)
        );
        Some(Finding { count: blocks.len() as u64, ..Finding::new(Kind::WrongValues, message) })
    }
}

impl Trial<'_> {
    /// Elements that are evidence.
    fn judged(&self) -> usize {
        self.report.outputs.iter().map(Compared::judged).sum()
    }

    /// The outputs of both launches. What is said of them is said of one launch as a whole: of the second where more
    /// of it is wrong.
    fn outputs(&mut self, memories: &[Memory], ran: &[Ran; 2]) {
        let see = |n: usize| Observation::of(&self.prepared, &self.expected, &memories[0], &ran[n]);
        let (first, second) = (see(0), see(1));
        // outcomes of a random op were looked for in the first
        let random = self.prepared.kernel.op.is_random();
        let seen = if !random && second.failing() > first.failing() { second } else { first };
        for number in 0..self.expected.len() {
            self.kept_and_repeated(number, memories, ran);
            let wrong = wrong(&self.expected[number], &seen.compared[number], &self.unwritten[number]);
            self.report.findings.extend(wrong);
            self.report.findings.extend(seen.contradiction(number, &self.expected[number]));
        }
        (self.got, self.packed) = (seen.got, seen.packed);
        self.report.outputs = seen.compared;
    }

    /// What of an output neither launch wrote, and what differs between them.
    fn kept_and_repeated(&mut self, number: usize, memories: &[Memory], ran: &[Ran; 2]) {
        let (at, shell) = &memories[0].outputs[number];
        let buffer = &memories[0].buffers[*at];
        let bytes = [ran[0].buffers[*at].as_slice(), ran[1].buffers[*at].as_slice()];
        let before = [buffer, &memories[1].buffers[*at]];
        let unwritten = guard::unwritten(shell, before, bytes);
        let mut differing = guard::differing(shell, buffer, bytes, &unwritten);
        let (expected, findings) = (&self.expected[number], &mut self.report.findings);
        // what NaN touches is free, its place among others too
        let isolated = self.prepared.kernel.contract.promises.nan != Nan::Propagate;
        // nor is what lies past the valid part
        let open = self.prepared.at.op.valid.iter().any(|valid| valid.output == number);
        let open = open || isolated && self.prepared.case.regime.is_special();
        if open {
            differing.retain(|at| !expected.is_free(*at));
        }
        // where nothing is due, nothing need be written; where a number is, however wide its bar is, it must be
        let due = |at: usize| !open && expected.values[at].is_finite();
        let free = |at: usize| expected.is_free(at) && self.prepared.compares(number, at) && !due(at);
        let promised = |at: &usize| unwritten[*at] && !free(*at);
        let missing: Vec<usize> = (0..unwritten.len()).filter(promised).collect();
        if let Some(first) = missing.first() {
            let message = format!(
                "{} of {} of {} never written, the first at {:?}",
                missing.len(),
                plural(unwritten.len(), "element"),
                expected.name,
                indices(&expected.shape, *first)
            );
            findings.push(Finding { count: missing.len() as u64, ..Finding::new(Kind::Unwritten, message) });
        }
        if !differing.is_empty() && self.prepared.kernel.contract.promises.deterministic {
            let left = guard::left(shell, before, bytes, &differing);
            let nan = expected.dtype.float().is_some() && guard::holds_nan(before[1]);
            let why = guard::why_differing(left, nan, self.prepared.kernel);
            let message = format!(
                "two launches on the same inputs differ in {} of {}, the first at {:?}{why}",
                plural(differing.len(), "element"),
                expected.name,
                indices(&expected.shape, differing[0]),
            );
            findings.push(Finding::new(Kind::NotRepeatable, message));
        }
        self.unwritten.push(unwritten);
    }
}

/// Findings of elements that were written, and wrong.
pub(crate) fn wrong(expected: &Expected, compared: &Compared, unwritten: &[bool]) -> Option<Finding> {
    let written = compared.failing.iter().filter(|at| !unwritten.get(**at).is_some_and(|u| *u)).count();
    if written == 0 {
        return None;
    }
    let kind = if compared.wrong_class >= written { Kind::WrongClass } else { Kind::WrongValues };
    let what = match (kind, expected.dtype) {
        (Kind::WrongClass, _) => match compared.no_number {
            0 => "without the NaN or infinity that is due",
            all if all == compared.wrong_class => "NaN or infinite where a number is due",
            _ => "NaN or infinite where a number is due, or without the NaN or infinity that is",
        },
        (_, DType::Block(_)) => "further off than quantisation allows",
        _ => "outside the error bar",
    };
    let refused = expected
        .policy
        .as_ref()
        .map(|decider| format!("refused by {}{}", decider.policy, decider.measured(&compared.metrics)));
    let what = refused.as_deref().filter(|_| kind == Kind::WrongValues).unwrap_or(what);
    let message = format!("{written} of {} of {} {what}", plural(compared.total, "element"), compared.output);
    Some(Finding { count: written as u64, ..Finding::new(kind, message) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_class_says_which() {
        let said = |got: &[f64]| {
            let values = vec![1.0, f64::INFINITY, 2.0];
            let (name, shape, bars) = ("y".into(), vec![3], vec![0.1, 0.0, 0.1]);
            let (dtype, low, any) = (DType::F32, Vec::new(), Default::default());
            let expected = Expected { name, shape, dtype, values, low, bars, any, policy: None };
            wrong(&expected, &expected.compare(got, &[]), &[]).unwrap().message
        };
        let all = f64::INFINITY;
        assert_eq!(said(&[f64::NAN, all, all]), "2 of 3 elements of y NaN or infinite where a number is due");
        assert_eq!(said(&[1.0, 0.0, 2.0]), "1 of 3 elements of y without the NaN or infinity that is due");
        assert!(said(&[all, 0.0, 2.0]).ends_with("is due, or without the NaN or infinity that is"));
    }
}
