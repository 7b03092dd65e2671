//! The child's side: reads its order, enters its box, does its work and reports. It is `ktwin worker`, or whatever a
//! program makes of [`worker`].

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, ExitCode};

use ktwin_check::bench::{Times, Timing};
use ktwin_check::{Access, Failure, Step};

use super::program::ORDER;
use super::reports::{Ended, Said, Teller};
use super::shared::Name;
use super::wire::{Envelope, LaunchOrder, Order, VERSION, Work};
#[cfg(feature = "cuda")]
use crate::cuda;
#[cfg(feature = "opencl")]
use crate::opencl;
use crate::sandbox;

/// Memory with its canaries, copied out of what the parent handed over.
pub struct Copied {
    /// All of it.
    pub bytes: Vec<u8>,
    /// The part that the kernel is given.
    pub body: Range<usize>,
    /// What the kernel may do with it.
    pub access: Access,
}

/// Something loaded that runs launches on copies of their memory.
pub trait Runner {
    /// Runs one launch on its memory, and leaves there what it made of it.
    fn run(&mut self, buffers: &mut [Copied], steps: &[Step]) -> Result<Ended, Failure>;

    /// Times calls on launches; `mark` tells the parent process that a long batch begins, and that it ends.
    fn time(
        &mut self,
        launches: &[LaunchOrder],
        timing: &Timing,
        mark: &mut dyn FnMut(),
    ) -> Result<Times, Failure>;

    /// Whether the device takes nothing more of this process, so that another must go on.
    fn is_over(&self) -> bool {
        false
    }
}

/// Something loaded that runs launches on the very memory that was handed over.
pub trait InPlace {
    /// Runs one launch.
    fn run(&mut self, launch: LaunchOrder) -> Result<Ended, Failure>;

    /// Times calls on launches; `mark` tells the parent process that a long batch begins, and that it ends.
    fn time(
        &self,
        launches: &[LaunchOrder],
        timing: &Timing,
        mark: &mut dyn FnMut(),
    ) -> Result<Times, Failure>;
}

/// Something loaded.
pub enum Loaded {
    /// It works on copies.
    Copying(Box<dyn Runner>),
    /// It works in place.
    InPlace(Box<dyn InPlace>),
}

/// Does the work of a child process and says how it ended: all that a program started as a worker has to do.
///
/// The `ktwin` command does it as its subcommand `worker`. A program of one's own that is named to [`use_worker`] calls
/// it first thing in `main`, before any other thread runs.
///
/// [`use_worker`]: crate::use_worker
pub fn worker() -> ExitCode {
    #[cfg(unix)]
    too_long_kills(true);
    let Some(name) = std::env::var_os(ORDER) else {
        eprintln!("ktwin: a worker is started by ktwin itself, which tells it what to do");
        return ExitCode::from(2);
    };
    forget(ORDER);
    ExitCode::from(obey(&name.to_string_lossy()).unwrap_or(1))
}

/// Whether a write past the limit of files' lengths kills this process and those that it starts. In ktwin it is an
/// error like any other; in a worker a kernel that writes to files is to be seen.
#[cfg(unix)]
#[expect(unsafe_code, reason = "signals are the system's")]
pub fn too_long_kills(kills: bool) {
    let how = if kills { libc::SIG_DFL } else { libc::SIG_IGN };
    // SAFETY: neither disposition runs any code of this program
    unsafe { libc::signal(libc::SIGXFSZ, how) };
}

/// Removes a variable, which is nothing for a kernel to see.
#[expect(unsafe_code, reason = "the environment is everybody's")]
pub fn forget(variable: &str) {
    // SAFETY: ktwin sets the variable for workers alone, and these have no other thread yet
    unsafe { std::env::remove_var(variable) };
}

/// Does the order of this name. Gives what the process is to end with.
pub fn obey(name: &str) -> io::Result<u8> {
    let bytes = contents(&Name::of_text(name)?)?;
    let (envelope, rest) = postcard::take_from_bytes::<Envelope>(&bytes).map_err(io::Error::other)?;
    die_with(envelope.parent);
    let mut teller = Teller::new(envelope.report.open()?, envelope.spoken);
    if envelope.ktwin != env!("CARGO_PKG_VERSION") {
        let why = format!("the worker is ktwin {}, not {}", env!("CARGO_PKG_VERSION"), envelope.ktwin);
        return teller.say(&Said::CannotStart(why)).map(|()| envelope.ends_with);
    }
    let order: Order<Work> = postcard::from_bytes(rest).map_err(io::Error::other)?;
    debug_assert_eq!(order.version, VERSION);
    // in its box nobody may
    #[cfg(all(feature = "native", target_os = "linux"))]
    if envelope.policy.who == sandbox::Who::Kernel {
        crate::native::handle_writes();
    }
    let missing = sandbox::enter(&envelope.policy);
    if envelope.policy.required && !missing.is_empty() {
        let why = format!("the sandbox is required, but this system lacks {}", missing.join(", "));
        return teller.say(&Said::CannotStart(why)).map(|()| envelope.ends_with);
    }
    if let Work::Program { words, variables, folder, runs } = &order.work {
        if *runs {
            teller.say(&Said::Ready(missing))?;
        }
        teller.say(&Said::CannotStart(become_program(words, variables, folder.as_deref()).to_string()))?;
        return Ok(envelope.ends_with);
    }
    teller.say(&Said::Ready(missing))?;
    work(order.work, order.launches, &mut teller)?;
    Ok(envelope.ends_with)
}

