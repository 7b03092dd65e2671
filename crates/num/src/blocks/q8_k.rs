//! q8_K: 256 numbers of 8 bits, an f32 scale, and the sum of each 16 codes as a whole number. Activations are packed
//! so for products with the other formats of 256. The encoder follows ggml's reference operation by operation.

use super::fit::extreme;

const CODES: usize = 4;
const SUMS: usize = 260;
/// Codes that share a sum.
const PART: usize = 16;
/// Added and taken away again, it leaves a whole number, ties to even.
const MAGIC: f32 = 12_582_912.0;

pub fn scale(block: &[u8]) -> f32 {
    f32::from_le_bytes([block[0], block[1], block[2], block[3]])
}

pub fn put_scale(block: &mut [u8], d: f32) {
    block[..CODES].copy_from_slice(&d.to_le_bytes());
}

pub fn codes(block: &mut [u8]) -> &mut [u8] {
    &mut block[CODES..SUMS]
}

fn sums(block: &[u8]) -> [i16; 16] {
    let sum = |part: usize| block[CODES + PART * part..][..PART].iter().map(|q| i16::from(*q as i8)).sum();
    std::array::from_fn(sum)
}

/// Writes the sums of the codes that are there.
pub fn put_sums(block: &mut [u8]) {
    let sums = sums(block);
    for (bytes, sum) in block[SUMS..].chunks_exact_mut(2).zip(sums) {
        bytes.copy_from_slice(&sum.to_le_bytes());
    }
}

/// Whether the sums are those of the codes.
pub fn sums_agree(block: &[u8]) -> bool {
    let kept = block[SUMS..].chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]]));
    kept.eq(sums(block))
}

pub fn decode(block: &[u8], out: &mut [f32]) {
    let d = scale(block);
    for (y, q) in out.iter_mut().zip(&block[CODES..SUMS]) {
        *y = d * f32::from(*q as i8);
    }
}

pub fn encode(x: &[f32], block: &mut [u8]) {
    block.fill(0);
    let most = extreme(x);
    if most == 0.0 {
        return;
    }
    // the number of largest magnitude is -127, whatever its sign
    let inverse = -127.0 / most;
    for (q, x) in codes(block).iter_mut().zip(x) {
        let code = (inverse * x + MAGIC) - MAGIC;
        *q = code.min(127.0) as i8 as u8;
    }
    put_sums(block);
    put_scale(block, 1.0 / inverse);
}
