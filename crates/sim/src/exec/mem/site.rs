//! One access in the code, and the pattern of addresses that its lanes last had. Patterns seldom change, so
//! most of what there is to know of an access (its extent, its shape, its cost) is looked up, not computed.

use crate::exec::lanes::{ROW, Row};
use crate::exec::step::Step;
use crate::ir::MemSpace;

/// The shape of a row of addresses, for 4-byte elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// All the same.
    Same,
    /// Each 4 bytes after the one before.
    Run,
    /// Two halves, each the same (false) or a run (true).
    Halves(bool, bool),
    /// Anything else.
    Any,
}

/// What one access has cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    pub execs: u64,
    pub lanes: u64,
    pub sectors: u64,
    pub used: u64,
    pub conflicts: u64,
}

impl Cost {
    pub fn add(&mut self, other: &Cost) {
        self.execs += other.execs;
        self.lanes += other.lanes;
        self.sectors += other.sectors;
        self.used += other.used;
        self.conflicts += other.conflicts;
    }
}

/// Where the pattern of an access by a row is: even rows and odd ones have their own, since the last row of a
/// workgroup often has another than the first.
#[inline(always)]
pub fn site_of(step: &Step, row: usize) -> usize {
    2 * step.site as usize + (row & 1)
}

/// An access.
#[derive(Clone, Debug)]
pub struct Site {
    /// Addresses less the first.
    pub delta: Row<u32>,
    pub low: i32,
    pub high: i32,
    /// The low bits of all deltas together: for alignment.
    pub bits: u32,
    pub shape: Shape,
    /// Bytes that a lane touches.
    pub bytes: u32,
    pub cost: Cost,
    /// Distinct bytes touched.
    used: u32,
    /// Further passes for lanes that meet in a bank.
    conflicts: u32,
    /// Sectors touched, by the first address modulo 32, in units of 2 bytes; 0 is not yet known.
    sectors: [u16; 16],
    /// Lanes that pay together.
    warp: usize,
    space: MemSpace,
}

impl Site {
    pub fn new(bytes: u32, warp: u32, space: MemSpace) -> Site {
        Site {
            delta: Row([0; ROW]),
            low: 0,
            high: 0,
            bits: 0,
            shape: Shape::Same,
            bytes,
            cost: Cost::default(),
            used: bytes,
            conflicts: 0,
            sectors: [0; 16],
            warp: (warp as usize).min(ROW),
            space,
        }
    }

    /// Whether the addresses have another pattern than the last ones.
    #[inline(always)]
    pub fn differs(&self, addr: &Row<u32>) -> bool {
        let first = addr[0];
        let mut diff = 0;
        for i in 0..ROW {
            diff |= addr[i].wrapping_sub(first) ^ self.delta[i];
        }
        diff != 0
    }

    /// Learns a new pattern.
    #[inline(never)]
    pub fn learn(&mut self, addr: &Row<u32>, costs: bool) {
        let (mut low, mut high, mut bits) = (0i32, 0i32, 0u32);
        for i in 0..ROW {
            let delta = addr[i].wrapping_sub(addr[0]);
            self.delta[i] = delta;
            low = low.min(delta as i32);
            high = high.max(delta as i32);
            bits |= delta;
        }
        (self.low, self.high, self.bits) = (low, high, bits);
        self.shape = shape(&self.delta);
        if costs {
            self.learn_costs();
        }
    }

    fn learn_costs(&mut self) {
        self.sectors = [0; 16];
        let width = (self.bytes / 4).max(1);
        (self.used, self.conflicts) = (0, 0);
        let shared = self.space == MemSpace::Shared;
        if matches!(self.space, MemSpace::Private | MemSpace::Constant)
            || shared && width == 1 && self.shape == Shape::Run
        {
            return;
        }
        for lanes in self.delta.chunks(self.warp) {
            let (used, passes) = banks(lanes, self.shape, width, shared);
            self.used += used * self.bytes.min(4);
            self.conflicts += passes;
        }
    }

    /// Adds the cost of one more access.
    #[inline(always)]
    pub fn count(&mut self, first: u32, lanes: u32) {
        self.cost.execs += 1;
        self.cost.lanes += u64::from(lanes);
        self.cost.conflicts += u64::from(self.conflicts);
        // sectors are counted of buffers alone
        if self.space != MemSpace::Global {
            return;
        }
        self.cost.used += u64::from(self.used);
        let slot = (first >> 1 & 15) as usize;
        if self.sectors[slot] == 0 {
            self.sectors[slot] = self.sectors_from(first & 31);
        }
        self.cost.sectors += u64::from(self.sectors[slot]);
    }

