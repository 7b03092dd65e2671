//! Proves the error bars of an op: evaluations that honest kernels could return must stay inside, however they
//! write the formula; evaluations of a coarser rung must leave them somewhere. Gives plain numbers; who asked
//! prints them.

mod cases;
mod draw;
mod promised;

use ktwin_num::{DType, Float, Language, Regime};
use rayon::prelude::*;

use crate::case::Case;
use crate::evaluate::{Elements, EvalError, Meaning, Order, Output, Promise, Rounding};
use crate::example::Example;
use crate::op::Op;
pub use cases::examples;
pub(crate) use cases::{Trial, trial};
pub use promised::Promised;
use promised::Way;

/// What was seen of one op with one promise.
#[derive(Clone, Debug)]
pub struct Proof {
    pub op: String,
    pub promised: Promised,
    /// Evaluations that an honest kernel could return, and the largest ratio of their error to the bar.
    pub honest: usize,
    pub honest_worst: f64,
    /// Where that was: the case, as one would write it, and the way of writing.
    pub honest_at: String,
    /// Other ways of writing the op that were held against its bars, too.
    pub variants: usize,
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

    /// What cannot be tried.
    fn none(op: &Op, promised: Promised, problem: String) -> Proof {
        Proof { problem: Some(problem), ..Proof::new(op, promised, 0) }
    }

    fn new(op: &Op, promised: Promised, variants: usize) -> Proof {
        let coarse = |way: Way| Coarse {
            name: way.0,
            rung: way.2,
            worst: 0.0,
            at: String::new(),
            sharp: 0,
            differs: false,
        };
        Proof {
            op: op.name.clone(),
            promised,
            honest: 0,
            honest_worst: 0.0,
            honest_at: String::new(),
            variants,
            coarse: promised.coarser().into_iter().map(coarse).collect(),
            cases: 0,
            blind: Vec::new(),
            problem: None,
        }
    }

