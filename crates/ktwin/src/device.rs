//! Devices of one's own: the trait that every device implements, and the plain data that goes in and comes out.
//!
//! A device says what it is and which languages it takes, compiles a kernel, and runs launches on buffers. Everything
//! else is ktwin's: the plan, the inputs, canaries and poison around them, the comparison with the twin. A device that
//! runs kernels in this process takes the process with it when a kernel crashes; one that is a program of its own
//! (`docs/device-protocol.md`) does not.
//!
//! [`Call`] reads and writes a launch by the names in the contract; the bytes themselves are in [`Launch`].
//!
//! This one computes on the host what a kernel in the language of a pocket calculator says:
//!
//! ```
#![doc = include_str!("../examples/own_device.rs")]
//! ```

pub use ktwin_check::languages::{Code, LANGUAGES};
pub use ktwin_check::{
    Access, Argument, Buffer, Build, Call, Chosen, Description, Device, Failure, Finding, Kind, Launch,
    Number, Program, Ran, Source, SourceKind, Step, Word, pack,
};
