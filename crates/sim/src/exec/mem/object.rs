//! A memory object while a launch runs: its words, what is initialised, who touched it.

use super::shadow::Shadow;
use crate::ir::MemSpace;
use std::sync::Arc;

/// The words of a memory object.
#[derive(Clone, Debug)]
pub enum Words {
    /// Read by all workers, written by none.
    Common(Arc<Vec<u32>>),
    /// This worker's own.
    Own(Vec<u32>),
}

impl Words {
    #[inline(always)]
    pub fn get(&self) -> &[u32] {
        match self {
            Words::Common(words) => words,
            Words::Own(words) => words,
        }
    }

    /// The words, to be written. What is common is never written: stores to it are refused before they run.
    #[inline(always)]
    pub fn get_mut(&mut self) -> &mut [u32] {
        match self {
            Words::Common(_) => &mut [],
            Words::Own(words) => words,
        }
    }
}

/// A memory object.
#[derive(Clone, Debug)]
pub struct Mem {
    pub words: Words,
    /// Bytes that may be touched.
    pub bytes: u32,
    pub space: MemSpace,
    /// Who touched it; none where no race can be.
    pub shadow: Option<Box<Shadow>>,
    /// Which grains are initialised; none where all are.
    pub init: Option<Vec<u8>>,
    /// Private memory: which bytes of each word, for each lane, something was written to; empty
    /// where all count as written.
    pub filled: Vec<u8>,
    /// Bytes of a grain, as a shift: the smallest access.
    pub grain: u32,
    /// Words from one element of a lane's private memory to the next; 1 elsewhere.
    pub stride: u32,
}

impl Mem {
    /// Remembers which bytes of a lane's private memory were written.
    #[inline(always)]
    pub fn fill(&mut self, addr: u32, bytes: u32, lane_slot: u32) {
        for (at, ones) in self.parts(addr, bytes, lane_slot) {
            if let Some(word) = self.filled.get_mut(at) {
                *word |= ones;
            }
        }
    }

    /// Whether anything was written to some bytes of a lane's private memory.
    #[inline(always)]
    pub fn is_filled(&self, addr: u32, bytes: u32, lane_slot: u32) -> bool {
        let mut parts = self.parts(addr, bytes, lane_slot).into_iter();
        self.filled.is_empty()
            || parts.any(|(at, ones)| self.filled.get(at).is_none_or(|word| word & ones != 0))
    }

    /// The words of an access, and its bytes in each; the last one twice, where there is one alone.
    fn parts(&self, addr: u32, bytes: u32, lane_slot: u32) -> [(usize, u8); 2] {
        let first = self.word(addr, lane_slot);
        let ones = ((1u32 << bytes.min(4)) - 1) << (addr & 3);
        let second = if bytes > 4 { first + self.stride as usize } else { first };
        [(first, ones as u8), (second, ones as u8)]
    }

    /// The word that a lane's access touches.
    #[inline(always)]
    pub fn word(&self, addr: u32, lane_slot: u32) -> usize {
        ((addr >> 2) * self.stride + lane_slot) as usize
    }
}
