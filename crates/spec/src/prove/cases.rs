//! The cases that bars are proved on: a small one and ones with a long dimension, every regime.

use ktwin_num::{DType, Fill, Float, Regime, Sharp, Tensor};

use crate::case::Case;
use crate::example::Example;
use crate::op::Op;

/// Sizes that a dimension is made long to: odd, past the blocks of the evaluator, long enough that sums
/// tell rungs apart.
const LONG: [i64; 3] = [1024, 611, 211];
/// Most terms that one evaluation may take.
const MOST_WORK: f64 = 1e5;

/// One case with its inputs.
pub struct Trial<'a> {
    pub name: String,
    pub case: Case<'a>,
    pub regime: Regime,
    pub inputs: Vec<Tensor>,
    pub outputs: Vec<Option<DType>>,
}

/// All trials of an op for one storage type of its real tensors.
pub fn trials<'a>(op: &'a Op, storage: Float, regimes: &[Regime]) -> Vec<Trial<'a>> {
    let mut out = Vec::new();
    for example in sizes(op) {
        for regime in regimes {
            if let Some(case) = op.bind_example(&example) {
                out.push(trial(case, &example, storage, *regime));
            }
        }
    }
    out
}

/// A small case, and the same with the dimensions that are summed over made long where the op allows it.
fn sizes(op: &Op) -> Vec<Example> {
    let Some(small) = op.example() else { return Vec::new() };
    let mut out = vec![small.clone()];
    let before = op.bind_example(&small).map_or(1, |c| c.longest_sum());
    for at in 0..small.dims.len() {
        for long in LONG {
            let mut example = small.clone();
            example.dims[at].1 = long;
            let Some(case) = op.bind_example(&example) else { continue };
            let elements: usize = case.output_shapes.iter().map(|s| s.iter().product::<usize>()).sum();
            let work = elements as f64 * case.longest_sum() as f64;
            if case.longest_sum() > before && work <= MOST_WORK && out.len() < 2 {
                out.push(example);
                break;
            }
        }
    }
    out
}

/// One case of an op with its inputs in a regime.
pub fn trial<'a>(case: Case<'a>, example: &Example, storage: Float, regime: Regime) -> Trial<'a> {
    let real = DType::Float(storage);
    let roles = case.sharp_roles();
    let input = |at: usize| {
        let integer = case.op.inputs[at].integer;
        let dtype = if integer { DType::Int { bits: 32, signed: true } } else { real };
        let sharp =
            Some(Sharp { accumulate: Float::F32, length: case.longest_sum() as u64, role: roles[at] });
        let domain = case.input_domain(at);
        let fill = Fill { stream: at as u64, domain, sharp, ..Fill::new(regime, 7) };
        ktwin_num::fill(&fill, dtype, &case.input_shapes[at])
    };
    let inputs = (0..case.op.inputs.len()).map(input).collect();
    let outputs = case.op.outputs.iter().map(|o| (!o.integer).then_some(real)).collect();
    let dims: Vec<String> = example.dims.iter().map(|(n, v)| format!("{n}={v}")).collect();
    Trial { name: format!("{} {}", dims.join(","), regime.name()), case, regime, inputs, outputs }
}
