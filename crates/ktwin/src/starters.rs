//! The kernels of `kernels/`, held in the binary: what `ktwin new` begins with.

/// Every kernel's path without its extension, and its text, sorted.
pub const STARTERS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/starters.rs"));
