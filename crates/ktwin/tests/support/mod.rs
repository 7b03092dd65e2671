//! What the tests of the command share: running it, a folder for each test, arrays read and written.
#![allow(dead_code)] // each test binary uses its part

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ktwin::arrays::{ArrayFile, NpyWriter};
use ktwin_num::{DType, Tensor};

/// How a run ended.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// The command, about to be run.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ktwin"));
    command.args(args).stdin(Stdio::null());
    command
}

/// Runs the command.
pub fn ktwin(args: &[&str]) -> Run {
    let output = command(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// Runs the command, which must succeed, and gives what it printed.
pub fn succeed(args: &[&str]) -> String {
    let run = ktwin(args);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "ktwin {}", args.join(" "));
    run.out
}

/// Runs the command, which must refuse with exit code 2 and one line; gives that line.
pub fn refuse(args: &[&str]) -> String {
    let run = ktwin(args);
    assert_eq!(run.code, 2, "ktwin {}: {}{}", args.join(" "), run.out, run.err);
    assert_eq!(run.err.lines().count(), 1, "ktwin {}: {}", args.join(" "), run.err);
    assert_eq!(run.out, "", "ktwin {}", args.join(" "));
    run.err.trim_end().to_string()
}

/// One of how many kernels a test takes: what `KTWIN_EVERY` says, or what the test takes by itself.
pub fn every(usual: usize) -> usize {
    std::env::var("KTWIN_EVERY").ok().and_then(|n| n.parse().ok()).unwrap_or(usual).max(1)
}

/// An empty folder of this name.
pub fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The path of a committed array.
pub fn sample(name: &str) -> String {
    format!("{}/tests/arrays/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The names of all files in a folder, sorted.
pub fn files(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name());
    let mut names: Vec<String> = names.map(|n| n.into_string().unwrap()).collect();
    names.sort();
    names
}

/// The only array of a file.
pub fn load(path: &Path) -> Tensor {
    let file = ArrayFile::open(path).unwrap_or_else(|e| panic!("{e}"));
    file.read(&file.names()[0], None).unwrap_or_else(|e| panic!("{e}"))
}

/// Writes an .npy file and gives its path.
pub fn save(folder: &Path, name: &str, dtype: DType, shape: &[usize], values: &[f64]) -> String {
    let path = folder.join(name);
    let mut writer = NpyWriter::new(std::fs::File::create(&path).unwrap(), dtype, shape).unwrap();
    writer.numbers(values).unwrap();
    writer.finish().unwrap();
    path.display().to_string()
}
