//! q2_K: 256 numbers of 2 bits, a 4-bit scale and a 4-bit minimum for each 16, f16 scales of both.

use super::bytes::{half, inverse, put_half};
use super::fit::{affine, quantise, symmetric};

const SCALES: usize = 0;
const CODES: usize = 16;
const D: usize = 80;
const MIN: usize = 82;

// Byte and shift of number i.
fn place(i: usize) -> (usize, usize) {
    (CODES + 32 * (i / 128) + i % 32, 2 * (i / 32 % 4))
}

pub fn decode(block: &[u8], out: &mut [f32]) {
    let (d, min) = (half(block, D), half(block, MIN));
    for (i, y) in out.iter_mut().enumerate() {
        let both = block[SCALES + i / 16];
        let (at, shift) = place(i);
        *y = d * f32::from(both & 15) * f32::from(block[at] >> shift & 3) - min * f32::from(both >> 4);
    }
}

pub fn encode(x: &[f32], block: &mut [u8]) {
    block.fill(0);
    let fits: [(f32, f32); 16] = std::array::from_fn(|s| affine(&x[16 * s..16 * s + 16], 3));
    let d = put_half(block, D, symmetric(&fits.map(|f| f.0), 0, 15));
    let min = put_half(block, MIN, symmetric(&fits.map(|f| f.1), 0, 15));
    for (s, part) in x.chunks_exact(16).enumerate() {
        let scale = quantise(fits[s].0, inverse(d), 0, 15);
        let m = quantise(fits[s].1, inverse(min), 0, 15);
        block[SCALES + s] = (scale | m << 4) as u8;
        let (inv, shift_by) = (inverse(d * scale as f32), min * m as f32);
        for (l, &v) in part.iter().enumerate() {
            let (at, shift) = place(16 * s + l);
            block[at] |= (quantise(v + shift_by, inv, 0, 3) as u8) << shift;
        }
    }
}
