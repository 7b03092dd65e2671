//! What goes to a child process and comes back, as plain data. The parent believes none of what comes back without
//! looking: sizes and numbers are checked again where they are used.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use ktwin_check::{Argument, pack};
use serde::{Deserialize, Serialize};

use super::shared::Name;
use crate::sandbox::Policy;

/// All that a child is told.
#[derive(Serialize, Deserialize)]
pub struct Order {
    /// The process that gives it; a child without it has nothing to do.
    pub parent: u32,
    /// The box to enter first.
    pub policy: Policy,
    /// What is to be run.
    pub work: Work,
    /// The launches, each in its own memory.
    pub launches: Vec<WireOrder>,
    /// The pipe to report through.
    pub report: Name,
}

/// A launch as the child is told of it.
#[derive(Serialize, Deserialize)]
pub struct WireOrder {
    /// The memory.
    pub buffers: Vec<WireBuffer>,
    /// What is started, in order.
    pub steps: Vec<WireStep>,
}

/// Memory with its canaries, by name.
#[derive(Serialize, Deserialize)]
pub struct WireBuffer {
    /// All of it.
    pub memory: Name,
    /// Its length.
    pub len: usize,
    /// The part that the kernel is given.
    pub body: Range<usize>,
    /// Whether nobody may write to it.
    pub read_only: bool,
}

/// What the child is to run.
#[derive(Clone, Serialize, Deserialize)]
pub enum Work {
    /// Nothing: only the box.
    Nothing,
    /// A program in its place: a compiler.
    Program {
        /// The program and its arguments.
        words: Vec<String>,
        /// All of its environment.
        variables: Vec<(String, String)>,
    },
    /// Functions of a shared library.
    Native {
        /// The library.
        kernel: PathBuf,
        /// The library with functions that call them.
        shim: PathBuf,
        /// The entry points.
        calls: Vec<WireCall>,
    },
    #[cfg(feature = "gpu")]
    /// A shader.
    Gpu(GpuWork),
    #[cfg(feature = "gpu")]
    /// Only say what the device is.
    Describe {
        /// The device's name.
        device: String,
    },
}

/// How an entry point of a library is called.
#[derive(Clone, Serialize, Deserialize)]
pub struct WireCall {
    /// The entry point as a launch names it.
    pub entry: String,
    /// The kernel's function.
    pub function: String,
    /// The shim's symbol that calls it.
    pub symbol: String,
}

#[cfg(feature = "gpu")]
/// A shader and what it is compiled with.
#[derive(Clone, Serialize, Deserialize)]
pub struct GpuWork {
    /// `vulkan`, `metal` or `dx12`.
    pub device: String,
    /// WGSL, where `spirv` is not set, or SPIR-V.
    #[serde(with = "serde_bytes")]
    pub source: Vec<u8>,
    /// Whether the source is SPIR-V.
    pub spirv: bool,
    /// Values of overrides.
    pub constants: Vec<(String, f64)>,
    /// Lanes that a subgroup may have; any number where it is empty.
    pub subgroup: Vec<i64>,
    /// For each entry point its name and the bindings that it uses.
    pub used: Vec<(String, Vec<Binding>)>,
    /// Bytes of push constants that the entry points read at most.
    pub push: u32,
}

#[cfg(feature = "gpu")]
/// A binding that a shader uses.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Binding {
    /// Its number, which is that of the argument.
    pub number: u32,
    /// Whether it is a uniform buffer.
    pub uniform: bool,
    /// Whether the shader only reads it.
    pub read_only: bool,
}

/// A launch on memory that was copied out of what the parent handed over, and is copied back.
pub struct WireLaunch {
    /// The memory.
    pub buffers: Vec<Copied>,
    /// What is started, in order.
    pub steps: Vec<WireStep>,
}

/// Memory with its canaries.
pub struct Copied {
    /// All of it.
    pub bytes: Vec<u8>,
    /// The part that the kernel is given.
    pub body: Range<usize>,
}

/// One kernel started once.
#[derive(Serialize, Deserialize)]
pub struct WireStep {
    /// The entry point.
    pub entry: String,
    /// Workgroups.
    pub grid: [u32; 3],
    /// Bindings or parameters.
    pub args: Vec<WireArg>,
    /// The push constants.
    #[serde(with = "serde_bytes")]
    pub push: Vec<u8>,
}

/// What one binding or parameter is given.
#[derive(Serialize, Deserialize)]
pub enum WireArg {
    /// The buffer of this number.
    Buffer(usize),
    /// A struct's or a value's bytes.
    Words(#[serde(with = "serde_bytes")] Vec<u8>),
}

/// What a launch on copies left behind.
pub struct Done {
    /// Every buffer's bytes.
    pub buffers: Vec<serde_bytes::ByteBuf>,
    /// The kernel's own time.
    pub elapsed: Option<Duration>,
    /// What the kernel did to the processor's way of calculating and left so, in a sentence.
    pub mode: Option<String>,
}

/// Why there is no result, in the child's words.
#[derive(Clone, Serialize, Deserialize)]
pub enum Trouble {
    /// No such device.
    Absent(String, String),
    /// The device lacks something.
    Unsupported(String),
    /// The driver refuses the kernel.
    Compile(String),
    /// The launch does not fit.
    Mismatch(String),
    /// The driver gave up.
    Crash(String),
    /// The device's memory is full.
    OutOfMemory(String),
}

/// What a device is, in the child's words.
#[derive(Clone, Serialize, Deserialize)]
pub struct Described {
    /// The adapter.
    pub detail: String,
    /// What it can do.
    pub features: Vec<String>,
}

/// The steps without what the child has no use for: names and types.
pub fn steps(launch: &ktwin_check::Launch) -> Vec<WireStep> {
    launch.steps.iter().map(step).collect()
}

fn step(step: &ktwin_check::Step) -> WireStep {
    let args = step.args.iter().map(|argument| match argument {
        Argument::Buffer(number) => WireArg::Buffer(*number),
        Argument::Words(words) => WireArg::Words(pack(words)),
    });
    WireStep { entry: step.entry.clone(), grid: step.grid, args: args.collect(), push: pack(&step.push) }
}
