//! What stops a module from compiling or a launch from starting: one clear message each. Plain data.

use std::fmt;

/// Why a source is not a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// What is wrong, in one line.
    pub message: String,
    /// The source line, counted from 1.
    pub line: Option<u32>,
    /// The column, counted from 1.
    pub column: Option<u32>,
    /// The message with the source lines it speaks of.
    pub rendered: String,
    /// Whether the source may be right, and only has what the simulator does not.
    pub unsupported: bool,
}

impl CompileError {
    /// An error of the whole input rather than of a line.
    pub(crate) fn new(message: String) -> CompileError {
        CompileError { rendered: message.clone(), message, line: None, column: None, unsupported: false }
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, "line {line}:{column}: {}", self.message),
            _ => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for CompileError {}

/// Why a launch cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// The launch does not fit the module: no such entry point, a missing or too small buffer, an unknown
    /// override.
    Launch(String),
    /// The kernel uses what the simulator does not have.
    Unsupported(String),
    /// A limit of [`crate::Limits`] is exceeded.
    Limit(String),
    /// The simulator made a program that cannot be right: a fault of its own. Looked for where debug assertions are
    /// on, or with the feature `verify`.
    Broken(String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Launch(text)
            | RunError::Unsupported(text)
            | RunError::Limit(text)
            | RunError::Broken(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for RunError {}
