//! From a source to a shared library that a child can load. It starts compilers and writes to a folder of its
//! own, where what was built once is found again by its contents.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use ktwin_check::{Argument, Build, Failure, Source, SourceKind};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::process::{self, COMPILER};
use super::tools::Tool;
use super::{shim, symbols};
use crate::child::wire::WireCall;

/// What the file of a kernel is called in a folder of its own.
const KERNEL: &str = "kernel.so";

/// A kernel that a child can load.
pub struct Built {
    /// The functions that call it.
    pub shim: PathBuf,
    /// Which calls what.
    pub calls: Vec<WireCall>,
    /// The folder of the kernel's file, which goes with it.
    room: TempDir,
}

impl Built {
    /// The kernel, under a path that nothing was ever loaded from.
    pub fn kernel(&self) -> PathBuf {
        self.room.path().join(KERNEL)
    }
}

/// A library of the source, and how each entry point of the build is called there.
pub fn library(source: &Source, build: &Build) -> Result<Built, Failure> {
    let bytes = part(source, build)?;
    let functions = symbols::functions(&bytes)?;
    let mut calls: Vec<(String, &[Argument])> = Vec::new();
    for (entry, args) in &build.entries {
        calls.push((symbols::meant(entry, &functions)?, args));
    }
    let (text, offered) = shim::text(&calls)?;
    let shim = shim(&Tool::find(SourceKind::C)?, &text)?;
    let entries = build.entries.iter().map(|(entry, _)| entry.clone());
    let calls = entries.zip(calls).zip(offered);
    let calls = calls.map(|((entry, (function, _)), symbol)| WireCall { entry, function, symbol });
    let room = fresh(&bytes).map_err(cannot_write)?;
    Ok(Built { shim, calls: calls.collect(), room })
}

// The very bytes that were looked at, under a path that nothing was ever loaded from: a library is known to
// the loader by its path and by a name inside it, and nothing else of that name must be taken for it.
fn fresh(bytes: &[u8]) -> io::Result<TempDir> {
    let room = tempfile::Builder::new().prefix("loaded-").tempdir_in(folder()?)?;
    fs::write(room.path().join(KERNEL), bytes)?;
    Ok(room)
}

fn cannot_write(e: io::Error) -> Failure {
    Failure::Broken(format!("cannot write what the compiler makes: {e}"))
}

// The kernel as a shared library.
fn part(source: &Source, build: &Build) -> Result<Vec<u8>, Failure> {
    if source.kind == SourceKind::Library {
        return Ok(source.bytes.clone());
    }
    let tool = Tool::find(source.kind)?;
    let mut command = compiler(&tool, source, build);
    let key = key(&[&source.bytes, format!("{command:?}{}", tool.version).as_bytes()]);
    let text = source.text();
    // what a file of the kernel's own says is not in the key
    let includes = text.contains("#include \"") || text.contains("include!(") || text.contains("mod ");
    let path = cached(&key, includes, |out| {
        command.arg("-o").arg(out);
        if source.kind != SourceKind::Rust {
            command.arg("-lm");
        }
        feed(&mut command, source)
    })?;
    fs::read(&path).map_err(|e| Failure::Broken(format!("{}: {e}", path.display())))
}

fn compiler(tool: &Tool, source: &Source, build: &Build) -> Command {
    let mut command = tool.command();
    let folder = source.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if source.kind == SourceKind::Rust {
        command.args(["--edition=2024", "--crate-type=cdylib", "--crate-name=kernel", "-Copt-level=3"]);
        command.args(["-Cpanic=abort", "--cap-lints=allow"]).args(&tool.flags);
        for (name, value) in &build.defines {
            command.env(name, value.to_string());
        }
        command.arg(&source.path);
        return command;
    }
    let language = if source.kind == SourceKind::Cpp { "c++" } else { "c" };
    command.args(["-x", language, "-O2", "-g", "-shared", "-fPIC", "-iquote"]).arg(folder).args(&tool.flags);
    for (name, value) in &build.defines {
        command.arg(format!("-D{name}={value}"));
    }
    command.arg("-");
    command
}

