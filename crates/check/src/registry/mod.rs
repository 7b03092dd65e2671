//! `ktwin.toml`, what a project says of its own kernels: policies in the place of error bars, and kernels that are
//! known to be wrong, each with its reason. Finding the file and what it says of a kernel; `read` reads it, `expect`
//! holds a report against it.

mod day;
mod expect;
mod read;

use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern};

use crate::kernel::{Kernel, LoadError};
use crate::policy::Policy;
pub use day::Day;
pub use expect::Expectation;

/// The name of the file.
pub const REGISTRY: &str = "ktwin.toml";

/// A project's registry.
#[derive(Clone, Debug)]
pub struct Registry {
    /// The file.
    pub file: PathBuf,
    /// Its folder, with every link followed: paths are relative to it.
    pub root: PathBuf,
    /// What it says, in the order of the file.
    pub entries: Vec<Entry>,
}

/// What is said of the kernels of one path or pattern.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The path or pattern, as it was written.
    pub path: String,
    /// The line in the file.
    pub line: usize,
    /// Why.
    pub why: String,
    /// What.
    pub says: Says,
    pattern: Pattern,
}

/// What an entry says.
#[derive(Clone, Debug, PartialEq)]
pub enum Says {
    /// A policy decides in the place of the error bars.
    Policy(Policy),
    /// The kernel is known to be wrong.
    Expect(Expectation),
}

impl Registry {
    /// The registry of the project that a file or folder is in: the nearest one in its folder or above, up to the
    /// folder that holds `.git`.
    pub fn of(path: &Path) -> Result<Option<Registry>, LoadError> {
        let Some(folder) = folder_of(path) else { return Ok(None) };
        for folder in folder.ancestors() {
            let file = folder.join(REGISTRY);
            // whatever has its name is meant to be read
            if file.symlink_metadata().is_ok() {
                return Registry::load(&file).map(Some);
            }
            if folder.join(".git").exists() {
                break;
            }
        }
        Ok(None)
    }

    /// Where a project's registry is, or would be: beside `.git` where there is none yet.
    pub fn place(path: &Path) -> Option<PathBuf> {
        let folder = folder_of(path)?;
        let is_root = |f: &&Path| f.join(REGISTRY).is_file() || f.join(".git").exists();
        folder.ancestors().find(is_root).map(|root| root.join(REGISTRY))
    }

    /// Reads a registry.
    pub fn load(file: &Path) -> Result<Registry, LoadError> {
        let wrong = |e: std::io::Error| LoadError::File(format!("{}: {e}", file.display()));
        let text = crate::read::text(file).map_err(wrong)?;
        let folder = file.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let root = folder.canonicalize().map_err(wrong)?;
        let entries = read::entries(&file.display().to_string(), &text)?;
        Ok(Registry { file: file.to_path_buf(), root, entries })
    }

    /// A file's path from the folder of the registry; nothing where it is elsewhere.
    pub fn relative(&self, file: &Path) -> Option<PathBuf> {
        Some(file.canonicalize().ok()?.strip_prefix(&self.root).ok()?.to_path_buf())
    }

    /// The last entry that gives a file's kernel a policy.
    pub fn policy(&self, file: &Path) -> Option<(&Entry, &Policy)> {
        self.last(file, |says| match says {
            Says::Policy(policy) => Some(policy),
            Says::Expect(_) => None,
        })
    }

    /// The last entry that expects a file's kernel to be wrong on a device.
    pub fn expectation(&self, file: &Path, device: &str) -> Option<(&Entry, &Expectation)> {
        self.last(file, |says| match says {
            Says::Expect(expect) if expect.device.as_ref().is_none_or(|d| d == device) => Some(expect),
            _ => None,
        })
    }

    /// As with owners of code: where several entries fit, the last one counts.
    fn last<T>(&self, file: &Path, wanted: impl Fn(&Says) -> Option<&T>) -> Option<(&Entry, &T)> {
        let path = self.relative(file)?;
        let fitting = self.entries.iter().rev().filter(|entry| entry.covers(&path));
        fitting.filter_map(|entry| Some((entry, wanted(&entry.says)?))).next()
    }

    /// Gives a kernel the policy that is registered for it. A kernel whose contract names one has it said twice, and
    /// nobody could tell which counts.
    pub fn govern(&self, kernel: &mut Kernel) -> Result<(), String> {
        let Some((entry, policy)) = self.policy(&kernel.source.path) else { return Ok(()) };
        if let Some(own) = &kernel.contract.policy {
            let at = self.at(entry);
            return Err(format!(
                "the contract names the policy {own}, and {at} another, {policy}: remove one of them"
            ));
        }
        kernel.contract.policy = Some(policy.clone());
        Ok(())
    }

    /// Where an entry stands, for messages.
    pub fn at(&self, entry: &Entry) -> String {
        let name = self.file.file_name().map_or(REGISTRY.into(), |n| n.to_string_lossy());
        format!("{name}:{}", entry.line)
    }
}

impl Entry {
    /// Whether it speaks of a path, which is relative to the registry.
    pub fn covers(&self, path: &Path) -> bool {
        let how = MatchOptions { require_literal_separator: true, ..MatchOptions::default() };
        self.pattern.matches_path_with(path, how)
    }
}

fn folder_of(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    if path.is_dir() { Some(path) } else { path.parent().map(Path::to_path_buf) }
}

#[cfg(test)]
mod tests;