    #[inline(never)]
    fn sectors_from(&self, first: u32) -> u16 {
        let mut count = 0;
        for lanes in self.delta.chunks(self.warp) {
            let mut buckets = Buckets::new();
            for &delta in lanes {
                let start = delta.wrapping_add(first) as i32 >> 5;
                let end = (delta.wrapping_add(first) as i32).wrapping_add(self.bytes as i32 - 1) >> 5;
                buckets.insert(start as u32, spread(start as u32));
                if end != start {
                    buckets.insert(end as u32, spread(end as u32));
                }
            }
            count += u16::from(buckets.len);
        }
        count
    }
}

fn shape(delta: &[u32; ROW]) -> Shape {
    let half = |part: &[u32]| {
        let first = part[0];
        let same = part.iter().all(|&d| d == first);
        let run = part.iter().enumerate().all(|(i, &d)| d == first.wrapping_add(4 * i as u32));
        (same, run)
    };
    let (same, run) = half(delta);
    if same {
        return Shape::Same;
    }
    if run {
        return Shape::Run;
    }
    match (half(&delta[..ROW / 2]), half(&delta[ROW / 2..])) {
        ((a, x), (b, y)) if (a || x) && (b || y) => Shape::Halves(x, y),
        _ => Shape::Any,
    }
}

/// Distinct words that some lanes touch, and the passes beyond the first that 32 banks of 4 bytes need.
/// Accesses of several words go in as many parts, each of fewer lanes, as on real machines.
fn banks(lanes: &[u32], shape: Shape, width: u32, shared: bool) -> (u32, u32) {
    if shape == Shape::Same {
        return (width, 0);
    }
    let (mut distinct, mut passes) = (0, 0);
    let mut parts = 0;
    for part in lanes.chunks((ROW / width as usize).max(1)) {
        let mut buckets = Buckets::new();
        for &delta in part {
            for k in 0..width {
                let word = (delta >> 2).wrapping_add(k);
                buckets.insert(word, if shared { word % 32 } else { spread(word) });
            }
        }
        distinct += u32::from(buckets.len);
        passes += u32::from(buckets.load.iter().copied().max().unwrap_or(0));
        parts += 1;
    }
    (distinct, passes.saturating_sub(parts))
}

/// A bucket for a word that no stride fills.
fn spread(word: u32) -> u32 {
    word.wrapping_mul(0x9e37_79b1) >> 27
}

/// A small set of words, in buckets: banks, or any.
struct Buckets {
    len: u8,
    /// How many each bucket holds.
    load: [u8; 32],
    /// The last one put into each bucket, and the one before each: indices from 1.
    head: [u8; 32],
    next: [u8; 2 * ROW + 1],
    words: [u32; 2 * ROW + 1],
}

impl Buckets {
    fn new() -> Buckets {
        Buckets { len: 0, load: [0; 32], head: [0; 32], next: [0; 2 * ROW + 1], words: [0; 2 * ROW + 1] }
    }

    #[inline(always)]
    fn insert(&mut self, word: u32, bucket: u32) {
        let bucket = bucket as usize & 31;
        let mut at = self.head[bucket];
        while at != 0 {
            if self.words[usize::from(at)] == word {
                return;
            }
            at = self.next[usize::from(at)];
        }
        self.len += 1;
        self.load[bucket] += 1;
        self.words[usize::from(self.len)] = word;
        self.next[usize::from(self.len)] = self.head[bucket];
        self.head[bucket] = self.len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(f: impl Fn(u32) -> u32) -> Site {
        in_space(MemSpace::Global, f)
    }

    fn in_space(space: MemSpace, f: impl Fn(u32) -> u32) -> Site {
        let mut site = Site::new(4, 32, space);
        site.learn(&Row(std::array::from_fn(|i| f(i as u32))), true);
        site.count(f(0), 32);
        site
    }

    #[test]
    fn a_run_touches_four_sectors_without_conflicts() {
        let site = site(|i| 64 + 4 * i);
        assert_eq!(site.shape, Shape::Run);
        assert_eq!((site.cost.sectors, site.cost.used), (4, 128));
        assert_eq!(in_space(MemSpace::Shared, |i| 64 + 4 * i).cost.conflicts, 0);
    }

    #[test]
    fn a_column_meets_in_one_bank() {
        let site = site(|i| 128 * i);
        assert_eq!(site.shape, Shape::Any);
        assert_eq!((site.cost.sectors, site.cost.used), (32, 128));
        assert_eq!(in_space(MemSpace::Shared, |i| 128 * i).cost.conflicts, 31);
    }

    #[test]
    fn a_broadcast_is_one_word() {
        let site = site(|_| 40);
        assert_eq!((site.cost.sectors, site.cost.used), (1, 4));
        assert_eq!(in_space(MemSpace::Shared, |_| 40).cost.conflicts, 0);
    }

    #[test]
    fn a_run_that_is_not_aligned_touches_one_more() {
        assert_eq!(site(|i| 4 + 4 * i).cost.sectors, 5);
    }
}
