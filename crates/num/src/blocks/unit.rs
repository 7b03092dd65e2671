//! Blocks for the `exact` regime: every scale is 1 (or makes up for a minimum), every code is chosen
//! freely, so the numbers are whole and small.

use super::BlockFormat;
use super::BlockFormat::*;
use super::bytes::put_half;
use super::q8_k;

impl BlockFormat {
    /// The largest magnitude in a block that [`BlockFormat::unit_block`] makes.
    pub(crate) fn unit_magnitude(self) -> f64 {
        match self {
            Mxfp4 | Nvfp4 => 6.0,
            Q2K => 2.0,
            Q3K => 4.0,
            Q4_0 | Q4_1 | Q4K => 8.0,
            Q5_0 | Q5_1 | Q5K => 16.0,
            Q6K => 32.0,
            Iq4Nl | Iq4Xs | Q8_0 | Q8_1 | Q8K => 127.0,
            Tq1_0 | Tq2_0 => 1.0,
        }
    }

    /// A block of random codes and unit scales; with `signs` of ones and minus ones, in the formats where
    /// those are whole bytes or nibbles.
    pub(crate) fn unit_block(self, mut byte: impl FnMut() -> u8, signs: bool, block: &mut [u8]) {
        block.iter_mut().for_each(|b| *b = byte());
        if signs {
            block.iter_mut().for_each(|b| *b = self.signs(*b));
        }
        match self {
            Mxfp4 => block[0] = 127,
            Nvfp4 => block[..4].fill(0x38),
            Q4_0 | Q5_0 | Iq4Nl => _ = put_half(block, 0, 1.0),
            Q4_1 => pair(block, 0, -8.0),
            Q5_1 => pair(block, 0, -16.0),
            Q8_0 => bytes(block, 2),
            Q8_1 => bytes(block, 4),
            Q8K => {
                without_lowest(q8_k::codes(block));
                q8_k::put_scale(block, 1.0);
                q8_k::put_sums(block);
            }
            Q2K => {
                block[..16].fill(0x11);
                pair(block, 80, 1.0);
            }
            Q3K => {
                // 33 - 32 in 16 fields: low nibbles 1, upper pairs 2.
                block[96..104].fill(0x11);
                block[104..108].fill(0xaa);
                _ = put_half(block, 108, 1.0);
            }
            Q4K => six_bits(block, 8),
            Q5K => six_bits(block, 16),
            Iq4Xs => {
                // 33 - 32 eight times: upper pairs 2, low nibbles 1.
                block[2..4].fill(0xaa);
                block[4..8].fill(0x11);
                _ = put_half(block, 0, 1.0);
            }
            Tq1_0 => _ = put_half(block, 52, 1.0),
            Tq2_0 => {
                // code 3 is nobody's
                block.iter_mut().for_each(|b| *b &= !(*b >> 1 & 0x55));
                _ = put_half(block, 64, 1.0);
            }
            Q6K => {
                block[192..208].fill(1);
                _ = put_half(block, 208, 1.0);
            }
        }
    }

    fn signs(self, byte: u8) -> u8 {
        match self {
            // e2m1: 1 is code 2, -1 is code 10.
            Mxfp4 | Nvfp4 => byte & 0x88 | 0x22,
            // 8 is the middle: 7 and 9.
            Q4_0 | Q4_1 | Q4K => {
                (byte & 0x88) | if byte & 0x80 == 0 { 0x70 } else { 0x10 } | if byte & 8 == 0 { 7 } else { 1 }
            }
            Q8_0 | Q8_1 | Q8K => {
                if byte < 0x80 {
                    1
                } else {
                    0xff
                }
            }
            _ => byte,
        }
    }
}

fn pair(block: &mut [u8], at: usize, min: f32) {
    put_half(block, at, 1.0);
    put_half(block, at + 2, min);
}

// Of codes of a whole byte -128 is left out, as encoders do.
fn without_lowest(codes: &mut [u8]) {
    codes.iter_mut().filter(|b| **b == 0x80).for_each(|b| *b = 0x81);
}

// q8_1 keeps the sum of its codes too.
fn bytes(block: &mut [u8], codes: usize) {
    without_lowest(&mut block[codes..]);
    let sum: i32 = block[codes..].iter().map(|b| i32::from(*b as i8)).sum();
    put_half(block, 0, 1.0);
    if codes == 4 {
        put_half(block, 2, sum as f32);
    }
}

// Eight scales of 1 and eight minima, packed as q4_K and q5_K do; all of them fit in the low four bits but
// 16.
fn six_bits(block: &mut [u8], min: u8) {
    pair(block, 0, 1.0);
    block[4..8].fill(1);
    block[8..12].fill(min | (min >> 4 << 6));
    block[12..16].fill(1 | (min & 15) << 4);
}