// The text goes in by a pipe, with a line that names its file, so that messages point there.
fn feed(command: &mut Command, source: &Source) -> Result<(), Failure> {
    if source.kind == SourceKind::Rust {
        return finish(command, &[]);
    }
    let name = source.path.display().to_string().replace('\\', "/").replace('"', "");
    let mut text = format!("#line 1 \"{name}\"\n").into_bytes();
    text.extend(&source.bytes);
    finish(command, &text)
}

// A library of its own: a kernel's functions are found in the kernel's file by their names, and nowhere else. Linked
// together, a kernel's `exp` would give way to that of the system.
fn shim(tool: &Tool, text: &str) -> Result<PathBuf, Failure> {
    let mut command = tool.command();
    command.args(["-O1", "-shared", "-fPIC"]).args(&tool.flags).args(["-x", "c", "-"]);
    let key = key(&[text.as_bytes(), format!("{command:?}{}", tool.version).as_bytes()]);
    cached(&key, false, |out| {
        command.arg("-o").arg(out);
        finish(&mut command, text.as_bytes())
    })
}

fn finish(command: &mut Command, input: &[u8]) -> Result<(), Failure> {
    let cannot = |e: io::Error| Failure::Broken(format!("cannot start the compiler: {e}"));
    let said = process::run(command, input, COMPILER).map_err(cannot)?;
    let Some(status) = said.status else {
        let message = format!("the compiler did not end within {} s", COMPILER.time.as_secs());
        return Err(Failure::Compile { message, line: None });
    };
    if status.success() {
        return Ok(());
    }
    let said = said.err.trim_end();
    let message = if said.is_empty() { format!("the compiler ended with {status}") } else { said.to_owned() };
    Err(Failure::Compile { line: line_of(&message), message })
}

// The line in `FILE:LINE:COLUMN: error: …` of C compilers, or in ` --> FILE:LINE:COLUMN` of Rust's.
fn line_of(message: &str) -> Option<u32> {
    let line = message.lines().find(|l| l.contains(": error:") || l.contains(": fatal error:"));
    let place = match line {
        Some(line) => line.split(": error:").next()?.split(": fatal error:").next()?,
        None => message.lines().find_map(|l| l.trim_start().strip_prefix("--> "))?,
    };
    let mut numbers = place.rsplit(':').map_while(|n| n.trim().parse::<u32>().ok());
    let last = numbers.next()?;
    Some(numbers.next().unwrap_or(last))
}

// Each part with its length, so that no two lists of parts look the same.
fn key(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect()
}

// The file of this key, made where it is not there yet (or must be made afresh).
fn cached(
    key: &str,
    afresh: bool,
    make: impl FnOnce(&Path) -> Result<(), Failure>,
) -> Result<PathBuf, Failure> {
    let folder = folder().map_err(cannot_write)?;
    let path = folder.join(format!("{key}.so"));
    if path.exists() && !afresh {
        return Ok(path);
    }
    let room = tempfile::tempdir_in(&folder).map_err(cannot_write)?;
    let made = room.path().join("made");
    make(&made)?;
    fs::rename(made, &path).map_err(cannot_write)?;
    Ok(path)
}

// The user's own cache, since what lies there is loaded as code.
fn folder() -> io::Result<PathBuf> {
    let home = |variable| std::env::var_os(variable).filter(|v| !v.is_empty()).map(PathBuf::from);
    let base = home("XDG_CACHE_HOME")
        .or_else(|| Some(home("HOME").or_else(|| home("LOCALAPPDATA"))?.join(".cache")));
    let folder = base.unwrap_or_else(std::env::temp_dir).join("ktwin").join("native");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_an_error() {
        assert_eq!(line_of("kernels/c/a.c: In function 'f':\nkernels/c/a.c:12:5: error: no"), Some(12));
        assert_eq!(line_of("error[E0425]: cannot find\n --> k.rs:7:3\n  |"), Some(7));
        assert_eq!(line_of("ld: it went wrong"), None);
    }

    #[test]
    fn keys_tell_parts_apart() {
        assert_ne!(key(&[b"ab", b"c"]), key(&[b"a", b"bc"]));
        assert_eq!(key(&[b"ab"]).len(), 32);
    }
}
