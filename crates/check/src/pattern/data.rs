//! Kinds of data that mistakes of their own show in: regimes that are alike, in words.

use ktwin_num::Regime::{self, *};
use serde::{Deserialize, Serialize};

/// What several regimes have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Data {
    /// Numbers that are far from zero beside what they vary by.
    FarFromZero,
    /// Numbers of which many are equal.
    Equal,
    /// Large numbers.
    Large,
    /// Small numbers.
    Small,
    /// NaN or infinities.
    NotFinite,
}

impl Data {
    /// Each of them.
    pub const ALL: [Data; 5] = [Data::FarFromZero, Data::Equal, Data::Large, Data::Small, Data::NotFinite];

    /// The regimes that hold it.
    pub fn regimes(self) -> &'static [Regime] {
        match self {
            Data::FarFromZero => &[Far, Below, Above, Neighbours],
            Data::Equal => &[Ties, Ones, Zeros, Constant, Neighbours],
            Data::Large => &[Large, Spread, Wide, Far, Peaks, Outliers],
            Data::Small => &[Tiny, Small, Zeros],
            Data::NotFinite => &[Nan, Inf],
        }
    }

    /// What it is, and what such data show.
    pub fn words(self) -> &'static str {
        match self {
            Data::FarFromZero => {
                "far from zero beside what they vary by: does a difference of large numbers cancel?"
            }
            Data::Equal => "of which many are equal: how are ties settled?",
            Data::Large => "that are large: does a value overflow, or is a finite number used as infinity?",
            Data::Small => "that are small: is something flushed to zero, or an epsilon in the wrong place?",
            Data::NotFinite => "with a NaN or an infinity among them",
        }
    }
}
