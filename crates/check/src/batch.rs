//! The promise `batch_invariant`: a row alone gives the bits that it gives in the batch.

use std::collections::BTreeMap;

use ktwin_lang::{Elements, Meaning};
use ktwin_num::{Layout, Tensor, plural};

use crate::accept::accepts;
use crate::case::Case;
use crate::compare::indices;
use crate::device::{Failure, Program};
use crate::finding::{Finding, Kind};
use crate::guard;
use crate::inputs::{Prepared, prepare};
use crate::kernel::Kernel;

/// The most of a plan's own cases in which rows are run alone: of the last, and of those with the most rows.
const OWN: usize = 8;
/// Rows from which on more of them are not preferred.
const ROWS: i64 = 64;
/// The points up to which a case is made for a number of rows.
const POINTS: f64 = (1 << 18) as f64;
/// How far the twin's own results may be apart, relative to the largest.
const NOISE: f64 = 1e-10;

/// The dimension that rows are counted along: the first of the first output.
pub fn dimension(kernel: &Kernel) -> Option<String> {
    kernel.op.outputs.first()?.axes.first().cloned()
}

/// The case with one row alone, where the case has several and lies in memory as usual.
fn alone(case: &Case, dim: &str) -> Option<Case> {
    let at = case.dims.iter().position(|(name, size)| name == dim && *size > 1)?;
    let plain = case.layouts.iter().all(|(_, l)| *l == Layout::Row);
    let mut one = case.clone();
    one.dims[at].1 = 1;
    plain.then_some(one)
}

/// Cases of a plan in which rows share the most, and others for numbers of rows of every order that the plan has.
pub fn cases(kernel: &Kernel, plan: &[Case], dim: &str) -> Vec<Case> {
    let rows = |case: &Case| case.dims.iter().find(|(name, _)| name == dim).map_or(0, |(_, n)| *n);
    // the largest cases are at the end; where sums are exact, their order does not show
    let telling = |case: &&Case| case.regime.rounds() && alone(case, dim).is_some();
    let telling: Vec<&Case> = plan.iter().rev().filter(telling).collect();
    let mut longest = telling.clone();
    longest.sort_by_key(|case| std::cmp::Reverse(rows(case).min(ROWS)));
    let mut out: Vec<Case> = telling.iter().take(OWN).map(|case| (*case).clone()).collect();
    out.extend(
        longest
            .into_iter()
            .take(OWN)
            .filter(|case| !telling.iter().take(OWN).any(|own| own == case))
            .cloned(),
    );
    let orders: BTreeMap<u32, i64> =
        plan.iter().map(rows).filter(|n| *n > 1).map(|n| (n.ilog2(), n)).collect();
    out.extend(orders.into_values().filter_map(|n| of_rows(kernel, &telling, dim, n)));
    out
}

/// The case with the longest rows that can have so many of them.
fn of_rows(kernel: &Kernel, telling: &[&Case], dim: &str, rows: i64) -> Option<Case> {
    let points = |case: &Case| case.points(&kernel.op);
    let with = |case: &Case| {
        let mut changed = case.clone();
        changed.dims.iter_mut().filter(|(name, _)| name == dim).for_each(|(_, size)| *size = rows);
        changed
    };
    let fits = |case: &Case| points(case) <= POINTS && accepts(kernel, case).is_ok();
    let all = telling.iter().map(|case| with(case)).filter(fits);
    all.max_by(|a, b| points(a).total_cmp(&points(b)))
}

/// One index of a tensor along an axis.
fn slice(tensor: &Tensor, axis: usize, index: usize) -> Option<Tensor> {
    let last = axis + 1 == tensor.shape.len();
    if last && tensor.dtype.elements_per_block() > 1 || !tensor.is_contiguous() {
        return None;
    }
    let inner: usize = tensor.shape[axis + 1..].iter().product();
    let size = inner / tensor.dtype.elements_per_block().min(inner) * tensor.dtype.bytes_per_block();
    let mut bytes = Vec::new();
    for part in tensor.bytes.chunks_exact(size * tensor.shape[axis]) {
        bytes.extend(&part[index * size..(index + 1) * size]);
    }
    let mut shape = tensor.shape.clone();
    shape[axis] = 1;
    Tensor::from_bytes(tensor.dtype, &shape, bytes).ok()
}

/// Why the promise could not be tested.
pub enum Why {
    /// The promise cannot be tested on this case.
    Untestable(String),
    /// A run ended badly.
    Failed(Failure),
}

impl From<String> for Why {
    fn from(reason: String) -> Why {
        Why::Untestable(reason)
    }
}

impl From<&str> for Why {
    fn from(reason: &str) -> Why {
        Why::Untestable(reason.to_string())
    }
}

