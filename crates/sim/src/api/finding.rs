//! What a run finds: one thing wrong (or worth a note), with where and why. Plain data.

use std::fmt;

/// What kind of thing was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// An access outside a buffer, an array or the memory of the workgroup. It was not performed; reads gave
    /// 0. A note where nothing depends on a read and the language defines it, as WGSL does.
    OutOfBounds,
    /// Two lanes touched the same bytes, at least one writing, with no barrier between them.
    Race,
    /// A read of memory that nobody wrote; a note where nothing depends on it.
    Uninitialised,
    /// A barrier that only some lanes of the workgroup reached.
    DivergentBarrier,
    /// An access whose address is not a multiple of its size.
    Misaligned,
    /// The workgroup used up its budget of instructions.
    EndlessLoop,
    /// Warps wait for each other forever.
    Deadlock,
    /// An integer divided by zero; a note in WGSL, which gives it a value.
    DivisionByZero,
    /// A shift by as many bits as the type has, or more; a note in WGSL, which gives it a value.
    ShiftOutOfRange,
    /// A number with more bits than the function that it is given to takes.
    OperandTooWide,
    /// A pointer, index or value that must be the same for all lanes was not.
    NotUniform,
    /// A shuffle, vote or warp barrier whose mask names lanes that took another way or leaves out lanes that come, or
    /// a shuffle that reads from lanes that do not take part.
    Warp,
    /// A shuffle that reads from lanes outside its mask: what it gets there is undefined.
    UndefinedShuffle,
    /// The kernel stopped itself: a trap, or an assertion that failed.
    Trap,
    /// A NaN came out of numbers that were not NaN.
    NanBorn,
    /// An infinity came out of finite numbers.
    InfinityBorn,
}

impl FindingKind {
    /// Errors, save for the births of NaN and infinity, for shuffles of which nothing may come, and for what the
    /// language gives a value where it is `defined`: integers divided by zero and shifts past the width.
    pub(crate) fn severity(self, defined: bool) -> Severity {
        match self {
            FindingKind::NanBorn | FindingKind::InfinityBorn | FindingKind::UndefinedShuffle => {
                Severity::Note
            }
            FindingKind::DivisionByZero | FindingKind::ShiftOutOfRange if defined => Severity::Note,
            _ => Severity::Error,
        }
    }

    /// The kind in words: `out of bounds`, `race`, …
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::OutOfBounds => "out of bounds",
            FindingKind::Race => "race",
            FindingKind::Uninitialised => "uninitialised read",
            FindingKind::DivergentBarrier => "divergent barrier",
            FindingKind::Misaligned => "misaligned access",
            FindingKind::EndlessLoop => "endless loop",
            FindingKind::Deadlock => "deadlock",
            FindingKind::DivisionByZero => "division by zero",
            FindingKind::ShiftOutOfRange => "shift out of range",
            FindingKind::OperandTooWide => "operand too wide",
            FindingKind::NotUniform => "not uniform",
            FindingKind::Warp => "warp operation",
            FindingKind::UndefinedShuffle => "undefined shuffle",
            FindingKind::Trap => "trap",
            FindingKind::NanBorn => "NaN produced",
            FindingKind::InfinityBorn => "infinity produced",
        }
    }
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The kernel is wrong.
    Error,
    /// Worth knowing.
    Note,
}

/// How memory was touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// A plain load.
    Read,
    /// A plain store.
    Write,
    /// An atomic operation.
    Atomic,
}

/// The access that a race was with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherAccess {
    /// Its source line, counted from 1; 0 where it is not known.
    pub line: u32,
    /// The text of that line.
    pub text: String,
    /// How it touched the memory.
    pub access: Access,
    /// Its workgroup.
    pub workgroup: [u32; 3],
    /// Its lane: the index in the workgroup.
    pub lane: u32,
}

/// One thing found, merged over all lanes that met it at the same line; the fields describe the first of
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub kind: FindingKind,
    /// Error or note.
    pub severity: Severity,
    /// The source line, counted from 1; 0 where it is not known (SPIR-V without debug lines).
    pub line: u32,
    /// The text of that line.
    pub text: String,
    /// The variable whose memory was touched.
    pub buffer: Option<String>,
    /// Where in it, in bytes.
    pub offset: Option<u64>,
    /// How it was touched.
    pub access: Option<Access>,
    /// The workgroup.
    pub workgroup: [u32; 3],
    /// The lane: its index in the workgroup.
    pub lane: u32,
    /// The other access of a race.
    pub other: Option<OtherAccess>,
    /// How many times it was met.
    pub count: u64,
    /// Whether a workgroup was stopped for it, before it had come to its end.
    pub stopped: bool,
    /// The finding in a sentence, without the place.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.workgroup;
        write!(f, "line {}: {}: {}", self.line, self.kind.name(), self.message)?;
        write!(f, " (workgroup {x},{y},{z}, lane {}", self.lane)?;
        if self.count > 1 {
            write!(f, "; {} times in all", self.count)?;
        }
        f.write_str(")")
    }
}
