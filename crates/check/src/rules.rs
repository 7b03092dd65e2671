//! What a rule is worth: run on evaluations that are known to be honest, on coarser ones and on mutants. Knows the
//! twin; runs no kernel.

use ktwin_lang::{Case as OpCase, Change, Elements, Example, Meaning, Op, Open, Order, Output, Rounding};
use ktwin_num::{DType, Fill, Float, Language, Regime, Sharp, Tensor, fill};

use crate::compare::Expected;
use crate::elsewhere::{self, Arrays, Claim};
use crate::inputs::Prepared;
use crate::metrics::ulp;
use crate::mutants::{Mutant, mutated};
use crate::policy::{Decider, Policy, stored};
use crate::promise::Content;

/// How often something happened, and of how often it could.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How often it did.
    pub count: usize,
    /// How often it could.
    pub of: usize,
}

impl Share {
    fn add(&mut self, happened: bool) {
        self.count += usize::from(happened);
        self.of += 1;
    }
}

/// What a rule did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Honest evaluations that it refuses.
    pub refused: Share,
    /// Coarser evaluations that it takes.
    pub coarse: Share,
    /// Wrong outputs that it takes.
    pub wrong: Share,
}

impl Tally {
    /// Both together.
    pub fn and(self, other: Tally) -> Tally {
        let sum = |a: Share, b: Share| Share { count: a.count + b.count, of: a.of + b.of };
        Tally {
            refused: sum(self.refused, other.refused),
            coarse: sum(self.coarse, other.coarse),
            wrong: sum(self.wrong, other.wrong),
        }
    }
}

/// Pairs of rungs coarser than f32 throughout.
pub const COARSE: [(Float, Float); 4] = [
    (Float::TF32, Float::F32),
    (Float::F32, Float::TF32),
    (Float::F16, Float::F16),
    (Float::BF16, Float::BF16),
];

/// So many changes of an op are tried, out of all that there are, at even distances.
const CHANGES: usize = 8;
/// One whose evaluation takes so many times the op's own is left out.
const DEARER: f64 = 4.0;
/// Units in the last place by which a changed op must move some number to be wrong.
const MOVED: f64 = 16.0;

/// One case of an op with what kernels of some promise may return, and what they may not.
pub struct Samples {
    /// What is due.
    pub expected: Vec<Expected>,
    /// Terms of the longest sum, and the coarsest promised roundoff.
    pub scale: (usize, f64),
    /// Outputs of honest evaluations; the first sums in sequence.
    pub honest: Vec<Vec<Vec<f64>>>,
    /// Those of coarser ones that differ from it, with their rungs.
    pub coarse: Vec<((Float, Float), Vec<Vec<f64>>)>,
    /// Those that mutants make, and those of the op with one thing changed.
    pub wrong: Vec<Vec<Vec<f64>>>,
}

/// Draws the inputs of a case and evaluates it in every way. Every real tensor is stored in one type.
pub fn samples(
    op: &Op,
    example: &Example,
    storage: DType,
    regime: Regime,
    seed: u64,
) -> Result<Samples, String> {
    let case = op.bind_example(example).ok_or("the sizes make no case")?;
    let arrays = drawn(&case, storage, regime, seed);
    let claim = Claim {
        op: op.clone(),
        content: Content::of(&op.text, &[]),
        dims: example.dims.clone(),
        scalars: example.scalars.clone(),
        language: Language::C,
        compute: Float::F32,
        accumulate: Float::F32,
        rounds: Vec::new(),
        worst: Some(regime.is_structured()),
        policy: None,
    };
    let kernel = elsewhere::kernel(&claim, &arrays)?;
    samples_of(&elsewhere::prepared(&claim, &kernel, &kernel.op, &arrays, regime.is_structured())?)
}

