//! What the lanes of a warp do together in PTX. Plain data.

use super::op::{Bin, Gather, Ty};

/// What the lanes of a warp do together. PTX: `imm` is 1 where the lanes must be those that the mask in the last
/// operand names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Warp {
    /// `dst0 = src0` of another lane, by `src1`, clamped as `src2` says; `dst1`: whether there is such a lane.
    Shuffle(Gather),
    All,
    Any,
    Uni,
    Ballot,
    /// The lanes with the same `src0`; of 64 bits, if the flag is set.
    Match(bool),
    /// The mask if all have the same `src0`, and whether they have.
    MatchAll(bool),
    Reduce(Bin, Ty),
    /// The lanes that are active.
    Active,
    /// The lowest lane of the mask, and whether it is this one.
    Elect,
    /// Lanes wait for each other, and see what each wrote before.
    Sync,
    /// Puts registers of all lanes down at `imm`, for the operation that follows.
    PutDown,
    /// Takes registers up from `imm`.
    TakeUp,
    /// A matrix product of what was put down; which, `imm2` says.
    Mma,
    /// Holds that each of some registers was filled in some active lane: the sources say whether.
    Filled,
    /// A fence of memory, for the device or for the workgroup.
    Fence,
    /// Counts the active lanes at barrier `imm`, without waiting.
    Arrive,
    /// Ends a group of asynchronous copies; waits until at most `imm` of them are not done.
    Commit,
    Wait,
    /// Ends the kernel with an error.
    Trap,
}

impl Warp {
    /// Which operand is the mask of the lanes that meet.
    pub fn mask(self) -> Option<usize> {
        use Warp::{All, Any, Ballot, Elect, Match, MatchAll, Reduce, Shuffle, Sync, Uni};
        match self {
            Sync | Elect => Some(0),
            All | Any | Uni | Ballot | Match(_) | MatchAll(_) | Reduce(..) => Some(1),
            Shuffle(_) => Some(3),
            _ => None,
        }
    }

    /// Whether lanes get values that come of what others have.
    pub fn trades(self) -> bool {
        use Warp::{All, Any, Ballot, Match, MatchAll, Reduce, Shuffle, Uni};
        matches!(self, Shuffle(_) | All | Any | Uni | Ballot | Match(_) | MatchAll(_) | Reduce(..))
    }
}
