//! Which program a worker is: what was named to [`use_worker`], this very program where it can be one (feature
//! `harness`), or the `ktwin` command beside it or on `PATH`.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use crate::sandbox::Who;

/// The variable that names a worker's order.
pub const ORDER: &str = "KTWIN_WORKER_ORDER";

/// The same, for a program that must be taken before its `main`.
#[cfg(feature = "harness")]
pub const ORDER_BEFORE_MAIN: &str = "KTWIN_WORKER_ORDER_BEFORE_MAIN";

static NAMED: OnceLock<(PathBuf, Vec<OsString>)> = OnceLock::new();

/// From now on, workers are started by this program with these arguments; it calls [`worker`] first thing in its
/// `main`. The first call counts.
///
/// Who needs it: programs with a `main` of their own, and modules loaded into another program, such as Python, whose
/// own file is not a worker. Binaries of `cargo test` need no such call with the feature `harness`.
///
/// [`worker`]: crate::worker
pub fn use_worker(program: impl Into<PathBuf>, arguments: &[&str]) {
    let _ = NAMED.set((program.into(), arguments.iter().map(OsString::from).collect()));
}

/// The command that starts a worker with this order.
pub fn command(who: Who, order: OsString) -> io::Result<Command> {
    let (mut command, variable) = bare()?;
    environment(&mut command, who);
    command.env(variable, order);
    Ok(command)
}

fn bare() -> io::Result<(Command, &'static str)> {
    if let Some((program, arguments)) = NAMED.get() {
        let mut command = Command::new(program);
        command.args(arguments);
        return Ok((command, ORDER));
    }
    #[cfg(feature = "harness")]
    if super::harness::is_there() {
        return Ok((Command::new(std::env::current_exe()?), ORDER_BEFORE_MAIN));
    }
    let ktwin = found().ok_or_else(|| {
        io::Error::other(
            "there is no worker: put the `ktwin` command on PATH, call ktwin::use_worker, or enable ktwin's feature \
             `harness`",
        )
    })?;
    let mut command = Command::new(ktwin);
    command.arg("worker");
    Ok((command, ORDER))
}

// None for a kernel but where its libraries are. A driver is told by many variables which one it is.
fn environment(command: &mut Command, who: Who) {
    if who == Who::Driver || cfg!(not(unix)) {
        // drivers keep what they compiled in files that anybody might have changed
        command.env("MESA_SHADER_CACHE_DISABLE", "true").env("__GL_SHADER_DISK_CACHE", "0");
        command.env("CUDA_CACHE_DISABLE", "1");
        return;
    }
    command.env_clear();
    if let Some(path) = std::env::var_os("LD_LIBRARY_PATH") {
        command.env("LD_LIBRARY_PATH", path);
    }
}

fn found() -> Option<PathBuf> {
    let name = format!("ktwin{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.to_path_buf()));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = beside.into_iter().chain(std::env::split_paths(&path));
    folders.map(|folder| folder.join(&name)).find(|file| file.is_file())
}
