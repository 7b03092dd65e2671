//! Outputs that any program made, judged by the inputs that they were made from: what a trial of a kernel would say,
//! without a kernel to run.

mod sums;

use ktwin_lang::{Op, Value};
use ktwin_num::{DType, Float, Language, Regime, Tensor, plural};

use crate::case::Case;
use crate::check::Repeat;
use crate::compare::{Compared, Expected, indices};
use crate::contract::{Contract, Name};
use crate::event::{Counts, FailureReport, KernelReport};
use crate::inputs::{Prepared, is_odd};
use crate::kernel::Kernel;
use crate::languages::{LANGUAGES, SourceKind};
use crate::metrics::Metrics;
use crate::pattern::Pattern;
use crate::policy::{Decider, Policy};
use crate::promise::Content;
use crate::setup::Setup;
use crate::source::Source;
use crate::ties;
use crate::trial::{Trial, without_result, wrong};
use crate::verdict::{CaseReport, Verdict, together};
use crate::{diagnose, formula, guard, promise, report, rung, wider};

pub use sums::{SHORT, Sums, needed};

/// What arrays are said to be.
#[derive(Clone, Debug)]
pub struct Claim {
    /// What was computed.
    pub op: Op,
    /// What its text is.
    pub content: Content,
    /// The sizes.
    pub dims: Vec<(String, i64)>,
    /// The scalars.
    pub scalars: Vec<(String, Value)>,
    /// Whose functions are good enough.
    pub language: Language,
    /// The promised compute rung.
    pub compute: Float,
    /// The promised accumulator.
    pub accumulate: Float,
    /// Definitions and inputs that were rounded further.
    pub rounds: Vec<(String, DType)>,
    /// How the roundings of long sums add up; none where the arrays decide.
    pub worst: Option<bool>,
    /// What decides in the place of the error bars.
    pub policy: Option<Policy>,
}

/// Inputs and outputs of one application of the op, in its order.
#[derive(Clone, Debug)]
pub struct Arrays {
    /// The inputs.
    pub inputs: Vec<Tensor>,
    /// The outputs, in the types that they were stored in.
    pub outputs: Vec<Tensor>,
}

/// What is said of arrays: a report as of a kernel, and how long sums were bounded. The op was applied once to each
/// index of the leading dimensions; these are empty where it was applied once.
pub fn judge(claim: &Claim, all: &[Arrays], leading: &[usize]) -> Result<(KernelReport, Sums), String> {
    let first = all.first().ok_or("there are no arrays")?;
    let kernel = kernel(claim, first)?;
    let sums = sums::sums(claim, &kernel, all)?;
    let mut trials = Vec::new();
    for arrays in all {
        trials.push(trial(claim, &kernel, arrays, sums.worst())?);
    }
    let report = conclude(claim, &kernel, trials, leading);
    Ok((KernelReport { sums: Some(sums.to_string()), ..report }, sums))
}

/// Arrays as if a kernel had made them: one of which only its promise is known.
pub(crate) fn kernel(claim: &Claim, arrays: &Arrays) -> Result<Kernel, String> {
    let name = |text: &str| Name { text: text.to_string(), ..Name::default() };
    let tensors =
        claim.op.inputs.iter().zip(&arrays.inputs).chain(claim.op.outputs.iter().zip(&arrays.outputs));
    let mut contract = Contract {
        op: name(&claim.op.name),
        types: tensors.map(|(info, tensor)| (name(&info.name), tensor.dtype)).collect(),
        compute: claim.compute,
        accumulate: claim.accumulate,
        round: claim.rounds.iter().map(|(n, dtype)| (name(n), *dtype)).collect(),
        policy: claim.policy.clone(),
        ..Contract::empty()
    };
    let plain = if claim.language == Language::CudaFast { Language::Cuda } else { claim.language };
    contract.fast_math = (claim.language == Language::CudaFast).then(Default::default);
    let row = LANGUAGES.iter().find(|row| row.rules == plain);
    let kind = row.map_or(SourceKind::Closure, |row| row.kind);
    let source = Source { kind, path: claim.op.name.clone().into(), bytes: Vec::new() };
    let op = (claim.op.clone(), claim.content.clone());
    let made = Kernel::unchecked("arrays", source, contract, ("", ""), op);
    made.map_err(|e| e.to_string())
}

