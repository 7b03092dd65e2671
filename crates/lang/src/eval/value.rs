//! What an expression evaluates to over a block: reals, integers or truth values, one a lane or one for all
//! lanes.

use std::ops::Range;

use super::pool;

/// Most lanes of a block: value and bar of a few operands stay in the first-level cache.
pub const LANES: usize = 1024;

/// Real numbers: one for each lane of the block, or a single one for all. The second plane holds what the
/// lane type
/// keeps beside the value (the error bar, or the low half of a double-double); it is empty where nothing is
/// kept.
#[derive(Clone, Debug, Default)]
pub struct Reals {
    pub v: Vec<f64>,
    pub b: Vec<f64>,
}

/// Integers over a block.
#[derive(Clone, Debug)]
pub enum Ints {
    Uniform(i64),
    /// `start + step * lane`
    Run(i64, i64),
    Column(Vec<i64>),
}

/// A truth value of a lane: `TRUE`, `FALSE`, with `EITHER` added where the bars of what was compared overlap.
pub type Truth = u8;
pub const FALSE: Truth = 0;
pub const TRUE: Truth = 1;
pub const EITHER: Truth = 2;

/// Truth values over a block.
#[derive(Clone, Debug)]
pub enum Truths {
    Uniform(Truth),
    Column(Vec<Truth>),
}

/// The value of an expression over a block.
#[derive(Clone, Debug)]
pub enum Val {
    Real(Reals),
    Int(Ints),
    Bool(Truths),
}

impl Reals {
    pub fn uniform(pair: (f64, f64), second: bool) -> Reals {
        Reals { v: vec![pair.0], b: if second { vec![pair.1] } else { Vec::new() } }
    }

    pub fn len(&self) -> usize {
        self.v.len()
    }

    /// The same with `n` lanes.
    pub fn spread(self, n: usize) -> Reals {
        if self.v.len() != 1 || n <= 1 {
            return self;
        }
        let b = self.b.first().map_or(Vec::new(), |b| pool::filled(n, *b));
        Reals { v: pool::filled(n, self.v[0]), b }
    }
}

impl Ints {
    /// The integer of a lane.
    #[inline(always)]
    pub fn at(&self, lane: usize) -> i64 {
        match self {
            Ints::Uniform(v) => *v,
            Ints::Run(start, step) => start + step * lane as i64,
            Ints::Column(values) => values[lane],
        }
    }

    /// The integers of some of the lanes.
    pub fn part(&self, lanes: Range<usize>) -> Ints {
        match self {
            Ints::Column(values) => Ints::Column(values[lanes].to_vec()),
            Ints::Run(_, step) => Ints::Run(self.at(lanes.start), *step),
            Ints::Uniform(v) => Ints::Uniform(*v),
        }
    }

    /// The integers of `n` lanes, or the one for all.
    pub fn lanes(&self, n: usize) -> impl Iterator<Item = i64> {
        let lanes = if matches!(self, Ints::Uniform(_)) { 1 } else { n };
        (0..lanes).map(|lane| self.at(lane))
    }

    pub fn to_reals(&self, n: usize) -> Vec<f64> {
        self.lanes(n).map(|v| v as f64).collect()
    }
}

impl Truths {
    /// The opposite in every lane; what is in doubt stays so.
    pub fn negated(self) -> Truths {
        match self {
            Truths::Uniform(v) => Truths::Uniform(v ^ 1),
            Truths::Column(mut values) => {
                values.iter_mut().for_each(|v| *v ^= 1);
                Truths::Column(values)
            }
        }
    }

    #[inline(always)]
    pub fn at(&self, lane: usize) -> Truth {
        match self {
            Truths::Uniform(v) => *v,
            Truths::Column(values) => values[lane],
        }
    }

    /// Truth values that were held as numbers, in doubt where a bar is not zero.
    pub fn of_reals(v: &[f64], b: &[f64]) -> Truths {
        let doubt = |lane: usize| if b.get(lane).is_some_and(|b| *b > 0.0) { EITHER } else { 0 };
        let truth = |lane: usize| Truth::from(v[lane] != 0.0) | doubt(lane);
        match v.len() {
            1 => Truths::Uniform(truth(0)),
            n => Truths::Column((0..n).map(truth).collect()),
        }
    }

    pub fn column(self, n: usize) -> Vec<Truth> {
        match self {
            Truths::Uniform(v) => vec![v; n],
            Truths::Column(values) => values,
        }
    }
}
