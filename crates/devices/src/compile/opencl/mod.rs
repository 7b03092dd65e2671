//! OpenCL C to SPIR-V: clang makes LLVM's code of it, unoptimised so that what a kernel does is what it says, and
//! llvm-spirv makes SPIR-V of that. Both run in a box, and what they made is kept by its contents.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use ktwin_check::{Build, Failure, Source};

use crate::compile::cache::{self, Room};
use crate::compile::process::{self, COMPILER, Reach};
use crate::compile::{self, program};

/// How to get both programs.
const GET: &str =
    "install them (Debian: apt-get install clang llvm-spirv-14) or set KTWIN_CLANG to clang's path";

/// Versions of clang that are looked for by their numbers.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=22;

/// Options of every kernel.
const OPTIONS: &[&str] = &[
    "-target",
    "spir64",
    "-x",
    "cl",
    "-cl-std=CL3.0",
    "-O0",
    // `inline` functions have bodies of their own, as drivers have it
    "-fgnu89-inline",
    // sound OpenCL C 3.0: what sim lacks of it, it says itself
    "-D__opencl_c_work_group_collective_functions=1",
    "-fno-discard-value-names",
    "-gline-tables-only",
    "-emit-llvm",
    "-c",
];

/// The two programs, which are of one version of LLVM.
#[derive(Clone, Debug)]
struct Tools {
    clang: String,
    translator: String,
    /// What clang says of itself.
    version: String,
}

fn find() -> Result<Tools, Failure> {
    static FOUND: OnceLock<Result<Tools, Failure>> = OnceLock::new();
    FOUND.get_or_init(look).clone()
}

fn look() -> Result<Tools, Failure> {
    let named = std::env::var("KTWIN_CLANG").ok().filter(|name| !name.is_empty());
    let known = || std::iter::once("clang".to_owned()).chain(VERSIONS.map(|n| format!("clang-{n}")));
    let programs: Vec<String> = named.map_or_else(|| known().collect(), |name| vec![name]);
    let mut without = None;
    for clang in programs {
        let Some(version) = said(&clang, "clang version") else { continue };
        let Some(major) = major(&version) else { continue };
        let translators = [format!("llvm-spirv-{major}"), "llvm-spirv".to_owned()];
        let fits =
            |name: &&String| said(name, "LLVM version").as_deref().and_then(self::major) == Some(major);
        match translators.iter().find(fits) {
            Some(translator) => return Ok(Tools { clang, translator: translator.clone(), version }),
            None => without = without.or(Some(major)),
        }
    }
    let why = match without {
        Some(major) => format!("no llvm-spirv of version {major}, which clang {major} needs"),
        None => "no clang: it was not found or does not run".to_owned(),
    };
    Err(Failure::Absent { why, get: GET.to_owned() })
}

/// The line in which a program says its version, after these words.
fn said(program: &str, words: &str) -> Option<String> {
    let mut command = Command::new(program);
    let said = process::run(command.arg("--version"), &[], COMPILER, &Reach::default()).ok()?;
    said.status.ok().filter(|status| status.success())?;
    said.out.lines().find(|line| line.contains(words)).map(|line| line.trim().to_owned())
}

/// The first number of a version: `Debian clang version 14.0.6` is 14.
fn major(line: &str) -> Option<u32> {
    let after = line.split_once("version ")?.1;
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The programs in words, or how to get them.
pub fn about() -> Result<String, Failure> {
    find().map(|tools| format!("{} ({}, {})", tools.version, tools.clang, tools.translator))
}

/// The SPIR-V of a file of kernels.
pub fn compile(source: &Source, build: &Build) -> Result<Vec<u8>, Failure> {
    let tools = find()?;
    let text = source.text();
    let folders = compile::folders(source, build);
    let mut options: Vec<String> = OPTIONS.iter().map(|&option| option.to_owned()).collect();
    options.extend(build.defines.iter().map(|(name, value)| format!("-D{name}={value}")));
    options.extend(folders.iter().map(|folder| format!("-I{}", folder.display())));
    let tool = [tools.version.as_str(), &tools.clang, &tools.translator];
    let parts = tool.into_iter().chain([&*text]).chain(options.iter().map(String::as_str));
    let parts: Vec<&[u8]> = parts.map(str::as_bytes).collect();
    let key = cache::key(&parts);
    if let Some(kept) = cache::look(&key, &folders) {
        return Ok(kept);
    }
    let (made, read) = translate(&tools, source, &options, &folders)?;
    cache::keep(&key, &read, &made);
    Ok(made)
}

/// Runs both programs in a folder of their own. Returns the binary and the files that were read beside the text.
fn translate(
    tools: &Tools,
    source: &Source,
    options: &[String],
    folders: &[PathBuf],
) -> Result<(Vec<u8>, Vec<PathBuf>), Failure> {
    let broken = |e: std::io::Error| Failure::Broken(format!("cannot compile OpenCL C: {e}"));
    let room = Room::new().map_err(broken)?;
    let at = |name: &str| room.path().join(name);
    let (from, code, to, rule) = (at("kernel.cl"), at("kernel.bc"), at("kernel.spv"), at("kernel.d"));
    std::fs::write(&from, &*source.text()).map_err(broken)?;
    let mut command = Command::new(&tools.clang);
    command.args(options).arg("-MD").arg("-MF").arg(&rule).arg("-o").arg(&code).arg(&from);
    program::succeeds(&command, folders, &room).map_err(|why| why.of(&tools.clang, &from, &source.path))?;
    let mut command = Command::new(&tools.translator);
    command.arg("--spirv-max-version=1.4").arg("-o").arg(&to).arg(&code);
    program::succeeds(&command, folders, &room)
        .map_err(|why| untranslated(why.of(&tools.translator, &from, &source.path)))?;
    let made = std::fs::read(&to).map_err(broken)?;
    let rule = std::fs::read_to_string(&rule).unwrap_or_default();
    let read = cache::files_of(&rule).into_iter().filter(|path| *path != from).collect();
    Ok((made, read))
}

/// What clang accepts is sound: it can only be more than SPIR-V has.
fn untranslated(failure: Failure) -> Failure {
    match failure {
        Failure::Compile { message, .. } => {
            let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
            Failure::Unsupported(format!(
                "sim does not run this kernel: SPIR-V has no place for it: {message}"
            ))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(major("Debian clang version 14.0.6"), Some(14));
        assert_eq!(major("LLVM (http://llvm.org/):  LLVM version 15.0.7"), Some(15));
        assert_eq!(major("clang"), None);
    }
}
