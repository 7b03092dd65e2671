//! What is wrong with blocks that say their numbers badly: their scales, or codes that are not the nearest ones.

use ktwin_num::{Codes, DType, Tensor};

use crate::compare::Expected;
use crate::pattern::What;

/// A code that is off by so much more than the nearest one is another.
const NEAR: f64 = 1e-3;
/// Wrong codes of which it is told which way they are cut, at least.
const SEVERAL: usize = 3;

/// What all wrong blocks of an output have in common.
pub fn told(expected: &Expected, packed: Option<&Tensor>, got: &[f64], failing: &[usize]) -> Option<What> {
    let (DType::Block(format), Some(packed)) = (expected.dtype, packed) else { return None };
    let codes = Codes::of(format)?;
    let n = format.elements();
    let mut numbers: Vec<usize> = failing.iter().map(|at| at / n).collect();
    numbers.dedup();
    let (mut nearest, mut others) = (0, Vec::new());
    for number in numbers {
        let block = packed.bytes.chunks_exact(format.bytes()).nth(number)?;
        let due = expected.values.chunks_exact(n).nth(number)?;
        let distances = codes.distances(block, due);
        for at in failing.iter().filter(|at| **at / n == number) {
            let off = (got[*at] - expected.values[*at]).abs();
            match off <= distances[at % n] + NEAR * codes.step(due) {
                true => nearest += 1,
                false => others.push((got[*at], expected.values[*at])),
            }
        }
    }
    match (nearest, others.len()) {
        (1.., 0) => Some(What::ScalesOfBlocks { minima: codes.has_minima() }),
        (0, SEVERAL..) => Some(What::CodesOfBlocks { cut: cut(&others).map(str::to_owned) }),
        _ => None,
    }
}

/// Which way numbers are cut, where it is always the same.
fn cut(pairs: &[(f64, f64)]) -> Option<&'static str> {
    let all = |f: &dyn Fn(f64, f64) -> bool| pairs.iter().all(|(got, due)| f(*got, *due));
    let signs = pairs.iter().any(|(_, due)| *due < 0.0) && pairs.iter().any(|(_, due)| *due > 0.0);
    match () {
        () if signs && all(&|got, due| got.abs() < due.abs()) => Some("toward zero"),
        () if all(&|got, due| got < due) => Some("down"),
        () if all(&|got, due| got > due) => Some("up"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUE: [f64; 32] = {
        let mut all = [0.0; 32];
        let mut at = 0;
        while at < 32 {
            all[at] = (at as f64 - 15.3) / 7.0;
            at += 1;
        }
        all
    };

    /// What is said of one block of q8_0 whose scale is so many times the usual one, with codes made by `code`.
    fn of(times: f64, code: fn(f64) -> f64) -> Option<What> {
        let dtype = DType::parse("q8_0").unwrap();
        let scale = ktwin_num::Float::F16.round(times * 2.3 / 127.0);
        let bits = ktwin_num::Float::F16.encode(scale) as u16;
        let codes = DUE.map(|value| code(value / scale) as i8);
        let bytes: Vec<u8> = bits.to_le_bytes().into_iter().chain(codes.map(|c| c as u8)).collect();
        let packed = Tensor::from_bytes(dtype, &[32], bytes).unwrap();
        let got = packed.to_f64();
        let bars = vec![0.0; 32];
        let (low, any) = (Vec::new(), Default::default());
        let expected = Expected {
            name: "y".into(),
            shape: vec![32],
            dtype,
            values: DUE.to_vec(),
            low,
            bars,
            any,
            policy: None,
        };
        let off = |at: &usize| (got[*at] - DUE[*at]).abs() > 0.55 * 2.3 / 127.0;
        told(&expected, Some(&packed), &got, &(0..32).filter(off).collect::<Vec<_>>())
    }

    #[test]
    fn scales_are_told_from_codes() {
        assert_eq!(of(3.0, f64::round), Some(What::ScalesOfBlocks { minima: false }));
        let cut = |way: &str| Some(What::CodesOfBlocks { cut: Some(way.into()) });
        assert_eq!(of(1.0, f64::trunc), cut("toward zero"));
        assert_eq!(of(1.0, f64::floor), cut("down"));
        assert_eq!(of(1.0, f64::round), None);
    }
}
