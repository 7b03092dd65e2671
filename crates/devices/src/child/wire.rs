//! What goes to a child process and what comes back, as plain data in files. The parent believes none of it
//! without looking: sizes and numbers are checked again where they are used.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ktwin_check::{Argument, Failure, pack};
use serde::{Deserialize, Serialize};

/// What the child is to run.
#[derive(Serialize, Deserialize)]
pub enum Work {
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
    /// For each entry point its name and the bindings that it uses.
    pub used: Vec<(String, Vec<Binding>)>,
}

#[cfg(feature = "gpu")]
/// A binding that a shader uses.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Binding {
    /// Its number, which is that of the argument.
    pub number: u32,
    /// Whether it is a uniform buffer.
    pub uniform: bool,
}

/// A launch as the child sees it.
#[derive(Serialize, Deserialize)]
pub struct WireLaunch {
    /// Whether buffers lie at the beginning of the memory around them; else at its end.
    pub low: bool,
    /// The memory.
    pub buffers: Vec<WireBuffer>,
    /// What is started, in order.
    pub steps: Vec<WireStep>,
}

/// Memory with its canaries.
#[derive(Serialize, Deserialize)]
pub struct WireBuffer {
    /// All of it.
    #[serde(with = "serde_bytes")]
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
}

/// What one binding or parameter is given.
#[derive(Serialize, Deserialize)]
pub enum WireArg {
    /// The buffer of this number.
    Buffer(usize),
    /// A struct's or a value's bytes.
    Words(#[serde(with = "serde_bytes")] Vec<u8>),
}

/// What a launch left behind.
#[derive(Serialize, Deserialize)]
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

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Failure {
        match trouble {
            Trouble::Absent(why, get) => Failure::Absent { why, get },
            Trouble::Unsupported(what) => Failure::Unsupported(what),
            Trouble::Compile(message) => Failure::Compile { message, line: None },
            Trouble::Mismatch(what) => Failure::Mismatch(what),
            Trouble::Crash(how) => Failure::Crash(how),
            Trouble::OutOfMemory(what) => Failure::OutOfMemory(what),
        }
    }
}

#[cfg(feature = "gpu")]
/// What a device is, in the child's words.
#[derive(Serialize, Deserialize)]
pub struct Described {
    /// The adapter.
    pub detail: String,
    /// What it can do.
    pub features: Vec<String>,
}

/// The launch without what the child has no use for: names, types and what is an output.
pub fn launch(launch: &ktwin_check::Launch) -> WireLaunch {
    let buffers = launch.buffers.iter();
    WireLaunch {
        low: launch.run % 2 == 1,
        buffers: buffers.map(|b| WireBuffer { bytes: b.bytes.clone(), body: b.body.clone() }).collect(),
        steps: launch.steps.iter().map(step).collect(),
    }
}

fn step(step: &ktwin_check::Step) -> WireStep {
    let args = step.args.iter().map(|argument| match argument {
        Argument::Buffer(number) => WireArg::Buffer(*number),
        Argument::Words(words) => WireArg::Words(pack(words)),
    });
    WireStep { entry: step.entry.clone(), grid: step.grid, args: args.collect() }
}

/// The file with what is to be run.
pub fn work_file(dir: &Path) -> PathBuf {
    dir.join("work")
}

/// The file with one launch.
pub fn launch_file(dir: &Path, number: usize) -> PathBuf {
    dir.join(format!("launch-{number}"))
}

/// The file with what a launch left behind; it appears when all of it is there.
pub fn result_file(dir: &Path, number: usize) -> PathBuf {
    dir.join(format!("result-{number}"))
}

/// Writes a file that appears only when it is whole.
pub fn write<T: Serialize>(path: &Path, value: &T) -> std::io::Result<()> {
    let bytes = postcard::to_stdvec(value).map_err(std::io::Error::other)?;
    let unfinished = path.with_extension("part");
    std::fs::write(&unfinished, bytes)?;
    std::fs::rename(unfinished, path)
}

/// How many bytes a result may have beside its buffers: their lengths, and what a driver said.
const WORDS: u64 = 1 << 20;

/// Reads a file that the child left, which may have put anything in its place: a link, a pipe that nobody
/// writes to, more than there is memory for. `most` is how many bytes of buffers there may be.
pub fn read_foreign<T: for<'a> Deserialize<'a>>(path: &Path, most: u64) -> std::io::Result<T> {
    use std::io::Read;
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits();
        options.custom_flags(flags.cast_signed());
    }
    let file = options.open(path)?;
    let (about, most) = (file.metadata()?, most + WORDS);
    if !about.is_file() || about.len() > most {
        return Err(std::io::Error::other("this is no file of the right size"));
    }
    let mut bytes = Vec::with_capacity(about.len() as usize);
    file.take(most).read_to_end(&mut bytes)?;
    postcard::from_bytes(&bytes).map_err(std::io::Error::other)
}

/// Reads such a file of our own.
pub fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> std::io::Result<T> {
    let bytes = std::fs::read(path)?;
    postcard::from_bytes(&bytes).map_err(std::io::Error::other)
}
