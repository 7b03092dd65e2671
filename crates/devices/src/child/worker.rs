//! The child's side: a function that runs before `main` and, where this process was started as a child, does
//! its work and ends it. So any program can be its own child: the command, and every test binary.

use std::path::{Path, PathBuf};

use super::wire::{self, Done, Trouble, WireLaunch, Work};
use super::{FIRST, FOLDER};

/// Something loaded that runs launches.
pub trait Runner {
    /// Runs one launch on its memory.
    fn run(&mut self, launch: WireLaunch) -> Result<Done, Trouble>;
}

// SAFETY: it runs before `main` but after the C library is ready; it reads variables and files, and where the
// process is no child it does nothing at all.
#[ctor::ctor(unsafe)]
fn before_main() {
    if let Some(dir) = std::env::var_os(FOLDER) {
        let first = std::env::var(FIRST).ok().and_then(|n| n.parse().ok()).unwrap_or(0);
        no_core_file();
        die_with_parent();
        let done = work(&PathBuf::from(dir), first);
        std::process::exit(i32::from(done.is_err()));
    }
}

fn no_core_file() {
    #[cfg(unix)]
    {
        let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
        let _ = rustix::process::setrlimit(rustix::process::Resource::Core, none);
    }
}

// A kernel that never ends must not outlive those who wait for it.
fn die_with_parent() {
    #[cfg(target_os = "linux")]
    {
        let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    }
}

fn work(dir: &Path, first: usize) -> std::io::Result<()> {
    let work: Work = wire::read(&wire::work_file(dir))?;
    let mut runner: Result<Box<dyn Runner>, Trouble> = match work {
        Work::Native { kernel, shim, calls } => crate::native::load(&kernel, &shim, calls),
        #[cfg(feature = "gpu")]
        Work::Gpu(work) => crate::gpu::load(work),
        #[cfg(feature = "gpu")]
        Work::Describe { device } => {
            return wire::write(&wire::result_file(dir, 0), &crate::gpu::describe(&device));
        }
    };
    let mut number = first;
    while let Ok(launch) = wire::read::<WireLaunch>(&wire::launch_file(dir, number)) {
        let result = match &mut runner {
            Ok(runner) => runner.run(launch),
            Err(trouble) => Err(trouble.clone()),
        };
        wire::write(&wire::result_file(dir, number), &result)?;
        number += 1;
    }
    Ok(())
}
