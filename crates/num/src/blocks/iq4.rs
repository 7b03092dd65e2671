//! 4-bit codes on an uneven ladder, denser near zero. iq4_nl has one f16 scale for 32 numbers; iq4_xs a 6-bit scale for
//! each 32 of 256, and an f16 scale of scales.

use super::bytes::{half, inverse, nibble, put_half, put_nibbles};
use super::fit::{best_scale, quantise, symmetric};

const LADDER: [i8; 16] = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

// Halfway between neighbours.
const TURNS: [f32; 15] =
    [-115.5, -93.5, -74.0, -57.0, -42.0, -28.5, -16.0, -4.5, 7.0, 19.0, 31.5, 45.5, 61.0, 79.0, 101.0];

#[inline(always)]
fn code(x: f32) -> u8 {
    TURNS.iter().map(|t| u8::from(x > *t)).sum()
}

#[inline(always)]
fn value(x: f32) -> f32 {
    // By steps, without looking anything up: this is the inner loop of a search.
    let steps = TURNS.iter().zip(LADDER.windows(2));
    steps.fold(-127.0, |sum, (t, w)| sum + if x > *t { f32::from(w[1]) - f32::from(w[0]) } else { 0.0 })
}

fn decode_part(d: f32, codes: &[u8], out: &mut [f32]) {
    for (j, y) in out.iter_mut().enumerate() {
        *y = d * f32::from(LADDER[usize::from(nibble(codes, j))]);
    }
}

fn encode_part(d: f32, x: &[f32], codes: &mut [u8]) {
    let inverse = inverse(d);
    let q: [u8; 32] = std::array::from_fn(|j| code(x[j] * inverse));
    put_nibbles(codes, &q);
}

fn fitted(x: &[f32]) -> f32 {
    let trials = (-5..=5).flat_map(|s| [-127.0 + s as f32 * 3.5, 113.0 + s as f32 * 3.5]);
    best_scale(x, trials, value)
}

pub fn decode_nl(block: &[u8], out: &mut [f32]) {
    decode_part(half(block, 0), &block[2..], out);
}

pub fn encode_nl(x: &[f32], block: &mut [u8]) {
    let d = put_half(block, 0, fitted(x));
    encode_part(d, x, &mut block[2..]);
}

// A block of iq4_xs: the scale of scales, the high pairs of 8 scales, their low nibbles, the codes.
const HIGH: usize = 2;
const LOW: usize = 4;
const CODES: usize = 8;

pub fn decode_xs(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    for (s, part) in out.chunks_exact_mut(32).enumerate() {
        let low = block[LOW + s / 2] >> (4 * (s % 2)) & 15;
        let high = block[HIGH + s / 4] >> (2 * (s % 4)) & 3;
        let scale = f32::from(low | high << 4) - 32.0;
        decode_part(d * scale, &block[CODES + 16 * s..CODES + 16 * s + 16], part);
    }
}

pub fn encode_xs(x: &[f32], block: &mut [u8]) {
    let scales: [f32; 8] = std::array::from_fn(|s| fitted(&x[32 * s..32 * s + 32]));
    let d = put_half(block, 0, symmetric(&scales, -32, 31));
    block[HIGH..CODES].fill(0);
    for (s, part) in x.chunks_exact(32).enumerate() {
        let scale = quantise(scales[s], inverse(d), -32, 31);
        let bits = (scale + 32) as u8;
        block[LOW + s / 2] |= (bits & 15) << (4 * (s % 2));
        block[HIGH + s / 4] |= (bits >> 4) << (2 * (s % 4));
        encode_part(d * scale as f32, part, &mut block[CODES + 16 * s..CODES + 16 * s + 16]);
    }
}
