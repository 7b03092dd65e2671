//! Every element against what it may be. An element passes only if it is shown to be that.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ktwin_lang::saturated;
use ktwin_num::DType;

use crate::metrics::Metrics;
use crate::policy::{Decider, stored};

/// What an output must be: values, the most that an honest kernel may differ from each, and its storage type.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The output's name.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its storage type.
    pub dtype: DType,
    /// The twin's values.
    pub values: Vec<f64>,
    /// What those lack of the true value, where they are kept to more than f64.
    pub low: Vec<f64>,
    /// Error bars; infinite where nothing is promised.
    pub bars: Vec<f64>,
    /// Elements that may be one of several numbers, and no other: the ends of a tie, draws.
    pub any: BTreeMap<usize, Vec<f64>>,
    /// What decides in the place of the bars, where a policy does.
    pub policy: Option<Decider>,
}

/// What one element may be.
#[derive(Clone, Debug, PartialEq)]
pub enum Due<'e> {
    /// This number and no other: NaN where it is NaN.
    Exact(f64),
    /// A number that is no further than the bar from the value and what the value lacks.
    Range {
        /// The twin's value.
        value: f64,
        /// What it lacks of the true one.
        low: f64,
        /// The bar.
        bar: f64,
    },
    /// One of several numbers, the twin's first.
    Any(Cow<'e, [f64]>),
    /// Whatever it likes: nothing is promised.
    Free,
}

impl Due<'_> {
    /// What is said of an element that came out as `got`.
    pub fn judge(&self, got: f64) -> Judgement {
        self.judge_whole(got, 0.0)
    }

    /// The same of an element of which f64 lacks a rest.
    fn judge_whole(&self, got: f64, rest: f64) -> Judgement {
        let is = |due: f64| due == got && rest == 0.0 || due.is_nan() && got.is_nan();
        // a number where none is due, or none where a number is
        let missed = |due: f64| {
            let number = due.is_finite() && got.is_finite();
            if number { Judgement::Outside(f64::INFINITY) } else { Judgement::WrongClass }
        };
        match self {
            Due::Free => Judgement::Free,
            Due::Exact(due) if is(*due) => Judgement::Inside(0.0),
            Due::Exact(due) => missed(*due),
            Due::Any(all) if all.iter().any(|due| is(*due)) => Judgement::Inside(0.0),
            Due::Any(all) => missed(all.first().copied().unwrap_or(0.0)),
            Due::Range { .. } if !got.is_finite() => Judgement::WrongClass,
            Due::Range { value, low, bar } => {
                let error = ((got - value) + (rest - low)).abs();
                let ratio = if error == 0.0 { 0.0 } else { error / bar };
                if error <= *bar { Judgement::Inside(ratio) } else { Judgement::Outside(ratio) }
            }
        }
    }
}

/// What is said of one element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Judgement {
    /// Inside its bar; the error as a share of it.
    Inside(f64),
    /// Nothing is promised of it: no evidence.
    Free,
    /// Outside; how far, as a share of the bar.
    Outside(f64),
    /// NaN or infinity where a number is due, or the other way round.
    WrongClass,
}

impl Judgement {
    /// Whether it is a failure.
    pub fn fails(self) -> bool {
        matches!(self, Judgement::Outside(_) | Judgement::WrongClass)
    }
}

/// One failing element.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// Its place in row order.
    pub at: usize,
    /// What the twin says.
    pub expected: f64,
    /// What the kernel says.
    pub got: f64,
    /// The most that they may differ.
    pub bar: f64,
    /// How far they differ beyond what f64 holds of either.
    pub(crate) rest: f64,
}

impl Element {
    /// How far they differ.
    pub fn error(&self) -> f64 {
        (self.got - self.expected + self.rest).abs()
    }
}

/// One output compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compared {
    /// The output's name.
    pub output: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Elements in all.
    pub total: usize,
    /// Elements of which nothing is promised.
    pub free: usize,
    /// Elements that may be zero by their bars, where another number is due.
    pub wide: usize,
    /// The largest share of its bar that an element's error is; where a policy decides, the share of what it allows.
    pub ratio: f64,
    /// The failing elements, in row order.
    pub failing: Vec<usize>,
    /// How many of them are of the wrong class.
    pub wrong_class: usize,
    /// How many of those are NaN or infinite where a number is due.
    pub no_number: usize,
    /// The worst of them, the worst first.
    pub worst: Vec<Element>,
    /// How far the output is off, by every measure.
    pub metrics: Metrics,
}

/// The worst elements that are kept.
const KEPT: usize = 5;

