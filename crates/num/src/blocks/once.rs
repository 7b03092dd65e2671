//! Blocks that say one thing twice. A q8_1 block holds its codes and, in f16, their sum times the scale. An
//! honest kernel may take either; where the sum is rounded the two differ by far more than a bar of f32. Blocks
//! that are made for tests are changed a little, so that both say the same. The sums of a q8_K block are whole
//! numbers, and always those of its codes.

use super::BlockFormat;
use super::bytes::{half, put_half};
use super::q8_k;
use crate::float::pow2;

/// Digits of the scale and of the sum of codes: their product fits the eleven of f16.
const SCALE_DIGITS: u32 = 6;
const SUM_DIGITS: u32 = 5;

impl BlockFormat {
    /// Makes a block's sum exactly the sum of its numbers; nothing in formats that keep no sum.
    pub(crate) fn say_once(self, block: &mut [u8]) {
        if self != BlockFormat::Q8_1 {
            return;
        }
        let scale = shortened(f64::from(half(block, 0)), SCALE_DIGITS);
        let sum: i32 = block[4..].iter().map(|b| i32::from(*b as i8)).sum();
        let target = shortened(f64::from(sum), SUM_DIGITS) as i32;
        spread(&mut block[4..], target - sum);
        let sum: i32 = block[4..].iter().map(|b| i32::from(*b as i8)).sum();
        put_half(block, 0, scale as f32);
        put_half(block, 2, (scale * f64::from(sum)) as f32);
    }

    /// Whether a block's sum is not that of its numbers, nor that of any numbers which round to its codes.
    pub fn contradicts_itself(self, block: &[u8]) -> bool {
        match self {
            BlockFormat::Q8_1 => {}
            // with a scale of 0 the reference leaves whatever sums were there
            BlockFormat::Q8K => {
                let scale = q8_k::scale(block);
                return scale.is_finite() && scale != 0.0 && !q8_k::sums_agree(block);
            }
            _ => return false,
        }
        let (scale, kept) = (f64::from(half(block, 0)), f64::from(half(block, 2)));
        let codes: f64 = block[4..].iter().map(|b| f64::from(*b as i8)).sum();
        let most = f64::from(BlockFormat::Q8_1.elements() as u32) * scale.abs();
        // f16 rounds the scale by one part in 2048, and the sum after it; the smallest numbers by half of 2^-24
        let lost = 1e-6 + codes.abs() * pow2(-25);
        let (sum, reach) = (scale * codes, most + (scale * codes).abs() / 512.0 + most / 16.0 + lost);
        let overflows = sum.abs() + reach >= 65520.0 && kept.is_infinite();
        let agrees = (kept - sum).abs() <= reach;
        scale.is_finite() && !overflows && !agrees
    }

    /// Turns the signs of scale and codes, in a format whose encoder leaves the scale's sign unused: the numbers stay.
    pub(crate) fn mirror(self, block: &mut [u8]) {
        if self == BlockFormat::Q8_0 {
            put_half(block, 0, -half(block, 0));
            block[2..].iter_mut().for_each(|code| *code = code.wrapping_neg());
        }
    }

    /// Makes the lowest code of all of the next, where the encoder never writes it: kernels decode it like any other.
    pub(crate) fn deepen(self, block: &mut [u8]) {
        let codes = match self {
            BlockFormat::Q8_0 => &mut block[2..],
            BlockFormat::Q8K => q8_k::codes(block),
            _ => return,
        };
        codes.iter_mut().filter(|code| **code as i8 == -127).for_each(|code| *code = i8::MIN as u8);
        if self == BlockFormat::Q8K {
            q8_k::put_sums(block);
        }
    }
}

/// A number cut to so many binary digits, towards zero.
fn shortened(x: f64, digits: u32) -> f64 {
    f64::from_bits(x.to_bits() & !((1u64 << (53 - digits)) - 1))
}

