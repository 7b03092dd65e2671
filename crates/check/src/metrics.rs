//! How far outputs are from what is due, by every measure in use, whichever rule decides. Plain arithmetic over
//! the elements of which something is promised and that are finite on both sides.

use ktwin_num::{DType, Float};

use crate::compare::Expected;

/// How far an output is off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metrics {
    /// The mean of the squared errors.
    pub mse: f64,
    /// The sum of the squared errors over that of the squared values; 0 where no element is off.
    pub nmse: f64,
    /// The largest error.
    pub max_abs: f64,
    /// The mean error.
    pub mean_abs: f64,
    /// The largest error over the magnitude of its value; infinite where 0 is due and something else came.
    pub max_rel: f64,
    /// The largest error in units in the last place of the storage type.
    pub ulps: f64,
    /// Pearson's correlation; none where all values of either side are the same.
    pub correlation: Option<f64>,
    /// The cosine of the angle between the two; none where either side is zero throughout.
    pub cosine: Option<f64>,
    /// The largest error over its bar.
    pub ratio: f64,
    /// Elements that count: with a number due, and a number there.
    pub counted: usize,
    /// Elements that are NaN or infinite where a number is due, or the other way round; nothing else counts them.
    pub wrong_class: usize,
}

impl Metrics {
    /// Of outputs without a single element that counts.
    pub const NONE: Metrics = Metrics {
        mse: 0.0,
        nmse: 0.0,
        max_abs: 0.0,
        mean_abs: 0.0,
        max_rel: 0.0,
        ulps: 0.0,
        correlation: None,
        cosine: None,
        ratio: 0.0,
        counted: 0,
        wrong_class: 0,
    };

    /// Measures an output.
    pub fn of(expected: &Expected, got: &[f64]) -> Metrics {
        Metrics::of_all_but(expected, got, &|_| false)
    }

    /// The same without some elements.
    pub(crate) fn of_all_but(expected: &Expected, got: &[f64], left_out: &dyn Fn(usize) -> bool) -> Metrics {
        let mut sums = Sums::default();
        let pairs = || {
            let all = expected.values.iter().zip(got).enumerate();
            let counts = |(at, (e, g)): &(usize, (&f64, &f64))| {
                !expected.is_free(*at) && e.is_finite() && g.is_finite() && !left_out(*at)
            };
            all.filter(counts).map(|(at, (e, g))| (at, *e, *g))
        };
        pairs().for_each(|(at, e, g)| sums.add(expected, at, e, g));
        let n = sums.count as f64;
        if sums.count == 0 {
            return Metrics::NONE;
        }
        let (mean_e, mean_g) = (sums.values / n, sums.others / n);
        let (mut var_e, mut var_g, mut both) = (0.0, 0.0, 0.0);
        for (_, e, g) in pairs() {
            let (e, g) = (e - mean_e, g - mean_g);
            (var_e, var_g, both) = (var_e + e * e, var_g + g * g, both + e * g);
        }
        let varies = sums.values_vary && sums.others_vary;
        Metrics {
            mse: sums.squares / n,
            nmse: if sums.squares == 0.0 { 0.0 } else { sums.squares / sums.power },
            max_abs: sums.max_abs,
            mean_abs: sums.abs / n,
            max_rel: sums.max_rel,
            ulps: sums.ulps,
            correlation: share(both, var_e, var_g).filter(|_| varies),
            cosine: share(sums.product, sums.power, sums.other_power),
            ratio: sums.ratio,
            counted: sums.count,
            wrong_class: 0,
        }
    }

    /// What a rule takes a correlation or a cosine for: where there is none, 1 if no element is off, else 0.
    pub(crate) fn or_right(&self, share: Option<f64>) -> f64 {
        share.unwrap_or(if self.max_abs == 0.0 { 1.0 } else { 0.0 })
    }

