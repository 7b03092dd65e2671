//! What runs kernels: the trait that every device implements, and the plain data that goes in and comes out.
//!
//! A device compiles a [`Source`] and runs [`Launch`]es. It sees inputs and output buffers and nothing
//! else: no seed, no expected value. It reports what happened and judges nothing.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use ktwin_num::{DType, Language};
use serde::{Deserialize, Serialize};

use crate::bench::{Answer, Factor, Roof, Timing};
use crate::calling::Calling;
use crate::comparisons::Comparisons;
pub use crate::failure::Failure;
use crate::finding::Finding;
use crate::languages::SourceKind;
use crate::parts::Parts;
use crate::sanitize::Sanitized;
use crate::source::Source;
pub use crate::step::{Argument, Global, Step, Word, pack, pointers};

/// Workgroups that every device launches in one direction, as WebGPU and Vulkan promise.
pub const MOST_GROUPS: u32 = 65_535;

/// A number of a contract: a scalar's value, or a constant's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Number {
    /// A whole number.
    Int(i64),
    /// A real number.
    Real(f64),
    /// A truth value.
    Bool(bool),
}

impl Number {
    /// As a real number; truth values are 0 and 1.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Int(v) => v as f64,
            Number::Real(v) => v,
            Number::Bool(v) => f64::from(u8::from(v)),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(v) => write!(f, "{v}"),
            Number::Real(v) => write!(f, "{v:?}"),
            Number::Bool(v) => write!(f, "{v}"),
        }
    }
}

/// A compile-time constant's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Constant {
    /// A number.
    Number(Number),
    /// Text, which a preprocessor puts in its place.
    Text(String),
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constant::Number(number) => number.fmt(f),
            Constant::Text(text) => f.write_str(text),
        }
    }
}

/// What a kernel is compiled with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Build {
    /// Compile-time constants by name: `override` in WGSL, `-D` in C, either in GLSL.
    pub defines: Vec<(String, Constant)>,
    /// The entry points that will be launched, or "" for the only one, with what they are given: C needs the types.
    pub entries: Vec<(String, Vec<Argument>)>,
    /// What the elements of each buffer are stored as, by its number: pointers of Triton have types.
    #[serde(default)]
    pub buffers: Vec<String>,
    /// The architecture that CUDA is compiled for, where the contract names one.
    pub arch: Option<String>,
    /// Folders with headers, from the kernel's own.
    pub include: Vec<String>,
    /// CUDA's `--use_fast_math`.
    pub fast_math: bool,
    /// Whether reads past the end of a buffer are the platform's to answer.
    #[serde(default)]
    pub robust: bool,
    /// Lanes that a subgroup may have; any number where it is empty.
    pub subgroup: Vec<i64>,
    /// How it is called, where it is a function in Python.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Calling>,
}

/// What a kernel may do with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// An input: initialised, must not change.
    Read,
    /// An output: not initialised (it holds poison).
    Write,
    /// An output written over an input: initialised.
    ReadWrite,
    /// Room to work in: not initialised, and nobody looks at it afterwards.
    Scratch,
}

/// Memory of a launch. The kernel is given `body`; the bytes before and after it are canaries, which a
/// device that can lays around it in the same allocation and hands back as they are afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The tensor's name.
    pub name: String,
    /// What its elements are stored as.
    pub dtype: DType,
    /// The whole allocation. Devices that have addresses align the body to 64 bytes, GPUs to 256.
    pub bytes: Vec<u8>,
    /// The part that the kernel is given. It begins at a multiple of 256. A binding that needs whole words
    /// goes on to the next multiple of 4: at least that many bytes follow.
    pub body: Range<usize>,
    /// What the kernel may do with it.
    pub access: Access,
}

/// One run of a kernel, or of a chain of them, on fresh buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The memory, shared by all steps.
    pub buffers: Vec<Buffer>,
    /// What is started, in order, each after the one before has ended.
    pub steps: Vec<Step>,
    /// What a simulated schedule is drawn from. It comes from the case alone, so that a case by itself is the same run.
    pub schedule: u64,
    /// Which of several launches on the same inputs it is.
    pub run: u64,
    /// How many points plain loops over the op walk here: how much an honest kernel may have to do.
    pub points: u64,
}

/// What a launch left behind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ran {
    /// Every buffer's bytes, canaries included, in the launch's order.
    pub buffers: Vec<Vec<u8>>,
    /// What the device saw while it ran.
    pub findings: Vec<Finding>,
    /// The kernel's own time, where the device measures it.
    pub elapsed: Option<Duration>,
    /// Which parts of the source it ran; empty where the device cannot tell.
    pub parts: Parts,
}

impl Ran {
    /// What a launch left that ended without a finding, on its own buffers.
    pub fn of(launch: Launch) -> Ran {
        Ran { buffers: launch.buffers.into_iter().map(|buffer| buffer.bytes).collect(), ..Ran::default() }
    }
}

/// What a launch did, whatever came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Visit {
    /// Which parts of the source it ran.
    pub parts: Parts,
    /// What it compared.
    pub comparisons: Comparisons,
}