/// Evaluates a case of a kernel in every way, by the rungs that it promises.
pub fn samples_of(prepared: &Prepared) -> Result<Samples, String> {
    let (compute, accumulate) = (prepared.kernel.contract.compute, prepared.kernel.contract.accumulate);
    let expected = prepared.expected_at(compute, accumulate)?;
    let honest = honest(prepared)?;
    let mut coarse = Vec::new();
    for (compute, accumulate) in coarser(compute, accumulate) {
        let made = prepared.rounded(compute, accumulate)?;
        if differ(&made, &honest[0]) {
            coarse.push(((compute, accumulate), made));
        }
    }
    let wrong = Mutant::ALL.iter().map(|(_, m)| *m).filter(|m| !m.is_rung() && *m != Mutant::InputCopy);
    let wrong = wrong.map(|mutant| {
        let one = |e: &Expected| -> Vec<f64> {
            (0..e.values.len()).map(|at| stored(e.dtype, mutated(e, mutant, at))).collect()
        };
        expected.iter().map(one).collect::<Vec<_>>()
    });
    // what changes nothing is not wrong
    let mut wrong: Vec<Vec<Vec<f64>>> =
        wrong.filter(|made| expected.iter().zip(made).any(|(e, made)| is_other(e, made))).collect();
    wrong.extend(misread(prepared, &expected));
    let scale = (prepared.at.longest_sum(), compute.unit_roundoff().max(accumulate.unit_roundoff()));
    Ok(Samples { scale, expected, honest, coarse, wrong })
}

/// The pairs of [`COARSE`] that are coarser than a promise somewhere and finer nowhere.
fn coarser(compute: Float, accumulate: Float) -> Vec<(Float, Float)> {
    let than = |a: Float, b: Float| a.unit_roundoff() > b.unit_roundoff();
    let is = |(c, a): &(Float, Float)| {
        let finer = than(compute, *c) || than(accumulate, *a);
        !finer && (than(*c, compute) || than(*a, accumulate))
    };
    COARSE.into_iter().filter(is).collect()
}

/// Inputs of a regime, and outputs of which only the types count.
fn drawn(case: &OpCase, storage: DType, regime: Regime, seed: u64) -> Arrays {
    let typed = |integer: bool| if integer { DType::I32 } else { storage };
    let roles = case.sharp_roles();
    let input = |at: usize| {
        let length = case.longest_sum() as u64;
        let sharp = Some(Sharp { accumulate: Float::F32, length, role: roles[at] });
        let domain = case.input_domain(at);
        let plan = Fill { stream: at as u64, domain, sharp, ..Fill::new(regime, seed) };
        fill(&plan, typed(case.op.inputs[at].integer), &case.input_shapes[at])
    };
    let output = |at: usize| Tensor::zeros(typed(case.op.outputs[at].integer), &case.output_shapes[at]);
    Arrays {
        inputs: (0..case.op.inputs.len()).map(input).collect(),
        outputs: (0..case.op.outputs.len()).map(output).collect(),
    }
}

fn honest(prepared: &Prepared) -> Result<Vec<Vec<Vec<f64>>>, String> {
    let orders = if prepared.at.longest_sum() > 1 { Order::ALL } else { &Order::ALL[..1] };
    let (compute, accumulate) = (prepared.kernel.contract.compute, prepared.kernel.contract.accumulate);
    let mut out = Vec::new();
    for order in orders {
        for fused in [false, true] {
            let plain = prepared.setup.at(compute, accumulate).rounding(&prepared.at);
            let meaning = Meaning::Rounded(Rounding { order: *order, fused, ..plain });
            let made = prepared.at.evaluate(&prepared.inputs, &meaning, Elements::All);
            out.push(made.map_err(|e| e.to_string())?.into_iter().map(|o| o.values).collect());
        }
    }
    Ok(out)
}

fn differ(a: &[Vec<f64>], b: &[Vec<f64>]) -> bool {
    let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    !a.iter().zip(b).all(|(a, b)| a.iter().zip(b).all(same))
}

/// Whether an output is another than what is due, where anything is.
fn is_other(expected: &Expected, made: &[f64]) -> bool {
    let due = expected.values.iter().map(|v| stored(expected.dtype, *v));
    let same = |due: f64, made: f64| due == made || due.is_nan() && made.is_nan();
    due.zip(made).enumerate().any(|(at, (due, made))| !same(due, *made) && !expected.is_free(at))
}

/// What the op gives with one thing changed, for some of its changes, in f64 and stored.
fn misread(prepared: &Prepared, expected: &[Expected]) -> Vec<Vec<Vec<f64>>> {
    let kernel = prepared.kernel;
    let mut changes = kernel.plain.as_ref().unwrap_or(&kernel.op).nearby(&[], &[]);
    // what lies outside of an input is no number
    changes.retain(|change| change.open != Open::Outside);
    let step = changes.len().div_ceil(CHANGES).max(1);
    let made = |change: &Change| {
        let op = change.op()?;
        let at = prepared.case.bind(&op).ok()?;
        // a sum may have become one for each of its results
        if at.points() > DEARER * prepared.at.points() {
            return None;
        }
        let made = at.evaluate(&prepared.inputs, &Meaning::Exact, Elements::All).ok()?;
        let one = |(e, o): (&Expected, Output)| o.values.iter().map(|v| stored(e.dtype, *v)).collect();
        let made: Vec<Vec<f64>> = expected.iter().zip(made).map(one).collect();
        expected.iter().zip(&made).any(|(e, made)| is_moved(e, made)).then_some(made)
    };
    changes.iter().step_by(step).filter_map(made).collect()
}

