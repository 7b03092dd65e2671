//! One thing wrong with a kernel, with where and why. Plain data.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::json::travels_by_name;

/// What kind of thing was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Elements outside their error bars.
    WrongValues,
    /// Output elements that the kernel never wrote.
    Unwritten,
    /// An access outside a buffer or an array.
    OutOfBounds,
    /// Two lanes touched the same bytes, at least one writing, with nothing between them.
    Race,
    /// A read of memory that nobody wrote.
    Uninitialised,
    /// A barrier that only some lanes reached.
    DivergentBarrier,
    /// An address that is not a multiple of the access's size.
    Misaligned,
    /// A loop that does not end.
    EndlessLoop,
    /// Parts of the kernel wait for each other for ever.
    Deadlock,
    /// An integer divided by zero.
    DivisionByZero,
    /// A shift by as many bits as the type has, or more.
    ShiftOutOfRange,
    /// A number with more bits than the function that it is given to takes.
    OperandTooWide,
    /// A value that must be the same for all lanes was not.
    NotUniform,
    /// A shuffle, a vote or a barrier of a warp with lanes that do not take part.
    WarpOperation,
    /// A shuffle that reads from lanes outside its mask; a note.
    UndefinedShuffle,
    /// The kernel stopped itself: a trap, or an assertion that failed.
    Trap,
    /// An input that was not the same after the launch.
    InputChanged,
    /// Two launches on the same inputs gave different bits.
    NotRepeatable,
    /// A row alone gave other bits than in the batch.
    NotBatchInvariant,
    /// The processor rounds or treats small numbers in another way after the kernel than before.
    ModeChanged,
    /// Subgroups of other than 32 lanes; a note.
    SubgroupSize,
    /// The compiled kernel takes more of the card than its contract promises.
    Resources,
    /// NaN or infinity where the mathematics has none, or none where it has one.
    WrongClass,
    /// A NaN was born of numbers; a note.
    NanBorn,
    /// An infinity was born of finite numbers; a note.
    InfinityBorn,
    /// What a random op gives comes too often, too rarely, or not independently.
    WrongLaw,
    /// The contract promises less than it must.
    WeakPromise,
    /// A kernel passes that is registered as wrong.
    UnexpectedPass,
}

impl Kind {
    /// Every kind with its name.
    pub const ALL: &[(&str, Kind)] = &[
        ("wrong values", Kind::WrongValues),
        ("unwritten elements", Kind::Unwritten),
        ("out of bounds", Kind::OutOfBounds),
        ("race", Kind::Race),
        ("uninitialised read", Kind::Uninitialised),
        ("divergent barrier", Kind::DivergentBarrier),
        ("misaligned access", Kind::Misaligned),
        ("endless loop", Kind::EndlessLoop),
        ("deadlock", Kind::Deadlock),
        ("division by zero", Kind::DivisionByZero),
        ("shift out of range", Kind::ShiftOutOfRange),
        ("operand too wide", Kind::OperandTooWide),
        ("not uniform", Kind::NotUniform),
        ("warp operation", Kind::WarpOperation),
        ("undefined shuffle", Kind::UndefinedShuffle),
        ("trap", Kind::Trap),
        ("input changed", Kind::InputChanged),
        ("not repeatable", Kind::NotRepeatable),
        ("not batch invariant", Kind::NotBatchInvariant),
        ("processor state changed", Kind::ModeChanged),
        ("subgroup size", Kind::SubgroupSize),
        ("resources", Kind::Resources),
        ("wrong class", Kind::WrongClass),
        ("NaN produced", Kind::NanBorn),
        ("infinity produced", Kind::InfinityBorn),
        ("wrong law", Kind::WrongLaw),
        ("weak promise", Kind::WeakPromise),
        ("unexpected pass", Kind::UnexpectedPass),
    ];

    /// The kind in words.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, k)| *k == self).map_or("", |(n, _)| n)
    }

    /// The kind of this name.
    pub fn parse(name: &str) -> Option<Kind> {
        Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, k)| *k)
    }

    /// Whether the kernel did not come to an end by itself.
    fn is_endless(self) -> bool {
        matches!(self, Kind::EndlessLoop | Kind::Deadlock)
    }

    /// Whether it is said of elements that are not what is due, and of nothing else.
    pub fn is_of_values(self) -> bool {
        matches!(self, Kind::WrongValues | Kind::WrongClass | Kind::Unwritten)
    }

    /// Whether values come out by chance where it is found, whatever they look like.
    pub fn leaves_chance(self) -> bool {
        use Kind::*;
        matches!(self, Race | Uninitialised | DivergentBarrier | NotUniform | WarpOperation | NotRepeatable)
    }

    /// Whether it is worth knowing but nothing wrong in itself.
    pub fn is_note(self) -> bool {
        matches!(self, Kind::NanBorn | Kind::InfinityBorn | Kind::UndefinedShuffle | Kind::SubgroupSize)
    }
}

travels_by_name!(Kind);

/// One thing wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// The line of the kernel's file, counted from 1, where it is known.
    pub line: Option<u32>,
    /// The text of that line.
    pub text: String,
    /// The finding in a sentence, without the place.
    pub message: String,
    /// Workgroup and lane of the first that met it, where a device knows them.
    pub place: Option<String>,
    /// How many times it was met.
    pub count: u64,
    /// Worth knowing, but nothing wrong: it never fails a verdict.
    pub note: bool,
}

/// So many accesses out of bounds, each of which takes its time, make a case as long as an endless one.
const ASTRAY: u64 = 1 << 20;

impl Finding {
    /// Whether the kernel did not come to an end by itself, or only after wandering very far out of bounds: another
    /// case would take as long and tell nothing new.
    pub fn is_endless(&self) -> bool {
        self.kind.is_endless() || self.kind == Kind::OutOfBounds && !self.note && self.count >= ASTRAY
    }

    /// A finding without a place in the source.
    pub fn new(kind: Kind, message: impl Into<String>) -> Finding {
        let note = kind.is_note();
        Finding {
            kind,
            line: None,
            text: String::new(),
            message: message.into(),
            place: None,
            count: 1,
            note,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{}: {}", self.kind, self.message)?;
        let place = self.place.iter().cloned();
        let count = (self.count > 1).then(|| format!("{} times", self.count));
        let more: Vec<String> = place.chain(count).collect();
        if more.is_empty() { Ok(()) } else { write!(f, " ({})", more.join("; ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_name_that_leads_back() {
        for (name, kind) in Kind::ALL {
            assert_eq!(kind.name(), *name);
            assert_eq!(Kind::parse(name), Some(*kind));
        }
        assert_eq!(Kind::parse("bad luck"), None);
    }

    #[test]
    fn a_finding_reads_as_a_sentence() {
        let mut finding = Finding::new(Kind::Race, "two lanes write tile[3]");
        finding.line = Some(12);
        finding.place = Some("workgroup 0,0,0, lane 1".into());
        finding.count = 31;
        assert_eq!(
            finding.to_string(),
            "line 12: race: two lanes write tile[3] (workgroup 0,0,0, lane 1; 31 times)"
        );
    }
}
