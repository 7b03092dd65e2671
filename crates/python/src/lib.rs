//! The module `ktwin._ktwin`: what the Python package needs of Rust, and no more. Texts, bytes and JSON go in and out;
//! the classes and functions that users see are Python's, in `python/ktwin`.
//!
//! Long work runs without Python's lock. Nothing runs when the module is loaded, and it starts no process: kernels in
//! files are the command's business.

mod arrays;
mod function;
mod run;

use ktwin::{catalogue, explain};
use ktwin_check::{Amount, Case, Kernel, KernelReport, draw_seed, plan as plan_of, prepare, told};
use ktwin_lang::{Op, TensorInfo, Ty};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyList;
use serde_json::{Value, json};

use arrays::{Given, Request};
use function::Function;

create_exception!(_ktwin, KtwinError, PyException, "What ktwin cannot do, and what to write instead.");

/// A message as Python's exception.
fn raised(message: impl ToString) -> PyErr {
    KtwinError::new_err(message.to_string())
}

/// An op; of a random one, what it gives for given draws.
fn op(name: &str) -> PyResult<Op> {
    catalogue::op(name).map(|op| op.with_draws()).map_err(raised)
}

/// The names of the catalogue.
#[pyfunction]
fn ops() -> Vec<&'static str> {
    catalogue::OPS.iter().map(|(name, _)| *name).collect()
}

/// What there is of an op, as JSON: tensors with their dimensions, sizes, scalars and what a function is told.
#[pyfunction]
fn facts(name: &str) -> PyResult<String> {
    let op = op(name)?;
    let tensor = |t: &TensorInfo| json!({ "name": t.name, "axes": t.axes, "integer": t.integer });
    let ty = |ty: Ty| match ty {
        Ty::Int => "integer",
        Ty::Real => "real",
        Ty::Bool => "boolean",
    };
    let facts = json!({
        "name": op.name,
        "inputs": op.inputs.iter().map(tensor).collect::<Vec<_>>(),
        "outputs": op.outputs.iter().map(tensor).collect::<Vec<_>>(),
        "dims": op.dims.iter().map(|d| &d.name).collect::<Vec<_>>(),
        "told": told(&op),
        "scalars": op.scalars.iter().map(|s| json!({ "name": s.name, "type": ty(s.ty) })).collect::<Vec<_>>(),
    });
    Ok(facts.to_string())
}

/// What to say of a name that an op does not have.
#[pyfunction]
fn unknown(name: &str, what: &str, wrong: &str, known: Vec<String>) -> String {
    ktwin::elsewhere::unknown(name, what, wrong, known.iter().map(String::as_str))
}

/// Values and bars of an op on arrays: name, shape, whether they are integers, and both as bytes of f64.
#[pyfunction]
fn twin<'py>(py: Python<'py>, request: &str, inputs: Vec<Given>) -> PyResult<Bound<'py, PyList>> {
    let request = Request::parse(request).map_err(raised)?;
    let outputs = run::interruptible(py, move |progress| arrays::twin(&request, inputs, progress))?;
    PyList::new(py, outputs.iter().map(|output| arrays::handed(py, output)))
}

/// Judges outputs by inputs: the report as JSON, and the text of the terminal.
#[pyfunction]
fn compare(
    py: Python<'_>,
    request: &str,
    inputs: Vec<Given>,
    outputs: Vec<Given>,
) -> PyResult<(String, String)> {
    let request = Request::parse(request).map_err(raised)?;
    let (report, text) = run::interruptible(py, move |_| arrays::compare(&request, inputs, outputs))?;
    Ok((json_of(&report)?, text))
}

fn json_of(report: &KernelReport) -> PyResult<String> {
    serde_json::to_string(report).map_err(raised)
}

fn kernel(name: &str, contract: &str) -> PyResult<Kernel> {
    Kernel::of_contract(name, contract, catalogue::OPS).map_err(raised)
}

