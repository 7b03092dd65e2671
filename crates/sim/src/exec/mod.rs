//! The machine: runs decoded programs over rows of lanes and watches what they do.

#![allow(clippy::needless_range_loop)] // loops over rows of lanes read several rows at one index

#[macro_use]
mod wide;

mod alu;
mod astray;
mod barrier;
mod births;
mod compared;
mod cuts;
mod decode;
mod dropped;
mod flow;
mod lanes;
mod launch;
mod machine;
mod mem;
mod merge;
mod report;
mod rough;
mod scalar;
mod setup;
mod spare;
mod special;
mod step;
mod subgroup;
mod tally;
mod turns;
mod warp;
mod workgroup;

pub use launch::launch;
pub use setup::Compiled;
pub use spare::{Spare, words_of};
