//! Regimes: how inputs are filled, as words. Making the numbers is the business of `fill`.

use crate::float::Float;
use crate::names::did_you_mean;
use std::fmt;

/// How an input is filled.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Regime {
    /// Numbers whose sums are exact in the promised accumulator, and in nothing coarser.
    Exact,
    /// Mean 0, variance 1.
    Normal,
    /// Between -1 and 1, or over the whole of a bounded domain.
    Uniform,
    /// Zeros.
    Zeros,
    /// Ones.
    Ones,
    /// One number throughout, between ½ and 2.
    Constant,
    /// Up to the square root of the largest number, or a higher root, so that products just fit.
    Large,
    /// Around the smallest normal number, subnormals included.
    Tiny,
    /// Alternating signs of nearly equal magnitude, or of the same: sums cancel.
    Mixed,
    /// Nine of ten are zero, the rest normal; or all from the first quarter to the last.
    Sparse,
    /// Normal, but one of 128 is 32 times as large; or the first of each row is far from zero.
    Outliers,
    /// Close together around a number below zero: between -8 and -1/2, with a spread of 1/256 of it.
    Below,
    /// The same above zero.
    Above,
    /// Magnitudes of every size from 2^-30 to 2^17: where types of 16 bits are subnormal, and where they end; or of
    /// every size up to the square root of the largest number.
    Wide,
    /// A number from 2^4 to 2^21, or as far below zero, with a spread of 1 to 8 around it.
    Far,
    /// Normal, with a standard deviation of 64.
    Spread,
    /// Normal, with a standard deviation of 2^-10, where what is added to keep from dividing by nothing counts, or of
    /// less, where thresholds do.
    Small,
    /// Five different numbers, so that most are equal to others; or three, the largest a zero below zero.
    Ties,
    /// Eight numbers, each one unit in the last place above another.
    Neighbours,
    /// Normal, and nearly the same numbers in every input.
    Twins,
    /// One element far above or below all others: the last, the first, or one at the edge of a tile.
    Peaks,
    /// Near 1, or small, as is best for each input: what a recurrence keeps and a long product comes to neither
    /// vanishes nor grows.
    Steady,
    /// Normal, and a NaN: one, or three at the first, an inner and the last place.
    Nan,
    /// Normal, and an infinity, likewise.
    Inf,
}

use Regime::*;

impl Regime {
    /// Every regime.
    pub const ALL: [Regime; 24] = [
        Exact, Normal, Uniform, Zeros, Ones, Constant, Large, Tiny, Mixed, Sparse, Outliers, Below, Above,
        Wide, Far, Spread, Small, Ties, Neighbours, Twins, Peaks, Steady, Nan, Inf,
    ];

