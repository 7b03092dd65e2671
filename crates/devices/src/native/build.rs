//! From a source to a shared library that a child can load. It starts compilers, and writes to a folder of its own for
//! each of them.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use ktwin_check::{Argument, Build, Failure, Source, SourceKind};

use super::Call;
use super::tools::Tool;
use super::{shim, symbols};
use crate::child::shared::Shared;
use crate::compile::cache::{self, Room};
use crate::compile::process::{self, COMPILER, Reach};

/// A kernel that a child can load.
pub struct Built {
    /// The kernel: the very bytes that were looked at.
    pub kernel: Library,
    /// The functions that call it.
    pub shim: Library,
    /// Which calls what.
    pub calls: Vec<Call>,
}

/// A library that the loader finds under a path that nothing was ever loaded from: it knows a library by its path and
/// by a name inside it, and nothing else of that name must be taken for it.
pub struct Library {
    path: PathBuf,
    #[cfg(target_os = "linux")]
    memory: Shared,
    #[cfg(not(target_os = "linux"))]
    _room: Room,
}

impl Library {
    /// In memory that a child is handed.
    #[cfg(target_os = "linux")]
    fn new(bytes: &[u8]) -> io::Result<Library> {
        let memory = Shared::new(bytes, crate::child::shared::Seal::Contents)?;
        let crate::child::shared::Name::Descriptor(number) = memory.name() else {
            return Err(io::Error::other("memory without a descriptor"));
        };
        Ok(Library { path: format!("/proc/self/fd/{number}").into(), memory })
    }

    #[cfg(not(target_os = "linux"))]
    fn new(bytes: &[u8]) -> io::Result<Library> {
        let room = Room::new()?;
        let path = room.path().join("library.so");
        std::fs::write(&path, bytes)?;
        Ok(Library { path, _room: room })
    }

    /// Where the child finds it.
    pub fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// What the child must be handed for that.
    pub fn memory(&self) -> Option<&Shared> {
        #[cfg(target_os = "linux")]
        return Some(&self.memory);
        #[cfg(not(target_os = "linux"))]
        None
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
    let (text, offered) = shim::text(&calls, &build.buffers)?;
    let shim = shim(&Tool::find(SourceKind::C)?, &text)?;
    let entries = build.entries.iter().map(|(entry, _)| entry.clone());
    let calls = entries.zip(calls).zip(offered);
    let calls = calls.map(|((entry, (function, _)), symbol)| Call { entry, function, symbol });
    let kernel = Library::new(&bytes).map_err(cannot_write)?;
    let shim = Library::new(&shim).map_err(cannot_write)?;
    Ok(Built { kernel, shim, calls: calls.collect() })
}

fn cannot_write(e: io::Error) -> Failure {
    Failure::Broken(format!("cannot write the compiler's output: {e}"))
}

/// One compilation: the command without its output, what it reads as input, the folder that it looks into first.
struct Making<'a> {
    command: Command,
    text: Vec<u8>,
    /// What the text is called in the key: its bytes alone, since a name changes nothing that runs.
    source: &'a [u8],
    version: &'a str,
    folder: Option<PathBuf>,
    rust: bool,
}

// The kernel as a shared library.
fn part(source: &Source, build: &Build) -> Result<Vec<u8>, Failure> {
    if source.kind == SourceKind::Library {
        return Ok(source.bytes.clone());
    }
    let tool = Tool::find(source.kind)?;
    let folder = source.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let rust = source.kind == SourceKind::Rust;
    if rust && let Some((name, _)) = build.defines.iter().find(|(name, _)| is_heeded(name)) {
        let help = "Rust gets constants as variables, so give it another name";
        return Err(Failure::Mismatch(format!("define: compilers heed the variable `{name}`; {help}")));
    }
    made(Making {
        command: compiler(&tool, source, build, folder),
        text: if rust { Vec::new() } else { named(source) },
        source: &source.bytes,
        version: &tool.version,
        folder: Some(folder.to_path_buf()),
        rust,
    })
}

// Whether a variable says how to compile, and not what.
fn is_heeded(variable: &str) -> bool {
    let theirs = ["RUST", "CARGO", "LD_", "CCACHE_", "TMPDIR", "SOURCE_DATE_EPOCH"];
    process::TOLD.contains(&variable) || theirs.iter().any(|start| variable.starts_with(start))
}

