//! Integers that lack what does not fit into fewer bits.

use ktwin_num::DType;

use crate::compare::Expected;
use crate::pattern::What;

/// Bits of integers that kernels keep others in, wide ones first.
const WIDTHS: [u32; 3] = [32, 16, 8];
/// Bits of which one number in so few is off by a multiple of itself, and how many must be.
const NARROW: (u32, usize) = (8, 3);

/// Whether all wrong elements of an output of integers are off by multiples of a power of two.
pub fn wraps(expected: &Expected, got: &[f64], failing: &[usize]) -> Option<What> {
    let off = |at: &usize| got[*at] - expected.values[*at];
    let by = |bits: &u32| failing.iter().all(|at| off(at) % (1u64 << bits) as f64 == 0.0);
    let whole = matches!(expected.dtype, DType::Int { .. });
    let bits = WIDTHS.into_iter().find(by).filter(|_| whole)?;
    // one bit that is lost, again and again, is no overflow, nor is what no f64 holds
    let first = off(failing.first()?).abs();
    let one_bit = first > (1u64 << bits) as f64
        && (first as u64).is_power_of_two()
        && failing.iter().all(|at| off(at).abs() == first);
    let fits = |at: &usize| got[*at].abs() <= (1u64 << bits) as f64;
    // nor is one of few bits, where numbers need more
    if one_bit || [8, 32].contains(&bits) && !failing.iter().all(fits) {
        return None;
    }
    (bits > NARROW.0 || failing.len() >= NARROW.1).then_some(What::Wraps { bits })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_16_bits_are_told_from_others() {
        let told = |dtype: DType, pairs: &[(f64, f64)]| {
            let values: Vec<f64> = pairs.iter().map(|(due, _)| *due).collect();
            let got: Vec<f64> = pairs.iter().map(|(_, got)| *got).collect();
            let (name, shape, bars) = ("y".into(), vec![pairs.len()], vec![0.0; pairs.len()]);
            let (low, any) = (Vec::new(), Default::default());
            let expected = Expected { name, shape, dtype, values, low, bars, any, policy: None };
            wraps(&expected, &got, &(0..pairs.len()).collect::<Vec<_>>())
        };
        let i32 = DType::parse("i32").unwrap();
        assert_eq!(told(i32, &[(39856.0, -25680.0)]), Some(What::Wraps { bits: 16 }));
        assert_eq!(told(i32, &[(300.0, 44.0), (515.0, 3.0)]), None);
        assert_eq!(told(i32, &[(300.0, 44.0), (515.0, 3.0), (256.0, 0.0)]), Some(What::Wraps { bits: 8 }));
        assert_eq!(told(i32, &[(39856.0, 39855.0)]), None);
        let bit = 2f64.powi(31);
        assert_eq!(told(DType::parse("u32").unwrap(), &[(bit, 0.0), (bit + 5.0, 5.0)]), None);
        assert_eq!(
            told(DType::parse("i64").unwrap(), &[(2f64.powi(60), 2f64.powi(60) + 2f64.powi(33))]),
            None
        );
        assert_eq!(told(DType::F32, &[(39856.0, -25680.0)]), None);
    }
}
