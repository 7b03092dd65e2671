//! Every compute kernel has a twin on the CPU. In `cargo test`, a kernel is tested in a line:
//!
//! ```no_run
//! ktwin::kernel("kernels/rmsnorm.wgsl").quick().check();
//! ```
//!
//! and a folder of them in another, `ktwin::kernels!("kernels/**/*.wgsl")` ([`kernels!`]).
//!
//! [`bench()`] measures a kernel that is right, for `cargo bench`.
//!
//! # Speed
//!
//! The simulator is a processor in software. Cargo builds what a test depends on without optimisation, and a kernel is
//! then simulated many times slower. Three lines in `Cargo.toml` see to it, and leave your own code as it was:
//!
//! ```toml
//! [profile.dev.package."*"]
//! opt-level = 3
//! ```
//!
//! # Features
//!
//! All are on unless `default-features = false` says otherwise. `sim` alone tests WGSL, SPIR-V and PTX with fewer than
//! 70 crates and no child process. `vulkan` adds GPUs, `native` C, C++ and Rust, `compilers` CUDA C++ and GLSL.
//! `command` is what the `ktwin` program needs, and no library.
//!
//! # Workers
//!
//! Kernels that could crash or hang run in a worker, a process of its own. `harness` makes each test binary its own
//! worker, by a function that runs before the `main` that `cargo test` gives it. A program with a `main` of its own can
//! leave it out and call [`worker`] there:
//!
//! ```no_run
//! # #[cfg(feature = "worker")]
//! fn main() -> std::process::ExitCode {
//!     if std::env::args().nth(1).as_deref() == Some("worker") {
//!         return ktwin::worker();
//!     }
//!     ktwin::use_worker(std::env::current_exe().unwrap(), &["worker"]);
//!     ktwin::kernel("kernels/rmsnorm.c").check();
//!     std::process::ExitCode::SUCCESS
//! }
//! # #[cfg(not(feature = "worker"))]
//! # fn main() {}
//! ```
//!
//! A module that another program loads, such as Python's, names a `ktwin` command to [`use_worker`]; one beside the
//! program or on `PATH` is found.
#![warn(missing_docs)]

#[cfg(feature = "arrays")]
pub mod arrays;
pub mod catalogue;
pub mod device;
mod elements;
pub mod elsewhere;
pub mod explain;
pub mod golden;
pub mod links;
pub mod starters;
#[cfg(feature = "proptest")]
mod strategy;
pub mod suite;
mod testing;
mod timing;

pub use ktwin_check as check;
#[cfg(all(feature = "worker", unix))]
pub use ktwin_devices::too_long_kills;
#[cfg(feature = "worker")]
pub use ktwin_devices::{use_worker, worker};
pub use ktwin_macros::kernels;
#[cfg(feature = "proptest")]
pub use strategy::cases;
#[doc(hidden)]
pub use testing::added;
pub use testing::{KernelTest, Made, Twin, closure, kernel, op};
pub use timing::{KernelBench, Measurement, Measurements, bench};
