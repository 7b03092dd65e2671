//! From a flat list of PTX instructions to the register code.

mod access;
mod atomic;
mod build;
mod control;
mod convert;
mod copy;
mod float;
mod fragment;
mod int;
mod matrix;
mod mbarrier;
mod memory;
mod objects;
mod operand;
mod origin;
mod sync;

pub use build::lower;
pub use copy::{IN_FLIGHT, NEAR, READ_ONLY, idle, vector_size};