/// A device in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// What it is: `llvmpipe (LLVM 15.0.6, 256 bits)`, `gcc 12.2 x86_64` …
    pub detail: String,
    /// What it can do beyond the least, in words: `f16`, `subgroups 8..32`.
    pub features: Vec<String>,
}

/// Something that runs kernels.
///
/// A device is made without touching hardware, and asked for little: its name, which languages it takes, what is there
/// of it ([`Device::probe`]), and to compile a kernel into a [`Program`], which runs launches. What it hands back is
/// bytes and what it saw; it judges nothing.
pub trait Device: Send + Sync {
    /// The name that it is chosen by, and that reports give: `sim`, `vulkan`, `native` …
    fn name(&self) -> &str;

    /// What it is for, in one line, whether or not it is there.
    fn about(&self) -> &str {
        ""
    }

    /// What is there, or what is missing and how to get it. This may touch hardware, and may be asked more than once.
    /// By default it is there, and is what [`Device::about`] says.
    fn probe(&self) -> Result<Description, Failure> {
        Ok(Description { detail: self.about().into(), features: Vec::new() })
    }

    /// Whether it runs kernels of this language at all.
    fn accepts(&self, kind: SourceKind) -> bool;

    /// Whose functions its own are as accurate as, for a kernel in a language of these rules: the language's own, where
    /// the device promises no more than that.
    fn functions(&self, rules: Language) -> Language {
        rules
    }

    /// The box that kernels ran in so far, in words: `full`, `partial (missing: …)`. None where no foreign code runs.
    fn sandbox(&self) -> Option<String> {
        None
    }

    /// Whether a kernel could keep something from one launch to the next.
    fn remembers(&self) -> bool {
        false
    }

    /// Launches that are best handed over together: more where starting a child process is expensive.
    fn batch(&self) -> usize {
        2
    }

    /// Whether what it measures is counts, which are the same on every run, and no times.
    fn counts(&self) -> bool {
        false
    }

    /// What the device can do at most, with a case's bytes and what its kernel multiplies; none where nobody knows.
    fn roof(&self, _bytes: usize, _factor: Factor) -> Option<Roof> {
        None
    }

    /// Whether there is a sanitizer for it, which runs beside a kernel where one is asked for.
    fn has_sanitizer(&self) -> bool {
        false
    }

    /// Runs a command that repeats one case under a sanitizer. None where the device itself checks all that one could.
    fn sanitize(&self, _source: &Source, _command: &str) -> Result<Option<Sanitized>, Failure> {
        Err(Failure::Unsupported(format!("{} has none: `--sanitize` is for the device cuda", self.name())))
    }

    /// Loads a kernel. This happens before the seed is drawn.
    fn compile(&self, source: &Source, build: &Build) -> Result<Box<dyn Program>, Failure>;
}

/// A kernel loaded on a device.
pub trait Program: Send + Sync {
    /// Lanes of a workgroup of an entry point (empty: the only one), where the source says so.
    fn block(&self, _entry: &str) -> Option<[u32; 3]> {
        None
    }

    /// Whether the kernel was seen to keep something from one launch to the next.
    fn remembers(&self) -> bool {
        false
    }

    /// What its entry points take of a card, where a compiler says so; why not, where it could.
    fn resources(&self) -> Result<Vec<crate::resources::Resources>, String> {
        Ok(Vec::new())
    }

    /// Runs one launch on its memory, which is its own. A device implements this, or `run`.
    fn one(&self, _launch: Launch) -> Result<Ran, Failure> {
        Err(Failure::Broken("a device's program has to implement `one` or `run`".into()))
    }

    /// Runs launches, each on its own fresh memory, and returns as many results: by default one after another. A device
    /// that needs a child process may run them all in one; what it hands back it reads only after that has stopped.
    fn run(&self, launches: Vec<Launch>) -> Vec<Result<Ran, Failure>> {
        launches.into_iter().map(|launch| self.one(launch)).collect()
    }

    /// Runs launches for nothing but which parts of the source they run and what they compare; no results where the
    /// device cannot tell.
    fn visit(&self, _launches: Vec<Launch>) -> Vec<Result<Visit, Failure>> {
        Vec::new()
    }

    /// Calls the kernel on these launches in turn, again and again, and says how long a call takes, or what it counts.
    /// Outputs are made anew before every call that is looked at. The results are of a last call on each launch.
    fn measure(&self, _launches: Vec<Launch>, _timing: &Timing) -> Result<Answer, Failure> {
        Err(Failure::Unsupported(
            "this device has no clock for kernels yet; native and sim can measure".into(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(name: &str, dtype: DType, bytes: &[u8]) -> Word {
        Word { name: name.into(), dtype, bytes: bytes.into(), buffer: None }
    }

    #[test]
    fn structs_are_aligned() {
        let packed = pack(&[
            word("a", DType::F16, &[1, 1]),
            word("b", DType::U32, &[2, 2, 2, 2]),
            word("c", DType::I64, &[3; 8]),
            word("d", DType::F16, &[4, 4]),
        ]);
        let mut expected = vec![1, 1, 0, 0, 2, 2, 2, 2];
        expected.extend([3; 8]);
        expected.extend([4, 4, 0, 0, 0, 0, 0, 0]);
        assert_eq!(packed, expected);
        assert_eq!(pack(&[]), Vec::<u8>::new());
    }
}
