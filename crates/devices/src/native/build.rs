//! From a source to a shared library that a child can load. It starts compilers, and writes to a folder of its own for
//! each of them.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use ktwin_check::{Argument, Build, Failure, Source, SourceKind};

use super::Call;
use super::named::{name_of, named};
use super::said::{brief, essence, line_of};
use super::shim::How;
use super::tools::{Tool, edition};
use super::watched::{self, Sites};
use super::{forward, shim, symbols};
use crate::child::shared::Shared;
use crate::compile::cache::{self, Room};
use crate::compile::folders;
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
    library_as(source, build, None)
}

/// The same of a kernel that says which parts of it ran, and which there are.
pub fn watched(source: &Source, build: &Build) -> Result<(Built, Sites), Failure> {
    let of_c = matches!(source.kind, SourceKind::C | SourceKind::Cpp);
    if !of_c || !watched::IS_KNOWN {
        return Err(Failure::Unsupported("what runs of such a kernel is not known".into()));
    }
    let mut sites = Sites::default();
    let built = library_as(source, build, Some(&mut sites))?;
    Ok((built, sites))
}

fn library_as(source: &Source, build: &Build, mut sites: Option<&mut Sites>) -> Result<Built, Failure> {
    let bytes = part(source, build, "", sites.as_deref_mut())?;
    let exported = symbols::functions(&bytes)?;
    let is_exported = |entry: &String| {
        let found = exported.contains(entry) || (entry.is_empty() && !exported.is_empty());
        found || source.kind == SourceKind::Library
    };
    let (mut hidden, mut functions, mut calls): (Vec<Entry>, Vec<String>, Vec<_>) = Default::default();
    // where one is not exported, all are called in the same way; so they are where the library cannot be loaded but
    // without what its kernels do not need
    let lacks = source.kind != SourceKind::Library && symbols::lacks_variables(&bytes);
    let places = lacks || !build.entries.iter().all(|(entry, _)| is_exported(entry));
    for (number, (entry, args)) in build.entries.iter().enumerate() {
        let function = match is_exported(entry) {
            true => symbols::meant(entry, &exported)?,
            false => forward::meant(source, entry, args)?,
        };
        functions.push(if places { forward::symbol(number) } else { function.clone() });
        calls.push((if places { How::Places } else { How::Parameters }, &args[..]));
        hidden.push((number, function, args));
    }
    let bytes = if places { offering(source, build, &hidden, &exported, sites)? } else { bytes };
    let (text, offered) = shim::text(&calls, &build.buffers)?;
    let shim = shim(&Tool::find(SourceKind::C)?, &text)?;
    let entries = build.entries.iter().map(|(entry, _)| entry.clone());
    let calls = entries.zip(functions).zip(offered);
    let calls = calls.map(|((entry, function), symbol)| Call { entry, function, symbol });
    let kernel = Library::new(&bytes).map_err(cannot_write)?;
    let shim = Library::new(&shim).map_err(cannot_write)?;
    Ok(Built { kernel, shim, calls: calls.collect() })
}

/// An entry point: its number, the function's name and arguments.
type Entry<'a> = (usize, String, &'a [Argument]);

// The kernel with functions after its text that call its own. The text was compiled before by
// itself: what goes wrong past its end lies with the contract.
fn offering(
    source: &Source,
    build: &Build,
    hidden: &[Entry],
    exported: &[String],
    sites: Option<&mut Sites>,
) -> Result<Vec<u8>, Failure> {
    let text = forward::text(source.kind, hidden, &build.buffers)?;
    let lines = String::from_utf8_lossy(&source.bytes).lines().count();
    part(source, build, &text, sites).map_err(|failure| match failure {
        Failure::Compile { message, line } if line.is_none_or(|line| line as usize > lines) => {
            let names: Vec<String> = hidden.iter().map(|(_, entry, _)| format!("`{entry}`")).collect();
            let has = if exported.is_empty() {
                String::new()
            } else {
                format!(" (the file exports {})", exported.join(", "))
            };
            let (names, naming) = (names.join(", "), forward::naming(source.kind));
            Failure::Mismatch(format!("no call of {names}{has}: {}; {naming}", essence(&message)))
        }
        other => other,
    })
}

fn cannot_write(e: io::Error) -> Failure {
    Failure::Broken(format!("cannot write the compiler's output: {e}"))
}

