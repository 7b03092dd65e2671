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
    /// Pearson's correlation. Of values that are all the same it is 1 where no element is off, else 0.
    pub correlation: f64,
    /// The cosine of the angle between the two; of zeros 1 where no element is off, else 0.
    pub cosine: f64,
    /// The largest error over its bar.
    pub ratio: f64,
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
        correlation: 1.0,
        cosine: 1.0,
        ratio: 0.0,
    };

    /// Measures an output.
    pub fn of(expected: &Expected, got: &[f64]) -> Metrics {
        let mut sums = Sums::default();
        let pairs = || {
            let all = expected.values.iter().zip(got).enumerate();
            let counts = |(at, (e, g)): &(usize, (&f64, &f64))| {
                !expected.is_free(*at) && e.is_finite() && g.is_finite()
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
        let right = sums.squares == 0.0;
        Metrics {
            mse: sums.squares / n,
            nmse: if right { 0.0 } else { sums.squares / sums.power },
            max_abs: sums.max_abs,
            mean_abs: sums.abs / n,
            max_rel: sums.max_rel,
            ulps: sums.ulps,
            correlation: share(both, var_e, var_g, right),
            cosine: share(sums.product, sums.power, sums.other_power, right),
            ratio: sums.ratio,
        }
    }

    /// Every measure with its name, as reports have them.
    pub fn named(&self) -> [(&'static str, f64); 9] {
        [
            ("mse", self.mse),
            ("nmse", self.nmse),
            ("max_abs", self.max_abs),
            ("mean_abs", self.mean_abs),
            ("max_rel", self.max_rel),
            ("ulps", self.ulps),
            ("correlation", self.correlation),
            ("cosine", self.cosine),
            ("ratio", self.ratio),
        ]
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
            correlation: self.correlation.min(other.correlation),
            cosine: self.cosine.min(other.cosine),
            ratio: self.ratio.max(other.ratio),
        }
    }
}

/// A product over the root of two squares: at most 1 but for roundings.
fn share(product: f64, a: f64, b: f64, right: bool) -> f64 {
    match a.sqrt() * b.sqrt() {
        _ if right => 1.0,
        0.0 => 0.0,
        size => (product / size).clamp(-1.0, 1.0),
    }
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
