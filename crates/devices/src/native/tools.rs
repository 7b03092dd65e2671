//! The system's compilers: which there are, how they are called, how to get those that are missing.

use std::process::Command;
use std::sync::OnceLock;

use ktwin_check::{Failure, SourceKind};

use crate::compile::process::{self, COMPILER, Reach};

/// A compiler that is there.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Program and first arguments: `$CC` may hold several words.
    words: Vec<String>,
    /// Its first line about itself.
    pub version: String,
    /// What `$CFLAGS` and the like add.
    pub flags: Vec<String>,
}

type Found = OnceLock<Result<Tool, Failure>>;

impl Tool {
    /// The compiler for a language; for shared libraries that of C.
    pub fn find(kind: SourceKind) -> Result<Tool, Failure> {
        static C: Found = OnceLock::new();
        static CPP: Found = OnceLock::new();
        static RUST: Found = OnceLock::new();
        let (found, variables, program, get) = match kind {
            SourceKind::Cpp => {
                (&CPP, ["CXX", "CXXFLAGS"], "c++", "install one (Debian: apt-get install g++) or set CXX")
            }
            SourceKind::Rust => {
                (&RUST, ["RUSTC", "KTWIN_RUSTFLAGS"], "rustc", "install Rust (rustup.rs) or set RUSTC")
            }
            _ => (&C, ["CC", "CFLAGS"], "cc", "install one (Debian: apt-get install gcc) or set CC"),
        };
        found.get_or_init(|| Tool::look(variables, program, get)).clone()
    }

    fn look([program_in, flags_in]: [&str; 2], usual: &str, get: &str) -> Result<Tool, Failure> {
        let words = |variable| -> Vec<String> {
            let text = std::env::var(variable).unwrap_or_default();
            text.split_whitespace().map(str::to_owned).collect()
        };
        let mut named = words(program_in);
        if named.is_empty() {
            named.push(usual.to_owned());
        }
        let mut tool = Tool { words: named, version: String::new(), flags: words(flags_in) };
        let absent = |why| Failure::Absent { why, get: get.to_owned() };
        let name = tool.words.join(" ");
        let said = process::run(tool.command().arg("--version"), &[], COMPILER, &Reach::default());
        let said = said.map_err(|e| absent(format!("no compiler `{name}` ({e})")))?;
        match said.status {
            Ok(status) if status.success() => {
                tool.version = said.out.lines().next().unwrap_or_default().to_owned();
                Ok(tool)
            }
            Ok(status) => Err(absent(format!("`{name} --version` fails ({status})"))),
            Err(what) => Err(absent(format!("`{name} --version` {}", what.text(COMPILER)))),
        }
    }

    /// A command that begins with the compiler.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command
    }
}

/// The newest edition of Rust that takes a text: the one before it where names are given away without `unsafe`.
pub fn edition(text: &str) -> &'static str {
    let plain = |line: &str| {
        ["#[no_mangle]", "#[export_name", "extern \"C\" {"]
            .iter()
            .any(|mark| line.trim_start().starts_with(mark))
    };
    if text.lines().any(plain) { "--edition=2021" } else { "--edition=2024" }
}
