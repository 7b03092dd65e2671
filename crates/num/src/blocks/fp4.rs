//! mxfp4 and nvfp4: e2m1 numbers (0, ½, 1, 1½, 2, 3, 4, 6 and their negatives) under a small scale.

use super::bytes::{nibble, put_nibbles};
use crate::float::{Float, pow2};

// Twice the e2m1 values, so that they are whole; scales are halved to match.
const DOUBLED: [f32; 16] =
    [0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, -0.0, -1.0, -2.0, -3.0, -4.0, -6.0, -8.0, -12.0];

// Halfway between neighbours.
const TURNS: [f32; 7] = [0.5, 1.5, 2.5, 3.5, 5.0, 7.0, 10.0];

// The code nearest to x, of two as near the smaller.
fn code(x: f32, half_scale: f32) -> u8 {
    let size: u8 = TURNS.iter().map(|t| u8::from(x.abs() > t * half_scale)).sum();
    if size > 0 && x < 0.0 { size | 8 } else { size }
}

fn largest(x: &[f32]) -> f32 {
    x.iter().fold(0.0f32, |a, v| a.max(v.abs()))
}

// Half of 2^(e - 127).
fn half_power(e: u8) -> f32 {
    pow2(i32::from(e) - 128) as f32
}

pub fn decode_mx(block: &[u8], out: &mut [f32]) {
    let d = half_power(block[0]);
    for (j, y) in out.iter_mut().enumerate() {
        *y = DOUBLED[usize::from(nibble(&block[1..], j))] * d;
    }
}

pub fn encode_mx(x: &[f32], block: &mut [u8]) {
    let top = largest(x);
    // 6 = 1.5 * 2^2 is the largest number: the extreme's exponent less 2.
    let e = if top > 0.0 { libm::floorf(libm::log2f(top)) - 2.0 + 127.0 } else { 0.0 };
    block[0] = e as u8;
    let d = half_power(block[0]);
    let q: [u8; 32] = std::array::from_fn(|j| code(x[j], d));
    put_nibbles(&mut block[1..], &q);
}

// Half the value of an unsigned e4m3.
fn half_e4m3(bits: u8) -> f32 {
    if bits == 0x7f { 0.0 } else { 0.5 * Float::E4M3.decode(u64::from(bits & 0x7f)) as f32 }
}

pub fn decode_nv(block: &[u8], out: &mut [f32]) {
    for (s, part) in out.chunks_exact_mut(16).enumerate() {
        let d = half_e4m3(block[s]);
        for (j, y) in part.iter_mut().enumerate() {
            *y = DOUBLED[usize::from(nibble(&block[4 + 8 * s..12 + 8 * s], j))] * d;
        }
    }
}

pub fn encode_nv(x: &[f32], block: &mut [u8]) {
    for (s, part) in x.chunks_exact(16).enumerate() {
        let full = Float::E4M3.encode(f64::from((largest(part) / 6.0).min(448.0))) as i32;
        let error = |bits: u8| {
            let d = half_e4m3(bits);
            let square = |&v: &f32| f64::from(DOUBLED[usize::from(code(v, d))] * d - v).powi(2);
            part.iter().map(square).sum::<f64>()
        };
        // The scale at which the extreme is 6, and its neighbours: clipping it a little may serve the rest.
        let tried = (full - 8..=full + 2).map(|b| b.clamp(0, 0x7e) as u8);
        let best = tried.min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap_or(0);
        block[s] = best;
        let q: [u8; 16] = std::array::from_fn(|j| code(part[j], half_e4m3(best)));
        put_nibbles(&mut block[4 + 8 * s..12 + 8 * s], &q);
    }
}