/// Runs the first, the second, the last row and one between alone.
pub fn test(kernel: &Kernel, program: &dyn Program, case: &Case) -> Result<Option<Finding>, Why> {
    let dim = dimension(kernel).ok_or("the op's output has no rows")?;
    let one = alone(case, &dim).ok_or("no case has several rows")?;
    let whole = prepare(kernel, case)?;
    let batch = outputs(&whole, program)?;
    let rows = case.dims.iter().find(|(n, _)| *n == dim).map_or(1, |(_, n)| *n as usize);
    let mut some = vec![0, 1, (rows / 2) | 1, rows - 1];
    some.retain(|row| *row < rows);
    some.dedup();
    for row in some {
        let single = cut(&whole, &one, &dim, row)?;
        for (output, got) in outputs(&single, program)?.iter().enumerate() {
            let shape = &whole.at.output_shapes[output];
            let Some(axis) = kernel.op.outputs[output].axes.iter().position(|p| *p == dim) else {
                continue;
            };
            let of_row = (0..batch[output].len()).filter(|at| indices(shape, *at)[axis] == row);
            let differs = of_row.zip(got).filter(|(at, got)| batch[output][*at].to_bits() != got.to_bits());
            let count = differs.count();
            if count > 0 {
                let name = &kernel.op.outputs[output].name;
                let message = format!(
                    "row {row} of {dim} gives different bits alone than in a batch of {rows}: {} of {name} {}",
                    plural(count, "element"),
                    if count == 1 { "differs" } else { "differ" }
                );
                return Ok(Some(Finding {
                    count: count as u64,
                    ..Finding::new(Kind::NotBatchInvariant, message)
                }));
            }
        }
    }
    Ok(None)
}

/// The inputs of one row, if the twin agrees that rows have nothing to do with each other.
fn cut<'a>(whole: &Prepared<'a>, one: &Case, dim: &str, row: usize) -> Result<Prepared<'a>, String> {
    let kernel = whole.kernel;
    let mut inputs = Vec::new();
    for (info, tensor) in kernel.op.inputs.iter().zip(&whole.inputs) {
        let axes: Vec<usize> =
            info.axes.iter().enumerate().filter(|(_, p)| *p == dim).map(|(i, _)| i).collect();
        inputs.push(match axes[..] {
            [] => tensor.clone(),
            [axis] => slice(tensor, axis, row)
                .ok_or_else(|| format!("{} cannot be split along {dim}", info.name))?,
            _ => return Err(format!("{} has {dim} twice", info.name)),
        });
    }
    let at = one.bind(&kernel.op).map_err(|e| e.to_string())?;
    let (setup, structured) = (whole.setup.clone(), whole.structured);
    let single = Prepared { kernel, case: one.clone(), setup, at, inputs, structured, chosen: None };
    let exact =
        |p: &Prepared| p.at.evaluate(&p.inputs, &Meaning::Exact, Elements::All).map_err(|e| e.to_string());
    for ((all, alone), info) in exact(whole)?.iter().zip(exact(&single)?).zip(&kernel.op.outputs) {
        let axis = info.axes.iter().position(|p| *p == dim);
        let axis = axis.ok_or_else(|| format!("{} has no {dim}", info.name))?;
        let of_row = (0..all.values.len()).filter(|at| indices(&all.shape, *at)[axis] == row);
        // how the twin adds up may depend on how much there is
        let largest = all.values.iter().map(|v| v.abs()).filter(|v| v.is_finite()).fold(0.0, f64::max);
        let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a - b).abs() <= NOISE * largest;
        if !of_row.zip(&alone.values).all(|(at, alone)| same(all.values[at], *alone)) {
            return Err(format!("in the op itself, the result for one {dim} depends on the others"));
        }
    }
    Ok(single)
}

fn outputs(prepared: &Prepared, program: &dyn Program) -> Result<Vec<Vec<f64>>, Why> {
    let (launch, memory) = prepared.launch(0)?;
    let none = || Failure::Broken("the device returned no result".into());
    let ran = program.run(vec![launch]).pop().unwrap_or_else(|| Err(none())).map_err(Why::Failed)?;
    let read =
        |(at, shell): &(usize, Tensor)| guard::elements(shell, &memory.buffers[*at], &ran.buffers[*at]);
    Ok(memory.outputs.iter().map(read).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_num::DType;

    #[test]
    fn rows_are_cut_out() {
        let tensor = Tensor::from_f64(DType::F32, &[2, 3, 2], &(0..12).map(f64::from).collect::<Vec<_>>());
        assert_eq!(slice(&tensor, 0, 1).unwrap().to_f64(), [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
        assert_eq!(slice(&tensor, 1, 2).unwrap().to_f64(), [4.0, 5.0, 10.0, 11.0]);
        assert_eq!(slice(&tensor, 2, 0).unwrap().to_f64(), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    }
}