    /// Every measure that there is with its name, as reports have them.
    pub fn named(&self) -> Vec<(&'static str, f64)> {
        let wrong = (self.wrong_class > 0).then_some(self.wrong_class as f64);
        if self.counted == 0 && wrong.is_some() {
            return wrong.map(|count| ("wrong_class", count)).into_iter().collect();
        }
        let all = [
            ("mse", Some(self.mse)),
            ("nmse", Some(self.nmse)),
            ("max_abs", Some(self.max_abs)),
            ("mean_abs", Some(self.mean_abs)),
            ("max_rel", Some(self.max_rel)),
            ("ulps", Some(self.ulps)),
            ("correlation", self.correlation),
            ("cosine", self.cosine),
            ("ratio", Some(self.ratio)),
            ("wrong_class", wrong),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// The worse of two, measure by measure.
    pub fn worse(self, other: Metrics) -> Metrics {
        Metrics {
            mse: self.mse.max(other.mse),
            nmse: self.nmse.max(other.nmse),
            max_abs: self.max_abs.max(other.max_abs),
            mean_abs: self.mean_abs.max(other.mean_abs),
            max_rel: self.max_rel.max(other.max_rel),
            ulps: self.ulps.max(other.ulps),
            correlation: smaller(self.correlation, other.correlation),
            cosine: smaller(self.cosine, other.cosine),
            ratio: self.ratio.max(other.ratio),
            counted: self.counted.max(other.counted),
            wrong_class: self.wrong_class.max(other.wrong_class),
        }
    }
}

/// A product over the root of two squares: at most 1 but for roundings.
fn share(product: f64, a: f64, b: f64) -> Option<f64> {
    let size = a.sqrt() * b.sqrt();
    let share = (product / size).clamp(-1.0, 1.0);
    (size != 0.0 && !share.is_nan()).then_some(share)
}

/// The smaller of two, where there are two.
fn smaller(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.zip(b).map(|(a, b)| a.min(b)).or(a).or(b)
}

/// A unit in the last place of a storage type; of packed blocks that of the f32 that they decode to.
pub(crate) fn ulp(dtype: DType, value: f64) -> f64 {
    match dtype {
        DType::Float(float) => float.ulp(value),
        DType::Block(_) => Float::F32.ulp(value),
        DType::Int { .. } | DType::Bool => 1.0,
    }
}

#[derive(Default)]
struct Sums {
    count: usize,
    /// The first of the values, and of the others.
    first: (f64, f64),
    values_vary: bool,
    others_vary: bool,
    values: f64,
    others: f64,
    squares: f64,
    power: f64,
    other_power: f64,
    product: f64,
    abs: f64,
    max_abs: f64,
    max_rel: f64,
    ulps: f64,
    ratio: f64,
}

impl Sums {
    fn add(&mut self, expected: &Expected, at: usize, e: f64, g: f64) {
        let error = expected.error(at, g);
        if self.count == 0 {
            self.first = (e, g);
        }
        self.values_vary |= e != self.first.0;
        self.others_vary |= g != self.first.1;
        self.count += 1;
        self.values += e;
        self.others += g;
        self.squares += error * error;
        self.power += e * e;
        self.other_power += g * g;
        self.product += e * g;
        self.abs += error;
        self.max_abs = self.max_abs.max(error);
        if error > 0.0 {
            self.max_rel = self.max_rel.max(error / e.abs());
            self.ulps = self.ulps.max(error / ulp(expected.dtype, e));
            self.ratio = self.ratio.max(error / expected.bars[at]);
        }
    }
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metrics(values: &[f64], got: &[f64]) -> Metrics {
        let (shape, bars) = (vec![values.len()], vec![1e-3; values.len()]);
        let (low, any, values) = (Vec::new(), Default::default(), values.to_vec());
        let dtype = DType::F32;
        let expected = Expected { name: "y".into(), shape, dtype, values, low, bars, any, policy: None };
        expected.compare(got, &[]).metrics
    }

    #[test]
    fn what_is_undefined_is_left_out() {
        let constant = metrics(&[0.1; 3], &[0.1, 0.1, 0.2]);
        assert_eq!(constant.correlation, None);
        assert!(constant.cosine.is_some_and(|c| c > 0.9 && c < 1.0), "{constant:?}");
        let zeros = metrics(&[0.0; 3], &[0.0, 1.0, 2.0]);
        assert_eq!((zeros.correlation, zeros.cosine), (None, None));
        assert!(zeros.named().iter().all(|(name, _)| !["correlation", "cosine"].contains(name)));
        let apart = metrics(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0]);
        assert_eq!(zeros.worse(apart).correlation, apart.correlation);
        assert!(apart.correlation.is_some_and(|c| (c - 0.5).abs() < 1e-12), "{apart:?}");
    }

    #[test]
    fn what_is_no_number_is_counted_by_itself() {
        let named = |got: &[f64]| metrics(&[1.0, 2.0, 3.0], got).named();
        let one = named(&[1.0, f64::NAN, 3.5]);
        assert!(one.contains(&("wrong_class", 1.0)) && one.contains(&("max_abs", 0.5)), "{one:?}");
        assert_eq!(named(&[f64::NAN; 3]), [("wrong_class", 3.0)], "nothing else is known of it");
        assert!(named(&[1.0, 2.0, 3.5]).iter().all(|(name, _)| *name != "wrong_class"));
    }
}
