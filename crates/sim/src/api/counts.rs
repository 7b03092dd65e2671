//! What a run cost: the same on every run, for the whole launch and by source line. Plain data.

use std::ops::AddAssign;

/// Kinds of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum OpKind {
    /// Floating-point arithmetic: add, multiply, fma, min, max, compare.
    Float,
    /// Built-in functions: exp, sin, sqrt, division …
    Special,
    /// Integer and boolean arithmetic.
    Integer,
    /// Conversions, packing and bit casts.
    Convert,
    /// Copies and selections.
    Move,
    /// Loads and stores.
    Memory,
    /// Atomic operations.
    Atomic,
    /// Branches.
    Branch,
    /// Barriers.
    Barrier,
    /// Subgroup operations.
    Subgroup,
}

impl OpKind {
    /// Every kind, in order.
    pub const ALL: [OpKind; 10] = [
        OpKind::Float,
        OpKind::Special,
        OpKind::Integer,
        OpKind::Convert,
        OpKind::Move,
        OpKind::Memory,
        OpKind::Atomic,
        OpKind::Branch,
        OpKind::Barrier,
        OpKind::Subgroup,
    ];
}

/// Traffic with one memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes that lanes loaded.
    pub loaded: u64,
    /// Bytes that lanes stored.
    pub stored: u64,
}

/// What was executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions, each counted once for every lane that took it.
    pub lane_instructions: u64,
    /// Instructions, each counted once for every warp that took it.
    pub warp_instructions: u64,
    /// Lane instructions by [`OpKind`].
    pub by_kind: [u64; 10],
    /// Floating-point operations; an fma is two.
    pub flops: u64,
    /// Buffers.
    pub global: Traffic,
    /// Workgroup memory.
    pub shared: Traffic,
    /// Private arrays.
    pub private: Traffic,
    /// 32-byte sectors of buffers touched, counted for every warp access on its own.
    pub sectors: u64,
    /// Bytes that those accesses used: `sectors * 32` where accesses are perfectly coalesced.
    pub sector_bytes_used: u64,
    /// Warp accesses to shared memory.
    pub shared_accesses: u64,
    /// Further passes that they took because lanes met in a bank.
    pub bank_conflicts: u64,
    /// Barriers, counted once for a workgroup.
    pub barriers: u64,
    /// Atomic operations, counted for every lane.
    pub atomics: u64,
    /// Bytes of workgroup memory; a peak, not a sum.
    pub shared_bytes: u64,
    /// The width of a warp.
    pub warp: u32,
}

impl Counts {
    /// Lane instructions of one kind.
    pub fn kind(&self, kind: OpKind) -> u64 {
        self.by_kind[kind as usize]
    }

    /// Lanes active on average in a warp instruction.
    pub fn lanes_active(&self) -> f64 {
        self.lane_instructions as f64 / (self.warp_instructions.max(1)) as f64
    }

    /// Bytes used of bytes moved, from 0 to 1: how well accesses to buffers are coalesced.
    pub fn coalescing(&self) -> f64 {
        self.sector_bytes_used as f64 / (self.sectors.max(1) * 32) as f64
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.lane_instructions += other.lane_instructions;
        self.warp_instructions += other.warp_instructions;
        for (mine, theirs) in self.by_kind.iter_mut().zip(other.by_kind) {
            *mine += theirs;
        }
        self.flops += other.flops;
        for (mine, theirs) in [
            (&mut self.global, other.global),
            (&mut self.shared, other.shared),
            (&mut self.private, other.private),
        ] {
            mine.loaded += theirs.loaded;
            mine.stored += theirs.stored;
        }
        self.sectors += other.sectors;
        self.sector_bytes_used += other.sector_bytes_used;
        self.shared_accesses += other.shared_accesses;
        self.bank_conflicts += other.bank_conflicts;
        self.barriers += other.barriers;
        self.atomics += other.atomics;
        self.shared_bytes = self.shared_bytes.max(other.shared_bytes);
        self.warp = self.warp.max(other.warp);
    }
}
