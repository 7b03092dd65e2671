//! What runs kernels: one file or folder for each device, each an implementation of [`ktwin_check::Device`], and the
//! registry that they are found in. Anybody's own device goes into the same registry, as a value of a type that
//! implements the trait or as a program that speaks the workers' protocol.
//!
//! Only here is hardware touched and foreign code called. All devices but `sim` run kernels in a child process, a
//! worker; so do compilers.
#![warn(missing_docs)]

#[cfg(feature = "worker")]
mod child;
mod compile;
#[cfg(feature = "cuda")]
mod cuda;
#[cfg(feature = "vulkan")]
mod gpu;
#[cfg(any(feature = "sim", feature = "cuda", feature = "opencl", feature = "vulkan"))]
mod kernels;
mod limits;
#[cfg(feature = "native")]
mod native;
#[cfg(feature = "opencl")]
mod opencl;
#[cfg(any(feature = "sim", feature = "vulkan"))]
mod preprocess;
#[cfg(feature = "worker")]
mod program;
#[cfg(feature = "compilers")]
mod python;
mod registry;
#[cfg(feature = "worker")]
mod sandbox;
#[cfg(any(feature = "sim", feature = "vulkan"))]
mod shader;
#[cfg(feature = "sim")]
mod sim;

#[cfg(all(feature = "worker", unix))]
pub use child::too_long_kills;
#[cfg(feature = "worker")]
pub use child::{standing as sandbox, stop_all, use_worker, worker};
#[cfg(feature = "worker")]
pub use compile::cache::leave_nothing;
pub use compile::{COMPILERS, Compiler, compiler};
pub use limits::Limits;
#[cfg(any(feature = "sim", feature = "vulkan"))]
pub use preprocess::as_far_as_known;
#[cfg(feature = "worker")]
pub use program::Program;
pub use registry::{Registry, find};
#[cfg(feature = "worker")]
pub use sandbox::Standing;
#[cfg(any(feature = "sim", feature = "vulkan"))]
pub use shader::interfaces;
#[cfg(feature = "sim")]
pub use sim::Sim;
