//! What a changed op says nothing of.

/// Elements of which a changed op says nothing, where a kernel that computes it may give anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// None.
    Nothing,
    /// Those that are NaN, made of what lies outside of an input.
    Outside,
    /// Those of unbounded bars: in exact numbers the change makes no difference, and in rounded ones nothing may be
    /// left of what cancels.
    Cancelled,
}