impl Expected {
    /// What an element may be.
    pub fn due(&self, at: usize) -> Due<'_> {
        let (value, bar) = (self.values[at], self.bars[at]);
        match self.any.get(&at) {
            Some(any) => Due::Any(Cow::Borrowed(any)),
            None if bar == f64::INFINITY => Due::Free,
            None if value.is_infinite() => Due::Any(Cow::Owned(saturated(self.dtype, value))),
            None if value.is_nan() => Due::Exact(value),
            None if self.policy.as_ref().is_some_and(Decider::is_exact) => {
                Due::Exact(stored(self.dtype, value))
            }
            None => match (self.low.get(at).copied().unwrap_or(0.0), self.limit(at)) {
                (0.0, 0.0) => Due::Exact(value),
                (low, bar) => Due::Range { value, low, bar },
            },
        }
    }

    /// Whether nothing is promised of an element.
    pub fn is_free(&self, at: usize) -> bool {
        self.due(at) == Due::Free
    }

    /// How far a number is from an element.
    pub fn error(&self, at: usize, got: f64) -> f64 {
        ((got - self.values[at]) - self.low.get(at).copied().unwrap_or(0.0)).abs()
    }

    /// The most that an element may be off: its bar, or what the policy says.
    pub fn limit(&self, at: usize) -> f64 {
        let limits = self.policy.as_ref().and_then(|decider| decider.limits.as_ref());
        limits.map_or(self.bars[at], |limits| limits[at])
    }

    /// What is said of an element that came out as `got`.
    pub fn judge(&self, at: usize, got: f64) -> Judgement {
        self.due(at).judge(got)
    }

    /// Compares every element, with the rests that f64 lacks of them where there are any.
    pub fn compare(&self, got: &[f64], rests: &[f64]) -> Compared {
        let rest = |at: usize| rests.get(at).copied().unwrap_or(0.0);
        let mut out = Compared {
            output: self.name.clone(),
            shape: self.shape.clone(),
            total: self.values.len(),
            wide: (0..self.values.len()).filter(|at| self.is_wide(*at)).count(),
            metrics: Metrics::of(self, got),
            ..Compared::default()
        };
        let mut failing: Vec<(f64, usize)> = Vec::new();
        for (at, got) in got.iter().enumerate() {
            match self.due(at).judge_whole(*got, rest(at)) {
                Judgement::Inside(ratio) => out.ratio = out.ratio.max(ratio),
                Judgement::Free => out.free += 1,
                Judgement::Outside(ratio) => failing.push((ratio, at)),
                Judgement::WrongClass => {
                    out.wrong_class += 1;
                    out.no_number += usize::from(self.values[at].is_finite());
                    failing.push((f64::INFINITY, at));
                }
            }
        }
        out.metrics.wrong_class = out.wrong_class;
        self.decide_whole(got, &mut failing);
        out.failing = failing.iter().map(|(_, at)| *at).collect();
        failing.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        out.ratio = failing.first().map_or(out.ratio, |(ratio, _)| out.ratio.max(*ratio));
        if let Some(share) = self.policy.as_ref().and_then(|decider| decider.share(self, got)) {
            out.ratio = if out.wrong_class > 0 { f64::INFINITY } else { share };
        }
        let element = |at: usize| {
            let (expected, bar) = (self.values[at], self.limit(at));
            let rest = rest(at) - self.low.get(at).copied().unwrap_or(0.0);
            Element { at, expected, got: got[at], bar, rest }
        };
        out.worst = failing.iter().take(KEPT).map(|(_, at)| element(*at)).collect();
        out
    }

    /// Whether zero would pass where another number is due.
    fn is_wide(&self, at: usize) -> bool {
        let (value, limit) = (self.values[at].abs(), self.limit(at));
        value > 0.0 && value.is_finite() && limit >= value
    }

    /// Where a policy decides of all elements together, those that fail are none but those of the wrong class if it
    /// takes them; if it does not, those outside their bars, or all that are off.
    fn decide_whole(&self, got: &[f64], failing: &mut Vec<(f64, usize)>) {
        match self.policy.as_ref().and_then(|decider| decider.takes(self, got)) {
            None => {}
            Some(true) => failing.retain(|(_, at)| self.judge(*at, got[*at]) == Judgement::WrongClass),
            Some(false) if failing.is_empty() => {
                let off = |at: &usize| !self.is_free(*at) && self.error(*at, got[*at]) > 0.0;
                failing.extend((0..got.len()).filter(off).map(|at| (self.error(at, got[at]), at)));
            }
            Some(false) => {}
        }
    }

    /// Whether any element of these would be refused.
    pub fn refuses(&self, got: impl Iterator<Item = f64>) -> bool {
        if self.policy.as_ref().is_some_and(|decider| decider.limits.is_none()) {
            let got: Vec<f64> = got.collect();
            return !self.compare(&got, &[]).failing.is_empty();
        }
        got.enumerate().any(|(at, got)| self.judge(at, got).fails())
    }
}

