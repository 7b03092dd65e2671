//! Rust functions as kernels: a device in this process. For kernels written in Rust, and for testing the
//! tests.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ktwin_num::{DType, Tensor};

use crate::device::{Argument, Build, Device, Failure, Launch, Program, Ran, Step, Word};
use crate::languages::SourceKind;
use crate::source::Source;

/// What a function is called with: the buffers and values that its contract names.
pub struct Call<'a> {
    launch: &'a mut Launch,
    step: usize,
}

impl Call<'_> {
    /// The call that a step of a launch is.
    pub fn of(launch: &mut Launch, step: usize) -> Call<'_> {
        Call { launch, step }
    }

    /// Refuses a contract whose `args` are not just these, in this order.
    pub fn takes(&self, names: &[&str]) -> Result<(), Failure> {
        let buffer = |number: &usize| self.launch.buffers.get(*number).map_or("", |b| b.name.as_str());
        let given: Vec<&str> = self
            .step()
            .args
            .iter()
            .flat_map(|argument| match argument {
                Argument::Buffer(number) | Argument::Returned(number) => vec![buffer(number)],
                Argument::Words(words) => words.iter().map(|word| word.name.as_str()).collect(),
            })
            .collect();
        match given == names {
            true => Ok(()),
            false => Err(Failure::Mismatch(format!(
                "it takes {}, and `args` has {}",
                names.join(", "),
                given.join(", ")
            ))),
        }
    }

    fn step(&self) -> &Step {
        &self.launch.steps[self.step]
    }

    /// The entry point of this step of a chain.
    pub fn entry(&self) -> &str {
        &self.step().entry
    }

    fn word(&self, name: &str) -> Option<&Word> {
        let words = self.step().args.iter().filter_map(|a| match a {
            Argument::Words(words) => Some(words),
            Argument::Buffer(_) | Argument::Returned(_) => None,
        });
        words.flatten().find(|w| w.name == name)
    }

    /// A value by name: a dimension, a scalar or an expression as the contract's `args` write it. 0 where
    /// there is none.
    pub fn value(&self, name: &str) -> f64 {
        let tensor = self.word(name).and_then(|w| Tensor::from_bytes(w.dtype, &[1], w.bytes.clone()).ok());
        tensor.map_or(0.0, |t| t.get_f64(&[0]))
    }

    /// A value that is a size.
    pub fn size(&self, name: &str) -> usize {
        self.value(name) as usize
    }

    /// A buffer's bytes.
    pub fn bytes(&mut self, name: &str) -> &mut [u8] {
        let found = self.launch.buffers.iter_mut().find(|b| b.name == name);
        found.map_or(&mut [], |b| {
            let body = b.body.clone();
            &mut b.bytes[body]
        })
    }

    fn typed(&self, name: &str) -> Option<Tensor> {
        let buffer = self.launch.buffers.iter().find(|b| b.name == name)?;
        let bytes = buffer.bytes[buffer.body.clone()].to_vec();
        let n = bytes.len() / buffer.dtype.bytes_per_block() * buffer.dtype.elements_per_block();
        Tensor::from_bytes(buffer.dtype, &[n], bytes).ok()
    }

    /// A buffer's elements as they lie in memory, whatever their type.
    pub fn read(&self, name: &str) -> Vec<f64> {
        self.typed(name).map_or(Vec::new(), |t| t.to_f64())
    }

    /// Writes a buffer's elements from the first on, each rounded to the buffer's type; what does not fit
    /// is left.
    pub fn write(&mut self, name: &str, values: &[f64]) {
        let dtype = self.launch.buffers.iter().find(|b| b.name == name).map_or(DType::F32, |b| b.dtype);
        let encoded = Tensor::from_f64(dtype, &[values.len()], values).bytes;
        let room = self.bytes(name);
        let n = room.len().min(encoded.len());
        room[..n].copy_from_slice(&encoded[..n]);
    }
}

/// A function that computes on the buffers of a call.
pub type Function = Arc<dyn Fn(&mut Call) + Send + Sync>;

/// The device that runs one Rust function.
#[derive(Clone)]
pub struct Closure {
    function: Function,
}

impl Closure {
    /// A device for this function.
    pub fn new(function: impl Fn(&mut Call) + Send + Sync + 'static) -> Closure {
        Closure { function: Arc::new(function) }
    }
}

impl Device for Closure {
    fn name(&self) -> &str {
        "closure"
    }

    fn about(&self) -> &str {
        "a Rust function in this process"
    }

    fn accepts(&self, kind: SourceKind) -> bool {
        kind == SourceKind::Closure
    }

    fn compile(&self, _source: &Source, _build: &Build) -> Result<Box<dyn Program>, Failure> {
        Ok(Box::new(self.clone()))
    }
}

impl Program for Closure {
    fn one(&self, mut launch: Launch) -> Result<Ran, Failure> {
        let started = std::time::Instant::now();
        for step in 0..launch.steps.len() {
            let call = &mut Call::of(&mut launch, step);
            let done = catch_unwind(AssertUnwindSafe(|| (self.function)(call)));
            done.map_err(|panic| Failure::Crash(words(&*panic)))?;
        }
        let elapsed = Some(started.elapsed());
        Ok(Ran { elapsed, ..Ran::of(launch) })
    }
}

fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_string());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panicked: {}", text.unwrap_or_default())
}
