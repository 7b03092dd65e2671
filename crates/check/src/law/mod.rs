//! Kernels of random ops are judged by the law of what they give. What an element may be at all is known exactly
//! (`support`). How often it is what, ranks tell (`sample`): each outcome stands among a few that the twin drew itself,
//! in launches with many seeds (`seeds`), on the case's inputs and on inputs that are alike for all independent parts
//! of the outputs (`units`). Ranks must be uniform and independent (`tested`), by bounds that always hold (`chance`).

mod chance;
mod changed;
mod distance;
mod given;
mod pairs;
mod same;
mod sample;
mod seeds;
mod support;
mod tails;
mod tested;
mod units;
mod variety;
mod watch;

use ktwin_lang::{Op, Sharing};
use ktwin_num::math::{exp, log};
use ktwin_num::{DType, Layout, Tensor};
use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::compare::Expected;
use crate::device::{Launch, Program, Ran};
use crate::finding::{Finding, Kind};
use crate::guard::elements;
use crate::inputs::Prepared;
use crate::launch::Memory;
use crate::trial::{Trial, failed, without_result};
use crate::verdict::{CaseReport, Verdict};
use given::Given;
use same::Same;
use sample::{DRAWN, Sample};
use tested::{INDEPENDENCE, Tested};
use units::{Units, units};
use watch::Watch;

/// The probability that a kernel which follows the law is refused, in all cases of a run together.
pub const FALSE_ALARMS: f64 = 1e-9;
/// Outcomes that are wanted of a case, and the launches that may be made for them: with few units, and with many.
const WANTED: [(usize, usize); 2] = [(1 << 16, 24), (1 << 19, 64)];
/// The units from which on they are many.
const MANY: usize = 1 << 14;
/// The points that the twin may walk for one of the two kinds of inputs.
const POINTS: f64 = (1 << 25) as f64;
/// Outcomes that are few.
const FEW: usize = 1 << 12;
/// Outcomes of one case in which so much of the law shows that later ones are content with fewer.
pub(crate) const SHOWN: u64 = 1 << 18;
/// Findings of one case.
const FINDINGS: usize = 3;

/// What was seen of a law.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LawReport {
    /// Outcomes that were looked at.
    pub samples: u64,
    /// Tests that were made of them.
    pub tests: usize,
    /// The change of a probability of one half that would be seen 999 times of 1000: the smallest of all cases.
    pub visible: f64,
    /// A bound on the probability that a kernel which follows the law is refused.
    pub false_alarms: f64,
    /// The test whose outcome is the least likely.
    pub least: Option<LawTest>,
}

/// One test of a law.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LawTest {
    /// `mean`, `distribution`, `value`, `alone`, `variety`, `tail` or `independence`.
    pub test: String,
    /// The output.
    pub output: String,
    /// What was seen: a mean rank, a share of ranks, a count.
    pub statistic: f64,
    /// What it is on average of kernels that follow the law.
    pub due: f64,
    /// How much it was seen in.
    pub samples: u64,
    /// A bound on the probability that it is as far off by chance.
    pub p: f64,
    /// Below this the kernel is refused.
    pub limit: f64,
}

impl LawReport {
    /// What several cases show together.
    pub fn together<'r>(reports: impl Iterator<Item = &'r LawReport>) -> Option<LawReport> {
        reports.cloned().reduce(|a, b| LawReport {
            samples: a.samples + b.samples,
            tests: a.tests + b.tests,
            visible: a.visible.min(b.visible),
            false_alarms: a.false_alarms + b.false_alarms,
            least: a
                .least
                .into_iter()
                .chain(b.least)
                .min_by(|a, b| (a.p / a.limit).total_cmp(&(b.p / b.limit))),
        })
    }
}

/// The nearest outcome of a random op to what came out of a launch.
pub(crate) fn nearest(prepared: &Prepared, got: &[Vec<f64>]) -> Result<Vec<Expected>, String> {
    let op = prepared.kernel.op.with_draws();
    support::nearest(&Given::new(&op, prepared)?, &prepared.kernel.op.sharing(), got)
}

/// What a law is judged with.
pub(crate) struct Judge<'j> {
    pub program: &'j dyn Program,
    /// The probability that this case may refuse a kernel which follows the law.
    pub share: f64,
    /// Launches that go together.
    pub together: usize,
    /// It takes one of so many outcomes that are wanted of a case.
    pub part: usize,
}

