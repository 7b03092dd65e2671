//! A Python function as a device: called on the thread that asked for the test, with Python's lock only while it runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ktwin::device::{
    Argument, Build, Description, Device, Failure, Launch, Program, Ran, Source, SourceKind,
};
use ktwin_check::{Access, Event, Kernel, KernelReport, Options, check};
use ktwin_num::Tensor;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict, PyList};

use crate::{raised, run};

/// What the function is, and how a test of it was interrupted.
struct Shared {
    call: Py<PyAny>,
    stop: AtomicBool,
    interrupt: Mutex<Option<PyErr>>,
}

/// The device that calls one Python function.
#[derive(Clone)]
pub struct Function(Arc<Shared>);

impl Function {
    /// A device for this callable, which is given buffers and values and returns how it went and the buffers' bytes.
    pub fn new(call: Py<PyAny>) -> Function {
        Function(Arc::new(Shared { call, stop: AtomicBool::new(false), interrupt: Mutex::new(None) }))
    }

    /// Tests it.
    pub fn test(&self, py: Python<'_>, kernel: &Kernel, options: &Options) -> PyResult<KernelReport> {
        let told = |_: Event| self.look();
        let run = || check(kernel, self, options, &told, &self.0.stop);
        let done = py.detach(|| catch_unwind(AssertUnwindSafe(run)));
        if let Some(interrupt) = self.0.interrupt.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(interrupt);
        }
        done.map_err(|panic| raised(run::broken(&*panic)))
    }

    /// Looks for Ctrl-C.
    fn look(&self) {
        let _ = Python::attach(|py| py.check_signals()).map_err(|error| self.interrupted(error));
    }

    fn interrupted(&self, error: PyErr) {
        *self.0.interrupt.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        self.0.stop.store(true, Ordering::Relaxed);
    }

    fn one(&self, launch: Launch) -> Result<Ran, Failure> {
        let started = Instant::now();
        if self.0.stop.load(Ordering::Relaxed) {
            return Err(Failure::Broken("interrupted".into()));
        }
        let called = Python::attach(|py| {
            let words = words(py, &launch).map_err(|e| Failure::Broken(e.to_string()))?;
            let buffers = buffers(py, &launch).map_err(|e| Failure::Broken(e.to_string()))?;
            match self.0.call.call1(py, (&buffers, words)) {
                Ok(said) => ended(py, &said, &buffers),
                Err(error) => {
                    self.interrupted(error);
                    Err(Failure::Broken("interrupted".into()))
                }
            }
        });
        let elapsed = Some(started.elapsed());
        called.map(|buffers| Ran { buffers, elapsed, ..Ran::default() })
    }
}

/// The values by name.
fn words<'py>(py: Python<'py>, launch: &Launch) -> PyResult<Bound<'py, PyDict>> {
    let words = PyDict::new(py);
    for argument in launch.steps.iter().flat_map(|step| &step.args) {
        let Argument::Words(all) = argument else { continue };
        for word in all {
            let Ok(tensor) = Tensor::from_bytes(word.dtype, &[1], word.bytes.clone()) else { continue };
            match word.dtype.is_integer() {
                true => words.set_item(&word.name, tensor.to_i64()[0])?,
                false => words.set_item(&word.name, tensor.get_f64(&[0]))?,
            }
        }
    }
    Ok(words)
}

/// Each buffer: its name, its type, all of its bytes, where its body begins and ends, and whether it is an input.
fn buffers<'py>(py: Python<'py>, launch: &Launch) -> PyResult<Bound<'py, PyList>> {
    let all = launch.buffers.iter().map(|b| {
        let input = matches!(b.access, Access::Read | Access::ReadWrite);
        let bytes = PyByteArray::new(py, &b.bytes);
        (b.name.as_str(), b.dtype.name(), bytes, b.body.start, b.body.end, input)
    });
    PyList::new(py, all)
}

/// What the package says of a call: an empty word and nothing, or how it failed and the details.
fn ended(py: Python<'_>, said: &Py<PyAny>, buffers: &Bound<PyList>) -> Result<Vec<Vec<u8>>, Failure> {
    let broken = |e: PyErr| Failure::Broken(e.to_string());
    let (how, text): (String, String) = said.extract(py).map_err(broken)?;
    match how.as_str() {
        "" => {}
        "mismatch" => return Err(Failure::Mismatch(text)),
        "memory" => return Err(Failure::OutOfMemory(text)),
        "hang" => {
            let seconds = text.parse().unwrap_or(0.0);
            return Err(Failure::hang(Duration::try_from_secs_f64(seconds).unwrap_or_default()));
        }
        "broken" => return Err(Failure::Broken(text)),
        _ => return Err(Failure::Crash(text)),
    }
    let bytes = |item: Bound<PyAny>| item.get_item(2)?.extract::<Vec<u8>>();
    buffers.iter().map(bytes).collect::<PyResult<_>>().map_err(broken)
}

impl Device for Function {
    fn name(&self) -> &str {
        "python"
    }

    fn about(&self) -> &str {
        "a Python function"
    }

    fn probe(&self) -> Result<Description, Failure> {
        Ok(Description { detail: self.about().into(), features: Vec::new() })
    }

    fn accepts(&self, kind: SourceKind) -> bool {
        kind == SourceKind::Closure
    }

    fn remembers(&self) -> bool {
        true
    }

    fn compile(&self, _source: &Source, _build: &Build) -> Result<Box<dyn Program>, Failure> {
        Ok(Box::new(self.clone()))
    }
}

impl Program for Function {
    fn block(&self, _entry: &str) -> Option<[u32; 3]> {
        None
    }

    fn run(&self, launches: Vec<Launch>) -> Vec<Result<Ran, Failure>> {
        launches.into_iter().map(|launch| self.one(launch)).collect()
    }
}