/// One compilation: the command without its output, what it reads as input, the folders that it looks into, in order.
struct Making<'a> {
    command: Command,
    text: Vec<u8>,
    /// What the text is called in the key: its bytes alone, since a name changes nothing that runs.
    source: &'a [u8],
    version: &'a str,
    folders: Vec<PathBuf>,
    rust: bool,
}

// The kernel as a shared library, with this text after its own; where its blocks are asked for, one that marks them.
fn part(source: &Source, build: &Build, after: &str, sites: Option<&mut Sites>) -> Result<Vec<u8>, Failure> {
    if source.kind == SourceKind::Library {
        return Ok(source.bytes.clone());
    }
    let tool = Tool::find(source.kind)?;
    let folders = folders(source, build);
    let rust = source.kind == SourceKind::Rust;
    if rust && let Some((name, _)) = build.defines.iter().find(|(name, _)| is_heeded(name)) {
        let help = "Rust gets constants as variables, so give it another name";
        return Err(Failure::Mismatch(format!("define: compilers heed the variable `{name}`; {help}")));
    }
    let mut command = compiler(&tool, source, build, &folders, !after.is_empty());
    if sites.is_some() {
        command.args(watched::FLAGS);
    }
    let text = match (rust, after.is_empty()) {
        (true, true) => {
            command.arg(&source.path);
            Vec::new()
        }
        (true, false) => {
            // text that rustc reads as if it were this file's: it has no `#line`
            command.args(["--error-format=short", "-"]).env("UNSTABLE_RUSTDOC_TEST_PATH", &source.path);
            command.env("UNSTABLE_RUSTDOC_TEST_LINE", "0");
            [&source.bytes, after.as_bytes()].concat()
        }
        (false, _) if sites.is_some() => {
            let own = watched::own_lines(&source.text());
            [named(&Source { bytes: own.into(), ..source.clone() }), after.as_bytes().to_vec()].concat()
        }
        (false, _) => [named(source), after.as_bytes().to_vec()].concat(),
    };
    if !rust {
        command.arg("-");
    }
    let own = [&source.bytes, after.as_bytes()].concat();
    let made = made(Making { command, text, source: &own, version: &tool.version, folders, rust })?;
    match sites {
        None => Ok(made),
        Some(sites) => {
            let lines = watched::Lines::of(&source.text(), &name_of(source));
            let (text, its) = watched::marked(&String::from_utf8_lossy(&made), &lines);
            *sites = its;
            assembled(&tool, text)
        }
    }
}

// A library of assembly that a compiler made.
fn assembled(tool: &Tool, text: String) -> Result<Vec<u8>, Failure> {
    let mut command = tool.command();
    command.args(ALONE).args(["-shared", "-fPIC"]).args(&tool.flags).args(["-x", "assembler", "-"]);
    let (text, source) = (text.clone().into_bytes(), text.as_bytes());
    made(Making { command, text, source, version: &tool.version, folders: Vec::new(), rust: false })
}

// Whether a variable says how to compile, and not what.
fn is_heeded(variable: &str) -> bool {
    let theirs = ["RUST", "UNSTABLE_RUST", "CARGO", "LD_", "CCACHE_", "TMPDIR", "SOURCE_DATE_EPOCH"];
    process::TOLD.contains(&variable) || theirs.iter().any(|start| variable.starts_with(start))
}

