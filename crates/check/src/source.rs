//! A kernel's file and the language it is in.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::languages::{Place, SourceKind};

/// A kernel's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its language.
    pub kind: SourceKind,
    /// Its path, for messages and for `#include`.
    pub path: PathBuf,
    /// Its contents.
    pub bytes: Vec<u8>,
}

impl Source {
    /// Whether it contains its contract, which is then not in a `.toml` of the same name.
    pub fn holds_contract(&self) -> bool {
        match self.kind.row().contract {
            Place::Inside => true,
            Place::Beside => false,
            Place::Either => self.opens_contract(),
        }
    }

    /// Whether a line of it opens a contract.
    pub fn opens_contract(&self) -> bool {
        self.text().lines().any(|line| line.trim_end().ends_with("--- ktwin"))
    }

    /// The contents as text, without a byte order mark; what is not UTF-8 is replaced.
    pub fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        text.strip_prefix('\u{feff}').unwrap_or(&text).to_string()
    }
}
