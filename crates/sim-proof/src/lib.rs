//! The proof of the simulated GPU: shaders to run, what must come out, and a real driver to compare with.
//! May touch the simulator's public face, naga (to make SPIR-V) and, with the feature `vulkan`, wgpu.
//!
//! A *shader* is one file of `crates/sim-proof/shaders` (or one row of its `builtins.toml`) with a header that
//! says how to launch it, how its buffers are filled, and how exactly its outputs are known.

pub mod check;
#[cfg(feature = "vulkan")]
pub mod driver;
pub mod fill;
pub mod generate;
pub mod golden;
pub mod header;
pub mod mutate;
pub mod registry;
pub mod rng;
pub mod shader;
pub mod simulate;
