//! What storing does to a value and its bar: the one rule of it. A kernel's number lies within the bar of the twin's
//! before either is stored. `store` adds to bars what the conversion of any number there may change, for blocks of
//! numbers at once; `stored` converts both ends of the bar, one number at a time, for whoever writes numbers as they
//! are stored; `blocks` is for packed formats, whose numbers share a scale. What overflows is `saturated`.

use ktwin_num::{BlockFormat, DType, Float, Language, pow2};

use super::rung::Rung;
use super::simd::vectorised;
use super::value::Reals;

/// Adds what storing in a type may change, where conversions are as these functions are.
pub fn store(dtype: DType, functions: Language, values: &mut Reals) {
    match dtype {
        DType::Float(float) => {
            let nearest = ties_to_even(functions);
            if nearest {
                settled(float, values);
            }
            store_float(float, nearest, values);
        }
        DType::Int { .. } => cut(dtype, values),
        DType::Bool => {
            let doubt = |(v, b): (&f64, &mut f64)| *b += f64::from(*b > 0.0 || dtype.round(*v) != *v);
            values.v.iter().zip(&mut values.b).for_each(doubt);
        }
        // a block at a time, once the whole output is there: `blocks`
        DType::Block(_) => {}
    }
}

/// Whether conversions to a shorter type take the even one of two neighbours that are equally far. WGSL leaves it open.
fn ties_to_even(functions: Language) -> bool {
    functions != Language::Wgsl
}

/// What is known exactly has one number of the type that it may become.
fn settled(float: Float, values: &mut Reals) {
    let least = float.min_normal();
    for (v, b) in values.v.iter_mut().zip(&values.b) {
        let stored = float.round(*v);
        if *b == 0.0 && v.abs() >= least && stored.is_finite() {
            *v = stored;
        }
    }
}

/// A real and its bar as an integer type holds them: cut towards zero; what does not fit may become anything.
pub fn stored_integer(dtype: DType, value: f64, bar: f64) -> (f64, f64) {
    let whole = dtype.round(value);
    // beyond what f64 counts, sums that may leave the type wrap around
    let wide = value.abs() >= pow2(53);
    let holds = |x: f64| dtype.integer_range().is_none_or(|(lo, hi)| (lo..=hi).contains(&(x as i128)));
    let fits =
        (whole - value).abs() < 1.0 && !(wide && bar > 0.0 && !(holds(value - bar) && holds(value + bar)));
    if !fits || !bar.is_finite() {
        return (whole, f64::INFINITY);
    }
    let (low, high) = ((value - bar).trunc(), (value + bar).trunc());
    (value.trunc(), (value.trunc() - low).max(high - value.trunc()))
}

fn cut(dtype: DType, values: &mut Reals) {
    for (v, b) in values.v.iter_mut().zip(&mut values.b) {
        (*v, *b) = stored_integer(dtype, *v, *b);
    }
}

/// Values that overflow the type for certain become what it has for overflow; of eight bits an infinity, since there
/// kernels may saturate.
fn overflow(float: Float, values: &mut Reals) {
    let top = float.max_finite();
    let over = top + 0.5 * float.ulp(top);
    for (v, b) in values.v.iter_mut().zip(&values.b) {
        if v.abs() - b >= over {
            *v = if float.bits() <= 8 { f64::INFINITY.copysign(*v) } else { float.round(*v) };
        }
    }
}

/// What is rounded to the nearest is off by half a step of the numbers around it; else by up to twice as much, and so
/// is what arithmetic may have rounded to the type already.
fn store_float(float: Float, nearest: bool, values: &mut Reals) {
    let nearest = nearest && float.bits() < 32;
    overflow(float, values);
    let rung = Rung::new(float, Language::Correct);
    let least = float.min_subnormal();
    let top = float.max_finite();
    // at and past this a value rounds to what the format has for overflow
    let over = top + 0.5 * float.ulp(top);
    let (v, b) = (values.v.as_slice(), values.b.as_mut_slice());
    vectorised!(v: &'a [f64], b: &'a mut [f64], rung: Rung, least: f64, top: f64, over: f64, nearest: bool => {
        for (v, b) in v.iter().zip(b.iter_mut()) {
            let far = v.abs() + *b;
            let in_range = (v.abs() >= rung.min_normal) | (*v == 0.0);
            let sure = (*b == 0.0) & rung.holds(*v) & in_range & (far <= top);
            let below = if nearest { power_below(far) } else { far };
            let rounding = (rung.unit * below).max(0.5 * least);
            let bar = if sure { *b } else { *b + rounding };
            // some honest kernels overflow here and some do not: either is accepted
            let open = (far >= over) & (v.abs() - *b < over);
            let bounded = if open { f64::INFINITY } else { bar };
            *b = if v.is_finite() { bounded } else { *b };
        }
    });
}

/// The power of two that a positive number is at least and less than twice.
fn power_below(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & f64::INFINITY.to_bits())
}

/// How much more than this project's encoder another may lose: encoders choose other scales.
const OTHER_ENCODERS: f64 = 1.25;
/// What rounding the scale may move the largest number of a block by, as a share of it: scales have 11 bits.
const SCALE: f64 = 1.0 / 1024.0;

