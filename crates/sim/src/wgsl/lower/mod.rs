//! From naga's module to the register code: one entry point, all calls inlined, all composites taken apart.
//! Touches naga and the register code alone.

mod access;
mod atomic;
mod build;
mod convert;
mod expr;
mod frame;
mod math;
mod memory;
mod scalar;
mod stmt;
mod subgroup;
mod types;

pub use build::lower;