impl Judge<'_> {
    /// Judges the law of a case in which nothing else is wrong.
    pub fn judge<'a>(&self, mut trial: Trial<'a>) -> Result<Trial<'a>, Box<CaseReport>> {
        let prepared = trial.prepared.clone();
        if trial.report.verdict.is_bad() || prepared.case.regime.is_special() {
            return Ok(trial);
        }
        let (op, sharing) = (prepared.kernel.op.with_draws(), prepared.kernel.op.sharing());
        let (mut samples, mut said) = (Vec::new(), None);
        let both = [Some(prepared.inputs.clone()), alike(&prepared, &sharing)];
        for (alike, inputs) in [false, true].into_iter().zip(both) {
            let Some(inputs) = inputs else { continue };
            let prepared = Prepared { inputs, ..prepared.clone() };
            let mut same = Same::new(alike);
            samples.extend(self.observe(&prepared, &op, &sharing, &mut trial, &mut same)?);
            said = said.or(same.said());
        }
        samples.retain(Sample::tells);
        self.conclude(&samples, &mut trial.report);
        let wrong = trial.report.findings.iter_mut().find(|finding| finding.kind == Kind::WrongLaw);
        if let Some((wrong, said)) = wrong.zip(said) {
            wrong.message = format!("{}: {said}", wrong.message);
        }
        Ok(trial)
    }

    /// Launches with many seeds, and what came out of them as ranks.
    fn observe(
        &self,
        prepared: &Prepared,
        op: &Op,
        sharing: &[Sharing],
        trial: &mut Trial,
        same: &mut Same,
    ) -> Result<Vec<Sample>, Box<CaseReport>> {
        let skip = |reason| Box::new(without_result(&prepared.case, Verdict::Skip, reason, trial_start()));
        let cases = seeds::cases(prepared, launches(prepared, &units(prepared, sharing), self.part));
        let mut watch = Watch::new(op, prepared, sharing, cases.len()).map_err(skip)?;
        self.launched(prepared, &cases, &mut |ran, got| {
            let new = ran.findings.iter().filter(|f| !f.note && !trial.report.findings.contains(f));
            trial.report.findings.extend(new.cloned().collect::<Vec<_>>());
            same.add(&got);
            watch.add(&got).map_err(skip)
        })?;
        Ok(watch.settled())
    }

    /// Runs cases that differ in their seeds, as many together as the device takes, and hands over what came out.
    fn launched(
        &self,
        prepared: &Prepared,
        cases: &[Case],
        seen: &mut dyn FnMut(&Ran, Vec<Vec<f64>>) -> Result<(), Box<CaseReport>>,
    ) -> Result<(), Box<CaseReport>> {
        let skip = |reason| Box::new(without_result(&prepared.case, Verdict::Skip, reason, trial_start()));
        for cases in cases.chunks(self.together.max(1)) {
            let mut made: Vec<(Launch, Memory)> = Vec::new();
            for case in cases {
                let at = case.bind(&prepared.kernel.op).map_err(|e| skip(e.to_string()))?;
                let seeded = Prepared { case: case.clone(), at, ..prepared.clone() };
                made.push(seeded.launch(0).map_err(skip)?);
            }
            let (launches, memories): (Vec<_>, Vec<_>) = made.into_iter().unzip();
            for (ran, memory) in self.program.run(launches).into_iter().zip(&memories) {
                let ran = ran.map_err(|failure| Box::new(failed(&prepared.case, &failure)))?;
                let got = outputs(memory, &ran.buffers);
                seen(&ran, got)?;
            }
        }
        Ok(())
    }

    /// What the samples say of the kernel.
    fn conclude(&self, samples: &[Sample], report: &mut CaseReport) {
        let tested: Vec<(&Sample, Tested)> =
            samples.iter().flat_map(|s| tested::all(s).into_iter().map(move |t| (s, t))).collect();
        // half of it for the few tests that tell most
        let few = tested.iter().filter(|(_, test)| test.is_of_all()).count();
        let limit =
            |of_all: bool| self.share / 2.0 / (if of_all { few } else { tested.len() - few }).max(1) as f64;
        let told = |(sample, test): &(&Sample, Tested)| LawTest {
            test: test.test.to_string(),
            output: sample.output.clone(),
            statistic: test.statistic,
            due: test.due,
            samples: test.samples,
            p: exp(test.chance),
            limit: limit(test.is_of_all()),
        };
        let mut bad: Vec<&(&Sample, Tested)> =
            tested.iter().filter(|(_, t)| t.chance < log(limit(t.is_of_all()))).collect();
        bad.sort_by(|a, b| a.1.plain().cmp(&b.1.plain()).then(a.1.chance.total_cmp(&b.1.chance)));
        let mut seen = Vec::new();
        for (sample, test) in &bad {
            // what comes too often alone comes too often in pairs
            let follows = test.test == INDEPENDENCE
                && bad.iter().any(|(s, t)| s.output == sample.output && t.test != INDEPENDENCE);
            if seen.len() < FINDINGS && !follows && !seen.contains(&(&sample.output, test.test)) {
                seen.push((&sample.output, test.test));
                let chance = test.chance / std::f64::consts::LN_10;
                let message = format!("{} (by chance less than 1 in 1e{:.0})", test.said, -chance.ceil());
                report.findings.push(Finding::new(Kind::WrongLaw, message));
            }
        }
        let ranked = || samples.iter().filter(|s| s.told > 0).map(|s| s.ranks.len() as u64);
        let largest = ranked().max().unwrap_or(0);
        report.law = Some(LawReport {
            samples: ranked().sum(),
            tests: tested.len(),
            visible: if largest == 0 {
                1.0
            } else {
                chance::visible(largest, DRAWN, log(limit(true))).min(1.0)
            },
            false_alarms: self.share,
            least: tested.iter().min_by(|a, b| a.1.chance.total_cmp(&b.1.chance)).map(told),
        });
        if report.errors().next().is_some() {
            report.verdict = Verdict::Fail;
        }
    }
}

