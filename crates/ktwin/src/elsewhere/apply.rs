//! How often the op was applied: once, or once to each index of leading dimensions that the arrays have beyond it.

use ktwin_check::elsewhere::{Arrays, Claim};
use ktwin_lang::{Case, Op, TensorInfo, Value};
use ktwin_num::{DType, Float, Tensor};

use super::{Given, outside};

/// More applications than this are refused: each is evaluated by itself.
const MOST: usize = 1 << 16;

/// The arrays of every application.
pub struct Applied {
    /// The leading dimensions; none where the op was applied once.
    pub leading: Vec<usize>,
    /// The op's sizes.
    pub dims: Vec<(String, i64)>,
    /// The arrays of each.
    pub arrays: Vec<Arrays>,
}

/// Takes leading dimensions apart, and finds the sizes.
pub fn split(
    op: &Op,
    dims: &[(String, i64)],
    inputs: &[Given],
    outputs: &[Given],
) -> Result<Applied, String> {
    let leading = leading(op, inputs, outputs)?;
    let count: usize = leading.iter().product();
    if leading.contains(&0) || count > MOST {
        return Err(format!(
            "leading dimensions {leading:?}: op {} can be applied 1 to {MOST} times",
            op.name
        ));
    }
    let cut = |tensors: &[TensorInfo], given: &[Given]| -> Result<Vec<Vec<Tensor>>, String> {
        let each = tensors.iter().zip(given);
        each.map(|(info, given)| parts(&given.tensor, info.dims.len())).collect()
    };
    let (inputs, outputs) = (cut(&op.inputs, inputs)?, cut(&op.outputs, outputs)?);
    let of = |all: &[Vec<Tensor>], at: usize| -> Vec<Tensor> {
        all.iter().map(|parts| parts[at % parts.len()].clone()).collect()
    };
    let arrays = (0..count).map(|at| Arrays { inputs: of(&inputs, at), outputs: of(&outputs, at) });
    let arrays: Vec<Arrays> = arrays.collect();
    let dims = sizes(op, dims, &arrays[0])?;
    Ok(Applied { leading, dims, arrays })
}

/// The dimensions that arrays have before the op's. Every output has them, and each input has the last of them: all,
/// some or none.
fn leading(op: &Op, inputs: &[Given], outputs: &[Given]) -> Result<Vec<usize>, String> {
    let mut found: Option<(&[usize], String)> = None;
    let is_output = |info: &TensorInfo| op.outputs.iter().any(|output| std::ptr::eq(output, info));
    let all = op.inputs.iter().zip(inputs).chain(op.outputs.iter().zip(outputs));
    for (info, given) in all {
        let shape = given.tensor.shape.as_slice();
        let Some(more) = shape.len().checked_sub(info.dims.len()) else {
            let (have, takes) = (shape.len(), info.dims.len());
            return Err(format!(
                "{info} has {takes} dimensions, the array has {have}: {shape:?}; reshape it"
            ));
        };
        let own = &shape[..more];
        match &found {
            _ if more == 0 => {}
            Some((leading, _)) if leading.ends_with(own) => {}
            Some((leading, first)) if is_output(info) && !own.ends_with(leading) => {
                return Err(short(op, (leading, first), info, shape));
            }
            Some((leading, first)) if !own.ends_with(leading) => {
                return Err(format!(
                    "{first} has the leading dimensions {leading:?}, {info} (array {shape:?}) has {own:?}: each array \
                     has the last of the same ones; repeat it along those that it lacks, as numpy.broadcast_to does"
                ));
            }
            _ => found = Some((own, format!("{info} (array {shape:?})"))),
        }
    }
    let Some((leading, first)) = found else { return Ok(Vec::new()) };
    for (info, given) in op.outputs.iter().zip(outputs) {
        if given.tensor.shape.len() < info.dims.len() + leading.len() {
            return Err(short(op, (leading, &first), info, &given.tensor.shape));
        }
    }
    Ok(leading.to_vec())
}