/// Changes codes that are not zero by one at a time, towards zero, until their sum has changed by this much.
fn spread(codes: &mut [u8], change: i32) {
    let (mut left, towards) = (change, if change < 0 { -1i8 } else { 1 });
    while left != 0 {
        let before = left;
        for code in codes.iter_mut() {
            let value = *code as i8;
            if left != 0 && value.signum() == -towards {
                *code = (value + towards) as u8;
                left -= i32::from(towards);
            }
        }
        if left == before {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::fill::{Fill, fill};
    use crate::regime::Regime;

    #[test]
    fn a_filled_block_says_its_sum_once() {
        let q8_1 = BlockFormat::Q8_1;
        for regime in
            [Regime::Normal, Regime::Ones, Regime::Mixed, Regime::Sparse, Regime::Large, Regime::Tiny]
        {
            let tensor = fill(&Fill::new(regime, 5), DType::Block(q8_1), &[64, 64]);
            for block in tensor.bytes.chunks_exact(q8_1.bytes()) {
                let mut values = [0.0; 32];
                q8_1.decode(block, &mut values);
                let sum: f64 = values.iter().map(|v| f64::from(*v)).sum();
                assert_eq!(f64::from(half(block, 2)), sum, "{regime:?}");
            }
        }
    }

    #[test]
    fn sums_of_peaks_fit() {
        let bytes = fill(&Fill::new(Regime::Peaks, 3), DType::Block(BlockFormat::Q8_1), &[1 << 16]).bytes;
        for block in bytes.chunks_exact(BlockFormat::Q8_1.bytes()) {
            assert!(half(block, 2).is_finite());
        }
    }

    #[test]
    fn a_mirrored_block_keeps_its_numbers() {
        let values: Vec<f32> = (0..32).map(|i| i as f32 - 11.5).collect();
        let mut block = BlockFormat::Q8_0.encode(&values);
        let mut numbers = [[0.0f32; 32]; 2];
        BlockFormat::Q8_0.decode(&block, &mut numbers[0]);
        BlockFormat::Q8_0.mirror(&mut block);
        BlockFormat::Q8_0.decode(&block, &mut numbers[1]);
        assert!(half(&block, 0) < 0.0 && numbers[0] == numbers[1]);
    }

    #[test]
    fn large_blocks_hold_the_lowest_code() {
        for (format, codes) in [(BlockFormat::Q8_0, 2..34), (BlockFormat::Q8K, 4..260)] {
            let lowest = |regime| {
                let bytes = fill(&Fill::new(regime, 4), DType::Block(format), &[1 << 12]).bytes;
                bytes.chunks_exact(format.bytes()).any(|block| block[codes.clone()].contains(&0x80))
            };
            assert!(lowest(Regime::Large) && !lowest(Regime::Normal), "{}", format.name());
        }
    }

    #[test]
    fn whole_sums_are_those_of_the_codes() {
        let q8_k = BlockFormat::Q8K;
        let sharp = crate::regime::Sharp {
            accumulate: crate::float::Float::F32,
            length: 256,
            role: crate::regime::Role::Wide,
        };
        for regime in
            [Regime::Exact, Regime::Normal, Regime::Large, Regime::Tiny, Regime::Peaks, Regime::Zeros]
        {
            let plan = Fill { sharp: Some(sharp), ..Fill::new(regime, 5) };
            let bytes = fill(&plan, DType::Block(q8_k), &[1 << 13]).bytes;
            for block in bytes.chunks_exact(q8_k.bytes()) {
                assert!(q8_k::sums_agree(block), "{regime:?}");
                let mut other = block.to_vec();
                other[261] ^= 1;
                assert_eq!(q8_k.contradicts_itself(&other), q8_k::scale(block) != 0.0, "{regime:?}");
            }
        }
    }

    #[test]
    fn a_block_keeps_nearly_its_numbers() {
        let mut block = BlockFormat::Q8_1.encode(&[1.0; 32]);
        BlockFormat::Q8_1.say_once(&mut block);
        let mut values = [0.0; 32];
        BlockFormat::Q8_1.decode(&block, &mut values);
        assert!(values.iter().all(|v| (v - 1.0).abs() < 0.06), "{values:?}");
    }

    #[test]
    fn sums_of_other_numbers_are_noticed() {
        let q8_1 = BlockFormat::Q8_1;
        for seed in 0..50 {
            let numbers = fill(&Fill::new(Regime::Normal, seed), DType::F32, &[64]).to_f64();
            let given: Vec<f32> = numbers.iter().map(|v| *v as f32).collect();
            let bytes = q8_1.encode(&given);
            for (block, numbers) in bytes.chunks_exact(q8_1.bytes()).zip(given.chunks_exact(32)) {
                assert!(!q8_1.contradicts_itself(block));
                let with = |sum: f32| {
                    let mut other = block.to_vec();
                    put_half(&mut other, 2, sum);
                    q8_1.contradicts_itself(&other)
                };
                assert!(!with(numbers.iter().sum()), "the sum of what was rounded");
                assert!(with(f32::NAN) && with(f32::INFINITY));
                let largest = numbers.iter().fold(0.0f32, |m, v| m.max(v.abs()));
                assert!(with(half(block, 2) + 0.4 * largest) && with(half(block, 2) - 0.4 * largest));
            }
        }
    }
}
