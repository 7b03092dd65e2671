//! The cases that bars are proved on: a small one, one with a long dimension, some that are drawn; in every regime.

use ktwin_num::{DType, Fill, Regime, Sharp, Tensor};

use super::promised::Promised;
use crate::case::Case;
use crate::example::Example;
use crate::op::Op;

/// Sizes that a dimension is made long to: odd, past the blocks of the evaluator, long enough that sums
/// tell rungs apart.
const LONG: [i64; 3] = [1024, 611, 211];
/// Most terms that one evaluation may take, and the part of it for promises that are not the usual.
const MOST_WORK: f64 = 1e5;
const PART: f64 = 0.2;
/// Examples with drawn sizes and scalars.
const DRAWN: u64 = 3;

/// One case with its inputs.
pub struct Trial<'a> {
    pub name: String,
    pub case: Case<'a>,
    pub regime: Regime,
    pub inputs: Vec<Tensor>,
    pub outputs: Vec<Option<DType>>,
}

/// The sizes and scalars that an op is proved on: a small case, the same with a dimension that is summed over made long
/// where the op allows it, and what is drawn. The small case is left out where others are found; they tell more.
pub fn examples(op: &Op, promised: &Promised) -> Vec<Example> {
    let Some(small) = op.example() else { return Vec::new() };
    let usual = promised.is_usual();
    let most = MOST_WORK * if usual { 1.0 } else { PART };
    let drawn = 0..if usual { DRAWN } else { 1 };
    let mut out: Vec<Example> = drawn.filter_map(|seed| op.drawn(seed, PART * most)).collect();
    out.extend(long(op, &small, most));
    if out.len() < 2 {
        out.push(small);
    }
    out
}

fn long(op: &Op, small: &Example, most: f64) -> Option<Example> {
    let before = op.bind_example(small).map_or(1, |c| c.longest_sum());
    let tried = (0..small.dims.len()).flat_map(|at| LONG.map(|long| (at, long)));
    let examples = tried.map(|(at, long)| {
        let mut example = small.clone();
        example.dims[at].1 = long;
        example
    });
    let fits = |example: &Example| {
        op.bind_example(example).is_some_and(|case| {
            let elements: usize = case.output_shapes.iter().map(|s| s.iter().product::<usize>()).sum();
            let work = elements as f64 * case.longest_sum() as f64;
            case.longest_sum() > before && work <= most
        })
    };
    examples.into_iter().find(fits)
}

/// One case of an op with its inputs in a regime.
pub fn trial<'a>(case: Case<'a>, example: &Example, promised: &Promised, regime: Regime) -> Trial<'a> {
    let real = DType::Float(promised.storage);
    let roles = case.sharp_roles();
    let input = |at: usize| {
        let integer = case.op.inputs[at].integer;
        let dtype = if integer { DType::I64 } else { real };
        let sharp =
            Sharp { accumulate: promised.accumulate, length: case.longest_sum() as u64, role: roles[at] };
        let domain = case.input_domain(at);
        let fill = Fill { stream: at as u64, domain, sharp: Some(sharp), ..Fill::new(regime, 7) };
        ktwin_num::fill(&fill, dtype, &case.input_shapes[at])
    };
    let inputs = (0..case.op.inputs.len()).map(input).collect();
    let outputs = case.op.outputs.iter().map(|o| (!o.integer).then_some(real)).collect();
    let dims = example.dims.iter().map(|(name, size)| format!("{name}={size}"));
    let scalars = example.scalars.iter().map(|(name, value)| format!("{name}={value}"));
    let shown: Vec<String> = dims.chain(scalars).collect();
    Trial { name: format!("{} {}", shown.join(","), regime.name()), case, regime, inputs, outputs }
}