// A kernel that never ends must not outlive those who wait for it.
fn die_with(parent: u32) {
    #[cfg(target_os = "linux")]
    {
        let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
        let here = rustix::process::getppid().map(|p| p.as_raw_nonzero().get().cast_unsigned());
        if here != Some(parent) {
            std::process::exit(1);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = parent;
}

fn contents(name: &Name) -> io::Result<Vec<u8>> {
    let (mut file, mut bytes) = (name.open()?, Vec::new());
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

// Returns only where it fails.
fn become_program(words: &[String], variables: &[(String, String)], folder: Option<&Path>) -> io::Error {
    let Some((program, args)) = words.split_first() else { return io::Error::other("no program") };
    let mut command = Command::new(program);
    command.args(args).env_clear().envs(variables.iter().map(|(name, value)| (name, value)));
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    #[cfg(unix)]
    return std::os::unix::process::CommandExt::exec(&mut command);
    #[cfg(not(unix))]
    return io::Error::other("programs are started by themselves here");
}

fn work(work: Work, launches: Vec<LaunchOrder>, teller: &mut Teller) -> io::Result<()> {
    let (mut loaded, timing): (Result<Loaded, Failure>, Option<Timing>) = match work {
        Work::Nothing | Work::Program { .. } => return Ok(()),
        #[cfg(feature = "compilers")]
        Work::Nvrtc(job) => return job.done(),
        #[cfg(feature = "native")]
        Work::Native(work) => {
            let timing = work.timing;
            (crate::native::load(work).map(Loaded::InPlace), timing)
        }
        #[cfg(feature = "cuda")]
        Work::Cuda(work) => match work.ask {
            cuda::Ask::Describe => return teller.say(&Said::Described(cuda::describe(&work))),
            cuda::Ask::Entries => return teller.say(&Said::Compiled(cuda::entries(&work))),
            cuda::Ask::Roof(bytes, factor) => {
                return teller.say(&Said::Roof(cuda::roof(&work, bytes, factor)));
            }
            cuda::Ask::Run => (cuda::load(&work).map(Loaded::Copying), None),
            cuda::Ask::Time(timing) => (cuda::load(&work).map(Loaded::Copying), Some(timing)),
        },
        #[cfg(feature = "opencl")]
        Work::OpenCl(work) => match work.ask {
            opencl::Ask::Describe => return teller.say(&Said::Described(opencl::describe(&work))),
            opencl::Ask::Entries => return teller.say(&Said::Compiled(opencl::entries(&work))),
            opencl::Ask::Roof(bytes, factor) => {
                return teller.say(&Said::Roof(opencl::roof(&work, bytes, factor)));
            }
            opencl::Ask::Run => (opencl::load(&work).map(Loaded::Copying), None),
            opencl::Ask::Time(timing) => (opencl::load(&work).map(Loaded::Copying), Some(timing)),
        },
        #[cfg(feature = "vulkan")]
        Work::Gpu(work) => {
            let timing = work.timing;
            (crate::gpu::load(work).map(Loaded::Copying), timing)
        }
        #[cfg(feature = "vulkan")]
        Work::Describe(device) => return teller.say(&Said::Described(crate::gpu::describe(&device))),
        #[cfg(feature = "vulkan")]
        Work::GpuRoof(device, bytes, factor) => {
            return teller.say(&Said::Roof(crate::gpu::roof(&device, bytes, factor)));
        }
    };
    if let (Some(timing), Ok(kernel)) = (timing, &mut loaded)
        && let Err(failure) = timed(kernel, &launches, &timing, teller)?
    {
        loaded = Err(failure);
    }
    run(loaded, launches, teller)
}

// Times a kernel before its last calls.
fn timed(
    kernel: &mut Loaded,
    launches: &[LaunchOrder],
    timing: &Timing,
    teller: &mut Teller,
) -> io::Result<Result<(), Failure>> {
    let mut said = Ok(());
    let mut mark = || said = teller.say(&Said::Mark);
    let times = match kernel {
        Loaded::InPlace(kernel) => kernel.time(launches, timing, &mut mark),
        Loaded::Copying(kernel) => kernel.time(launches, timing, &mut mark),
    };
    said?;
    match times {
        Ok(times) => teller.say(&Said::Times(times)).map(Ok),
        Err(failure) => Ok(Err(failure)),
    }
}

fn run(
    mut loaded: Result<Loaded, Failure>,
    launches: Vec<LaunchOrder>,
    teller: &mut Teller,
) -> io::Result<()> {
    for (number, launch) in launches.into_iter().enumerate() {
        let end = match &mut loaded {
            Ok(Loaded::InPlace(runner)) => runner.run(launch),
            Ok(Loaded::Copying(runner)) => copying(&mut **runner, launch)?,
            Err(failure) => Err(failure.clone()),
        };
        teller.say(&Said::Ended { launch: number, end })?;
        if matches!(&loaded, Ok(Loaded::Copying(runner)) if runner.is_over()) {
            break;
        }
    }
    // threads of a kernel's may still run in its library: it goes when the process does
    if matches!(loaded, Ok(Loaded::InPlace(_))) {
        std::mem::forget(loaded);
    }
    Ok(())
}

fn copying(runner: &mut dyn Runner, launch: LaunchOrder) -> io::Result<Result<Ended, Failure>> {
    let LaunchOrder { buffers: handed, steps } = launch;
    let (mut files, mut buffers) = (Vec::new(), Vec::new());
    for buffer in handed {
        let mut file = buffer.memory.open()?;
        let mut bytes = vec![0; buffer.len];
        file.seek(SeekFrom::Start(0))?;
        file.read_exact(&mut bytes)?;
        files.push(file);
        buffers.push(Copied { bytes, body: buffer.body, access: buffer.access });
    }
    let ended = runner.run(&mut buffers, &steps);
    if ended.is_ok() {
        for (mut file, copied) in files.into_iter().zip(buffers) {
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&copied.bytes)?;
        }
    }
    Ok(ended)
}
