//! The child's side: a function that runs before `main` and, where this process was started as a child, does
//! its work and ends it. So any program can be its own child: the command, and every test binary.

use std::ffi::OsString;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::process::Command;

use super::reports::{Ended, Said, Teller};
use super::shared::Name;
use super::start::ORDER;
use super::wire::{Copied, Order, Trouble, WireLaunch, WireOrder, Work};
use crate::sandbox;

/// Something loaded that runs launches on copies of their memory.
pub trait Runner {
    /// Runs one launch on its memory.
    fn run(&mut self, launch: WireLaunch) -> Result<super::wire::Done, Trouble>;
}

/// Something loaded that runs launches on the very memory that was handed over.
pub trait InPlace {
    /// Runs one launch.
    fn run(&mut self, launch: WireOrder) -> Result<Ended, Trouble>;
}

/// Something loaded.
pub enum Loaded {
    /// It works on copies.
    Copying(Box<dyn Runner>),
    /// It works in place.
    InPlace(Box<dyn InPlace>),
}

// SAFETY: it runs before `main` but after the C library is ready; it reads a variable and what that names, and where
// the process is no child it does nothing at all.
#[ctor::ctor(unsafe)]
fn before_main() {
    if let Some(name) = std::env::var_os(ORDER) {
        // SAFETY: there is no other thread yet
        unsafe { std::env::remove_var(ORDER) };
        std::process::exit(i32::from(obey(name).is_err()));
    }
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

fn obey(name: OsString) -> io::Result<()> {
    let order: Order = postcard::from_bytes(&contents(&named(name)?)?).map_err(io::Error::other)?;
    die_with(order.parent);
    let mut teller = Teller::new(order.report.open()?);
    let missing = sandbox::enter(&order.policy);
    if order.policy.required && !missing.is_empty() {
        let why = format!("the sandbox is required, and this system lacks {}", missing.join(", "));
        return teller.say(&Said::CannotStart(why));
    }
    if let Work::Program { words, variables } = &order.work {
        return teller.say(&Said::CannotStart(become_program(words, variables).to_string()));
    }
    teller.say(&Said::Ready(missing))?;
    work(order.work, order.launches, &mut teller)
}

fn named(name: OsString) -> io::Result<Name> {
    #[cfg(unix)]
    {
        let number = name.to_str().and_then(|n| n.parse().ok());
        number.map(Name::Descriptor).ok_or_else(|| io::Error::other("no number"))
    }
    #[cfg(not(unix))]
    Ok(Name::Path(name.into()))
}

fn contents(name: &Name) -> io::Result<Vec<u8>> {
    let (mut file, mut bytes) = (name.open()?, Vec::new());
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

// Returns only where it fails.
fn become_program(words: &[String], variables: &[(String, String)]) -> io::Error {
    let Some((program, args)) = words.split_first() else { return io::Error::other("no program") };
    let mut command = Command::new(program);
    command.args(args).env_clear().envs(variables.iter().map(|(name, value)| (name, value)));
    #[cfg(unix)]
    return std::os::unix::process::CommandExt::exec(&mut command);
    #[cfg(not(unix))]
    return io::Error::other("programs are started by themselves here");
}

fn work(work: Work, launches: Vec<WireOrder>, teller: &mut Teller) -> io::Result<()> {
    let mut loaded: Result<Loaded, Trouble> = match work {
        Work::Nothing | Work::Program { .. } => return Ok(()),
        Work::Native { kernel, shim, calls } => {
            crate::native::load(&kernel, &shim, calls).map(Loaded::InPlace)
        }
        #[cfg(feature = "gpu")]
        Work::Gpu(work) => crate::gpu::load(work).map(Loaded::Copying),
        #[cfg(feature = "gpu")]
        Work::Describe { device } => return teller.say(&Said::Described(crate::gpu::describe(&device))),
    };
    for (number, launch) in launches.into_iter().enumerate() {
        let end = match &mut loaded {
            Ok(Loaded::InPlace(runner)) => runner.run(launch),
            Ok(Loaded::Copying(runner)) => copying(&mut **runner, launch)?,
            Err(trouble) => Err(trouble.clone()),
        };
        teller.say(&Said::Ended { launch: number, end })?;
    }
    // threads of a kernel's may still run in its library: it goes when the process does
    if matches!(loaded, Ok(Loaded::InPlace(_))) {
        std::mem::forget(loaded);
    }
    Ok(())
}

fn copying(runner: &mut dyn Runner, launch: WireOrder) -> io::Result<Result<Ended, Trouble>> {
    let WireOrder { buffers: handed, steps } = launch;
    let (mut files, mut buffers) = (Vec::new(), Vec::new());
    for buffer in handed {
        let mut file = buffer.memory.open()?;
        let mut bytes = vec![0; buffer.len];
        file.seek(SeekFrom::Start(0))?;
        file.read_exact(&mut bytes)?;
        files.push(file);
        buffers.push(Copied { bytes, body: buffer.body });
    }
    let done = match runner.run(WireLaunch { buffers, steps }) {
        Ok(done) => done,
        Err(trouble) => return Ok(Err(trouble)),
    };
    for (mut file, bytes) in files.into_iter().zip(done.buffers) {
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&bytes)?;
    }
    Ok(Ok(Ended { elapsed: done.elapsed, mode: done.mode, wrote: Vec::new() }))
}
