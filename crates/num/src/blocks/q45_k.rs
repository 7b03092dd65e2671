//! q4_K and q5_K: 256 numbers of 4 or 5 bits, a 6-bit scale and a 6-bit minimum for each 32, f16 scales of
//! both.

use super::bytes::{half, inverse, put_half};
use super::fit::{affine, quantise, symmetric};

const D: usize = 0;
const MIN: usize = 2;
const SCALES: usize = 4;
const FIFTH: usize = 16;

// Scale and minimum of part s: the first four whole, the others' upper bits in the spare bits of those.
fn scale_min(block: &[u8], s: usize) -> (u8, u8) {
    let q = &block[SCALES..SCALES + 12];
    if s < 4 {
        (q[s] & 63, q[s + 4] & 63)
    } else {
        ((q[s + 4] & 15) | q[s - 4] >> 6 << 4, q[s + 4] >> 4 | q[s] >> 6 << 4)
    }
}

fn put_scale_min(block: &mut [u8], s: usize, scale: u8, min: u8) {
    let q = &mut block[SCALES..SCALES + 12];
    if s < 4 {
        q[s] |= scale;
        q[s + 4] |= min;
    } else {
        q[s + 4] |= (scale & 15) | min << 4;
        q[s - 4] |= scale >> 4 << 6;
        q[s] |= min >> 4 << 6;
    }
}

// Codes of parts 2k and 2k + 1 share bytes: low nibbles and high.
fn place(codes: usize, s: usize, l: usize) -> (usize, usize) {
    (codes + 32 * (s / 2) + l, s % 2 * 4)
}

fn decode(block: &[u8], out: &mut [f32], codes: usize) {
    let (d, min) = (half(block, D), half(block, MIN));
    for (s, part) in out.chunks_exact_mut(32).enumerate() {
        let (scale, m) = scale_min(block, s);
        let (d, m) = (d * f32::from(scale), min * f32::from(m));
        for (l, y) in part.iter_mut().enumerate() {
            let (at, shift) = place(codes, s, l);
            let fifth = if codes == FIFTH { 0 } else { (block[FIFTH + l] >> s & 1) << 4 };
            *y = d * f32::from((block[at] >> shift & 15) | fifth) - m;
        }
    }
}

fn encode(x: &[f32], block: &mut [u8], codes: usize) {
    block.fill(0);
    let top = if codes == FIFTH { 15 } else { 31 };
    let fits: [(f32, f32); 8] = std::array::from_fn(|s| affine(&x[32 * s..32 * s + 32], top));
    let d = put_half(block, D, symmetric(&fits.map(|f| f.0), 0, 63));
    let min = put_half(block, MIN, symmetric(&fits.map(|f| f.1), 0, 63));
    for (s, part) in x.chunks_exact(32).enumerate() {
        let scale = quantise(fits[s].0, inverse(d), 0, 63);
        let m = quantise(fits[s].1, inverse(min), 0, 63);
        put_scale_min(block, s, scale as u8, m as u8);
        let (inv, shift_by) = (inverse(d * scale as f32), min * m as f32);
        for (l, &v) in part.iter().enumerate() {
            let q = quantise(v + shift_by, inv, 0, top) as u8;
            let (at, shift) = place(codes, s, l);
            block[at] |= (q & 15) << shift;
            if codes != FIFTH {
                block[FIFTH + l] |= (q >> 4) << s;
            }
        }
    }
}

pub fn decode_q4(block: &[u8], out: &mut [f32]) {
    decode(block, out, FIFTH);
}

pub fn encode_q4(x: &[f32], block: &mut [u8]) {
    encode(x, block, FIFTH);
}

pub fn decode_q5(block: &[u8], out: &mut [f32]) {
    decode(block, out, FIFTH + 32);
}

pub fn encode_q5(x: &[f32], block: &mut [u8]) {
    encode(x, block, FIFTH + 32);
}