/// Whether some number is further from what is due than roundings alone might be.
fn is_moved(expected: &Expected, made: &[f64]) -> bool {
    let far = |due: f64, made: f64| match due.is_finite() && made.is_finite() {
        true => (made - due).abs() > MOVED * ulp(expected.dtype, due),
        false => due != made && !(due.is_nan() && made.is_nan()),
    };
    let mut pairs = expected.values.iter().zip(made).enumerate();
    made.len() == expected.values.len()
        && pairs.any(|(at, (due, made))| far(*due, *made) && !expected.is_free(at))
}

/// What a rule makes of samples.
pub fn tally(samples: &Samples, policy: &Policy) -> Tally {
    let decided: Vec<Expected> = (0..samples.expected.len()).map(|at| samples.decided(at, policy)).collect();
    let takes = |made: &[Vec<f64>]| decided.iter().zip(made).all(|(e, got)| !e.refuses(got.iter().copied()));
    let mut out = Tally::default();
    samples.honest.iter().for_each(|made| out.refused.add(!takes(made)));
    samples.coarse.iter().for_each(|(_, made)| out.coarse.add(takes(made)));
    samples.wrong.iter().for_each(|made| out.wrong.add(takes(made)));
    out
}

impl Samples {
    /// What is due of an output, by a policy.
    pub(crate) fn decided(&self, output: usize, policy: &Policy) -> Expected {
        let expected = &self.expected[output];
        let decider = Decider::new(policy, expected, &self.honest[0][output], self.scale);
        Expected { policy: Some(decider), ..expected.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tallied(policy: &str) -> Tally {
        let text = include_str!("../../../ops/row_sum.op");
        let op = Op::parse("row_sum.op", text).unwrap();
        let example = Example { dims: vec![("R".into(), 5), ("D".into(), 300)], scalars: Vec::new() };
        let samples = samples(&op, &example, DType::F32, Regime::Normal, 7).unwrap();
        tally(&samples, &Policy::parse(policy).unwrap())
    }

    #[test]
    fn the_bar_takes_all_that_is_honest_and_nothing_else() {
        let bar = tallied("bar");
        assert_eq!((bar.refused.count, bar.coarse.count, bar.wrong.count), (0, 0, 0), "{bar:?}");
        assert!(bar.refused.of == 10 && bar.coarse.of >= 3 && bar.wrong.of >= 5, "{bar:?}");
    }

    #[test]
    fn a_formula_with_one_thing_changed_is_wrong_too() {
        let text =
            "op norm(x[R, D]) -> y[R, D]\ny[r, d] = x[r, d] / sqrt(sum[e in D](x[r, e]^2) / D + 1e-2)\n";
        let op = Op::parse("norm.op", text).unwrap();
        let example = Example { dims: vec![("R".into(), 5), ("D".into(), 300)], scalars: Vec::new() };
        let samples = samples(&op, &example, DType::F32, Regime::Normal, 7).unwrap();
        let mutants = Mutant::ALL.len();
        assert!(samples.wrong.len() > mutants && samples.wrong.len() <= mutants + CHANGES + 1);
        let taken = |policy: &str| tally(&samples, &Policy::parse(policy).unwrap()).wrong.count;
        // every known-bad output is far off, some changes of the formula are not
        assert_eq!((taken("bar"), taken("exact")), (0, 0));
        assert!(taken("allclose:rtol=0.3,atol=0.3") > 0, "a wrong epsilon moves numbers by less");
    }

    #[test]
    fn rules_that_are_too_tight_or_too_loose_are_seen() {
        let exact = tallied("exact");
        assert!(exact.refused.count > 0 && exact.coarse.count == 0, "{exact:?}");
        let loose = tallied("allclose:10,1e6");
        assert_eq!((loose.refused.count, loose.wrong.count), (0, loose.wrong.of), "{loose:?}");
        assert_eq!(loose.coarse.count, loose.coarse.of);
    }
}
