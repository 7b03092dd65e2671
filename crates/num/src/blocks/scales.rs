//! Scales that encoders write of no ordinary numbers: the smallest and the largest that a format has. Formats whose
//! scales are f16 have them in regimes whose numbers are tiny or large for f16.

use super::BlockFormat;

/// The scales of mxfp4 below those whose halves are normal numbers of f32, and the smallest above them.
const SUBNORMAL: u64 = 2;
const LEAST_NORMAL: u8 = 2;
/// The largest scale of mxfp4, and the bits of two of its codes that are no more than 1 1/2 then: f32 holds those.
const LARGEST: u8 = 254;
const SMALL_CODES: u8 = 0b1011_1011;
/// Scales of nvfp4 up to the smallest normal one, and the largest.
const LEAST_E4M3: u8 = 8;
const LARGEST_E4M3: u8 = 0x7e;

impl BlockFormat {
    /// Gives two of three blocks one of the smallest scales, with codes as they are; none that is subnormal in f32
    /// unless that is asked for.
    pub(crate) fn lower(self, block: &mut [u8], number: u64, subnormal: bool) {
        let which = number % (SUBNORMAL + 1);
        match self {
            _ if which == SUBNORMAL => {}
            BlockFormat::Mxfp4 => block[0] = if subnormal { which as u8 } else { LEAST_NORMAL },
            BlockFormat::Nvfp4 => {
                let scales = block[..4].iter_mut().zip(0..);
                scales.for_each(|(scale, at)| *scale = 1 + (number as u8).wrapping_add(at) % LEAST_E4M3);
            }
            _ => {}
        }
    }

    /// Gives a block the largest scale.
    pub(crate) fn raise(self, block: &mut [u8]) {
        match self {
            BlockFormat::Mxfp4 => {
                block[0] = LARGEST;
                block[1..].iter_mut().for_each(|codes| *codes &= SMALL_CODES);
            }
            BlockFormat::Nvfp4 => block[..4].fill(LARGEST_E4M3),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::fill::{Fill, fill};
    use crate::regime::Regime;

    /// The scales of the blocks that hold a number other than zero.
    fn scales(format: BlockFormat, how: &Fill) -> Vec<u8> {
        let bytes = fill(how, DType::Block(format), &[format.elements() * 12]).bytes;
        let mut values = vec![0.0; format.elements()];
        let mut blocks = bytes.chunks_exact(format.bytes()).collect::<Vec<_>>();
        blocks.retain(|block| {
            format.decode(block, &mut values);
            assert!(values.iter().all(|v| v.is_finite()));
            values.iter().any(|v| *v != 0.0)
        });
        blocks.iter().map(|block| block[0]).collect()
    }

    #[test]
    fn the_smallest_and_the_largest_scales_have_codes_that_are_not_zero() {
        let tiny = Fill::new(Regime::Tiny, 3);
        let found = scales(BlockFormat::Mxfp4, &tiny);
        assert!(found.contains(&0) && found.contains(&1) && found.iter().any(|scale| *scale > 2));
        let normal = scales(BlockFormat::Mxfp4, &Fill { subnormal_scales: false, ..tiny });
        assert!(normal.contains(&2) && normal.iter().all(|scale| *scale >= 2));
        let found = scales(BlockFormat::Nvfp4, &tiny);
        assert!(found.iter().any(|scale| *scale < 8) && !found.contains(&0x7e));
        let ends = Fill { ends: true, kind: Some(1), ..Fill::new(Regime::Below, 3) };
        assert!(scales(BlockFormat::Mxfp4, &ends).iter().all(|scale| *scale == 254));
        assert!(scales(BlockFormat::Nvfp4, &ends).contains(&0x7e));
        assert!(!scales(BlockFormat::Mxfp4, &Fill { ends: false, ..ends }).contains(&254));
    }
}
