//! How a run is made: warp width, seed, arithmetic mode, checks, budget and limits. Plain data.

/// How built-in functions round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Correctly rounded.
    #[default]
    Nearest,
    /// At the edge of what the language's accuracy table allows; subnormals flushed; multiply-adds contracted
    /// or not by seed.
    Worst,
    /// Anywhere inside what the table allows, drawn by seed.
    Range,
}

/// What a run may use at most; beyond it the launch is refused with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instructions of an entry point after inlining all its calls.
    pub code: usize,
    /// Registers of one lane.
    pub registers: usize,
    /// Bytes of workgroup memory.
    pub shared: u32,
    /// Bytes of private arrays of one lane.
    pub private: u32,
    /// Lanes of one workgroup.
    pub workgroup: u32,
    /// Bytes of all buffers together.
    pub buffers: usize,
    /// Workgroups of a grid.
    pub groups: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            code: 1 << 18,
            registers: 1 << 14,
            shared: 1 << 18,
            private: 1 << 16,
            workgroup: 1024,
            buffers: 1 << 31,
            groups: 1 << 24,
        }
    }
}

/// The options of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Lanes of a warp (a subgroup): 1, 4, 8, 16, 32 or 64.
    pub warp: u32,
    /// Chooses the schedule of warps and workgroups and, in the modes `worst` and `range`, the errors. With
    /// seed 0 workgroups run in order and the warps of one go on together.
    pub seed: u64,
    /// How built-in functions round.
    pub mode: Mode,
    /// Look for uninitialised reads and races. Out-of-bounds accesses, divergent barriers, endless loops and
    /// divisions by zero are always found.
    pub checks: bool,
    /// Count what memory accesses cost.
    pub counts: bool,
    /// Where what comes out may depend on it, let a few workgroups go on in turns, and give what they
    /// leave; with a seed.
    pub turns: bool,
    /// Tell what comparisons compare.
    pub compares: bool,
    /// Note where a NaN or an infinity was born.
    pub notes: bool,
    /// Instructions that one workgroup may execute, each counted once for all lanes that take it together.
    pub budget: u64,
    /// Threads to use; 0 takes all cores. The result is the same for any number.
    pub threads: usize,
    /// What a run may use at most.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            warp: 32,
            seed: 0,
            mode: Mode::Nearest,
            checks: true,
            counts: true,
            turns: false,
            compares: false,
            notes: true,
            budget: 1 << 26,
            threads: 0,
            limits: Limits::default(),
        }
    }
}
