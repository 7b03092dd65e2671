//! q4_0 q4_1 q5_0 q5_1 q8_0 q8_1: 32 numbers, an f16 scale, and for some an f16 minimum or sum.
//! The encoders follow ggml's reference operation by operation in f32, so that bytes agree.

use super::bytes::{half, inverse, nibble, put_half, put_nibbles};

const N: usize = 32;

/// The value of largest magnitude, with its sign: the first of equals.
fn extreme(x: &[f32]) -> f32 {
    x.iter().fold(0.0f32, |best, &v| if v.abs() > best.abs() { v } else { best })
}

fn bounds(x: &[f32]) -> (f32, f32) {
    x.iter()
        .fold((f32::MAX, f32::MIN), |(lo, hi), &v| (if v < lo { v } else { lo }, if v > hi { v } else { hi }))
}

// The fifth bits of all numbers, as one little-endian word.
fn put_fifth(bytes: &mut [u8], q: &[u8]) {
    let word = q.iter().enumerate().fold(0u32, |word, (j, &v)| word | u32::from(v >> 4 & 1) << j);
    bytes.copy_from_slice(&word.to_le_bytes());
}

fn fifth(bytes: &[u8], j: usize) -> u8 {
    (bytes[j / 8] >> (j % 8) & 1) << 4
}

// Numbers around zero: the extreme value becomes the lowest code, which reaches one further than the highest.
fn centred(x: &[f32], block: &mut [u8], middle: f32) -> [u8; N] {
    let d = extreme(x) / -middle;
    put_half(block, 0, d);
    let id = inverse(d);
    std::array::from_fn(|j| ((x[j] * id + (middle + 0.5)) as i8).min((2.0 * middle - 1.0) as i8) as u8)
}

// Numbers above a minimum.
fn raised(x: &[f32], block: &mut [u8], top: f32) -> [u8; N] {
    let (lo, hi) = bounds(x);
    let d = (hi - lo) / top;
    put_half(block, 0, d);
    put_half(block, 2, lo);
    let id = inverse(d);
    std::array::from_fn(|j| (((x[j] - lo) * id + 0.5) as u8).min(top as u8))
}

pub fn decode_q4_0(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    for (j, y) in out.iter_mut().enumerate() {
        *y = (i32::from(nibble(&block[2..], j)) - 8) as f32 * d;
    }
}

pub fn encode_q4_0(x: &[f32], block: &mut [u8]) {
    let q = centred(x, block, 8.0);
    put_nibbles(&mut block[2..], &q);
}

pub fn decode_q4_1(block: &[u8], out: &mut [f32]) {
    let (d, m) = (half(block, 0), half(block, 2));
    for (j, y) in out.iter_mut().enumerate() {
        *y = f32::from(nibble(&block[4..], j)) * d + m;
    }
}

pub fn encode_q4_1(x: &[f32], block: &mut [u8]) {
    let q = raised(x, block, 15.0);
    put_nibbles(&mut block[4..], &q);
}

pub fn decode_q5_0(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    for (j, y) in out.iter_mut().enumerate() {
        *y = (i32::from(nibble(&block[6..], j) | fifth(&block[2..6], j)) - 16) as f32 * d;
    }
}

pub fn encode_q5_0(x: &[f32], block: &mut [u8]) {
    let q = centred(x, block, 16.0);
    put_fifth(&mut block[2..6], &q);
    put_nibbles(&mut block[6..], &q);
}

pub fn decode_q5_1(block: &[u8], out: &mut [f32]) {
    let (d, m) = (half(block, 0), half(block, 2));
    for (j, y) in out.iter_mut().enumerate() {
        *y = f32::from(nibble(&block[8..], j) | fifth(&block[4..8], j)) * d + m;
    }
}

pub fn encode_q5_1(x: &[f32], block: &mut [u8]) {
    let q = raised(x, block, 31.0);
    put_fifth(&mut block[4..8], &q);
    put_nibbles(&mut block[8..], &q);
}

fn decode_bytes(d: f32, q: &[u8], out: &mut [f32]) {
    for (y, &q) in out.iter_mut().zip(q) {
        *y = f32::from(q as i8) * d;
    }
}

// Returns the scale before its rounding to f16 and the sum of the numbers.
fn encode_bytes(x: &[f32], q: &mut [u8]) -> (f32, i32) {
    let d = extreme(x).abs() / 127.0;
    let id = inverse(d);
    let mut sum = 0;
    for (q, &x) in q.iter_mut().zip(x) {
        let v = (x * id).round() as i8;
        sum += i32::from(v);
        *q = v as u8;
    }
    (d, sum)
}

pub fn decode_q8_0(block: &[u8], out: &mut [f32]) {
    decode_bytes(half(block, 0), &block[2..], out);
}

pub fn encode_q8_0(x: &[f32], block: &mut [u8]) {
    let (d, _) = encode_bytes(x, &mut block[2..]);
    put_half(block, 0, d);
}

pub fn decode_q8_1(block: &[u8], out: &mut [f32]) {
    decode_bytes(half(block, 0), &block[4..], out);
}

pub fn encode_q8_1(x: &[f32], block: &mut [u8]) {
    let (d, sum) = encode_bytes(x, &mut block[4..]);
    put_half(block, 0, d);
    put_half(block, 2, sum as f32 * d);
}
