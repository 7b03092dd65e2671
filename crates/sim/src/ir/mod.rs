//! The register code: typed instructions in blocks of a control-flow graph. Plain data; knows no language and
//! no machine. Control flow need not be structured.

pub mod junk;
pub mod mma;
pub mod op;
pub mod program;
pub mod rules;
pub mod scalar;
#[cfg(test)]
pub mod text;
pub mod warp;

pub use op::{AtomicFun, Bin, Fmt, Gather, Op, Scan, Special, Ty, Un};
pub use program::{Block, Ins, MemObject, MemSpace, NONE, Program, Reg, Source, Term};
pub use rules::Rules;
pub use warp::Warp;
