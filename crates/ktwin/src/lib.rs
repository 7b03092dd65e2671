//! What users meet: the library for cargo test; the command is in main.rs.
#![warn(missing_docs)]

pub mod arrays;
pub mod catalogue;
pub mod draft;
pub mod explain;
pub mod starters;
#[cfg(feature = "proptest")]
mod strategy;
pub mod suite;
mod testing;

#[doc(hidden)]
pub use ktwin_check as check;
pub use ktwin_macros::kernels;
#[cfg(feature = "proptest")]
pub use strategy::cases;
pub use testing::{KernelTest, Made, Twin, closure, kernel, op};
