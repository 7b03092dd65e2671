//! Arithmetic: how each operation of one, two or three operands runs over rows of lanes.

pub mod bits;
pub mod checked;
pub mod convert;
pub mod float;
pub mod functions;
pub mod kinds;
pub mod lift;
pub mod pick;
pub mod reals;