/// Tests a Python function, given its name and contract: the report as JSON, and its text.
#[pyfunction]
fn test(
    py: Python<'_>,
    kernel: (String, String),
    call: Py<PyAny>,
    options: (bool, Option<u64>, Option<String>),
    repeat: (String, String),
) -> PyResult<(String, String)> {
    let ((name, contract), (quick, seed, case), (before, after)) = (kernel, options, repeat);
    let kernel = self::kernel(&name, &contract)?;
    let options = ktwin_check::Options {
        amount: Amount::quick(quick),
        seed,
        case,
        repeat: ktwin_check::Repeat { before, after, ..ktwin_check::Repeat::default() },
        resources: false,
        sanitize: false,
        hidden: false,
        enough: None,
        untold: false,
    };
    let report = Function::new(call).test(py, &kernel, &options)?;
    Ok((json_of(&report)?, text_of(&report)))
}

/// A report's text, as the terminal has it.
fn text_of(report: &KernelReport) -> String {
    let mut lines = vec![format!("{} {}", report.verdict, explain::summary(report))];
    lines.extend(explain::told(report).into_iter().map(|line| format!("        {line}")));
    lines.join("\n")
}

/// The text of a report that the command wrote as JSON.
#[pyfunction]
fn explained(report: &str) -> PyResult<String> {
    let report: KernelReport = serde_json::from_str(report).map_err(raised)?;
    Ok(text_of(&report))
}

/// The cases that a function is tested with, as JSON: each with its reason, and the gaps.
#[pyfunction]
fn plan(py: Python<'_>, name: &str, contract: &str, quick: bool) -> PyResult<String> {
    let kernel = kernel(name, contract)?;
    let plan = run::interruptible(py, move |_| plan_of(&kernel, Amount::quick(quick)))?;
    let cases = plan.cases.iter().zip(&plan.why);
    let cases: Vec<Value> = cases.map(|(case, why)| json!({ "case": case.seedless(), "why": why })).collect();
    Ok(json!({ "cases": cases, "gaps": plan.gaps }).to_string())
}

/// A case's parts: itself with its seed, its sizes and scalars as JSON, and its inputs.
type Made<'py> = (String, String, Bound<'py, PyList>);

/// The inputs of a case; where neither it nor the caller names a seed, one is drawn.
#[pyfunction]
fn inputs<'py>(
    py: Python<'py>,
    name: &str,
    contract: &str,
    case: &str,
    seed: Option<u64>,
) -> PyResult<Made<'py>> {
    let kernel = kernel(name, contract)?;
    let mut case = Case::parse(&kernel, case).map_err(raised)?;
    let own = (case.seed != 0).then_some(case.seed);
    case.seed = seed.or(own).unwrap_or_else(draw_seed);
    let (kept, asked) = (kernel.clone(), case.clone());
    let tensors = run::interruptible(py, move |_| prepare(&kept, &asked).map(|made| made.inputs))?;
    let json = serde_json::to_string(&case).map_err(raised)?;
    let named = kernel.op.inputs.iter().zip(&tensors);
    let inputs = PyList::new(py, named.map(|(info, tensor)| arrays::laid_out(py, &info.name, tensor)))?;
    Ok((case.to_string(), json, inputs))
}

/// The module.
#[pymodule]
fn _ktwin(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("KtwinError", module.py().get_type::<KtwinError>())?;
    module.add_function(wrap_pyfunction!(ops, module)?)?;
    module.add_function(wrap_pyfunction!(facts, module)?)?;
    module.add_function(wrap_pyfunction!(unknown, module)?)?;
    module.add_function(wrap_pyfunction!(twin, module)?)?;
    module.add_function(wrap_pyfunction!(compare, module)?)?;
    module.add_function(wrap_pyfunction!(test, module)?)?;
    module.add_function(wrap_pyfunction!(explained, module)?)?;
    module.add_function(wrap_pyfunction!(plan, module)?)?;
    module.add_function(wrap_pyfunction!(inputs, module)?)
}
