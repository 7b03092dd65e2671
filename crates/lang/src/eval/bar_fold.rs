//! Reductions with error bars: joins the terms and keeps what the bar of the result needs.

use ktwin_num::{Accuracy, math};

use super::lane::Joiner;
use super::plain_fold::{PlainFold, total};
use super::rung::Rung;
use super::simd::vectorised;
use super::sum_rule::{SumRule, lost, repeats};
use crate::node::Fold;

/// Partial sums are looked at this often.
const STEP: usize = 64;

/// The share of the terms' magnitudes that partial sums of shifted terms may reach.
const SHIFTED: f64 = 0.5;

/// A reduction under way.
#[derive(Clone)]
pub struct BarFold {
    fold: Fold,
    state: State,
}

#[derive(Clone)]
enum State {
    Sum(Box<SumState>),
    Product(Product),
    Extreme(Extreme),
    Choice(Choice),
    Plain(PlainFold),
}

impl BarFold {
    pub fn new(rule: SumRule, divides: Accuracy, fold: Fold, length: usize) -> BarFold {
        let state = match fold {
            Fold::Sum | Fold::Mean => State::Sum(Box::new(SumState::new(rule, divides, length))),
            Fold::Prod => State::Product(Product::new(rule.compute)),
            Fold::Max => State::Extreme(Extreme::new(1.0)),
            Fold::Min => State::Extreme(Extreme::new(-1.0)),
            Fold::ArgMax => State::Choice(Choice { sign: 1.0, terms: Vec::new() }),
            Fold::ArgMin => State::Choice(Choice { sign: -1.0, terms: Vec::new() }),
            Fold::Any => State::Plain(PlainFold::new(fold)),
        };
        BarFold { fold, state }
    }

    /// Says whether the terms are numbers of an input as they are.
    pub fn of_plain_terms(mut self, plain: bool) -> BarFold {
        if let State::Sum(sum) = &mut self.state {
            // alone, such a sum is written in one way
            sum.shifts = plain && sum.rule.slack > 0.0;
        }
        self
    }
}

impl Joiner for BarFold {
    fn add(&mut self, v: &[f64], b: &[f64], first: i64) {
        match &mut self.state {
            State::Sum(sum) => sum.add(v, b),
            State::Product(product) => product.add(v, b),
            State::Extreme(extreme) => extreme.add(v, b),
            State::Choice(choice) => choice.add(v, b, first),
            State::Plain(plain) => plain.add(v, b, first),
        }
    }

    fn maybe(&mut self, v: f64, b: f64, at: i64) {
        match &mut self.state {
            State::Sum(sum) => sum.doubt += v.abs() + b,
            State::Product(product) => product.maybe(v, b),
            State::Extreme(extreme) => extreme.high = extreme.high.max(extreme.sign * v + b),
            State::Choice(choice) => choice.terms.push((at, choice.sign * v, f64::INFINITY)),
            State::Plain(plain) => plain.add(&[v], &[b], at),
        }
    }

    fn finish(self) -> (f64, f64) {
        let (v, b) = match self.state {
            State::Sum(sum) => sum.finish(self.fold == Fold::Mean),
            State::Product(product) => product.finish(),
            State::Extreme(extreme) => extreme.finish(),
            State::Choice(choice) => choice.finish(),
            State::Plain(plain) => plain.finish(),
        };
        (
            v,
            if v.is_nan() && b != f64::INFINITY {
                0.0
            } else if b.is_nan() {
                f64::INFINITY
            } else {
                b
            },
        )
    }
}

#[derive(Clone)]
struct SumState {
    rule: SumRule,
    divides: Accuracy,
    worst: bool,
    count: usize,
    sums: Sums,
    /// Magnitudes of terms that may or may not belong.
    doubt: f64,
    /// Whether few numbers come again and again: their roundings do so as well.
    repeats: bool,
    /// Whether a term is NaN: then the sum is known to be NaN too.
    special: bool,
    /// Whether a kernel may take something off every term first, as for the mean of shifted data.
    shifts: bool,
    /// The largest magnitude of a term, where a kernel may shift and the worst case counts.
    largest: f64,
}

#[derive(Clone, Default)]
struct Sums {
    running: f64,
    partial: f64,
    size: [f64; 8],
    carried: [f64; 8],
    /// What terms lose that are not far above half a unit of the sum so far: they lose it in the same direction.
    lost: [f64; 8],
}

impl Sums {
    /// `unit` is the accumulator's roundoff, or zero where roundings are not counted by their likelihood.
    #[inline(always)]
    fn add(&mut self, v: &[f64], b: &[f64], worst: bool, unit: f64) {
        for (v, b) in v.chunks(STEP).zip(b.chunks(STEP)) {
            let mut chunk = [0.0; 8];
            let half = unit * self.partial;
            let (mut eights, mut bars) = (v.chunks_exact(8), b.chunks_exact(8));
            for (v, b) in (&mut eights).zip(&mut bars) {
                for i in 0..8 {
                    chunk[i] += v[i];
                    self.size[i] += if worst { v[i].abs() } else { v[i] * v[i] };
                    self.carried[i] += b[i];
                    self.lost[i] += lost(v[i], half);
                }
            }
            for (i, (v, b)) in eights.remainder().iter().zip(bars.remainder()).enumerate() {
                chunk[i] += v;
                self.size[i] += if worst { v.abs() } else { v * v };
                self.carried[i] += b;
                self.lost[i] += lost(*v, half);
            }
            self.running += total(&chunk);
            self.partial = self.partial.max(self.running.abs());
        }
    }
}

