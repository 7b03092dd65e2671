//! Joins the terms of one reduction, those that surely belong and those that may.

use super::lane::Joiner;
use super::plain_fold::PlainFold;
use super::value::{EITHER, Reals, Truths};

/// How its terms are joined: exactly where they are integers or truth values.
#[derive(Clone)]
pub(super) enum Join<J> {
    Whole(PlainFold),
    Lane(J),
}

impl<J: Joiner> Join<J> {
    fn add(&mut self, v: &[f64], b: &[f64], first: i64) {
        match self {
            Join::Whole(join) => join.add(v, b, first),
            Join::Lane(join) => join.add(v, b, first),
        }
    }

    fn maybe(&mut self, v: f64, b: f64, at: i64) {
        match self {
            Join::Whole(join) => join.maybe(v, b, at),
            Join::Lane(join) => join.maybe(v, b, at),
        }
    }

    fn finish(self) -> (f64, f64) {
        match self {
            Join::Whole(join) => join.finish(),
            Join::Lane(join) => join.finish(),
        }
    }
}

/// A reduction under way.
#[derive(Clone)]
pub(super) struct Joining<J> {
    join: Join<J>,
    pub(super) count: usize,
    /// Whether a term may or may not belong.
    doubt: bool,
}

impl<J: Joiner> Joining<J> {
    pub(super) fn new(join: Join<J>) -> Joining<J> {
        Joining { join, count: 0, doubt: false }
    }

    /// Whether its integer depends on a term that may or may not belong.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.doubt && matches!(self.join, Join::Whole(_))
    }

    pub(super) fn finish(self) -> (f64, f64) {
        self.join.finish()
    }

    /// Adds terms that all count.
    pub(super) fn add(&mut self, v: &[f64], b: &[f64], first: i64) {
        self.count += v.len();
        self.join.add(v, b, first);
    }

    /// Adds the lanes of a block that count; the first of them stands at `first`.
    pub(super) fn block(
        &mut self,
        terms: &Reals,
        truths: &Truths,
        lanes: std::ops::Range<usize>,
        first: i64,
    ) {
        let second =
            |range: std::ops::Range<usize>| if terms.b.is_empty() { &[][..] } else { &terms.b[range] };
        if let Truths::Uniform(1) = truths {
            self.add(&terms.v[lanes.clone()], second(lanes), first);
            return;
        }
        let mut lane = lanes.start;
        while lane < lanes.end {
            let truth = truths.at(lane);
            let end = (lane + 1..lanes.end).find(|l| truths.at(*l) != truth).unwrap_or(lanes.end);
            let at = first + (lane - lanes.start) as i64;
            if truth & EITHER != 0 {
                self.doubt = true;
                self.count += end - lane;
                if let Join::Whole(join) = &mut self.join {
                    // exact values are counted as the comparison has them; the doubt is told apart
                    if truth & 1 == 1 {
                        join.add(&terms.v[lane..end], second(lane..end), at);
                    }
                    lane = end;
                    continue;
                }
                for l in lane..end {
                    let b = terms.b.get(l).copied().unwrap_or(0.0);
                    self.join.maybe(terms.v[l], b, at + (l - lane) as i64);
                }
            } else if truth & 1 == 1 {
                self.count += end - lane;
                self.join.add(&terms.v[lane..end], second(lane..end), at);
            }
            lane = end;
        }
    }
}
