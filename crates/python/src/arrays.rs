//! Arrays from Python and back, and what is said of them: twins and comparisons.

use std::collections::BTreeMap;

use ktwin::catalogue;
use ktwin::elsewhere::{self, Applied, as_stored, convert, rung, settings, unknown};
use ktwin_check::elsewhere::Claim;
use ktwin_check::{Content, KernelReport, Policy, Setup};
use ktwin_lang::{Case, Elements, Meaning, Op, Output, Progress, Rounds, TensorInfo, Value};
use ktwin_num::{Bytes, DType, Float, Language, Tensor, row_strides};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyByteArray;
use serde::Deserialize;

/// An array as Python hands it over: its name, its type's name, its shape, and its bytes in row order.
pub type Given = (String, String, Vec<usize>, PyBackedBytes);

/// What is asked, as JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// An op's name or path.
    op: String,
    /// Sizes and scalars as text.
    settings: Vec<String>,
    /// Types that the arrays stand for.
    types: BTreeMap<String, String>,
    language: String,
    compute: String,
    accumulate: Option<String>,
    round: BTreeMap<String, String>,
    /// Whether sums are bounded by the worst case; none where the arrays decide.
    worst: Option<bool>,
    policy: Option<String>,
}

/// A request that was understood.
struct Asked {
    op: Op,
    dims: Vec<(String, i64)>,
    scalars: Vec<(String, Value)>,
    setup: Setup,
    rounds: Vec<(String, DType)>,
}

impl Request {
    /// Reads one.
    pub fn parse(json: &str) -> Result<Request, String> {
        serde_json::from_str(json).map_err(|e| e.to_string())
    }

    fn asked(&self) -> Result<Asked, String> {
        let op = catalogue::op(&self.op).map_err(|e| e.to_string())?;
        let (dims, scalars) = settings(&op, &self.settings)?;
        let compute = rung("compute", &self.compute)?;
        let accumulate = self.accumulate.as_deref().map_or(Ok(compute), |name| rung("accumulate", name))?;
        let language = Language::parse(&self.language)?;
        let mut rounds = Rounds::none(&op);
        let mut names = Vec::new();
        for (name, dtype) in &self.round {
            let wrong = |e: String| format!("round {name}={dtype}: {e}");
            let dtype = DType::parse(dtype).map_err(wrong)?;
            rounds.add(&op, name, dtype).map_err(|e| format!("round {name}={dtype}: {e}"))?;
            names.push((name.clone(), dtype));
        }
        let plain = Setup::plain(&op);
        let setup = Setup { compute, accumulate, language, functions: language, rounds, ..plain };
        Ok(Asked { op, dims, scalars, setup, rounds: names })
    }

    /// The arrays of all tensors, in the op's order.
    fn all(
        &self,
        op: &Op,
        (tensors, what): (&[TensorInfo], &str),
        mut given: Vec<Given>,
        stored: impl Fn(&TensorInfo, Tensor, Option<DType>) -> Result<Tensor, String>,
    ) -> Result<Vec<elsewhere::Given>, String> {
        for (name, ..) in &given {
            if !tensors.iter().any(|t| t.name == *name) {
                return Err(unknown(&op.name, what, name, tensors.iter().map(|t| t.name.as_str())));
            }
        }
        tensors
            .iter()
            .map(|info| {
                let found = given.iter().position(|(name, ..)| *name == info.name);
                let found = found.ok_or_else(|| format!("{what} {info} of op {} is not given", op.name))?;
                let (name, dtype, shape, bytes) = given.swap_remove(found);
                // Python's bytes never change
                let tensor = Tensor::from_bytes(DType::parse(&dtype)?, &shape, Bytes::lent(bytes));
                let wanted = self.types.get(&name).map(|t| DType::parse(t)).transpose()?;
                let tensor = stored(info, tensor.map_err(|e| format!("{name}: {e}"))?, wanted)?;
                Ok(elsewhere::Given { from: "an array".into(), tensor })
            })
            .collect()
    }

    /// Refuses types of what the op does not have.
    fn types_fit(&self, op: &Op) -> Result<(), String> {
        let names = || op.inputs.iter().chain(&op.outputs).map(|t| t.name.as_str());
        match self.types.keys().find(|name| !names().any(|known| known == name.as_str())) {
            Some(wrong) => Err(unknown(&op.name, "tensor", wrong, names())),
            None => Ok(()),
        }
    }
}

