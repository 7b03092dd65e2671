//! Buffers that a launch binds, and sets of bytes: which were initialised, which were written. Plain data.

use std::ops::Range;

/// A set of byte positions, one bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByteSet {
    words: Vec<u64>,
    len: usize,
}

impl ByteSet {
    /// The empty set over `len` bytes.
    pub fn new(len: usize) -> ByteSet {
        ByteSet { words: vec![0; len.div_ceil(64)], len }
    }

    /// How many bytes the set ranges over.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it ranges over no bytes at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a range of bytes; what lies beyond the end is ignored.
    pub fn insert(&mut self, range: Range<usize>) {
        let end = range.end.min(self.len);
        let mut at = range.start;
        while at < end {
            let bits = (64 - at % 64).min(end - at);
            let ones = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
            self.words[at / 64] |= ones << (at % 64);
            at += bits;
        }
    }

    /// Adds all of another set; it grows to its range.
    pub fn add(&mut self, other: &ByteSet) {
        self.len = self.len.max(other.len);
        self.words.resize(self.len.div_ceil(64), 0);
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a |= b);
    }

    /// Whether byte `at` is in the set.
    pub fn contains(&self, at: usize) -> bool {
        at < self.len && self.words[at / 64] >> (at % 64) & 1 == 1
    }

    /// The first byte in the set.
    pub fn first(&self) -> Option<usize> {
        let word = self.words.iter().position(|word| *word != 0)?;
        Some(64 * word + self.words[word].trailing_zeros() as usize)
    }

    /// Whether every byte of the range is in the set.
    pub fn contains_all(&self, mut range: Range<usize>) -> bool {
        range.all(|at| self.contains(at))
    }

    /// How many bytes are in the set.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// Which bytes of a buffer hold a value before the launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Init {
    /// Every byte: inputs.
    #[default]
    All,
    /// None: outputs and scratch. Reading such a byte before it is written is a finding.
    None,
    /// Just these.
    Bytes(ByteSet),
}

/// One buffer of a launch. After a run it holds what the kernel left in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buffer {
    /// `@group(…)`.
    pub group: u32,
    /// `@binding(…)`.
    pub binding: u32,
    /// What findings call it where the code has no name for it, as in PTX.
    pub name: String,
    /// The contents. The size of the binding is this length, rounded up to whole 4-byte words.
    pub bytes: Vec<u8>,
    /// Which of the bytes hold a value before the launch.
    pub init: Init,
    /// Which of the bytes the kernel wrote; filled by a run with checks on.
    pub written: ByteSet,
}

impl Buffer {
    /// An input: every byte initialised.
    pub fn input(group: u32, binding: u32, bytes: Vec<u8>) -> Buffer {
        Buffer { group, binding, bytes, ..Buffer::default() }
    }

    /// An output of `len` bytes that nobody wrote yet.
    pub fn output(group: u32, binding: u32, len: usize) -> Buffer {
        Buffer { group, binding, bytes: vec![0; len], init: Init::None, ..Buffer::default() }
    }

    /// An input of f32 values.
    pub fn from_f32(group: u32, binding: u32, values: &[f32]) -> Buffer {
        Buffer::input(group, binding, values.iter().flat_map(|v| v.to_le_bytes()).collect())
    }

    /// An input of u32 values.
    pub fn from_u32(group: u32, binding: u32, values: &[u32]) -> Buffer {
        Buffer::input(group, binding, values.iter().flat_map(|v| v.to_le_bytes()).collect())
    }

    /// The contents as u32; a part of a word at the end is left out.
    pub fn to_u32(&self) -> Vec<u32> {
        self.bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    }

    /// The contents as f32.
    pub fn to_f32(&self) -> Vec<f32> {
        self.to_u32().into_iter().map(f32::from_bits).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cross_words() {
        let mut set = ByteSet::new(200);
        set.insert(60..130);
        assert_eq!((set.count(), set.first(), ByteSet::new(99).first()), (70, Some(60), None));
        assert!(set.contains_all(60..130) && !set.contains(59) && !set.contains(130));
        set.insert(190..500);
        assert_eq!(set.count(), 80);
        let mut all = ByteSet::new(0);
        all.add(&set);
        assert_eq!(all, set);
    }
}
