//! What users meet: the library for cargo test; the command stands in main.rs.
#![warn(missing_docs)]

#[cfg(feature = "arrays")]
pub mod arrays;
pub mod catalogue;
pub mod device;
pub mod draft;
pub mod explain;
pub mod starters;
#[cfg(feature = "proptest")]
mod strategy;
pub mod suite;
mod testing;

pub use ktwin_check as check;
#[cfg(feature = "worker")]
pub use ktwin_devices::{use_worker, worker};
pub use ktwin_macros::kernels;
#[cfg(feature = "proptest")]
pub use strategy::cases;
pub use testing::{KernelTest, Made, Twin, closure, kernel, op};