impl SumState {
    fn new(rule: SumRule, divides: Accuracy, length: usize) -> SumState {
        SumState {
            rule,
            divides,
            worst: rule.worst_case(length),
            count: 0,
            sums: Sums::default(),
            doubt: 0.0,
            repeats: false,
            special: false,
            shifts: false,
            largest: 0.0,
        }
    }

    fn add(&mut self, v: &[f64], b: &[f64]) {
        self.repeats |= self.count == 0 && !self.worst && repeats(v);
        self.count += v.len();
        if self.shifts && self.worst {
            self.largest = v.iter().fold(self.largest, |largest, x| largest.max(x.abs()));
        }
        let (sums, worst) = (&mut self.sums, self.worst);
        let unit = if worst { 0.0 } else { self.rule.accumulate.unit };
        vectorised!(sums: &'a mut Sums, v: &'a [f64], b: &'a [f64], worst: bool, unit: f64 => {
            sums.add(v, b, worst, unit)
        });
        if !self.sums.running.is_finite() {
            self.special |= v.iter().any(|x| !x.is_finite());
        }
    }

    fn finish(self, mean: bool) -> (f64, f64) {
        let (value, size, carried) = (self.sums.running, total(&self.sums.size), total(&self.sums.carried));
        let n = self.count;
        // magnitudes are known in the worst case only; elsewhere they are at most sqrt(n) times the 2-norm
        let magnitude = if self.worst { size } else { (n as f64 * size).sqrt() };
        let partial = self.sums.partial;
        let steady = match (self.worst, self.repeats) {
            (true, _) => 0.0,
            (_, true) => n as f64 * self.rule.accumulate.unit * partial,
            _ => self.rule.steady(n, value, size, partial),
        };
        // partial sums of shifted terms grow as magnitudes do, or as the one term that the others are shifted by
        let shifted = if self.shifts { SHIFTED * magnitude.max(n as f64 * self.largest) } else { 0.0 };
        let size = if self.worst { size.max(shifted) } else { size.sqrt().max(partial).max(shifted) };
        let lost = total(&self.sums.lost);
        let roundings = if n <= 1 { 0.0 } else { self.rule.roundings(n, size).max(steady) + lost };
        let underflow = if n <= 1 { 0.0 } else { self.rule.underflow(n, value, size) };
        let scaling = self.rule.scaling(magnitude) + self.rule.returned(value);
        let bar = self.rule.bounded(n, magnitude, carried + roundings + scaling + underflow + self.doubt);
        let known = self.special && carried != f64::INFINITY;
        let bar = self.rule.accumulate.settle(value, bar, known);
        match mean {
            true => self.divided(value, bar),
            false => (value, bar),
        }
    }

    fn divided(&self, value: f64, bar: f64) -> (f64, f64) {
        let n = self.count as f64;
        let v = value / n;
        let own = match self.divides {
            Accuracy::Ulp(ulps) | Accuracy::UlpWithin { ulps, .. } => {
                2.0 * ulps * self.rule.compute.unit * v.abs()
            }
            // a division, or a product with the reciprocal
            _ => 2.0 * self.rule.compute.unit * v.abs() + self.rule.compute.underflow(v, bar),
        };
        (v, bar / n + own)
    }
}

/// A product, in whatever order its factors are taken.
#[derive(Clone)]
struct Product {
    rung: Rung,
    v: f64,
    b: f64,
    count: f64,
    /// Binary logarithms of the largest and of the smallest product of some of the factors.
    most: f64,
    least: f64,
}

impl Product {
    fn new(rung: Rung) -> Product {
        Product { rung, v: 1.0, b: 0.0, count: 0.0, most: 0.0, least: 0.0 }
    }

    fn add(&mut self, v: &[f64], b: &[f64]) {
        for (x, bx) in v.iter().zip(b) {
            let product = self.v * x;
            let own = self.rung.inexact(product, self.b + bx == 0.0);
            self.b = self.v.abs() * bx + x.abs() * self.b + self.b * bx + own;
            self.v = product;
            self.reaches(x.abs() + bx, (x.abs() - bx).max(0.0));
        }
    }

    fn reaches(&mut self, high: f64, low: f64) {
        self.count += 1.0;
        self.most += math::log2(high).max(0.0);
        // a factor of zero makes everything zero, in every order
        self.least += if low > 0.0 { math::log2(low).min(0.0) } else { 0.0 };
    }

    fn maybe(&mut self, v: f64, b: f64) {
        self.b += (self.v * (v - 1.0)).abs() + b * self.v.abs();
        self.reaches(v.abs() + b, (v.abs() - b).max(0.0));
    }

