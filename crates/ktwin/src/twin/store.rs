//! What storing in a type makes of a value and its bar. Pure arithmetic.

use ktwin_num::{DType, Float};

/// The value as stored, and how far a kernel's stored value may be from it.
pub fn stored(dtype: DType, value: f64, bar: f64) -> (f64, f64) {
    match dtype {
        DType::Float(float) => rounded(float, value, bar),
        // packed by whole blocks, by whoever writes them
        DType::Block(_) => (value, bar),
        DType::Int { .. } => ktwin_lang::stored_integer(dtype, value, bar),
        DType::Bool => {
            let whole = dtype.round(value);
            (whole, if bar == 0.0 && value == whole { 0.0 } else { bar + 1.0 })
        }
    }
}

/// Rounding keeps order: a kernel's value in `value - bar ..= value + bar` is stored between what the ends
/// are stored as.
fn rounded(float: Float, value: f64, bar: f64) -> (f64, f64) {
    let own = float.round(value);
    if bar == 0.0 || !value.is_finite() || !bar.is_finite() {
        return (own, bar);
    }
    // the ends themselves are rounded once in f64: a little further out
    let reach = bar * (1.0 + f64::EPSILON) + value.abs() * f64::EPSILON;
    let (low, high) = (float.round(value - reach), float.round(value + reach));
    if low == own && high == own {
        return (own, 0.0);
    }
    let bar = (own - low).max(high - own);
    let open = low.is_nan() || high.is_nan() || own.is_nan() || bar.is_nan();
    (own, if open { f64::INFINITY } else { bar })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sure_value_is_stored_by_all_kernels_alike() {
        assert_eq!(stored(DType::F16, 1.0 / 3.0, 0.0), (Float::F16.round(1.0 / 3.0), 0.0));
        assert_eq!(stored(DType::F64, 0.1, 1e-9).0, 0.1);
        // far from where rounding changes, a small bar vanishes
        assert_eq!(stored(DType::F16, 1.0, 1e-9), (1.0, 0.0));
        // near it, one kernel rounds up and another down
        let middle = 1.0 + f64::from(2.0f32.powi(-11));
        assert_eq!(stored(DType::F16, middle, 1e-9), (1.0, 2.0f64.powi(-10)));
    }

    #[test]
    fn overflow_is_open_where_kernels_may_differ() {
        assert_eq!(stored(DType::F16, 65519.0, 10.0), (65504.0, f64::INFINITY));
        assert_eq!(stored(DType::F16, 1e6, 10.0), (f64::INFINITY, 0.0));
        assert_eq!(stored(DType::Float(Float::E4M3), 1e6, 1.0).1, f64::INFINITY);
        assert_eq!(stored(DType::F16, f64::INFINITY, 0.0), (f64::INFINITY, 0.0));
        assert!(stored(DType::F16, f64::NAN, 0.0).0.is_nan());
    }

    #[test]
    fn integers_are_cut() {
        assert_eq!(stored(DType::I32, 3.0, 0.0), (3.0, 0.0));
        assert_eq!(stored(DType::I32, 3.5, 0.25), (3.0, 0.0));
        // one kernel is above a whole number and another below
        assert_eq!(stored(DType::I32, 3.125, 0.25), (3.0, 1.0));
        // what does not fit may become anything
        assert_eq!(stored(DType::I32, 1e12, 0.0), (2147483647.0, f64::INFINITY));
        assert_eq!(stored(DType::I32, f64::NAN, 0.0).1, f64::INFINITY);
    }

    #[test]
    fn what_any_kernel_stores_is_within_the_bar() {
        let mut rng = ktwin_num::Rng::new(1, 2);
        for float in [Float::F32, Float::F16, Float::BF16, Float::E4M3] {
            for _ in 0..2000 {
                let value = rng.normal();
                let bar = rng.uniform() * 0.01 * value.abs();
                let (own, reach) = stored(DType::Float(float), value, bar);
                let kernel = float.round(value + bar * (2.0 * rng.uniform() - 1.0));
                assert!((kernel - own).abs() <= reach, "{float:?} {value} {bar}");
            }
        }
    }
}
