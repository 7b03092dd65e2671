//! q6_K: 256 numbers of 6 bits, an 8-bit scale for each 16, an f16 scale of scales.

use super::bytes::{half, inverse, put_half};
use super::fit::{quantise, symmetric};

const LOW: usize = 0;
const HIGH: usize = 128;
const SCALES: usize = 192;
const D: usize = 208;

// Where number i lives: byte and shift of its low nibble, byte and shift of its high pair.
fn place(i: usize) -> (usize, usize, usize, usize) {
    let (half, row, l) = (i / 128, i / 32 % 4, i % 32);
    (LOW + 64 * half + 32 * (row % 2) + l, row / 2 * 4, HIGH + 32 * half + l, 2 * row)
}

pub fn decode(block: &[u8], out: &mut [f32]) {
    let d = half(block, D);
    for (i, y) in out.iter_mut().enumerate() {
        let (low, low_shift, high, high_shift) = place(i);
        let q = (block[low] >> low_shift & 15) | (block[high] >> high_shift & 3) << 4;
        *y = d * f32::from(block[SCALES + i / 16] as i8) * (i32::from(q) - 32) as f32;
    }
}

pub fn encode(x: &[f32], block: &mut [u8]) {
    let scales: [f32; 16] = std::array::from_fn(|s| symmetric(&x[16 * s..16 * s + 16], -32, 31));
    let d = put_half(block, D, symmetric(&scales, -128, 127));
    block[..SCALES].fill(0);
    for (s, part) in x.chunks_exact(16).enumerate() {
        let scale = quantise(scales[s], inverse(d), -128, 127);
        block[SCALES + s] = scale as u8;
        let inv = inverse(d * scale as f32);
        for (l, &v) in part.iter().enumerate() {
            let q = (quantise(v, inv, -32, 31) + 32) as u8;
            let (low, low_shift, high, high_shift) = place(16 * s + l);
            block[low] |= (q & 15) << low_shift;
            block[high] |= (q >> 4) << high_shift;
        }
    }
}
