//! How a number compares with another.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a number compares with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// It is less.
    Less,
    /// It is less, or equal.
    AtMost,
    /// It is more.
    More,
    /// It is more, or equal.
    AtLeast,
    /// It is equal.
    Equal,
}

impl Relation {
    /// All but equality.
    pub const ORDERS: [Relation; 4] = [Relation::Less, Relation::AtMost, Relation::More, Relation::AtLeast];

    /// Whether a number is so, seen from another.
    pub fn holds(self, number: f64, other: f64) -> bool {
        match self {
            Relation::Less => number < other,
            Relation::AtMost => number <= other,
            Relation::More => number > other,
            Relation::AtLeast => number >= other,
            Relation::Equal => number == other,
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relation::Less => "<",
            Relation::AtMost => "<=",
            Relation::More => ">",
            Relation::AtLeast => ">=",
            Relation::Equal => "==",
        })
    }
}