/// Values and bars of all outputs.
pub fn twin(request: &Request, inputs: Vec<Given>, progress: &Progress) -> Result<Vec<Output>, String> {
    let Asked { op, dims, scalars, mut setup, .. } = request.asked()?;
    request.types_fit(&op)?;
    let inputs = request.all(&op, (&op.inputs, "input"), inputs, convert)?;
    setup.inputs = inputs.iter().map(|given| given.tensor.dtype).collect();
    let type_of = |info: &TensorInfo| request.types.get(&info.name).map(|t| DType::parse(t)).transpose();
    setup.outputs = op.outputs.iter().map(type_of).collect::<Result<_, _>>()?;
    let Applied { leading, dims, arrays } = elsewhere::split(&op, &dims, &inputs, &[])?;
    let dims: Vec<(&str, i64)> = dims.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    let scalars: Vec<(&str, Value)> = scalars.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    let case = op.bind(&dims, &scalars).map_err(|e| e.to_string())?;
    let elements: f64 = case.output_shapes.iter().map(|s| s.iter().map(|n| *n as f64).product::<f64>()).sum();
    elsewhere::room(32.0 * elements * arrays.len() as f64, "choose smaller sizes")?;
    let each = arrays.iter().map(|arrays| evaluate(&case, &setup, &arrays.inputs, request.worst, progress));
    Ok(together(&leading, each.collect::<Result<_, _>>()?))
}

/// The outputs of all applications, one after the other, in arrays that have the leading dimensions.
fn together(leading: &[usize], each: Vec<Vec<Output>>) -> Vec<Output> {
    let mut each = each.into_iter();
    let mut all = each.next().unwrap_or_default();
    for outputs in each {
        for (whole, part) in all.iter_mut().zip(outputs) {
            whole.values.extend(part.values);
            whole.bars.extend(part.bars);
        }
    }
    all.iter_mut().for_each(|output| output.shape.splice(0..0, leading.iter().copied()).for_each(drop));
    all
}

fn evaluate(
    case: &Case,
    setup: &Setup,
    inputs: &[Tensor],
    worst: Option<bool>,
    progress: &Progress,
) -> Result<Vec<Output>, String> {
    let worst = worst.map_or_else(|| elsewhere::worst(case, setup, inputs), Ok)?;
    let promise = setup.promise(case, inputs, worst);
    let of = |meaning: &Meaning| {
        case.evaluate_watched(inputs, meaning, Elements::All, progress).map_err(|e| e.to_string())
    };
    let mut outputs = of(&Meaning::Bars(promise))?;
    if setup.compute == Float::F64 {
        // an f64 kernel is held against more than f64
        for (output, exact) in outputs.iter_mut().zip(of(&Meaning::Double)?) {
            output.values = exact.values;
        }
    }
    for (output, dtype) in outputs.iter_mut().zip(&setup.outputs) {
        let Some(dtype) = dtype else { continue };
        for (value, bar) in output.values.iter_mut().zip(&mut output.bars) {
            (*value, *bar) = ktwin_lang::stored(*dtype, *value, *bar);
        }
    }
    Ok(outputs)
}

/// Judges outputs by inputs.
pub fn compare(
    request: &Request,
    inputs: Vec<Given>,
    outputs: Vec<Given>,
) -> Result<(KernelReport, String), String> {
    let Asked { op, dims, scalars, setup, rounds } = request.asked()?;
    request.types_fit(&op)?;
    let inputs = request.all(&op, (&op.inputs, "input"), inputs, convert)?;
    let outputs = request.all(&op, (&op.outputs, "output"), outputs, as_stored)?;
    let Setup { language, compute, accumulate, .. } = setup;
    let policy = request.policy.as_deref().map(Policy::parse).transpose()?;
    let (worst, content) = (request.worst, Content::of(&op.text, catalogue::OPS));
    let claim = Claim { op, content, dims, scalars, language, compute, accumulate, rounds, worst, policy };
    elsewhere::judge(claim, &inputs, &outputs)
}

/// An output for Python.
type Handed<'py> = (String, Vec<usize>, bool, Bound<'py, PyByteArray>, Bound<'py, PyByteArray>);

/// An output as Python gets it.
pub fn handed<'py>(py: Python<'py>, output: &Output) -> Handed<'py> {
    let bytes = |numbers: &[f64]| {
        PyByteArray::new(py, &Tensor::from_f64(DType::F64, &[numbers.len()], numbers).bytes)
    };
    let (values, bars) = (bytes(&output.values), bytes(&output.bars));
    (output.name.clone(), output.shape.clone(), output.integer, values, bars)
}

/// An input for Python: name, type, shape, strides and offset in elements, and the bytes.
type LaidOut<'py> = (String, &'static str, Vec<usize>, (Vec<usize>, usize), Bound<'py, PyByteArray>);

/// An input as Python gets it.
pub fn laid_out<'py>(py: Python<'py>, name: &str, tensor: &Tensor) -> LaidOut<'py> {
    let packed = matches!(tensor.dtype, DType::Block(_));
    let strides = if packed { row_strides(&tensor.shape) } else { tensor.strides.clone() };
    let bytes = PyByteArray::new(py, &tensor.bytes);
    (name.to_string(), tensor.dtype.name(), tensor.shape.clone(), (strides, tensor.offset), bytes)
}
