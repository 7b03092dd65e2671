//! iq4_nl: 4-bit codes on an uneven ladder, denser near zero, and one f16 scale for 32 numbers.

use super::bytes::{half, nibble, put_half, put_nibbles};
use super::fit::best_scale;

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

pub fn decode(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    for (j, y) in out.iter_mut().enumerate() {
        *y = d * f32::from(LADDER[usize::from(nibble(&block[2..], j))]);
    }
}

pub fn encode(x: &[f32], block: &mut [u8]) {
    let trials = (-5..=5).flat_map(|s| [-127.0 + s as f32 * 3.5, 113.0 + s as f32 * 3.5]);
    let d = put_half(block, 0, best_scale(x, trials, value));
    let inverse = super::bytes::inverse(d);
    let q: [u8; 32] = std::array::from_fn(|j| code(x[j] * inverse));
    put_nibbles(&mut block[2..], &q);
}
