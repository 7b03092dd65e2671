//! A kernel's file and the text that holds its contract, read and not yet understood.

use std::path::Path;

use crate::calling::Calling;
use crate::contract::set::Setting;
use crate::contract::{self, Contract};
use crate::kernel::LoadError;
use crate::languages::SourceKind;
use crate::problem::Problem;
use crate::source::Source;
use crate::terms::Terms;

/// Refuses a source that is not text.
fn is_text(path: &Path, bytes: &[u8]) -> Result<(), LoadError> {
    let Err(error) = std::str::from_utf8(bytes) else { return Ok(()) };
    let line = bytes[..error.valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
    let message = format!("{}:{line}: not valid UTF-8 at byte {}", path.display(), error.valid_up_to());
    Err(LoadError::File(message))
}

fn unreadable(path: &Path, error: &std::io::Error) -> LoadError {
    LoadError::File(format!("{}: {error}", path.display()))
}

/// A kernel's file, read, and the text that holds its contract.
pub struct Found {
    /// The file as the user named it.
    pub name: String,
    /// Its code.
    pub source: Source,
    /// The file that holds the contract.
    pub file: String,
    /// All of that.
    pub text: String,
    /// How the function is called, where the file holds one in Python.
    pub call: Option<Calling>,
}

/// What some editors begin a text with: the byte order mark of UTF-8, which not every compiler takes.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Takes the mark away, which does not stand at the beginning where a contract was put before a text that had it.
fn unmark(bytes: &mut Vec<u8>) {
    while let Some(at) = bytes.windows(MARK.len()).position(|some| some == MARK) {
        bytes.drain(at..at + MARK.len());
    }
}

impl Found {
    /// Reads a file in one of the languages of kernels.
    pub fn read(path: &Path) -> Result<Found, LoadError> {
        let Some(kind) = SourceKind::of_path(path) else {
            let known = SourceKind::extensions().join(", .");
            let message = format!("{}: not a kernel file (expected .{known})", path.display());
            return Err(LoadError::File(message));
        };
        let mut bytes = crate::read::bytes(path).map_err(|e| unreadable(path, &e))?;
        if !kind.is_binary() {
            unmark(&mut bytes);
        }
        let source = Source { kind, path: path.into(), bytes };
        let name = path.display().to_string();
        if !kind.is_binary() {
            is_text(path, &source.bytes)?;
        }
        if source.holds_contract() {
            let text = source.text();
            return Ok(Found { file: name.clone(), name, source, text, call: None });
        }
        let beside = path.with_extension("toml");
        let text = crate::read::text(&beside).map_err(|e| {
            let stands = format!("the contract of {} belongs in {}", path.display(), beside.display());
            LoadError::File(format!("{stands}, which cannot be read: {e}"))
        })?;
        Ok(Found { name, source, file: beside.display().to_string(), text, call: None })
    }

    /// A function in Python, whose contract is that of all submissions of a problem.
    pub fn called(path: &Path, problem: &Problem, terms: &Terms) -> Result<Found, LoadError> {
        let bytes = crate::read::bytes(path).map_err(|e| unreadable(path, &e))?;
        is_text(path, &bytes)?;
        let source = Source { kind: SourceKind::Python, path: path.into(), bytes };
        let call = problem.call(&source.bytes, terms);
        Ok(Found {
            name: path.display().to_string(),
            source,
            file: problem.path.display().to_string(),
            text: call.contract(&terms.op),
            call: Some(call),
        })
    }

    /// The same with other numbers in its contract.
    pub fn set(mut self, settings: &[Setting]) -> Result<Found, LoadError> {
        if settings.is_empty() {
            return Ok(self);
        }
        let (is_own, kind) = (self.file == self.name, self.source.kind);
        let toml = |text: &str| match is_own {
            true => contract::text::find(text, kind).map_err(|(line, why)| format!("line {line}: {why}")),
            false => Ok(text.to_owned()),
        };
        let text = contract::set::set(&self.text, toml, settings);
        self.text = text.map_err(|why| LoadError::File(format!("{}: {why}", self.file)))?;
        if is_own {
            self.source.bytes = self.text.clone().into_bytes();
        }
        Ok(self)
    }

    /// The contract, in which these keys must stand.
    pub fn contract(&self, due: &[&str]) -> Result<Contract, LoadError> {
        let read = if self.file == self.name { Contract::find_with } else { Contract::parse_with };
        read(&self.file, &self.text, due).map_err(LoadError::Contract)
    }
}
