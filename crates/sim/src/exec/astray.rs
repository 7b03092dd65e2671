//! Accesses out of bounds: the indices that led there, and when a workgroup has made so many of them that going on
//! tells nothing new.

use super::lanes::{ROW, Row};
use super::machine::Machine;
use super::mem::index::NOWHERE;
use super::report::Key;
use super::step::Step;
use crate::api::finding::Access;

/// Reads out of bounds after which a workgroup ends: tiles at an edge read far past it, and drop what they get.
const READS: u64 = 1 << 24;
/// The same as a share of its budget of steps.
const A_READ: u64 = 8;
/// Writes out of bounds are never right: a workgroup ends after so many.
const WRITES: u64 = 1 << 14;

/// An index out of range, as an address was made of it.
#[derive(Clone, Copy, Debug, Default)]
struct Index {
    base: u32,
    index: u32,
    stride: u32,
}

impl Index {
    /// The address that a kernel means.
    fn address(&self) -> u64 {
        u64::from(self.base) + u64::from(self.index) * u64::from(self.stride)
    }
}

/// What is remembered of a machine's accesses out of bounds.
#[derive(Clone, Debug, Default)]
pub struct Astray {
    /// The last index out of range of each lane, by rows, and of all lanes together.
    lanes: Vec<Index>,
    shared: Index,
    /// Reads that the running workgroup may still make, and how many of them a write counts for.
    left: u64,
    a_write: u64,
    /// What a workgroup was stopped for.
    pub stopped: Option<Key>,
}

impl Astray {
    /// A new workgroup, with a budget of so many steps.
    pub fn begin(&mut self, budget: u64) {
        self.left = (budget / A_READ).min(READS);
        self.a_write = (self.left / WRITES).max(1);
    }

    /// The address behind one that an index out of range made, if that index is known.
    pub fn meant(&self, row: usize, lane: usize, addr: u32) -> Option<u64> {
        let own = self.lanes.get(row * ROW + lane);
        own.into_iter().chain([&self.shared]).find_map(|index| {
            let made = index.base.wrapping_add(index.index.wrapping_mul(index.stride));
            // what is added to it for members and elements is small
            let more = addr.wrapping_sub(super::mem::index::nowhere(made));
            (index.stride > 0 && index.base < NOWHERE && more < 1 << 16)
                .then(|| index.address() + u64::from(more))
        })
    }
}

impl Machine {
    /// Remembers the indices of a row that led out of range.
    #[cold]
    pub fn note_far(&mut self, row: usize, base: &Row<u32>, index: &Row<u32>, step: &Step) {
        let mask = self.mask[row];
        let lanes = &mut self.astray.lanes;
        if lanes.len() < (row + 1) * ROW {
            lanes.resize((row + 1) * ROW, Index::default());
        }
        for i in (0..ROW).filter(|i| mask >> i & 1 == 1 && index[*i] >= step.imm2) {
            lanes[row * ROW + i] = Index { base: base[i], index: index[i], stride: step.imm };
        }
    }

    /// The same of an index that lanes share.
    #[cold]
    pub fn note_far_shared(&mut self, base: u32, index: u32, step: &Step) {
        self.astray.shared = Index { base, index, stride: step.imm };
    }

    /// Counts an access out of bounds; the workgroup ends with those that are too many.
    pub fn went_astray(&mut self, key: Key, access: Access, count: u64) {
        let each = if access == Access::Read { 1 } else { self.astray.a_write };
        let left = self.astray.left.saturating_sub(each * count);
        self.astray.left = left;
        if left == 0 {
            self.astray.stopped.get_or_insert(key);
            self.budget = 0;
        }
    }
}