    fn finish(self) -> (f64, f64) {
        let rung = &self.rung;
        if self.count > 1.0 && self.most > math::log2(rung.max) {
            return (self.v, f64::INFINITY);
        }
        // what is lost below the smallest numbers, the factors to come may make larger
        let flushed = match self.least < math::log2(2.0 * rung.min_normal) {
            true => self.count * rung.tiny * math::exp2(self.most),
            false => 0.0,
        };
        (self.v, rung.settle(self.v, self.b + flushed, self.b != f64::INFINITY))
    }
}

/// The largest (or, by its sign, the smallest) of the terms.
#[derive(Clone)]
struct Extreme {
    sign: f64,
    best: f64,
    /// Largest `v - b` and `v + b`.
    low: f64,
    high: f64,
    nan: bool,
}

impl Extreme {
    fn new(sign: f64) -> Extreme {
        let least = f64::NEG_INFINITY;
        Extreme { sign, best: least, low: least, high: least, nan: false }
    }

    fn add(&mut self, v: &[f64], b: &[f64]) {
        let extreme = self;
        vectorised!(extreme: &'a mut Extreme, v: &'a [f64], b: &'a [f64] => { extreme.add_lanes(v, b) });
    }

    #[inline(always)]
    fn add_lanes(&mut self, v: &[f64], b: &[f64]) {
        let least = [f64::NEG_INFINITY; 8];
        let (mut best, mut low, mut high, mut nan) = (least, least, least, [0u64; 8]);
        let mut see = |i: usize, v: f64, b: f64| {
            let x = self.sign * v;
            nan[i] |= u64::from(x.is_nan());
            best[i] = if x > best[i] { x } else { best[i] };
            low[i] = if x - b > low[i] { x - b } else { low[i] };
            high[i] = if x + b > high[i] { x + b } else { high[i] };
        };
        let (mut eights, mut bars) = (v.chunks_exact(8), b.chunks_exact(8));
        for (v, b) in (&mut eights).zip(&mut bars) {
            for i in 0..8 {
                see(i, v[i], b[i]);
            }
        }
        for (i, (v, b)) in eights.remainder().iter().zip(bars.remainder()).enumerate() {
            see(i, *v, *b);
        }
        self.nan |= nan != [0; 8];
        for i in 0..8 {
            self.best = self.best.max(best[i]);
            self.low = self.low.max(low[i]);
            self.high = self.high.max(high[i]);
        }
    }

    fn finish(self) -> (f64, f64) {
        if self.nan {
            return (f64::NAN, 0.0);
        }
        if self.best == f64::NEG_INFINITY && self.high > self.best {
            // no term belongs for sure
            return (self.sign * self.high, f64::INFINITY);
        }
        let bar = (self.high - self.best).max(self.best - self.low);
        (self.sign * self.best, if self.best.is_finite() { bar } else { 0.0 })
    }
}

/// The place of the largest term, and how far away another term stands that might be it.
#[derive(Clone)]
struct Choice {
    sign: f64,
    terms: Vec<(i64, f64, f64)>,
}

impl Choice {
    fn add(&mut self, v: &[f64], b: &[f64], first: i64) {
        let terms = v.iter().zip(b).enumerate();
        self.terms.extend(terms.map(|(i, (v, b))| (first + i as i64, self.sign * v, *b)));
    }

    fn finish(self) -> (f64, f64) {
        let larger = |a: (i64, f64, f64), t: (i64, f64, f64)| {
            if t.1 > a.1 || (t.1.is_nan() && !a.1.is_nan()) { t } else { a }
        };
        let sure = self.terms.iter().filter(|t| t.2 < f64::INFINITY);
        let Some(best) = sure.copied().reduce(larger) else {
            // whatever is chosen is the place of some term
            let any = self.terms.iter().copied().reduce(larger);
            return (any.map_or(-1.0, |t| t.0 as f64), f64::INFINITY);
        };
        let may_win =
            |t: &&(i64, f64, f64)| t.0 != best.0 && t.2 + best.2 > 0.0 && t.1 + t.2 >= best.1 - best.2;
        let farthest = self.terms.iter().filter(may_win).map(|t| (t.0 - best.0).abs()).max();
        (best.0 as f64, farthest.unwrap_or(0) as f64)
    }
}

#[cfg(test)]
mod tests {
    use ktwin_num::{Float, Language};

    use super::*;

    fn product(factors: &[f64]) -> (f64, f64) {
        let mut product = Product::new(Rung::new(Float::F32, Language::C));
        product.add(factors, &vec![0.0; factors.len()]);
        product.finish()
    }

    #[test]
    fn a_product_may_be_taken_in_any_order() {
        assert_eq!(product(&[2.0, 3.0, 5.0]), (30.0, 0.0));
        let (v, b) = product(&[0.1, 0.3]);
        assert!(b > 0.0 && b < 2e-7 * v);
        // the small factors first make nothing of all, the large ones first infinity
        let (v, b) = product(&[1e-30, 1e15, 1e-30, 1e15]);
        assert!(b >= v, "{b}");
        assert_eq!(product(&[1e30, 1e-30, 1e30]).1, f64::INFINITY);
    }
}
