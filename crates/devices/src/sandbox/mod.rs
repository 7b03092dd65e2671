//! The box that every child process enters before it does anything that is not ours: what it may read and write,
//! which system calls it may make, which processes it can see, how much of everything it may take. It touches the
//! process that it runs in, and nothing else.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod spaces;

use std::fmt;
use std::path::PathBuf;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

/// Whose box it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Who {
    /// A kernel in machine code: it may calculate, and start threads.
    Kernel,
    /// A GPU's driver, which opens devices and reads files of its own; the kernel is a shader, without system calls.
    Driver,
    /// A compiler: it starts programs, reads the system's files and writes to one folder.
    Compiler,
}

/// Paths as the system has them: not all are text.
mod names {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(paths.iter().map(|path| path.as_os_str()))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<PathBuf>, D::Error> {
        Ok(Vec::<OsString>::deserialize(from)?.into_iter().map(PathBuf::from).collect())
    }
}

/// A box as plain data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Policy {
    /// Whose it is.
    pub who: Who,
    /// What may be read beside the system's libraries.
    #[serde(with = "names")]
    pub read: Vec<PathBuf>,
    /// The one folder that may be written to.
    pub write: Option<PathBuf>,
    /// Bytes of data of a process.
    pub memory: u64,
    /// Bytes that a file may grow to.
    pub file: u64,
    /// Seconds of processor time of a process.
    pub seconds: u64,
    /// Whether nothing may run where a part of the box is missing.
    pub required: bool,
}

/// How much of the box there was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Whose box it was.
    pub(crate) who: Who,
    /// What this system does not offer.
    pub missing: Vec<String>,
}

/// How many parts a box has: with all of them missing there is none.
const PARTS: usize = 4;

impl Standing {
    /// `full`, `driver` (the looser box of GPUs' drivers, all of it), `partial` or `none`.
    pub fn level(&self) -> &'static str {
        match self.missing.len() {
            0 if self.who == Who::Driver => "driver",
            0 => "full",
            n if n >= PARTS || !cfg!(target_os = "linux") => "none",
            _ => "partial",
        }
    }

    /// Whether every part was there.
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty()
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.level())?;
        if self.is_whole() { Ok(()) } else { write!(f, " (missing: {})", self.missing.join(", ")) }
    }
}

/// The least that children of each kind had so far.
static SEEN: Mutex<Vec<Standing>> = Mutex::new(Vec::new());

/// Keeps what a child's box lacked.
pub fn saw(standing: Standing) {
    let mut seen = SEEN.lock().unwrap_or_else(|e| e.into_inner());
    match seen.iter_mut().find(|s| s.who == standing.who) {
        Some(known) if known.missing.len() < standing.missing.len() => *known = standing,
        Some(_) => {}
        None => seen.push(standing),
    }
}

/// What was seen of boxes of this kind, if there was any.
pub fn seen(who: Who) -> Option<Standing> {
    let seen = SEEN.lock().unwrap_or_else(|e| e.into_inner());
    seen.iter().find(|s| s.who == who).cloned()
}

/// Enters the box. Where there are process namespaces, what returns is another process: the one that called waits for
/// it and ends as it ended. The result says what is missing.
#[cfg(target_os = "linux")]
pub fn enter(policy: &Policy) -> Vec<String> {
    let parts = [
        spaces::enter(policy.who),
        limits::enter(policy),
        // a filter of system calls would keep out the calls of the parts before it
        files::enter(policy),
        calls::enter(policy.who),
    ];
    parts.into_iter().filter_map(Result::err).collect()
}

/// Elsewhere there is none.
#[cfg(not(target_os = "linux"))]
pub fn enter(_policy: &Policy) -> Vec<String> {
    vec!["this system has no Landlock, no seccomp and no namespaces".into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standing_in_words() {
        let of = |who, missing: &[&str]| {
            let standing = Standing { who, missing: missing.iter().map(ToString::to_string).collect() };
            standing.to_string()
        };
        assert_eq!(of(Who::Kernel, &[]), "full");
        assert_eq!(of(Who::Driver, &[]), "driver");
        assert!(of(Who::Kernel, &["namespaces", "Landlock"]).ends_with("(missing: namespaces, Landlock)"));
    }

    #[test]
    fn the_worst_that_was_seen_is_kept() {
        saw(Standing { who: Who::Compiler, missing: vec!["Landlock".into()] });
        saw(Standing { who: Who::Compiler, missing: Vec::new() });
        assert_eq!(seen(Who::Compiler).map(|s| s.missing.len()), Some(1));
    }
}
