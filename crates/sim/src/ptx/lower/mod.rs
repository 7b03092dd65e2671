//! From a flat list of PTX instructions to the register code.

mod build;
mod control;
mod convert;
mod copy;
mod float;
mod int;
mod layout;
mod matrix;
mod memory;
mod operand;
mod order;
mod origin;
mod sync;

pub use build::lower;
pub use copy::IN_FLIGHT;
pub use layout::{Layout, param_words};
