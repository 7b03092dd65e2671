//! How many elements of an output are how far off, in bars.

use crate::compare::{Expected, Judgement};

/// The largest shares of the bar that are counted together; beyond them what is of the wrong class.
pub const SHARES: [f64; 11] = [0.0, 0.0625, 0.25, 0.5, 1.0, 2.0, 4.0, 16.0, 256.0, 65536.0, f64::INFINITY];

/// How many elements of an output have an error of so many bars, by [`SHARES`].
pub fn histogram(expected: &Expected, got: &[f64]) -> Vec<usize> {
    let mut out = vec![0; SHARES.len() + 1];
    for (at, got) in got.iter().enumerate() {
        let bucket = match expected.judge(at, *got) {
            Judgement::Free => continue,
            Judgement::WrongClass => SHARES.len(),
            Judgement::Inside(ratio) | Judgement::Outside(ratio) => {
                SHARES.iter().position(|most| ratio <= *most).unwrap_or(SHARES.len())
            }
        };
        out[bucket] += 1;
    }
    out
}
