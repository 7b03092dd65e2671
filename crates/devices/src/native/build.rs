//! From a source to a shared library that a child can load. It starts compilers and writes to a folder of its
//! own, where what was built once is found again by its contents.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ktwin_check::{Argument, Build, Failure, Source, SourceKind};
use sha2::{Digest, Sha256};

use super::tools::Tool;
use super::{shim, symbols};

/// The library and, for each entry point of the build, its name there and the symbol that calls it.
pub fn library(source: &Source, build: &Build) -> Result<(PathBuf, Vec<(String, String)>), Failure> {
    let part = part(source, build)?;
    let bytes = fs::read(&part).map_err(|e| Failure::Mismatch(format!("{}: {e}", part.display())))?;
    let functions = symbols::functions(&bytes)?;
    let mut calls: Vec<(String, &[Argument])> = Vec::new();
    for (entry, args) in &build.entries {
        calls.push((symbols::meant(entry, &functions)?, args));
    }
    let (text, offered) = shim::text(&calls)?;
    let linker = Tool::find(if source.kind == SourceKind::Cpp { source.kind } else { SourceKind::C })?;
    let library = linked(&linker, source.kind, &part, &bytes, &text)?;
    let names = build.entries.iter().map(|(entry, _)| entry.clone());
    Ok((library, names.zip(offered).collect()))
}

// The kernel alone: an object file, or a shared library where it comes as one.
fn part(source: &Source, build: &Build) -> Result<PathBuf, Failure> {
    if source.kind == SourceKind::Library {
        return fs::canonicalize(&source.path)
            .map_err(|e| Failure::Mismatch(format!("{}: {e}", source.path.display())));
    }
    let tool = Tool::find(source.kind)?;
    let mut command = compiler(&tool, source, build);
    let extension = if source.kind == SourceKind::Rust { "so" } else { "o" };
    let key = key(&[&source.bytes, format!("{command:?}{}", tool.version).as_bytes()]);
    let text = source.text();
    // what a file of the kernel's own says is not in the key
    let includes = text.contains("#include \"") || text.contains("include!(") || text.contains("mod ");
    cached(&key, extension, includes, |out| {
        command.arg("-o").arg(out);
        feed(&mut command, source)
    })
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
    command.args(["-x", language, "-O2", "-g", "-fPIC", "-c", "-iquote"]).arg(folder).args(&tool.flags);
    for (name, value) in &build.defines {
        command.arg(format!("-D{name}={value}"));
    }
    command.arg("-");
    command
}

// The text goes in by a pipe, with a line that names its file, so that messages point there.
fn feed(command: &mut Command, source: &Source) -> Result<(), Failure> {
    if source.kind == SourceKind::Rust {
        return finish(command, None);
    }
    let name = source.path.display().to_string().replace('\\', "/").replace('"', "");
    let mut text = format!("#line 1 \"{name}\"\n").into_bytes();
    text.extend(&source.bytes);
    finish(command, Some(&text))
}

fn linked(tool: &Tool, kind: SourceKind, part: &Path, bytes: &[u8], shim: &str) -> Result<PathBuf, Failure> {
    let mut command = tool.command();
    let language = if kind == SourceKind::Cpp { "c++" } else { "c" };
    command.args(["-O1", "-shared", "-fPIC"]).args(&tool.flags);
    // a library must follow what needs it
    command.args(["-x", language, "-", "-x", "none"]).arg(part);
    let key = key(&[bytes, shim.as_bytes(), format!("{command:?}{}", tool.version).as_bytes()]);
    cached(&key, "so", false, |out| {
        command.arg("-o").arg(out).arg("-lm");
        finish(&mut command, Some(shim.as_bytes()))
    })
}

fn finish(command: &mut Command, input: Option<&[u8]>) -> Result<(), Failure> {
    let cannot = |e: io::Error| Failure::Unsupported(format!("cannot start the compiler: {e}"));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(cannot)?;
    if let (Some(mut pipe), Some(text)) = (child.stdin.take(), input) {
        // a compiler that stops reading says why on its own
        let _ = pipe.write_all(text);
    }
    let said = child.wait_with_output().map_err(cannot)?;
    if said.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&said.stderr).trim_end().to_owned();
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
    extension: &str,
    afresh: bool,
    make: impl FnOnce(&Path) -> Result<(), Failure>,
) -> Result<PathBuf, Failure> {
    let cannot = |e: io::Error| Failure::Unsupported(format!("cannot write what the compiler makes: {e}"));
    let folder = folder().map_err(cannot)?;
    let path = folder.join(format!("{key}.{extension}"));
    if path.exists() && !afresh {
        return Ok(path);
    }
    let room = tempfile::tempdir_in(&folder).map_err(cannot)?;
    let made = room.path().join("made");
    make(&made)?;
    fs::rename(made, &path).map_err(cannot)?;
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
