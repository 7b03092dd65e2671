//! q3_K: 256 numbers of 3 bits, a 6-bit scale for each 16, an f16 scale of scales.

use super::bytes::{half, inverse, put_half};
use super::fit::{quantise, symmetric};

const HIGH: usize = 0;
const LOW: usize = 32;
const SCALES: usize = 96;
const D: usize = 108;

// Where number i lives: byte and shift of its low pair, byte and bit of its high one.
fn place(i: usize) -> (usize, usize, usize, usize) {
    let (half, row, l) = (i / 128, i / 32 % 4, i % 32);
    (LOW + 32 * half + l, 2 * row, HIGH + l, 4 * half + row)
}

fn scale(block: &[u8], s: usize) -> i32 {
    let low = block[SCALES + s % 8] >> (s / 8 * 4) & 15;
    let high = block[SCALES + 8 + s % 4] >> (s / 4 * 2) & 3;
    i32::from(low | high << 4) - 32
}

fn put_scale(block: &mut [u8], s: usize, scale: i32) {
    let q = (scale + 32) as u8;
    block[SCALES + s % 8] |= (q & 15) << (s / 8 * 4);
    block[SCALES + 8 + s % 4] |= (q >> 4) << (s / 4 * 2);
}

pub fn decode(block: &[u8], out: &mut [f32]) {
    let d = half(block, D);
    for (i, y) in out.iter_mut().enumerate() {
        let (low, shift, high, bit) = place(i);
        let q = i32::from(block[low] >> shift & 3) + i32::from(block[high] >> bit & 1) * 4 - 4;
        *y = d * scale(block, i / 16) as f32 * q as f32;
    }
}

pub fn encode(x: &[f32], block: &mut [u8]) {
    block.fill(0);
    let scales: [f32; 16] = std::array::from_fn(|s| symmetric(&x[16 * s..16 * s + 16], -4, 3));
    let d = put_half(block, D, symmetric(&scales, -32, 31));
    for (s, part) in x.chunks_exact(16).enumerate() {
        let own = quantise(scales[s], inverse(d), -32, 31);
        put_scale(block, s, own);
        let inv = inverse(d * own as f32);
        for (l, &v) in part.iter().enumerate() {
            let q = (quantise(v, inv, -4, 3) + 4) as u8;
            let (low, shift, high, bit) = place(16 * s + l);
            block[low] |= (q & 3) << shift;
            block[high] |= (q >> 2) << bit;
        }
    }
}
