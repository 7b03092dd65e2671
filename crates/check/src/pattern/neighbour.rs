//! Elements beside others.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An element beside another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Neighbour {
    /// In the row before.
    PreviousRow,
    /// In the row after.
    NextRow,
    /// Just before it.
    Before,
    /// Just after it.
    After,
}

impl fmt::Display for Neighbour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Neighbour::PreviousRow => "the one in the previous row",
            Neighbour::NextRow => "the one in the next row",
            Neighbour::Before => "the one before it",
            Neighbour::After => "the one after it",
        })
    }
}
