//! A simulated GPU that runs WGSL and SPIR-V compute shaders, and CUDA kernels as PTX, and checks them as it runs.
//!
//! A [`Module`] is compiled once; a [`Launch`] names an entry point, a grid and the buffers; [`Module::run`]
//! executes it and returns a [`Run`]: what was found and what it cost. An access outside a buffer is
//! reported, never performed.

mod api;
mod emit;
mod exec;
mod front;
mod guarded;
mod ir;
mod params;
mod pass;
mod ptx;
mod spirv;
mod wgsl;

pub use api::buffer::{Buffer, ByteSet, Init};
pub use api::counts::{Counts, OpKind, Traffic};
pub use api::error::{CompileError, RunError};
pub use api::finding::{Access, Finding, FindingKind, OtherAccess, Severity};
pub use api::launch::{Launch, Param, Pointer};
pub use api::module::{BindingInfo, BindingKind, EntryPoint, Held, Module, OverrideInfo, ParamInfo};
pub use api::options::{Limits, Mode, Options};
pub use api::run::{Compare, Part, Run, Sides};
pub use spirv::{readable as readable_spirv, specialised as specialised_spirv};