/// A packed output is held to what packing loses in its block: each element may differ by what this project's encoder
/// makes of the block at worst and by what other encoders may. A block that has no scale, or whose scale may overflow,
/// is free.
pub fn blocks(format: BlockFormat, values: &[f64], bars: &mut [f64]) {
    let n = format.elements();
    let mut decoded = vec![0.0f32; n];
    let mut packed = |values: &[f64], by: f64| {
        let given: Vec<f32> = values.iter().map(|v| (*v * by) as f32).collect();
        format.decode(&format.encode(&given), &mut decoded);
        decoded.clone()
    };
    for (values, bars) in values.chunks(n).zip(bars.chunks_mut(n)) {
        // what is not finite leaves its block without a scale
        let scaled = values.iter().all(|v| v.is_finite());
        if !scaled || packed(values, OTHER_ENCODERS).iter().any(|v| !v.is_finite()) {
            bars.fill(f64::INFINITY);
            continue;
        }
        let errors = values.iter().zip(packed(values, 1.0)).map(|(a, b)| (a - f64::from(b)).abs());
        let worst = errors.fold(0.0, f64::max);
        let largest = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        bars.iter_mut().for_each(|b| *b += OTHER_ENCODERS * worst + SCALE * largest);
    }
}

/// What may be stored of a number that surely overflows: conversions to eight bits saturate or do not, as their caller
/// has it, and a kernel may call for either.
pub fn saturated(dtype: DType, infinite: f64) -> Vec<f64> {
    match dtype.float() {
        Some(float) => {
            let all = [infinite, float.max_finite().copysign(infinite), f64::NAN];
            all.into_iter().filter(|got| float.may_store(infinite, *got)).collect()
        }
        None => vec![infinite],
    }
}

/// One value as it is stored, and how far a kernel's stored value may be from that: what `store` allows and no more,
/// told of what lies in the file.
pub fn stored(dtype: DType, value: f64, bar: f64) -> (f64, f64) {
    match dtype {
        DType::Float(float) => rounded(float, value, bar),
        // packed by whole blocks
        DType::Block(_) => (value, bar),
        DType::Int { .. } => stored_integer(dtype, value, bar),
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

    /// What `store` makes of one number.
    fn widened(dtype: DType, value: f64, bar: f64) -> (f64, f64) {
        let mut one = Reals { v: vec![value], b: vec![bar] };
        store(dtype, Language::C, &mut one);
        (one.v[0], one.b[0])
    }

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
        // a sum near the end of 64 bits may have wrapped around
        let wide = DType::parse("i64").unwrap();
        assert_eq!(stored(wide, -pow2(63), 1e12).1, f64::INFINITY);
        assert!(stored(wide, pow2(62), 1e12).1.is_finite());
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
                let (value, wide) = widened(DType::Float(float), value, bar);
                assert!((kernel - value).abs() <= wide, "{float:?} {value} {bar}: {kernel}");
            }
        }
    }

    /// What is stored further off than a rounding is refused.
    #[test]
    fn bars_grow_by_a_rounding_and_no_more() {
        for (float, value) in [(Float::F32, 1.1), (Float::F16, 0.3), (Float::BF16, -7.7)] {
            let (_, wide) = widened(DType::Float(float), value, 0.0);
            assert!(wide <= float.ulp(value), "{float:?} {wide}");
        }
        assert_eq!(widened(DType::F16, 1e6, 10.0), (f64::INFINITY, 10.0));
        assert_eq!(widened(DType::F16, 65519.0, 10.0).1, f64::INFINITY);
    }

    #[test]
    fn only_eight_bits_saturate() {
        assert_eq!(saturated(DType::F16, f64::NEG_INFINITY), [f64::NEG_INFINITY]);
        let [infinite, most, nan] = saturated(DType::Float(Float::E4M3), f64::NEG_INFINITY)[..] else {
            panic!("three");
        };
        assert!((infinite, most) == (f64::NEG_INFINITY, -448.0) && nan.is_nan());
    }

    #[test]
    fn a_block_is_as_far_off_as_its_worst_number() {
        let Ok(DType::Block(format)) = DType::parse("q4_0") else { panic!("a block") };
        let values: Vec<f64> = (0..64).map(|i| f64::from(i % 32) - 16.0).collect();
        let (mut bars, n) = (vec![0.0; 64], format.elements());
        let damaged: Vec<f64> = values[..n].iter().copied().chain([f64::NAN; 32]).collect();
        blocks(format, &values, &mut bars);
        let own = ktwin_num::Tensor::from_f64(DType::Block(format), &[64], &values).to_f64();
        assert!(own.iter().zip(&values).zip(&bars).all(|((a, b), bar)| (a - b).abs() <= *bar));
        assert!(bars.iter().all(|bar| *bar > 0.5 && *bar < 3.0), "{bars:?}");
        blocks(format, &damaged, &mut bars);
        assert!(bars[0] < 6.0 && bars[n..].iter().all(|bar| *bar == f64::INFINITY));
    }
}