    fn add(&mut self, trial: &Trial, seen: &Seen) {
        self.cases += 1;
        self.honest += seen.honest;
        if seen.honest_worst > self.honest_worst {
            self.honest_worst = seen.honest_worst;
            self.honest_at = format!("{}{}", trial.name, seen.written);
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

/// Proves the bars of an op for one promise. `variants` are other ways of writing it, with the same tensors and
/// scalars: an honest kernel may use any of them.
pub fn prove(op: &Op, variants: &[Op], promised: Promised, regimes: &[Regime]) -> Proof {
    let examples = cases::examples(op, &promised);
    if examples.is_empty() {
        return Proof::none(op, promised, "found no sizes that the op takes".into());
    }
    if let Some(other) = variants.iter().find(|variant| !op.takes_what(variant)) {
        return Proof::none(op, promised, format!("{} takes other tensors or scalars", other.name));
    }
    let regimes: Vec<Regime> = regimes.iter().copied().filter(|regime| promised.speaks_of(*regime)).collect();
    let tried: Vec<(&Example, Regime)> =
        examples.iter().flat_map(|example| regimes.iter().map(move |r| (example, *r))).collect();
    let see = |(example, regime): &(&Example, Regime)| {
        let case = op.bind_example(example).ok_or("the sizes make no case")?;
        let trial = trial(case, example, &promised, *regime);
        let variants = variants.iter().filter(|_| promised.leaves_open(*regime));
        let others: Vec<Case> = variants.filter_map(|v| v.bind_example(example)).collect();
        let seen = Prover { trial: &trial, promised }.see(&others);
        seen.map(|seen| (seen, trial))
            .map_err(|problem| format!("{} {regime:?}: {problem}", example_name(example)))
    };
    let seen: Vec<Result<(Seen, Trial), String>> = tried.par_iter().map(see).collect();
    let mut proof = Proof::new(op, promised, variants.len());
    for seen in seen {
        match seen {
            Ok((seen, trial)) => proof.add(&trial, &seen),
            Err(problem) => proof.problem = Some(problem),
        }
    }
    proof
}

fn example_name(example: &Example) -> String {
    example.dims.iter().map(|(name, size)| format!("{name}={size}")).collect::<Vec<_>>().join(",")
}

impl Op {
    /// Whether another op has the same tensors and scalars in the same order.
    fn takes_what(&self, other: &Op) -> bool {
        let names = |op: &Op| {
            let tensors = op.inputs.iter().chain(&op.outputs).map(ToString::to_string);
            tensors.chain(op.scalars.iter().map(|s| s.name.clone())).collect::<Vec<_>>()
        };
        names(self) == names(other)
    }
}

/// What one case showed.
struct Seen {
    honest: usize,
    honest_worst: f64,
    /// The way of writing that was worst.
    written: String,
    /// For each way the worst ratio, and whether any element differed.
    coarse: Vec<(f64, bool)>,
}

/// One case of one promise.
struct Prover<'a> {
    trial: &'a Trial<'a>,
    promised: Promised,
}

impl Prover<'_> {
    fn see(&self, others: &[Case]) -> Result<Seen, String> {
        let own = &self.trial.case;
        // honest evaluations round every function correctly: the sharpest bars are the hardest for them;
        // coarse ones must be seen through the bars that kernels are really judged by
        let tight = self.run(own, &self.bars(Language::Correct))?;
        let judged = self.run(own, &self.bars(self.language()))?;
        let mut seen = Seen { honest: 0, honest_worst: 0.0, written: String::new(), coarse: Vec::new() };
        let Promised { compute, accumulate, .. } = self.promised;
        for (number, case) in std::iter::once(own).chain(others).enumerate() {
            for order in self.orders(case, number > 0) {
                for fused in [false, true] {
                    let rounding =
                        Rounding { order: *order, fused, ..self.rounding(case, compute, accumulate) };
                    let made = self.run(case, &Meaning::Rounded(rounding))?;
                    let worst = self.worst(&tight, &made).max(self.worst(&judged, &made));
                    seen.honest += 1;
                    if worst > seen.honest_worst {
                        seen.honest_worst = worst;
                        let fused = if fused { " fused" } else { "" };
                        let variant = if number > 0 { format!(" {}", case.op.name) } else { String::new() };
                        seen.written = format!("{variant} {order:?}{fused}");
                    }
                }
            }
        }
        let plain = self.run(own, &Meaning::Rounded(self.rounding(own, compute, accumulate)))?;
        for (_, compute, accumulate) in self.promised.coarser() {
            let made = self.run(own, &Meaning::Rounded(self.rounding(own, compute, accumulate)))?;
            seen.coarse.push((self.worst(&judged, &made), differ(&plain, &made)));
        }
        Ok(seen)
    }

    /// The language whose bars coarse kernels must be seen through: WGSL where it has the rung.
    fn language(&self) -> Language {
        let wgsl = [Float::F32, Float::F16].iter().any(|f| f.same_format(self.promised.compute));
        if wgsl { Language::Wgsl } else { Language::Cuda }
    }

    /// The orders that can differ: one where nothing is summed; the two that are farthest apart where f32 has shown
    /// what all of them do.
    fn orders(&self, case: &Case, variant: bool) -> &'static [Order] {
        match case.longest_sum() {
            0 | 1 => &[Order::Sequential],
            _ if self.promised.is_usual() && !variant => Order::ALL,
            _ => &[Order::Sequential, Order::Strided(32)],
        }
    }

    /// The largest ratio of an error to its bar over all elements of all outputs.
    fn worst(&self, expected: &[Output], got: &[Output]) -> f64 {
        let outputs = expected.iter().zip(got).zip(&self.trial.outputs);
        let ratios = outputs.flat_map(|((want, got), dtype)| {
            let float = dtype.and_then(DType::float);
            let overflow = move |v: f64, g| v.is_infinite() && float.is_some_and(|f| f.may_store(v, g));
            let all = want.values.iter().zip(&want.bars).zip(&got.values);
            all.map(move |((v, b), g)| if overflow(*v, *g) { 0.0 } else { ratio(*v, *b, *g) })
        });
        ratios.fold(0.0, f64::max)
    }

    fn run(&self, case: &Case, meaning: &Meaning) -> Result<Vec<Output>, String> {
        case.evaluate(&self.trial.inputs, meaning, Elements::All).map_err(|e: EvalError| e.to_string())
    }

    fn bars(&self, language: Language) -> Meaning {
        let (op, promised) = (self.trial.case.op, &self.promised);
        let mut promise = Promise::new(op, language, promised.compute, promised.accumulate);
        promise = promise.reading(&self.trial.inputs);
        promise.structured = self.trial.regime.is_structured();
        promise.outputs = self.trial.outputs.clone();
        promise.rounds = promised.rounds(op);
        Meaning::Bars(promise)
    }

    fn rounding(&self, case: &Case, compute: Float, accumulate: Float) -> Rounding {
        let (outputs, rounds) = (self.trial.outputs.clone(), self.promised.rounds(case.op));
        Rounding { outputs, rounds, ..Rounding::new(case.op, compute, accumulate) }
    }
}

fn differ(a: &[Output], b: &[Output]) -> bool {
    let bits = |o: &Output| o.values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    a.iter().zip(b).any(|(a, b)| bits(a) != bits(b))
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
