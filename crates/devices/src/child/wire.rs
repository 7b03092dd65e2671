//! What goes to a child process, as plain data: the same for ktwin's own worker and for a device's program
//! (`docs/device-protocol.md`). What comes back is in `reports`.

use std::ops::Range;
use std::path::PathBuf;

use ktwin_check::{Access, Buffer, Build, SourceKind, Step};
use ktwin_num::DType;
use serde::{Deserialize, Serialize};

use super::reports::Spoken;
use super::shared::Name;
use crate::sandbox::Policy;

/// The version of the protocol. A message that changes its meaning, or a new one that must be understood, is a new
/// version.
pub const VERSION: u32 = 1;

/// What a child is asked to do: [`Work`], or a device's program its [`Task`].
#[derive(Serialize, Deserialize)]
pub struct Order<W> {
    /// The version of the protocol.
    pub version: u32,
    /// What is to be run.
    pub work: W,
    /// The launches, each in its own memory.
    pub launches: Vec<LaunchOrder>,
}

/// What ktwin's own worker is told beside that.
#[derive(Serialize, Deserialize)]
pub struct Envelope {
    /// The ktwin that gives the order: a worker does nothing for another.
    pub ktwin: String,
    /// The process that gives it; a child without it has nothing to do.
    pub parent: u32,
    /// The box to enter first.
    pub policy: Policy,
    /// The pipe to report through.
    pub report: Name,
    /// How it reports.
    pub spoken: Spoken,
    /// What it ends with if nothing went wrong to its very end: a kernel that ends it earlier knows no such number.
    pub ends_with: u8,
}

/// A launch as the child is told of it.
#[derive(Serialize, Deserialize)]
pub struct LaunchOrder {
    /// The memory.
    pub buffers: Vec<Handed>,
    /// What is started, in order.
    pub steps: Vec<Step>,
}

/// A buffer whose memory is handed over by name, its canaries included.
#[derive(Serialize, Deserialize)]
pub struct Handed {
    /// The tensor's name.
    pub name: String,
    /// What its elements are stored as.
    #[serde(with = "ktwin_check::by_name")]
    pub dtype: DType,
    /// What the kernel may do with it.
    pub access: Access,
    /// All of it.
    pub memory: Name,
    /// Its length.
    pub len: usize,
    /// The part that the kernel is given.
    pub body: Range<usize>,
}

impl Handed {
    /// A buffer, as it lies in memory of this name and length.
    pub fn new(buffer: &Buffer, memory: Name, len: usize, body: Range<usize>) -> Handed {
        let Buffer { name, dtype, access, .. } = buffer;
        Handed { name: name.clone(), dtype: *dtype, access: *access, memory, len, body }
    }
}

/// What a device's program is to do.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Say what device it is.
    Describe,
    /// Compile a kernel and say how its entry points start.
    Compile(Kernel),
    /// Compile a kernel and run the launches.
    Run(Kernel),
}

/// A kernel as a device's program is given it.
#[derive(Clone, Serialize, Deserialize)]
pub struct Kernel {
    /// Its language.
    pub language: SourceKind,
    /// Its path, for messages and for headers beside it.
    pub path: PathBuf,
    /// The file, where it is text.
    pub text: String,
    /// The file, where it is not.
    pub bytes: Vec<u8>,
    /// What it is compiled with.
    pub build: Build,
}

/// What ktwin's own worker is to do.
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
        /// Where it runs, if not where its parent does.
        folder: Option<PathBuf>,
        /// Whether it runs launches: it is then told of them on its standard input, and reports on its standard output.
        runs: bool,
    },
    /// CUDA C++, compiled by a library.
    #[cfg(feature = "compilers")]
    Nvrtc(crate::compile::nvrtc::Job),
    /// Functions of a shared library.
    #[cfg(feature = "native")]
    Native(crate::native::Work),
    /// PTX for a card.
    #[cfg(feature = "cuda")]
    Cuda(crate::cuda::Work),
    /// OpenCL C for a driver.
    #[cfg(feature = "opencl")]
    OpenCl(crate::opencl::Work),
    /// Only say what the GPU of this name is.
    #[cfg(feature = "vulkan")]
    Describe(String),
    /// Only say what the GPU of this name does at most, with so many bytes and in multiply-adds of this.
    #[cfg(feature = "vulkan")]
    GpuRoof(String, usize, ktwin_check::bench::Factor),
    /// A shader.
    #[cfg(feature = "vulkan")]
    Gpu(crate::gpu::Work),
}
