//! Places along a dimension: values of one index that something is true of.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Values of one index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// The last row.
    LastRow(usize),
    /// The last column.
    LastColumn(usize),
    /// The first row.
    FirstRow,
    /// The first column.
    FirstColumn,
    /// Any but 0.
    NotFirst,
    /// In the last tile, which is not full.
    PartialTile {
        /// Where it begins.
        from: usize,
        /// The tile.
        tile: usize,
    },
    /// Past the first tile.
    PastFirstTile(usize),
    /// In the first tile.
    FirstTile(usize),
    /// The last of each tile.
    EndOfTile(usize),
    /// In one part of every tile.
    PartOfTile {
        /// The tile.
        tile: usize,
        /// Where the part begins.
        from: usize,
        /// The first index past it.
        to: usize,
    },
    /// With one remainder.
    Residue {
        /// The divisor.
        modulo: usize,
        /// The remainder.
        rest: usize,
    },
    /// The last few.
    LastFew {
        /// Where they begin.
        from: usize,
        /// How many they are.
        count: usize,
    },
    /// From here on.
    From(usize),
    /// Up to here.
    UpTo(usize),
    /// Only here.
    Only(usize),
}

impl Place {
    /// Whether an index is one of them.
    pub fn holds(self, index: usize) -> bool {
        match self {
            Place::LastRow(at) | Place::LastColumn(at) | Place::Only(at) => index == at,
            Place::FirstRow | Place::FirstColumn => index == 0,
            Place::NotFirst => index != 0,
            Place::PartialTile { from, .. }
            | Place::LastFew { from, .. }
            | Place::From(from)
            | Place::PastFirstTile(from) => index >= from,
            Place::FirstTile(tile) => index < tile,
            Place::EndOfTile(tile) => index % tile == tile - 1,
            Place::PartOfTile { tile, from, to } => (from..to).contains(&(index % tile)),
            Place::Residue { modulo, rest } => index % modulo == rest,
            Place::UpTo(last) => index <= last,
        }
    }

    /// Whether it is the first or the last.
    pub fn is_end(self) -> bool {
        matches!(self, Place::LastRow(_) | Place::LastColumn(_) | Place::FirstRow | Place::FirstColumn)
    }

    /// Whether it is the first or the last, or those of a tile that the contract names: two places of this kind are no
    /// accident.
    pub fn is_plain(self) -> bool {
        self.is_end() || matches!(self, Place::PartialTile { .. } | Place::FirstTile(_) | Place::EndOfTile(_))
    }

    /// The same place of a dimension of another size, if that has one.
    pub fn of(self, size: usize) -> Option<Place> {
        match self {
            Place::FirstRow | Place::FirstColumn | Place::NotFirst | Place::PastFirstTile(_) => Some(self),
            Place::FirstTile(_) | Place::EndOfTile(_) | Place::Residue { .. } | Place::PartOfTile { .. } => {
                Some(self)
            }
            Place::LastRow(_) => (size > 1).then(|| Place::LastRow(size - 1)),
            Place::LastColumn(_) => (size > 1).then(|| Place::LastColumn(size - 1)),
            Place::PartialTile { tile, .. } => {
                let from = size / tile * tile;
                (from > 0 && from < size).then_some(Place::PartialTile { from, tile })
            }
            Place::LastFew { count, .. } => {
                (size > count).then(|| Place::LastFew { from: size - count, count })
            }
            Place::From(_) | Place::UpTo(_) => None,
            // where this one is right, it is chance that it alone was wrong
            Place::Only(index) => (index < size).then_some(self),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Place::LastRow(at) => write!(f, "= {at}, the last"),
            Place::LastColumn(at) => write!(f, "= {at}, the last column"),
            Place::FirstRow => write!(f, "= 0, the first"),
            Place::FirstColumn => write!(f, "= 0, the first column"),
            Place::NotFirst => write!(f, "> 0"),
            Place::PartialTile { from, tile } => write!(f, ">= {from}: the last, partial tile of {tile}"),
            Place::PastFirstTile(tile) => write!(f, ">= {tile}: past the first tile of {tile}"),
            Place::FirstTile(tile) => write!(f, "< {tile}: the first tile of {tile}"),
            Place::EndOfTile(tile) => write!(f, "% {tile} == {}: the last of each tile", tile - 1),
            Place::PartOfTile { tile, from, to } if from + 1 == to => write!(f, "% {tile} == {from}"),
            Place::PartOfTile { tile, from, to } => {
                write!(f, "% {tile} is from {from} to {}: a part of each tile", to - 1)
            }
            Place::Residue { modulo, rest } => write!(f, "% {modulo} == {rest}"),
            Place::LastFew { from, count } => write!(f, ">= {from}: the last {count}"),
            Place::From(first) => write!(f, ">= {first}"),
            Place::UpTo(last) => write!(f, "<= {last}"),
            Place::Only(at) => write!(f, "= {at}"),
        }
    }
}