/// The case that arrays are, under a regime of which the rule for sums is known.
fn case(claim: &Claim, worst: bool) -> Case {
    Case {
        dims: claim.dims.clone(),
        scalars: claim.scalars.clone(),
        regime: if worst { Regime::Mixed } else { Regime::Normal },
        chosen: 0,
        seed: 0,
        layouts: Vec::new(),
    }
}

pub(crate) fn prepared<'k>(
    claim: &Claim,
    kernel: &'k Kernel,
    op: &'k Op,
    arrays: &Arrays,
    worst: bool,
) -> Result<Prepared<'k>, String> {
    let case = case(claim, worst);
    let at = case.bind(op).map_err(|e| e.to_string())?;
    let setup = Setup { functions: claim.language, ..Setup::of(kernel, op) };
    Ok(Prepared { kernel, case, setup, at, inputs: arrays.inputs.clone(), structured: worst, chosen: None })
}

/// Compares one application, by the form of the op that it is closest to.
fn trial<'k>(claim: &Claim, kernel: &'k Kernel, arrays: &Arrays, worst: bool) -> Result<Trial<'k>, String> {
    let first = compared(prepared(claim, kernel, &kernel.op, arrays, worst)?, arrays)?;
    let mut best = wider::closest(first, |prepared| compared(prepared, arrays).ok());
    if best.report.verdict == Verdict::Pass {
        best.report.refuses = wider::refused(&best);
        if best.report.refuses.is_empty() {
            best.report.verdict = Verdict::Blind;
        }
    }
    Ok(best)
}

fn compared<'k>(prepared: Prepared<'k>, arrays: &Arrays) -> Result<Trial<'k>, String> {
    let mut expected = prepared.expected()?;
    if arrays.inputs.iter().any(is_odd) {
        prepared.free_what_is_touched(&mut expected)?;
    }
    let started = std::time::Instant::now();
    let mut report = without_result(&prepared.case, Verdict::Pass, String::new(), started);
    let got: Vec<Vec<f64>> = arrays.outputs.iter().map(Tensor::to_f64).collect();
    let outputs = expected.iter().zip(&got).zip(&arrays.outputs).enumerate();
    let compare = |(number, ((expected, got), array)): (usize, ((&Expected, &Vec<f64>), &Tensor))| {
        ties::narrowed(&prepared, number, expected, got).compare(got, &guard::rests_of(array))
    };
    report.outputs = outputs.map(compare).collect();
    let found = |(e, c): (&Expected, _)| wrong(e, c, &[]);
    report.findings = expected.iter().zip(&report.outputs).filter_map(found).collect();
    if !report.findings.is_empty() {
        report.verdict = Verdict::Fail;
    } else if report.outputs.iter().all(|o| o.judged() == 0) {
        report.verdict = Verdict::Blind;
    }
    let unwritten = got.iter().map(|g| vec![false; g.len()]).collect();
    let packed =
        arrays.outputs.iter().map(|a| matches!(a.dtype, DType::Block(_)).then(|| a.clone())).collect();
    Ok(Trial { prepared, expected, got, packed, unwritten, report })
}

/// What is said of elements that nothing is promised of.
fn free(reports: &[CaseReport]) -> String {
    let outputs = || reports.iter().flat_map(|r| &r.outputs);
    let (free, all) = (outputs().map(|o| o.free).sum::<usize>(), outputs().map(|o| o.total).sum::<usize>());
    match free {
        0 => String::new(),
        _ => {
            format!(
                "{free} of {} not judged: NaN, infinity, overflow or a rounding that goes either way touches them",
                plural(all, "element")
            )
        }
    }
}

/// The trials that tell of a rung; more of them tell no more.
const TELLING: usize = 4;