fn trial_start() -> std::time::Instant {
    std::time::Instant::now()
}

/// How many launches a case gets, for one of so many outcomes.
fn launches(prepared: &Prepared, units: &[Units], part: usize) -> usize {
    let each = units.iter().map(|u| u.count).max().unwrap_or(1).max(1);
    let (wanted, most) = WANTED[usize::from(each >= MANY)];
    let part = if each >= MANY { part } else { 1 };
    let room = POINTS / (f64::from(DRAWN) * prepared.at.points().max(1.0) * part as f64);
    // where that leaves few outcomes, twice as much
    let room = (room as usize).max(FEW.div_ceil(each).min(2 * room as usize));
    wanted.div_ceil(part * each).min(most).min(room).max(1)
}

/// What came out of a launch, output by output.
pub(crate) fn outputs(memory: &Memory, buffers: &[Vec<u8>]) -> Vec<Vec<f64>> {
    let one =
        |(number, shell): &(usize, Tensor)| elements(shell, &memory.buffers[*number], &buffers[*number]);
    memory.outputs.iter().map(one).collect()
}

/// Inputs that are the same for all units: along dimensions of the outputs along which units lie, the first index is
/// everywhere. None where that changes nothing.
fn alike(prepared: &Prepared, sharing: &[Sharing]) -> Option<Vec<Tensor>> {
    let op = &prepared.kernel.op;
    let along: Vec<&String> = op
        .outputs
        .iter()
        .zip(sharing)
        .filter(|(_, sharing)| sharing.random)
        .flat_map(|(info, sharing)| info.axes.iter().zip(&sharing.apart).filter(|(_, apart)| **apart))
        .map(|(axis, _)| axis)
        .collect();
    let mut changed = false;
    let mut inputs = prepared.inputs.clone();
    for (info, tensor) in op.inputs.iter().zip(&mut inputs) {
        let plain =
            prepared.case.layout(&info.name) == Layout::Row && !matches!(tensor.dtype, DType::Block(_));
        let axes: Vec<usize> = (0..info.axes.len()).filter(|a| along.contains(&&info.axes[*a])).collect();
        if plain && !axes.is_empty() && tensor.len() > 1 {
            *tensor = repeated(tensor, &axes);
            changed = true;
        }
    }
    changed.then_some(inputs)
}

/// A tensor with its first slice along these axes everywhere.
fn repeated(tensor: &Tensor, axes: &[usize]) -> Tensor {
    let shape = &tensor.shape;
    let stride = |axis: usize| shape[axis + 1..].iter().product::<usize>();
    let from = |at: usize| at - axes.iter().map(|a| at / stride(*a) % shape[*a] * stride(*a)).sum::<usize>();
    let size = tensor.dtype.bytes_per_block();
    let bytes = (0..tensor.len()).flat_map(|at| &tensor.bytes[from(at) * size..(from(at) + 1) * size]);
    Tensor { bytes: bytes.copied().collect(), ..tensor.clone() }
}
