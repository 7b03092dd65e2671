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
    /// The scale of the first of every two blocks.
    ScaleOfFirst,
    /// Nothing added for the minimum of a block.
    NoMinimum,
    /// Four bits of five.
    NoFifthBits,
    /// The fifth bits of a block's first half for the second one too.
    FifthBitsOfFirst,
    /// Numbers with a sign as if they had none.
    Unsigned,
    /// Numbers without a sign as if they had one.
    Signed,
    /// Another format of as many bytes.
    AsF16,
    /// Another format of as many bytes.
    AsBf16,
    /// Another format of as many bytes.
    AsE4m3,
    /// Another format of as many bytes.
    AsE5m2,
}

impl Misread {
    /// In a sentence about an input.
    pub fn say(self, f: &mut fmt::Formatter<'_>, input: &str) -> fmt::Result {
        write!(f, "matches the op with ")?;
        let read_as = |f: &mut fmt::Formatter<'_>, format: &str| write!(f, "`{input}` read as {format}");
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
            Misread::ScaleOfFirst => {
                write!(f, "the scale of the first of every two blocks of `{input}` for both")
            }
            Misread::NoMinimum => write!(f, "the minimum of each block of `{input}` left out"),
            Misread::NoFifthBits => write!(f, "the fifth bits of `{input}` left out"),
            Misread::FifthBitsOfFirst => {
                write!(
                    f,
                    "the fifth bits of the first half of each block of `{input}` for the second half too"
                )
            }
            Misread::Unsigned => write!(f, "the numbers of `{input}` read as unsigned"),
            Misread::Signed => write!(f, "the numbers of `{input}` read as signed"),
            Misread::AsF16 => read_as(f, "f16"),
            Misread::AsBf16 => read_as(f, "bf16"),
            Misread::AsE4m3 => read_as(f, "e4m3"),
            Misread::AsE5m2 => read_as(f, "e5m2"),
        }
    }
}
