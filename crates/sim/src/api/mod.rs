//! What users of the crate see: modules, launches, options, and what a run returns. Plain data; nothing runs
//! here.

pub mod buffer;
pub mod counts;
pub mod error;
pub mod finding;
pub mod launch;
pub mod module;
pub mod options;
pub mod run;
