//! Why a device did not do what it was asked.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Why a launch has no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// The device is not on this machine.
    Absent {
        /// What is missing.
        why: String,
        /// How to get it.
        get: String,
    },
    /// The device lacks what this kernel needs: f16, subgroups, its language.
    Unsupported(String),
    /// The kernel does not compile: the compiler's own words.
    Compile {
        /// The message with its source lines.
        message: String,
        /// The line it points at.
        line: Option<u32>,
    },
    /// The launch does not fit the kernel: no such entry point, a binding more or less. The contract is
    /// wrong.
    Mismatch(String),
    /// It died: the signal, or the driver's words.
    Crash(String),
    /// It did not come back within this time.
    Hang {
        /// The time.
        limit: Duration,
        /// Where it was then, as far as the device tells: a line and its text, or nothing.
        place: String,
    },
    /// It ran out of memory.
    OutOfMemory(String),
    /// ktwin could not do its part: a file that cannot be written, a process that cannot be started. It says nothing of
    /// the kernel.
    Broken(String),
}

impl Failure {
    /// It did not come back within this time, and nobody knows where it is.
    pub fn hang(limit: Duration) -> Failure {
        Failure::Hang { limit, place: String::new() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Absent { why, get } => write!(f, "{why}; {get}"),
            Failure::Unsupported(what) => write!(f, "{what}"),
            Failure::Compile { message, .. } => write!(f, "does not compile: {message}"),
            Failure::Mismatch(what) => write!(f, "the contract does not fit the kernel: {what}"),
            Failure::Crash(how) => write!(f, "crashed: {how}"),
            Failure::Hang { limit, place } => {
                write!(f, "did not end within {} s (`--timeout` allows more)", limit.as_secs_f64())?;
                if place.is_empty() { Ok(()) } else { write!(f, ": it was in {place}") }
            }
            Failure::OutOfMemory(what) => write!(f, "ran out of memory: {what}"),
            Failure::Broken(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Failure {}