/// What is said of an output that lacks leading dimensions of an input, or has others.
fn short(op: &Op, (leading, first): (&[usize], &str), info: &TensorInfo, shape: &[usize]) -> String {
    let numbers = leading.iter().map(usize::to_string);
    let due: Vec<String> = numbers.chain(info.axes.iter().cloned()).collect();
    format!(
        "{first} has the leading dimensions {leading:?}, and output {info} (array {shape:?}) has others: op {} is \
         applied to each index of them; give an array of shape [{}], or reshape {}",
        op.name,
        due.join(", "),
        first.split('[').next().unwrap_or("the input"),
    )
}

/// The sizes that the user and the arrays give; those of outputs alone count where no input says them.
fn sizes(op: &Op, dims: &[(String, i64)], arrays: &Arrays) -> Result<Vec<(String, i64)>, String> {
    let shapes: Vec<Option<Vec<usize>>> = arrays.inputs.iter().map(|t| Some(t.shape.clone())).collect();
    let dims: Vec<(&str, i64)> = dims.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    let mut known = op.sizes(&dims, &shapes).map_err(|e| e.to_string())?;
    for (info, tensor) in op.outputs.iter().zip(&arrays.outputs) {
        for (axis, size) in info.axes.iter().zip(&tensor.shape) {
            if op.dim(axis).is_some() && !known.iter().any(|(name, _)| name == axis) {
                known.push((axis.clone(), *size as i64));
            }
        }
    }
    Ok(known)
}

/// The arrays of each application: one for all where there are no leading dimensions.
fn parts(tensor: &Tensor, own: usize) -> Result<Vec<Tensor>, String> {
    if tensor.shape.len() == own {
        return Ok(vec![tensor.clone()]);
    }
    let whole = if tensor.is_contiguous() { tensor.clone() } else { rows(tensor) };
    let shape = &whole.shape[whole.shape.len() - own..];
    if matches!(tensor.dtype, DType::Block(_)) && own == 0 {
        return Err("a block cannot be taken apart".into());
    }
    let count: usize = whole.shape[..whole.shape.len() - own].iter().product();
    let bytes = whole.bytes.len() / count.max(1);
    whole
        .bytes
        .chunks_exact(bytes.max(1))
        .map(|part| Tensor::from_bytes(whole.dtype, shape, part.to_vec()))
        .collect()
}

/// The same numbers in row order.
fn rows(tensor: &Tensor) -> Tensor {
    match tensor.dtype.is_integer() {
        true => Tensor::from_i64(tensor.dtype, &tensor.shape, &tensor.to_i64()),
        false => Tensor::from_f64(tensor.dtype, &tensor.shape, &tensor.to_f64()),
    }
}

/// Refuses outputs of other shapes than the op's, and reals that the op does not take; completes the sizes and scalars.
pub fn fit(claim: &mut Claim, applied: &Applied) -> Result<(), String> {
    let op = claim.op.clone();
    let dims: Vec<(&str, i64)> = claim.dims.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    let scalars: Vec<(&str, Value)> = claim.scalars.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    let case = op.bind(&dims, &scalars).map_err(|e| e.to_string())?;
    claim.dims = op.dims.iter().zip(&case.dims).map(|(dim, size)| (dim.name.clone(), *size)).collect();
    // whoever computes in less than f64 gets scalars as f32
    let passed = |value: Value| match value {
        Value::Real(v) if claim.compute != Float::F64 => Value::Real(Float::F32.round(v)),
        other => other,
    };
    claim.scalars =
        op.scalars.iter().zip(&case.scalars).map(|(s, value)| (s.name.clone(), passed(*value))).collect();
    for arrays in &applied.arrays {
        shapes(&case, arrays)?;
        for (at, tensor) in arrays.inputs.iter().enumerate() {
            if tensor.shape == case.input_shapes[at]
                && let Some(why) = outside(&case, at, tensor)
            {
                return Err(format!("input {why}"));
            }
        }
    }
    Ok(())
}

fn shapes(case: &Case, arrays: &Arrays) -> Result<(), String> {
    let all = case.op.inputs.iter().zip(&case.input_shapes).zip(&arrays.inputs);
    let all = all.chain(case.op.outputs.iter().zip(&case.output_shapes).zip(&arrays.outputs));
    for ((info, shape), tensor) in all {
        if tensor.shape != *shape {
            return Err(format!("{info} is {shape:?} at these sizes, the array is {:?}", tensor.shape));
        }
    }
    Ok(())
}
