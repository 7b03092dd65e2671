//! Rounding numbers that are already in another type: a kernel that quantises its activations itself reads
//! rows of one type and goes on with another. What it then has, and how far that may be from what it read.

use crate::blocks::BlockFormat;
use crate::dtype::DType;
use crate::float::Float;

/// What one scale of a block means: steps from the scale to the block's extreme, and whether codes start at a
/// minimum of the block's own.
struct Ladder {
    steps: f64,
    raised: bool,
    /// Whether the highest code is one step short of the extreme on the other side.
    lopsided: bool,
    /// What the scale is stored in.
    scale: Float,
}

impl BlockFormat {
    fn ladder(self) -> Option<Ladder> {
        let ladder = |steps, raised, lopsided| Some(Ladder { steps, raised, lopsided, scale: Float::F16 });
        match self {
            BlockFormat::Q8_0 | BlockFormat::Q8_1 => ladder(127.0, false, false),
            BlockFormat::Q8K => {
                Some(Ladder { steps: 127.0, raised: false, lopsided: false, scale: Float::F32 })
            }
            BlockFormat::Q4_0 => ladder(8.0, false, true),
            BlockFormat::Q5_0 => ladder(16.0, false, true),
            BlockFormat::Q4_1 => ladder(15.0, true, false),
            BlockFormat::Q5_1 => ladder(31.0, true, false),
            // their encoders search for scales: two honest ones differ by more than their roundings
            _ => None,
        }
    }
}

impl DType {
    /// Whether every honest kernel rounds numbers to this type alike, except for half a step:
    /// [`DType::round_row`] and [`DType::reach`] are for such types.
    pub fn rounds_rows(self) -> bool {
        match self {
            DType::Float(_) => true,
            DType::Block(format) => format.ladder().is_some(),
            _ => false,
        }
    }

    /// Rounds a row to the type and back. A last block that is not full is filled up with zeros.
    pub fn round_row(self, row: &mut [f64]) {
        match self {
            DType::Block(format) => {
                let n = format.elements();
                for values in row.chunks_mut(n) {
                    let mut block = vec![0.0f32; n];
                    block.iter_mut().zip(values.iter()).for_each(|(b, v)| *b = *v as f32);
                    let bytes = format.encode(&block);
                    format.decode(&bytes, &mut block);
                    values.iter_mut().zip(&block).for_each(|(v, b)| *v = f64::from(*b));
                }
            }
            _ => row.iter_mut().for_each(|v| *v = self.round(*v)),
        }
    }

    /// The most that an honest kernel's rounding to the type moves each number of a row; `flushes` where its
    /// language may take a subnormal scale for zero. Infinite where the type cannot hold the number.
    pub fn reach(self, row: &[f64], flushes: bool) -> Vec<f64> {
        match self {
            DType::Float(float) => row.iter().map(|v| float_reach(float, *v)).collect(),
            DType::Block(format) => match format.ladder() {
                Some(ladder) => {
                    row.chunks(format.elements()).flat_map(|block| ladder.reach(block, flushes)).collect()
                }
                None => vec![f64::INFINITY; row.len()],
            },
            _ => row.iter().map(|v| (self.round(*v) - v).abs()).collect(),
        }
    }
}

fn float_reach(float: Float, v: f64) -> f64 {
    if float.round(v) == v || v.is_nan() { 0.0 } else { float.half_ulp(v) }
}

impl Ladder {
    fn reach(&self, block: &[f64], flushes: bool) -> Vec<f64> {
        if block.iter().any(|v| !v.is_finite()) {
            return vec![f64::INFINITY; block.len()];
        }
        let lowest = if self.raised { block.iter().copied().fold(f64::INFINITY, f64::min) } else { 0.0 };
        let extreme = block.iter().fold(0.0f64, |m, v| m.max((v - lowest).abs()));
        let step = extreme / self.steps;
        if flushes && step < self.scale.min_normal() {
            // the scale may be lost, and every number with it
            return block.iter().map(|v| (v - lowest).abs() + lowest.abs()).collect();
        }
        let half = |scale: f64| if scale == 0.0 { 0.0 } else { self.scale.half_ulp(scale) };
        block
            .iter()
            .map(|v| {
                let code = if step > 0.0 { (v - lowest).abs() / step } else { 0.0 };
                let end = self.lopsided && code > self.steps - 0.5;
                // a little more than half a step: the division by the scale is rounded too
                let own = step * if end { 1.0 } else { 0.5001 };
                own + (code + 1.0) * half(step) + half(lowest.abs())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::{Fill, fill_range};
    use crate::regime::Regime;

    const FORMATS: [BlockFormat; 7] = [
        BlockFormat::Q4_0,
        BlockFormat::Q4_1,
        BlockFormat::Q5_0,
        BlockFormat::Q5_1,
        BlockFormat::Q8_0,
        BlockFormat::Q8_1,
        BlockFormat::Q8K,
    ];

    fn row(regime: Regime, n: usize) -> Vec<f64> {
        let mut row = vec![0.0; n];
        fill_range(&Fill::new(regime, 3), DType::Float(Float::F32), 0, n as u64, &mut row);
        row
    }

    #[test]
    fn no_encoder_moves_a_number_further() {
        for format in FORMATS {
            for regime in [Regime::Normal, Regime::Mixed, Regime::Sparse, Regime::Outliers, Regime::Ones] {
                let (dtype, row) = (DType::Block(format), row(regime, 1000));
                let mut rounded = row.clone();
                dtype.round_row(&mut rounded);
                let reach = dtype.reach(&row, false);
                let most = (0..row.len()).map(|i| (rounded[i] - row[i]).abs() / reach[i].max(1e-30));
                let most = most.fold(0.0, f64::max);
                assert!(most <= 1.0, "{} {regime:?}: {most}", format.name());
                assert!(regime != Regime::Normal || most > 0.6, "{}: {most} is loose", format.name());
            }
        }
    }

    #[test]
    fn floats_reach_half_a_step_and_exact_numbers_nowhere() {
        let e4m3 = DType::Float(Float::E4M3);
        assert_eq!(e4m3.reach(&[1.0, 1.05, 0.0], false), [0.0, 0.0625, 0.0]);
        assert!(DType::Float(Float::F16).reach(&[1e6], false)[0].is_infinite());
    }

    #[test]
    fn what_a_scale_cannot_say_is_unbounded_or_flushed() {
        let q8 = DType::Block(BlockFormat::Q8_1);
        assert!(q8.reach(&[1.0, f64::NAN], false).iter().all(|r| r.is_infinite()));
        assert_eq!(q8.reach(&[1e-4, 2e-5], true), [1e-4, 2e-5]);
        assert!(!DType::Block(BlockFormat::Q4K).rounds_rows());
    }
}