impl Compared {
    /// Elements that are evidence.
    pub fn judged(&self) -> usize {
        self.total - self.free
    }
}

/// The indices of an element along each dimension.
pub fn indices(shape: &[usize], at: usize) -> Vec<usize> {
    let mut rest = at;
    let mut out = vec![0; shape.len()];
    for (slot, size) in out.iter_mut().zip(shape).rev() {
        *slot = rest % (*size).max(1);
        rest /= (*size).max(1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_num::Float;

    fn expected(dtype: DType, values: &[f64], bars: &[f64]) -> Expected {
        let shape = vec![values.len()];
        let (values, bars) = (values.to_vec(), bars.to_vec());
        let (low, any) = (Vec::new(), BTreeMap::new());
        Expected { name: "y".into(), shape, dtype, values, low, bars, any, policy: None }
    }

    #[test]
    fn nan_is_never_inside() {
        let e = expected(DType::F32, &[1.0, f64::NAN, f64::INFINITY, 1.0], &[1e9, 0.0, 0.0, f64::INFINITY]);
        assert_eq!(e.judge(0, f64::NAN), Judgement::WrongClass);
        assert_eq!(e.judge(0, f64::INFINITY), Judgement::WrongClass);
        assert_eq!(e.judge(1, f64::NAN), Judgement::Inside(0.0));
        assert_eq!(e.judge(1, 0.0), Judgement::WrongClass);
        assert_eq!(e.judge(2, f64::INFINITY), Judgement::Inside(0.0));
        assert_eq!(e.judge(2, f64::NEG_INFINITY), Judgement::WrongClass);
        assert_eq!(e.judge(3, f64::NAN), Judgement::Free);
    }

    #[test]
    fn whole_numbers_are_compared_beyond_f64() {
        let wide = (1i64 << 53) as f64;
        let e = Expected { low: vec![1.0; 3], ..expected(DType::I64, &[wide; 3], &[0.0; 3]) };
        let c = e.compare(&[wide, wide, wide + 2.0], &[1.0, 0.0, -1.0]);
        assert_eq!((c.failing, c.worst[0].error()), (vec![1], 1.0));
    }

    #[test]
    fn a_zero_bar_takes_equality_alone() {
        let e = expected(DType::F32, &[1.0, 1.0], &[0.0, 0.5]);
        assert_eq!(e.judge(0, 1.0), Judgement::Inside(0.0));
        assert_eq!(e.judge(0, 1.0 + 1e-15), Judgement::Outside(f64::INFINITY));
        assert_eq!(e.judge(1, 1.25), Judgement::Inside(0.5));
    }

    #[test]
    fn one_of_several_is_enough() {
        let mut e = expected(DType::F32, &[3.0, 7.0, 1.0], &[0.0, f64::INFINITY, 0.5]);
        e.any.insert(0, vec![3.0, 5.0]);
        e.any.insert(1, vec![7.0, f64::NAN]);
        assert_eq!(e.due(2), Due::Range { value: 1.0, low: 0.0, bar: 0.5 });
        for (at, got) in [(0, 3.0), (0, 5.0), (1, 7.0), (1, f64::NAN)] {
            assert_eq!(e.judge(at, got), Judgement::Inside(0.0), "{at} {got}");
        }
        assert_eq!(e.judge(0, 4.0), Judgement::Outside(f64::INFINITY));
        assert_eq!(e.judge(0, f64::NAN), Judgement::WrongClass);
        assert_eq!(e.judge(1, 8.0), Judgement::Outside(f64::INFINITY));
        let c = e.compare(&[5.0, 3.0, 1.0], &[]);
        assert_eq!((c.failing, c.free), (vec![1], 0));
    }

    #[test]
    fn eight_bits_may_saturate() {
        let e = expected(DType::Float(Float::E4M3), &[f64::INFINITY, f64::NEG_INFINITY, 448.0], &[0.0; 3]);
        for got in [448.0, f64::NAN, f64::INFINITY] {
            assert_eq!(e.judge(0, got), Judgement::Inside(0.0));
        }
        for (at, got) in [(0, 416.0), (0, -448.0), (1, 448.0), (2, f64::NAN)] {
            assert!(e.judge(at, got).fails(), "{at} {got}");
        }
    }

    #[test]
    fn the_worst_come_first() {
        let e = expected(DType::F32, &[0.0; 4], &[1.0; 4]);
        let c = e.compare(&[0.5, 3.0, 9.0, 0.0], &[]);
        assert_eq!((c.failing.clone(), c.total, c.ratio), (vec![1, 2], 4, 9.0));
        assert_eq!(c.worst[0].at, 2);
        assert_eq!(indices(&[2, 3], 4), [1, 1]);
    }
}
