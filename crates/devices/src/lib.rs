//! What runs kernels: one file a device behind the `Device` trait of `ktwin-check`, and the list of them.
//!
//! Only here is hardware touched and foreign code called. All devices but `sim` run kernels in a child
//! process: the program's own file, started again, which a function before `main` turns into a worker.
#![warn(missing_docs)]

mod child;
mod glsl;
#[cfg(feature = "gpu")]
mod gpu;
mod names;
mod native;
mod nvrtc;
mod pipe;
mod sandbox;
mod sim;

pub use child::{Limits, standing as sandbox, stop_all};
pub use glsl::about as glsl;
pub use names::{DEVICES, Entry, find};
pub use native::leave_nothing;
pub use nvrtc::about as nvrtc;
pub use sandbox::Standing;
pub use sim::Sim;
