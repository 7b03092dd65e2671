//! tq1_0 and tq2_0: 256 numbers of -1, 0 and 1, and one f16 scale. tq2_0 has two bits for each; tq1_0 packs five into a
//! byte, as the digits of a fraction to base 3.

use super::bytes::{half, inverse, put_half};

const D1: usize = 52;
const D2: usize = 64;

/// Powers of 3, which bring a digit of a fraction to the front.
const POWERS: [u8; 5] = [1, 3, 9, 27, 81];

// For number i of tq1_0 its byte and its digit: rows of 32, of 16 and of 4 bytes, a row's first digits before its
// second ones.
fn place(i: usize) -> (usize, usize) {
    match i {
        0..160 => (i % 32, i / 32),
        160..240 => (32 + i % 16, (i - 160) / 16),
        _ => (48 + i % 4, (i - 240) / 4),
    }
}

pub fn decode_tq1(block: &[u8], out: &mut [f32]) {
    let d = half(block, D1);
    for (i, y) in out.iter_mut().enumerate() {
        let (byte, digit) = place(i);
        let fraction = block[byte].wrapping_mul(POWERS[digit]);
        *y = d * (f32::from(((u16::from(fraction) * 3) >> 8) as u8) - 1.0);
    }
}

pub fn decode_tq2(block: &[u8], out: &mut [f32]) {
    let d = half(block, D2);
    for (i, y) in out.iter_mut().enumerate() {
        let code = block[i / 128 * 32 + i % 32] >> (2 * (i / 32 % 4)) & 3;
        *y = d * (f32::from(code) - 1.0);
    }
}

// The largest magnitude as the scale, and codes 0, 1 and 2.
fn codes(x: &[f32], block: &mut [u8], at: usize) -> [u8; 256] {
    let largest = x.iter().fold(0.0f32, |m, v| m.max(v.abs()));
    put_half(block, at, largest);
    let inverse = inverse(largest);
    std::array::from_fn(|i| ((x[i] * inverse).round().clamp(-1.0, 1.0) + 1.0) as u8)
}

pub fn encode_tq1(x: &[f32], block: &mut [u8]) {
    let codes = codes(x, block, D1);
    let mut digits = [0u16; D1];
    for (i, code) in codes.into_iter().enumerate() {
        let (byte, digit) = place(i);
        digits[byte] += u16::from(code) * u16::from(POWERS[4 - digit]);
    }
    // rounded up, so that every digit comes out again
    digits.iter().zip(block).for_each(|(d, byte)| *byte = (d * 256).div_ceil(243) as u8);
}

pub fn encode_tq2(x: &[f32], block: &mut [u8]) {
    let codes = codes(x, block, D2);
    block[..D2].fill(0);
    for (i, code) in codes.into_iter().enumerate() {
        block[i / 128 * 32 + i % 32] |= code << (2 * (i / 32 % 4));
    }
}