    /// Name and description.
    const fn entry(self) -> (&'static str, &'static str) {
        match self {
            Exact => {
                ("exact", "sums are exact in the promised accumulator, in any order, and in nothing coarser")
            }
            Normal => ("normal", "mean 0, variance 1"),
            Uniform => ("uniform", "between -1 and 1, or over the whole domain"),
            Zeros => ("zeros", "zeros"),
            Ones => ("ones", "ones"),
            Constant => ("constant", "one number throughout, between 1/2 and 2, chosen by the seed"),
            Large => {
                ("large", "magnitudes from 1/16 of the square root of the type's largest number up to it")
            }
            Tiny => ("tiny", "from the smallest subnormal number to four times the smallest normal one"),
            Mixed => ("mixed", "neighbours of nearly equal magnitude and opposite sign: sums cancel"),
            Sparse => (
                "sparse",
                "zeros: nine of ten in one input and half in the others, or the middle half; the rest normal",
            ),
            Outliers => {
                ("outliers", "normal, but one of 128 is 32 times as large, or the first of each row far away")
            }
            Below => (
                "below",
                "close together around a number from -8 to -1/2, chosen by the seed, or far below zero",
            ),
            Above => (
                "above",
                "close together around a number from 1/2 to 8, chosen by the seed, or far above zero",
            ),
            Wide => (
                "wide",
                "magnitudes of every size from 2^-30 to 2^17, where 16-bit types end, or to the largest's square root",
            ),
            Far => ("far", "around a number from 2^4 to 2^21 or as far below zero, with a spread of 1 to 8"),
            Spread => ("spread", "normal, with a standard deviation of 64; integers of every length"),
            Small => ("small", "normal, with a standard deviation of 2^-10, 2^-24, 2^-44 or 2^-104"),
            Ties => (
                "ties",
                "five different numbers, so that most are equal to others; two equal ones a row; or rows twice",
            ),
            Neighbours => (
                "neighbours",
                "eight numbers, each one unit in the last place above another; or just above one of a narrow type",
            ),
            Twins => ("twins", "normal, and nearly the same numbers in every input"),
            Peaks => (
                "peaks",
                "one element far above or below all others: the last, the first, or at a tile's edge",
            ),
            Steady => ("steady", "near 1 or small, so that what recurrences keep neither vanishes nor grows"),
            Nan => ("nan", "normal, and a NaN: one, or three at the first, an inner and the last place"),
            Inf => {
                ("inf", "normal, and an infinity: one, or three at the first, an inner and the last place")
            }
        }
    }

    /// Whether its values are such as most data are.
    pub const fn is_ordinary(self) -> bool {
        matches!(self, Regime::Normal | Regime::Uniform)
    }

    /// The regime's name.
    pub const fn name(self) -> &'static str {
        self.entry().0
    }

    /// One line on what it holds.
    pub const fn description(self) -> &'static str {
        self.entry().1
    }

    /// The regime of this name, or an error that names the nearest.
    pub fn parse(name: &str) -> Result<Regime, String> {
        let found = Self::ALL.into_iter().find(|r| r.name() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Regime::name);
            let hint = did_you_mean(name, names);
            let hint = if hint.is_empty() { format!(", there are {}", names.join(", ")) } else { hint };
            format!("no regime `{name}`{hint}")
        })
    }

    /// Whether sums of such numbers are rounded, in an order that shows.
    pub const fn rounds(self) -> bool {
        matches!(
            self,
            Normal | Uniform | Mixed | Outliers | Below | Above | Wide | Far | Spread | Twins | Steady
        )
    }

    /// Whether roundings may conspire: the data has a pattern, or a few terms so large that all others are lost in
    /// the same direction. Only light-tailed random data make errors average out.
    pub const fn is_structured(self) -> bool {
        !matches!(self, Normal | Uniform | Nan | Inf)
    }

    /// Whether the data come near the ends of 16-bit types.
    pub const fn reaches_ends(self) -> bool {
        matches!(self, Large | Tiny | Wide | Far | Spread)
    }

    /// Whether the data hold a NaN or an infinity.
    pub const fn is_special(self) -> bool {
        matches!(self, Nan | Inf)
    }
}

impl fmt::Display for Regime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Regime {
    type Err = String;
    fn from_str(name: &str) -> Result<Regime, String> {
        Regime::parse(name)
    }
}

/// How the elements of an input relate to each other, along its last dimension.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Sorted {
    /// None is less than the one before it.
    Rising,
    /// The same, and the first and the last are the ends of the domain: places at which a whole is cut into parts.
    Splits,
    /// In any, and no two are equal.
    Distinct,
}

/// The numbers that an input may hold, as its op declares.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Domain {
    /// The lower end.
    pub lo: f64,
    /// The upper end.
    pub hi: f64,
    /// Whether the lower end is left out.
    pub lo_open: bool,
    /// Whether the upper end is left out.
    pub hi_open: bool,
    /// Whether only whole numbers are in it.
    pub integer: bool,
    /// The order that they are in, if any.
    pub sorted: Option<Sorted>,
}

