//! GLSL to SPIR-V by the system's compiler, which is found on PATH: run in a box, and its results kept by contents.

mod text;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use ktwin_check::{Build, Failure, Source};

use crate::compile::cache::{self, Room};
use crate::compile::process::{self, COMPILER, Reach};
use crate::compile::{self, program};

/// How to get a compiler.
const GET: &str =
    "install one (Debian: apt-get install glslang-tools, or glslc) or set KTWIN_GLSL to its path";

/// The compilers that are looked for.
const KNOWN: &[&str] = &["glslangValidator", "glslang", "glslc"];
/// Included files that are searched for constants.
const MOST_INCLUDED: usize = 64;

/// A compiler that is there.
#[derive(Clone, Debug)]
struct Tool {
    program: String,
    /// Its first line about itself.
    version: String,
    /// Whether it takes the options of `glslc`.
    glslc: bool,
}

fn find() -> Result<Tool, Failure> {
    static FOUND: OnceLock<Result<Tool, Failure>> = OnceLock::new();
    FOUND.get_or_init(look).clone()
}

fn look() -> Result<Tool, Failure> {
    let named = std::env::var("KTWIN_GLSL").ok().filter(|name| !name.is_empty());
    let programs: Vec<String> = match &named {
        Some(name) => vec![name.clone()],
        None => KNOWN.iter().map(|&name| name.to_owned()).collect(),
    };
    for program in &programs {
        let mut command = Command::new(program);
        let said = process::run(command.arg("--version"), &[], COMPILER, &Reach::default());
        let Ok(said) = said else { continue };
        if said.status.is_ok_and(|status| status.success()) {
            let version = said.out.lines().next().unwrap_or_default().to_owned();
            let glslc = Path::new(program).file_stem().is_some_and(|stem| stem == "glslc");
            return Ok(Tool { program: program.clone(), version, glslc });
        }
    }
    let why = format!("no GLSL compiler: {} was not found or does not run", programs.join(", "));
    Err(Failure::Absent { why, get: GET.to_owned() })
}

/// The compiler in words, or how to get one.
pub fn about() -> Result<String, Failure> {
    find().map(|tool| format!("{} ({})", tool.version, tool.program))
}

/// The SPIR-V of a compute shader.
pub fn compile(source: &Source, build: &Build) -> Result<Vec<u8>, Failure> {
    let tool = find()?;
    let text = source.text();
    let folders = compile::folders(source, build);
    let constants = constants(source, build);
    let defines = build.defines.iter().filter(|(name, _)| {
        !constants.iter().any(|(own, _)| own == name) && !name.bytes().all(|b| b.is_ascii_digit())
    });
    let mut options: Vec<String> = match tool.glslc {
        true => ["--target-env=vulkan1.2", "-fshader-stage=compute", "-g", "-O0"].map(str::to_owned).to_vec(),
        false => ["-V", "--target-env", "vulkan1.2", "-S", "comp", "-g"].map(str::to_owned).to_vec(),
    };
    options.extend(defines.map(|(name, value)| format!("-D{name}={value}")));
    options.extend(folders.iter().map(|folder| format!("-I{}", folder.display())));
    let parts: Vec<&[u8]> = [tool.version.as_bytes(), tool.program.as_bytes(), text.as_bytes()]
        .into_iter()
        .chain(options.iter().map(|o| o.as_bytes()))
        .collect();
    let key = cache::key(&parts);
    if let Some(kept) = cache::look(&key, &folders) {
        return Ok(kept);
    }
    let (made, read) = translate(&tool, source, &options, &folders)?;
    cache::keep(&key, &read, &made);
    Ok(made)
}

/// The names of its specialisation constants, with their numbers: compilers may call them otherwise.
pub fn constants(source: &Source, build: &Build) -> Vec<(String, String)> {
    text::constants(&included(&source.text(), &compile::folders(source, build)))
}

/// A text with those of the files that it includes before it, and of those that these include.
fn included(text: &str, folders: &[PathBuf]) -> String {
    let (mut all, mut names): (String, Vec<String>) = (text.to_owned(), text::included(text));
    let mut next = 0;
    while let Some(name) = names.get(next).cloned().filter(|_| next < MOST_INCLUDED) {
        let found = folders.iter().find_map(|folder| ktwin_check::read_bytes(&folder.join(&name)).ok());
        let inner = String::from_utf8_lossy(&found.unwrap_or_default()).into_owned();
        let more = text::included(&inner).into_iter().filter(|name| !names.contains(name));
        names.extend(more.collect::<Vec<_>>());
        all = inner + "\n" + &all;
        next += 1;
    }
    all
}

/// Runs the compiler in a folder of its own. Returns the binary and the files that it read beside the text.
fn translate(
    tool: &Tool,
    source: &Source,
    options: &[String],
    folders: &[PathBuf],
) -> Result<(Vec<u8>, Vec<PathBuf>), Failure> {
    let broken = |e: std::io::Error| Failure::Broken(format!("cannot compile GLSL: {e}"));
    let room = Room::new().map_err(broken)?;
    let at = |name: &str| room.path().join(name);
    let (from, to, rule) = (at("kernel.comp"), at("kernel.spv"), at("kernel.d"));
    std::fs::write(&from, text::extended(&source.text())).map_err(broken)?;
    let mut command = Command::new(&tool.program);
    command.args(options);
    match tool.glslc {
        true => command.arg("-MD").arg("-MF").arg(&rule),
        false => command.arg("--depfile").arg(&rule),
    };
    command.arg("-o").arg(&to).arg(&from);
    let made = match program::succeeds(&command, folders, &room) {
        // OpenGL's uniforms outside of blocks: Vulkan knows them as the members of one
        Err(why) if !tool.glslc && why.says(text::LOOSE) => {
            command.args(text::in_one_block(&source.text()));
            program::succeeds(&command, folders, &room)
        }
        made => made,
    };
    made.map_err(|why| why.of(&tool.program, &from, &source.path))?;
    let made = std::fs::read(&to).map_err(broken)?;
    let rule = std::fs::read_to_string(&rule).unwrap_or_default();
    let read = cache::files_of(&rule).into_iter().filter(|path| *path != from).collect();
    Ok((made, read))
}
