//! What a front end is: a source that was read and checked, which gives programs of its entry points. Front ends know
//! the register code and what it is built with; the machine knows none of them.

use crate::api::error::RunError;
use crate::api::launch::Launch;
use crate::api::module::{EntryPoint, OverrideInfo};
use crate::api::options::Options;
use crate::ir::Program;

/// A source in some language, read and checked.
pub trait Front: Send + Sync {
    /// The entry points, in the source's order.
    fn entry_points(&self) -> Vec<EntryPoint>;

    /// The constants that a launch may set.
    fn overrides(&self) -> Vec<OverrideInfo> {
        Vec::new()
    }

    /// Lanes of a workgroup of an entry point where constants have these values; nothing where they change nothing.
    fn workgroup(&self, _entry: &str, _values: &[(String, f64)]) -> Option<[u32; 3]> {
        None
    }

    /// The program of an entry point for a launch. What is not supported is refused here, before anything runs.
    fn lower(&self, entry: &str, launch: &Launch, options: &Options) -> Result<Program, RunError>;

    /// Bytes of source, for the room that compiling takes.
    fn size(&self) -> usize;
}
