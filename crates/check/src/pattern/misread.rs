//! Ways in which packed numbers are misread, as data and in words.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a packed input is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Misread {
    /// The high half of each byte for the low one.
    NibblesSwapped,
    /// The halves of a byte for neighbours, where they are half a block apart.
    NibblesBeside,
    /// The nibbles of each word from the other end.
    NibblesReversed,
    /// The bytes of each word from the other end.
    BytesReversed,
    /// Codes that are off by a whole number: the zero point is wrong, or missing.
    Shifted {
        /// By how much they are too large.
        by: i32,
    },
    /// The scale of the block that comes next.
    ScaleOfNext,
    /// The scale of the block before.
    ScaleOfPrevious,
}

impl Misread {
    /// In a sentence about an input.
    pub fn say(self, f: &mut fmt::Formatter<'_>, input: &str) -> fmt::Result {
        write!(f, "matches the op with ")?;
        match self {
            Misread::NibblesSwapped => write!(f, "the two nibbles of each byte of `{input}` swapped"),
            Misread::NibblesBeside => {
                write!(
                    f,
                    "the two nibbles of each byte of `{input}` taken for neighbours, not half a block apart"
                )
            }
            Misread::NibblesReversed => write!(f, "the nibbles of each word of `{input}` in reverse order"),
            Misread::BytesReversed => write!(f, "the bytes of each word of `{input}` in reverse order"),
            Misread::Shifted { by } => {
                let way = if by > 0 { "large" } else { "small" };
                write!(f, "codes of `{input}` that are {} too {way}: its zero point", by.abs())
            }
            Misread::ScaleOfNext => write!(f, "the scale of the next block for each block of `{input}`"),
            Misread::ScaleOfPrevious => {
                write!(f, "the scale of the previous block for each block of `{input}`")
            }
        }
    }
}
