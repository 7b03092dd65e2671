//! One decoded instruction: the function that runs it and where its operands lie.

use super::machine::Machine;

/// Runs one instruction for all live lanes.
pub type Handler = fn(&mut Machine, &Step);

/// A decoded instruction. Operands are indices into the files of registers, already multiplied by the rows of
/// a register.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub run: Handler,
    pub dst: [u32; 4],
    pub src: [u32; 5],
    pub imm: u32,
    pub imm2: u32,
    pub mem: u32,
    pub at: u32,
    /// Which access this is, for its statistics.
    pub site: u32,
    /// Elements moved by an access.
    pub len: u8,
    pub masked: bool,
    pub tracked: bool,
    /// Runs once for all lanes.
    pub once: bool,
    /// The result is a float: 16, 32 or 64 bits; 0 otherwise.
    pub float: u8,
}

/// How an operation runs: lane by lane, or once for all.
#[derive(Clone, Copy)]
pub struct Pair {
    pub lanes: Handler,
    pub once: Handler,
}