fn compiler(tool: &Tool, source: &Source, build: &Build, folder: &Path) -> Command {
    let mut command = tool.command();
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

// The text goes in by itself, with a line that names its file, so that messages point there.
fn named(source: &Source) -> Vec<u8> {
    let name = source.path.display().to_string().replace('\\', "/").replace(['"', '\n'], "");
    let mut text = format!("#line 1 \"{name}\"\n").into_bytes();
    text.extend(&source.bytes);
    text
}

// A library of its own: a kernel's functions are found in the kernel's file by their names, and nowhere else. Linked
// together, a kernel's `exp` would give way to that of the system.
fn shim(tool: &Tool, text: &str) -> Result<Vec<u8>, Failure> {
    let mut command = tool.command();
    command.args(["-O1", "-shared", "-fPIC"]).args(&tool.flags).args(["-x", "c", "-"]);
    let (text, source) = (text.as_bytes().to_vec(), text.as_bytes());
    made(Making { command, text, source, version: &tool.version, folder: None, rust: false })
}

// Whether all that a text reads is known when it is compiled: what an assembler reads is not, however its words are put
// together, and neither is a file that is asked for and missing. Pasted tokens may be any of these words.
fn is_traceable(text: &[u8]) -> bool {
    // a word may go on in the next line
    let text: String =
        String::from_utf8_lossy(text).lines().map(|line| line.trim_end_matches('\\')).collect();
    !["asm", "__has_include", "__has_embed", "##", "%:%:"].iter().any(|word| text.contains(word))
}

// The same of all that was read, but what belongs to the system.
fn are_traceable(read: &[PathBuf], folder: Option<&Path>) -> bool {
    const SYSTEM: [&str; 5] = ["/usr", "/opt", "/lib", "/nix/store", "/gnu/store"];
    let is_own = |path: &&PathBuf| {
        folder.is_some_and(|own| path.starts_with(own)) || !SYSTEM.iter().any(|root| path.starts_with(root))
    };
    read.iter().filter(is_own).all(|path| std::fs::read(path).is_ok_and(|text| is_traceable(&text)))
}

// What a compilation makes, found again where nothing that it reads has changed.
fn made(mut making: Making) -> Result<Vec<u8>, Failure> {
    let here = std::env::current_dir().unwrap_or_default();
    let command = format!("{:?}{}{}", making.command, making.version, here.display());
    let variables = format!("{:?}", process::variables(&making.command, &Reach::default()));
    let key = cache::key(&[making.source, command.as_bytes(), variables.as_bytes()]);
    let traceable = is_traceable(making.source);
    if traceable && let Some(made) = cache::look(&key, making.folder.as_deref()) {
        return Ok(made);
    }
    let room = Room::new().map_err(cannot_write)?;
    let command = &mut making.command;
    let (out, rule) = if making.rust {
        // it names its files itself, and works beside them
        command.args(["--emit=link,dep-info", "--out-dir"]).arg(room.path());
        let (before, after) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
        (room.path().join(format!("{before}kernel{after}")), room.path().join("kernel.d"))
    } else {
        let (out, rule) = (room.path().join("made"), room.path().join("read"));
        command.args(["-MD", "-MT", "made", "-MF"]).arg(&rule).arg("-o").arg(&out).arg("-lm");
        (out, rule)
    };
    let reach = Reach { read: making.folder.iter().cloned().collect(), write: Some(room.path().into()) };
    finish(command, &making.text, &reach)?;
    let gone = |e: io::Error| Failure::Broken(format!("the compiler produced no output: {e}"));
    let made = std::fs::read(&out).map_err(gone)?;
    // without the list of what was read, nothing is known of it
    if traceable && let Ok(rule) = std::fs::read_to_string(&rule) {
        let read = cache::files_of(&rule);
        if are_traceable(&read, making.folder.as_deref()) {
            cache::keep(&key, &read, &made);
        }
    }
    Ok(made)
}

fn finish(command: &mut Command, input: &[u8], reach: &Reach) -> Result<(), Failure> {
    let cannot = |e: io::Error| Failure::Broken(format!("cannot start the compiler: {e}"));
    let said = process::run(command, input, COMPILER, reach).map_err(cannot)?;
    let Some(status) = said.status else {
        let (time, memory) = (COMPILER.time.as_secs(), COMPILER.memory >> 30);
        let message = format!("the compiler did not end within {time} s and {memory} GiB");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_assembler_reads_is_not_known() {
        for text in [
            "__asm__(\".inc\" \"bin \\\"x\\\"\");",
            "as\\\nm(\"\");",
            "#define A(a, b) a##b",
            "#define A(a, b) a%:%:b",
            "#if __has_include(\"x.h\")",
            "core::arch::global_asm!(concat!(\".inc\", \"bin x\"));",
        ] {
            assert!(!is_traceable(text.as_bytes()), "{text}");
        }
        assert!(is_traceable(b"#include <math.h>\n#define A(a) (a)\nfloat f(void);\n"));
    }

    #[test]
    fn variables_that_compilers_heed_are_no_constants() {
        assert!(["PATH", "LD_PRELOAD", "RUSTC_BOOTSTRAP", "HOME"].iter().all(|name| is_heeded(name)));
        assert!(["TILE", "K", "HOMES", "PATHS"].iter().all(|name| !is_heeded(name)));
    }

    #[test]
    fn the_line_of_an_error() {
        assert_eq!(line_of("kernels/c/a.c: In function 'f':\nkernels/c/a.c:12:5: error: no"), Some(12));
        assert_eq!(line_of("error[E0425]: cannot find\n --> k.rs:7:3\n  |"), Some(7));
        assert_eq!(line_of("ld: it went wrong"), None);
    }
}