// What leaves out of a library all that its kernels do not need: tables of functions that are in other files, say, for
// which it could not be loaded.
const ALONE: &[&str] = if cfg!(target_vendor = "apple") {
    &["-fvisibility=hidden", "-Wl,-dead_strip"]
} else {
    &["-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]
};

// A kernel's own functions are those that it calls, whatever the system's libraries call theirs.
const OWN: &[&str] = if cfg!(target_vendor = "apple") { &[] } else { &["-Wl,-Bsymbolic-functions"] };

fn compiler(tool: &Tool, source: &Source, build: &Build, folders: &[PathBuf], alone: bool) -> Command {
    let mut command = tool.command();
    if source.kind == SourceKind::Rust {
        command.args(["--crate-type=cdylib", "--crate-name=kernel", "-Copt-level=3"]);
        if !tool.flags.iter().any(|flag| flag.starts_with("--edition")) {
            command.arg(edition(&source.text()));
        }
        // without the standard library nothing can be unwound
        command.args(source.text().contains("no_std").then_some("-Cpanic=abort"));
        command.arg("--cap-lints=allow").args(&tool.flags);
        for (name, value) in &build.defines {
            command.env(name, value.to_string());
        }
        return command;
    }
    let language = if source.kind == SourceKind::Cpp { "c++" } else { "c" };
    if alone {
        command.args(ALONE);
    }
    command.args(["-x", language, "-O2", "-g", "-shared", "-fPIC"]).args(OWN).args(&tool.flags);
    for (number, folder) in folders.iter().enumerate() {
        command.arg(if number == 0 { "-iquote" } else { "-I" }).arg(folder);
    }
    for (name, value) in &build.defines {
        command.arg(format!("-D{name}={value}"));
    }
    command
}

// A library of its own: a kernel's functions are found in the kernel's file by their names, and nowhere else. Linked
// together, a kernel's `exp` would give way to that of the system.
fn shim(tool: &Tool, text: &str) -> Result<Vec<u8>, Failure> {
    let mut command = tool.command();
    command.args(["-O1", "-shared", "-fPIC"]).args(&tool.flags).args(["-x", "c", "-"]);
    let (text, source) = (text.as_bytes().to_vec(), text.as_bytes());
    made(Making { command, text, source, version: &tool.version, folders: Vec::new(), rust: false })
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
fn are_traceable(read: &[PathBuf], folders: &[PathBuf]) -> bool {
    const SYSTEM: [&str; 5] = ["/usr", "/opt", "/lib", "/nix/store", "/gnu/store"];
    let is_own = |path: &&PathBuf| {
        folders.iter().any(|own| path.starts_with(own)) || !SYSTEM.iter().any(|root| path.starts_with(root))
    };
    read.iter().filter(is_own).all(|path| std::fs::read(path).is_ok_and(|text| is_traceable(&text)))
}

// Whether a compiler means the same in every folder: what its flags name is seen from where ktwin is called.
fn is_anywhere(command: &Command) -> bool {
    let relative = |word: &std::ffi::OsStr| {
        let word = word.to_string_lossy();
        let path = word.strip_prefix("-I").or_else(|| word.strip_prefix("-L")).unwrap_or(&word);
        let path = path.split_once('=').map_or(path, |(_, path)| path);
        !Path::new(path).is_absolute() && !path.is_empty() && path != "-" && Path::new(path).exists()
    };
    let program = Path::new(command.get_program());
    let is_found = program.is_absolute() || program.components().count() == 1;
    is_found && !command.get_args().any(relative)
}

// What a compilation makes, found again where nothing that it reads has changed.
fn made(mut making: Making) -> Result<Vec<u8>, Failure> {
    let here = std::env::current_dir().unwrap_or_default();
    let command = format!("{:?}{}{}", making.command, making.version, here.display());
    let variables = format!("{:?}", process::variables(&making.command, &Reach::default()));
    let key = cache::key(&[making.source, command.as_bytes(), variables.as_bytes()]);
    let traceable = is_traceable(making.source);
    if traceable && let Some(made) = cache::look(&key, &making.folders) {
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
    let reach = Reach { read: making.folders.clone(), write: Some(room.path().into()) };
    if !making.rust && is_anywhere(command) {
        // a text without a name of its own has the headers of the folder it is compiled in before those of its own
        command.current_dir(room.path());
    }
    finish(command, &making.text, &reach)?;
    let gone = |e: io::Error| Failure::Broken(format!("the compiler produced no output: {e}"));
    let made = std::fs::read(&out).map_err(gone)?;
    // without the list of what was read, nothing is known of it
    if traceable && let Ok(rule) = std::fs::read_to_string(&rule) {
        let read = cache::files_of(&rule);
        if are_traceable(&read, &making.folders) {
            cache::keep(&key, &read, &made);
        }
    }
    Ok(made)
}

fn finish(command: &mut Command, input: &[u8], reach: &Reach) -> Result<(), Failure> {
    let cannot = |e: io::Error| Failure::Broken(format!("the compiler cannot work: {e}"));
    let said = process::run(command, input, COMPILER, reach).map_err(cannot)?;
    let status = said.status.map_err(|what| {
        let message = format!("the compiler {}", what.text(COMPILER));
        Failure::Compile { message, line: None }
    })?;
    if status.success() {
        return Ok(());
    }
    // what it keeps on the way is in no place that anybody knows
    let room = reach.write.as_ref().map(|room| format!("{}/", room.display()));
    let said = room.map_or(said.err.clone(), |room| said.err.replace(&room, ""));
    let said = said.trim_end();
    let message = if said.is_empty() { format!("the compiler ended with {status}") } else { said.to_owned() };
    let line = line_of(&message);
    Err(Failure::Compile { line, message: brief(&message) + crate::compile::elsewhere(&message) })
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
}
