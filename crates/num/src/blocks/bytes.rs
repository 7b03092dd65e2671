//! f16 fields and pairs of nibbles inside a block.

use crate::round::{f16_to_f32, f32_to_f16};

/// The f16 at a byte offset.
pub fn half(block: &[u8], at: usize) -> f32 {
    f16_to_f32(u16::from_le_bytes([block[at], block[at + 1]]))
}

/// Writes an f16 at a byte offset and returns what it became.
pub fn put_half(block: &mut [u8], at: usize, x: f32) -> f32 {
    let bits = f32_to_f16(x);
    block[at..at + 2].copy_from_slice(&bits.to_le_bytes());
    f16_to_f32(bits)
}

/// Packs numbers of 4 bits: the first half into the low nibbles, the second into the high ones.
pub fn put_nibbles(bytes: &mut [u8], q: &[u8]) {
    let n = bytes.len();
    for (j, byte) in bytes.iter_mut().enumerate() {
        *byte = (q[j] & 15) | (q[j + n] << 4);
    }
}

/// The number at position `j` as [`put_nibbles`] packs them.
pub fn nibble(bytes: &[u8], j: usize) -> u8 {
    let n = bytes.len();
    if j < n { bytes[j] & 15 } else { bytes[j - n] >> 4 }
}

/// 1/x, and 0 for 0.
pub fn inverse(x: f32) -> f32 {
    if x == 0.0 { 0.0 } else { 1.0 / x }
}
