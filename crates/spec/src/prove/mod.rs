//! Proves the error bars of an op: evaluations that honest kernels could return must stay inside,
//! evaluations of a coarser rung
//! must leave them somewhere. Gives plain numbers; who asked prints them.

mod cases;

use ktwin_num::{Float, Language, Regime};
use rayon::prelude::*;

use crate::evaluate::{Elements, EvalError, Meaning, Order, Output, Promise, Rounding};
use crate::op::Op;
pub(crate) use cases::{Trial, trial};

/// The promise that is proved: arithmetic in f32.
const PROMISED: Float = Float::F32;

/// What was seen of one op with one storage type.
#[derive(Clone, Debug)]
pub struct Proof {
    pub op: String,
    /// The storage of its real tensors.
    pub storage: Float,
    /// Evaluations that an honest kernel could return, and the largest ratio of their error to the bar.
    pub honest: usize,
    pub honest_worst: f64,
    /// Where that was: the case, as one would write it.
    pub honest_at: String,
    /// One entry for each way to be too coarse.
    pub coarse: Vec<Coarse>,
    /// Cases tried, and those that no coarser evaluation failed: they are blind.
    pub cases: usize,
    pub blind: Vec<String>,
    /// What could not be tried, and why.
    pub problem: Option<String>,
}

/// One way to be too coarse.
#[derive(Clone, Debug)]
pub struct Coarse {
    pub name: &'static str,
    pub rung: Float,
    /// The largest ratio over all cases, and the case: above 1 it was caught.
    pub worst: f64,
    pub at: String,
    /// Cases that caught it.
    pub sharp: usize,
    /// Whether it ever gave another number than the promised rung: where nothing is summed, the accumulator
    /// cannot.
    pub differs: bool,
}

impl Proof {
    /// Whether every honest evaluation stayed inside.
    pub fn sound(&self) -> bool {
        self.problem.is_none() && self.honest > 0 && self.honest_worst <= 1.0
    }

    /// Whether every way to be too coarse was caught in some case.
    pub fn sharp(&self) -> bool {
        self.coarse.iter().all(|c| c.worst > 1.0 || !c.differs)
    }
}