impl Domain {
    /// Every number.
    pub const ALL_REALS: Domain = Domain {
        lo: f64::NEG_INFINITY,
        hi: f64::INFINITY,
        lo_open: false,
        hi_open: false,
        integer: false,
        sorted: None,
    };

    /// The indices 0 to n - 1.
    pub const fn indices(n: u64) -> Domain {
        Domain { lo: 0.0, hi: n as f64, hi_open: true, integer: true, ..Domain::ALL_REALS }
    }

    /// Whether the domain holds `x`.
    pub fn contains(self, x: f64) -> bool {
        let above = if self.lo_open { x > self.lo } else { x >= self.lo };
        let below = if self.hi_open { x < self.hi } else { x <= self.hi };
        above && below && (!self.integer || x == x.trunc())
    }

    /// The least and the largest number of a domain of whole numbers.
    pub fn ends(self) -> (f64, f64) {
        let lo = if self.lo_open { self.lo + 1.0 } else { self.lo };
        (lo, if self.hi_open { self.hi - 1.0 } else { self.hi })
    }

    /// Whether neither end is infinite.
    pub fn is_bounded(self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }

    /// `x` itself where the domain holds it, else its reflection at the ends.
    pub fn fold(self, x: f64) -> f64 {
        if self.contains(x) || x.is_nan() {
            return x;
        }
        let width = self.hi - self.lo;
        if !width.is_finite() {
            return if x < self.lo { 2.0 * self.lo - x } else { 2.0 * self.hi - x };
        }
        let t = (x - self.lo).rem_euclid(2.0 * width);
        if t.is_nan() { self.lo } else { self.lo + t.min(2.0 * width - t) }
    }

    /// A number of the domain that the format has, for want of a better: 1, the middle, or an end.
    pub(crate) fn spare(self, round: impl Fn(f64) -> f64) -> f64 {
        let middle = 0.5 * self.lo + 0.5 * self.hi;
        let tried =
            [1.0, middle, self.lo + 1.0, self.hi - 1.0, self.lo, self.hi, middle.floor(), middle.ceil()];
        tried.into_iter().map(round).find(|v| v.is_finite() && self.contains(*v)).unwrap_or(0.0)
    }
}

/// Which part an input plays in the sums that the `exact` regime makes exact.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Role {
    /// It carries the bits: of the factors of a product one alone.
    Wide,
    /// It carries signs: 1 and -1, or 1 and 2 where the domain has no negative numbers.
    Signs,
}

/// What the `exact` regime aims at.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Sharp {
    /// The promised accumulator.
    pub accumulate: Float,
    /// Terms of the longest sum.
    pub length: u64,
    /// This input's part in it.
    pub role: Role,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for regime in Regime::ALL {
            assert_eq!(Regime::parse(regime.name()), Ok(regime));
            assert!(!regime.description().is_empty());
        }
        assert_eq!(Regime::parse("nromal").unwrap_err(), "no regime `nromal`, did you mean `normal`?");
        assert!(Regime::parse("what").unwrap_err().starts_with("no regime `what`, there are exact, normal"));
    }

    #[test]
    fn folding() {
        let unit = Domain { lo: 0.0, hi: 1.0, ..Domain::ALL_REALS };
        for (x, y) in [(0.25, 0.25), (-0.25, 0.25), (1.25, 0.75), (2.25, 0.25), (-3.5, 0.5)] {
            assert_eq!(unit.fold(x), y);
        }
        let positive = Domain { lo: 0.0, lo_open: true, ..Domain::ALL_REALS };
        assert_eq!(positive.fold(-2.0), 2.0);
        assert!(!positive.contains(0.0) && positive.contains(1e-300));
        assert_eq!(positive.spare(|v| v), 1.0);
        assert_eq!(Domain::indices(1).spare(|v| v), 0.0);
        assert!(Domain::indices(3).contains(2.0) && !Domain::indices(3).contains(3.0));
    }
}