fn conclude(claim: &Claim, kernel: &Kernel, trials: Vec<Trial>, leading: &[usize]) -> KernelReport {
    let reports: Vec<CaseReport> = trials.iter().map(|t| t.report.clone()).collect();
    let verdict = together(&reports);
    let promised = (claim.compute, claim.accumulate);
    let count = |v| reports.iter().filter(|r| r.verdict == v).count();
    let mut out = KernelReport {
        kernel: kernel.name.clone(),
        op: kernel.op.name.clone(),
        device: "elsewhere".into(),
        form: wider::sentence(&trials, &reports),
        verdict,
        sharp: reports.iter().filter(|r| r.is_sharp()).count(),
        ratio: reports.iter().fold(0.0, |m, r| m.max(r.ratio())),
        measures: report::measures(&reports),
        promised: Some(rung::rungs(promised, true)),
        promise: Some(promise::promise(kernel)),
        reason: free(&reports),
        ..KernelReport::default()
    };
    out.cases = Counts {
        pass: count(Verdict::Pass),
        blind: count(Verdict::Blind),
        fail: count(Verdict::Fail),
        ..Counts::default()
    };
    let sums = trials.iter().any(|t| t.prepared.at.longest_sum() > 1);
    if verdict.is_bad() {
        let mut failing: Vec<(usize, Trial)> = trials.into_iter().enumerate().collect();
        failing.retain(|(_, t)| t.report.verdict.is_bad());
        let first = failing.first().map_or(0, |(at, _)| *at);
        failing.sort_by(|(_, a), (_, b)| b.report.ratio().total_cmp(&a.report.ratio()));
        failing.truncate(TELLING);
        let worst = failing.first().map_or(0, |(at, _)| *at);
        let failing: Vec<Trial> = failing.into_iter().map(|(_, trial)| trial).collect();
        out.behaves_like = rung::likest(&failing).map(|pair| rung::rungs(pair, sums));
        let which = (!leading.is_empty()).then(|| application(leading, first, worst));
        out.failure = explained(&failing).map(|f| FailureReport { reason: which.unwrap_or_default(), ..f });
    } else {
        let mut telling: Vec<&Trial> = trials.iter().collect();
        telling.sort_by(|a, b| b.report.ratio().total_cmp(&a.report.ratio()));
        telling.truncate(TELLING);
        out.behaves_like = rung::of(&telling).map(|pair| rung::rungs(pair, sums));
    }
    out
}

/// The worst of the failing trials, looked at as that of a kernel.
fn explained(failing: &[Trial]) -> Option<FailureReport> {
    let (worst, others) = failing.split_first()?;
    let all: Vec<&Trial> = failing.iter().collect();
    let formula = formula::change(&all, &Vec::new, None).map(Pattern::from);
    let accident = |p: &Pattern| others.iter().any(|other| diagnose::by_accident(p, other));
    let seen = diagnose::patterns(worst, &[]).into_iter().filter(|p| !accident(p));
    Some(FailureReport {
        patterns: formula.into_iter().chain(seen).collect(),
        // nobody could run it again by its regime
        case: None,
        repeat: String::new(),
        ..report::failure(worst, &Repeat::default())
    })
}

/// Which of several applications are told of.
fn application(leading: &[usize], first: usize, worst: usize) -> String {
    let at = |number| indices(leading, number);
    let shown = match first == worst {
        true => "that is shown".to_string(),
        false => format!("shown is the worst, at {:?}", at(worst)),
    };
    format!("the first wrong application is at {:?} of the leading dimensions; {shown}", at(first))
}

/// An array as another type stores it: each number must be what storing makes of it, and packed ones may be off by what
/// quantisation loses.
pub fn stored_as(name: &str, due: &Tensor, got: &Tensor, policy: Option<&Policy>) -> Compared {
    let values = due.to_f64();
    let bars: Vec<f64> = match got.dtype {
        _ if got.dtype == due.dtype => vec![0.0; values.len()],
        DType::Float(float) => values.iter().map(|v| float.half_ulp(*v)).collect(),
        DType::Int { .. } => vec![0.5; values.len()],
        DType::Block(_) | DType::Bool => vec![0.0; values.len()],
    };
    let (name, shape, dtype) = (name.to_string(), due.shape.clone(), got.dtype);
    let mut expected =
        Expected { name, shape, dtype, values, low: Vec::new(), bars, any: Default::default(), policy: None };
    if let DType::Block(format) = got.dtype
        && due.dtype != got.dtype
    {
        ktwin_lang::block_bars(format, &expected.values, &mut expected.bars);
    }
    if let Some(policy) = policy {
        let rounded: Vec<f64> = expected.values.iter().map(|v| dtype.round(*v)).collect();
        expected.policy = Some(Decider::new(policy, &expected, &rounded, (1, 0.0)));
    }
    let numbers = got.to_f64();
    let metrics = Metrics::of(&expected, &numbers);
    // of 64 bits f64 lacks some, which measures leave out
    expected.low = guard::rests_of(due);
    let compared = expected.compare(&numbers, &guard::rests_of(got));
    let wrong_class = compared.wrong_class;
    Compared { metrics: Metrics { wrong_class, ..metrics }, ..compared }
}