/// Ways to be too coarse: everything, or the accumulator alone, in tf32, or in the storage's own rung where
/// tf32 holds it.
fn coarser(storage: Float) -> [(&'static str, Float, Float); 2] {
    let coarse = if storage.unit_roundoff() < Float::TF32.unit_roundoff() { Float::TF32 } else { storage };
    [("all operations", coarse, coarse), ("accumulator", PROMISED, coarse)]
}

/// Proves the bars of an op for one storage type of its real tensors.
pub fn prove(op: &Op, storage: Float, regimes: &[Regime]) -> Proof {
    let ways = coarser(storage);
    let mut proof = Proof {
        op: op.name.clone(),
        storage,
        honest: 0,
        honest_worst: 0.0,
        honest_at: String::new(),
        coarse: ways
            .iter()
            .map(|w| Coarse { name: w.0, rung: w.2, worst: 0.0, at: String::new(), sharp: 0, differs: false })
            .collect(),
        cases: 0,
        blind: Vec::new(),
        problem: None,
    };
    let trials = cases::trials(op, storage, regimes);
    if trials.is_empty() {
        proof.problem = Some("no sizes were found that make a case".to_string());
    }
    let seen: Vec<Result<Seen, String>> = trials.par_iter().map(|trial| see(trial, &ways)).collect();
    for (trial, seen) in trials.iter().zip(seen) {
        match seen {
            Ok(seen) => proof.add(trial, &seen),
            Err(problem) => proof.problem = Some(format!("{}: {problem}", trial.name)),
        }
    }
    proof
}

/// What one case showed.
struct Seen {
    honest: usize,
    honest_worst: f64,
    /// For each way the worst ratio, and whether any element differed.
    coarse: Vec<(f64, bool)>,
}

impl Proof {
    fn add(&mut self, trial: &Trial, seen: &Seen) {
        self.cases += 1;
        self.honest += seen.honest;
        if seen.honest_worst > self.honest_worst {
            self.honest_worst = seen.honest_worst;
            self.honest_at = trial.name.clone();
        }
        for (coarse, (worst, differs)) in self.coarse.iter_mut().zip(&seen.coarse) {
            coarse.differs |= differs;
            coarse.sharp += usize::from(*worst > 1.0);
            if *worst > coarse.worst {
                coarse.worst = *worst;
                coarse.at = trial.name.clone();
            }
        }
        if seen.coarse.iter().all(|(worst, _)| *worst <= 1.0) {
            self.blind.push(trial.name.clone());
        }
    }
}

fn see(trial: &Trial, ways: &[(&'static str, Float, Float)]) -> Result<Seen, String> {
    let said = |e: EvalError| e.to_string();
    // honest evaluations round every function correctly: the sharpest bars are the hardest for them;
    // coarse ones must be seen through the bars that kernels are really judged by
    let tight = trial.run(&trial.bars(Language::Correct)).map_err(said)?;
    let judged = trial.run(&trial.bars(Language::Wgsl)).map_err(said)?;
    let mut seen = Seen { honest: 0, honest_worst: 0.0, coarse: Vec::new() };
    for order in trial.orders() {
        for fused in [false, true] {
            let rounding = Rounding { order: *order, fused, ..trial.rounding(PROMISED, PROMISED) };
            let made = trial.run(&Meaning::Rounded(rounding)).map_err(said)?;
            seen.honest += 1;
            seen.honest_worst =
                seen.honest_worst.max(worst_ratio(&tight, &made)).max(worst_ratio(&judged, &made));
        }
    }
    let plain = trial.run(&Meaning::Rounded(trial.rounding(PROMISED, PROMISED))).map_err(said)?;
    for (_, compute, accumulate) in ways {
        let made = trial.run(&Meaning::Rounded(trial.rounding(*compute, *accumulate))).map_err(said)?;
        seen.coarse.push((worst_ratio(&judged, &made), differ(&plain, &made)));
    }
    Ok(seen)
}

fn differ(a: &[Output], b: &[Output]) -> bool {
    let bits = |o: &Output| o.values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    a.iter().zip(b).any(|(a, b)| bits(a) != bits(b))
}

/// The largest ratio of an error to its bar over all elements of all outputs.
fn worst_ratio(expected: &[Output], got: &[Output]) -> f64 {
    let outputs = expected.iter().zip(got);
    let ratios = outputs.flat_map(|(want, got)| {
        want.values.iter().zip(&want.bars).zip(&got.values).map(|((v, b), g)| ratio(*v, *b, *g))
    });
    ratios.fold(0.0, f64::max)
}

/// How far an element is from the twin, in bars. Where the mathematics says NaN or an infinity, just that
/// is right.
pub fn ratio(value: f64, bar: f64, got: f64) -> f64 {
    if bar == f64::INFINITY || value == got || (value.is_nan() && got.is_nan()) {
        return 0.0;
    }
    let error = (got - value).abs();
    if error.is_nan() || bar == 0.0 || !error.is_finite() {
        return f64::INFINITY;
    }
    error / bar
}

impl Trial<'_> {
    fn run(&self, meaning: &Meaning) -> Result<Vec<Output>, EvalError> {
        self.case.evaluate(&self.inputs, meaning, Elements::All)
    }

    fn bars(&self, language: Language) -> Meaning {
        let mut promise = Promise::new(self.case.op, language, PROMISED, PROMISED).reading(&self.inputs);
        promise.structured = self.regime.is_structured();
        promise.outputs = self.outputs.clone();
        Meaning::Bars(promise)
    }

    fn rounding(&self, compute: Float, accumulate: Float) -> Rounding {
        Rounding { outputs: self.outputs.clone(), ..Rounding::new(self.case.op, compute, accumulate) }
    }

    /// The orders that can differ: one where nothing is summed.
    fn orders(&self) -> &'static [Order] {
        if self.case.longest_sum() > 1 { Order::ALL } else { &Order::ALL[..1] }
    }
}
