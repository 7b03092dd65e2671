//! Memory of launches that are over, kept for those that come: pages that the system hands out anew for every launch
//! cost more than what is done with them.

use super::machine::Machine;
use super::mem::object::Words;
use std::sync::{Arc, Mutex, PoisonError};

/// Words at least that are worth keeping, and at most that are kept.
const WORTH: usize = 1 << 16;
const MOST: usize = 32 << 20;

/// Memory that nobody uses.
#[derive(Debug, Default)]
pub struct Spare {
    kept: Mutex<Vec<Vec<u32>>>,
}

impl Spare {
    /// So many zeros.
    pub fn zeros(&self, len: usize) -> Vec<u32> {
        match self.take(len) {
            Some(mut words) => {
                words.resize(len, 0);
                words
            }
            None => vec![0; len],
        }
    }

    /// A copy of some words.
    pub fn copy(&self, of: &[u32]) -> Vec<u32> {
        let mut words = self.take(of.len()).unwrap_or_default();
        words.extend_from_slice(of);
        words
    }

    /// The words of a buffer, its last one filled up with zeros.
    pub fn words(&self, bytes: &[u8]) -> Vec<u32> {
        let mut words = self.take(bytes.len().div_ceil(4)).unwrap_or_default();
        fill(&mut words, bytes);
        words
    }

    /// Something empty with room for so many words, and not for many more.
    fn take(&self, len: usize) -> Option<Vec<u32>> {
        if len < WORTH {
            return None;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|words| (len..=len * 2).contains(&words.capacity()))?;
        Some(kept.swap_remove(at))
    }

    fn keep(&self, mut words: Vec<u32>) {
        if words.capacity() < WORTH {
            return;
        }
        words.clear();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = kept.iter().map(Vec::capacity).sum();
        if all + words.capacity() <= MOST {
            kept.push(words);
        }
    }

    /// Takes what a worker's machine had for itself.
    pub fn retire(&self, m: Machine) {
        for mem in m.mems {
            if let Words::Own(words) = mem.words {
                self.keep(words);
            }
            if let Some(shadow) = mem.shadow {
                self.keep(shadow.writes);
                self.keep(shadow.reads);
            }
        }
    }

    /// Takes what all workers had in common, if none has it any more.
    pub fn retire_common(&self, common: Vec<Option<Arc<Vec<u32>>>>) {
        common.into_iter().flatten().filter_map(Arc::into_inner).for_each(|words| self.keep(words));
    }
}

/// The words of some bytes, the last one filled up with zeros.
pub fn words_of(bytes: &[u8]) -> Vec<u32> {
    let mut words = Vec::new();
    fill(&mut words, bytes);
    words
}

fn fill(words: &mut Vec<u32>, bytes: &[u8]) {
    words.reserve(bytes.len().div_ceil(4));
    let chunks = bytes.chunks_exact(4);
    let rest = chunks.remainder();
    words.extend(chunks.map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])));
    if !rest.is_empty() {
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        words.push(u32::from_le_bytes(last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_empty() {
        let spare = Spare::default();
        let mut words = spare.zeros(WORTH);
        words.fill(7);
        let at = words.as_ptr();
        spare.keep(words);
        let again = spare.zeros(WORTH - 8);
        assert!(again.as_ptr() != at, "too small to be kept");
        let again = spare.zeros(WORTH);
        assert_eq!((again.as_ptr(), again.iter().all(|&w| w == 0), again.len()), (at, true, WORTH));
        spare.keep(again);
        assert_eq!(spare.copy(&vec![3; WORTH]), vec![3; WORTH]);
    }

    #[test]
    fn no_more_is_kept_than_allowed() {
        let spare = Spare::default();
        spare.keep(Vec::with_capacity(MOST));
        spare.keep(Vec::with_capacity(WORTH));
        assert_eq!(spare.kept.lock().unwrap().len(), 1);
    }
}
