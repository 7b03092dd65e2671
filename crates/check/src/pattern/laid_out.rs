//! Tensors whose axes a kernel takes to lie in another order.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A tensor and the order of its axes, the one that lies closest together last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LaidOut {
    /// Its name.
    pub tensor: String,
    /// The names of its axes in that order.
    pub axes: Vec<String>,
}

impl fmt::Display for LaidOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.tensor, self.axes.join(", "))
    }
}

/// All of them in a sentence.
pub(super) fn say(f: &mut fmt::Formatter<'_>, tensors: &[LaidOut]) -> fmt::Result {
    let all: Vec<String> = tensors.iter().map(LaidOut::to_string).collect();
    match &all[..] {
        [before @ .., last] if !before.is_empty() => {
            write!(f, "matches the op with memory laid out as {} and {last}", before.join(", "))
        }
        all => write!(f, "matches the op with memory laid out as {}", all.concat()),
    }
}
