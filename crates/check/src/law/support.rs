//! What a random op can give at all: for each element that came out, the nearest outcome of the op. Where one draw
//! alone decides an element, that draw is looked for; elsewhere a few outcomes say what kind of number it is.

use ktwin_lang::Sharing;
use ktwin_num::Tensor;

use super::given::Given;
use crate::compare::{Expected, Judgement};

/// Draws that are tried first, evenly over the range, and two near its ends.
const GRID: usize = 32;
const ENDS: [f64; 2] = [1.0 / (1u64 << 63) as f64, 1.0 - 1.0 / (1 << 24) as f64];
/// Halvings of the part of the range in which the draw of an element must lie.
const HALVINGS: usize = 60;
/// Outcomes of many draws that are looked at.
const OUTCOMES: u64 = 6;
/// The seed of these draws.
const SEED: u64 = 0x6f75_7463_6f6d;

/// The nearest outcome to each element of each output.
pub fn nearest(given: &Given, sharing: &[Sharing], got: &[Vec<f64>]) -> Result<Vec<Expected>, String> {
    let draws = (0..OUTCOMES).map(|n| given.expected(given.draw(SEED + n)));
    let outcomes = draws.collect::<Result<Vec<_>, String>>()?;
    let one = |(output, sharing): (usize, &Sharing)| match &sharing.single {
        _ if !sharing.random => Ok(outcomes[0][output].clone()),
        Some((random, axes)) => {
            let entries = entries(&outcomes[0][output].shape, given.shape(*random), axes);
            Search::new(given, output, *random, entries, &got[output])?.run()
        }
        None => Ok(open(&outcomes, output, &got[output])),
    };
    sharing.iter().enumerate().map(one).collect()
}

/// Which draw decides each element.
fn entries(shape: &[usize], drawn: &[usize], axes: &[usize]) -> Vec<usize> {
    let count: usize = shape.iter().product();
    let index = |at: usize, axis: usize| at / shape[axis + 1..].iter().product::<usize>() % shape[axis];
    let entry = |at| axes.iter().zip(drawn).fold(0, |sum, (axis, size)| sum * size + index(at, *axis));
    (0..count).map(entry).collect()
}

/// An output that many draws decide: any number where numbers come out, since no few draws say which.
fn open(outcomes: &[Vec<Expected>], output: usize, got: &[f64]) -> Expected {
    let mut out = outcomes[0][output].clone();
    for (at, got) in got.iter().enumerate() {
        let all = || outcomes.iter().map(|all| (all[output].values[at], all[output].bars[at]));
        let distance = |(value, _): &(f64, f64)| (value - got).abs();
        let near = all().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        out.values[at] = near.map_or(out.values[at], |(value, _)| value);
        let finite = all().all(|(value, bar)| value.is_finite() && bar.is_finite());
        out.bars[at] = if finite { f64::MAX } else { f64::INFINITY };
    }
    out
}

/// The search for the draws that give what came out.
struct Search<'s> {
    given: &'s Given<'s>,
    output: usize,
    random: usize,
    /// The draw of each element.
    entries: Vec<usize>,
    got: &'s [f64],
    /// The outcome that is nearest so far.
    best: Expected,
    found: Vec<bool>,
    /// Shares of the range between which an outcome must be that is like the element, with the outcomes there.
    between: Vec<Option<[(f64, f64); 2]>>,
}

impl<'s> Search<'s> {
    fn new(
        given: &'s Given<'s>,
        output: usize,
        random: usize,
        entries: Vec<usize>,
        got: &'s [f64],
    ) -> Result<Search<'s>, String> {
        let first = given.expected(all(given, random, 0.5))?.swap_remove(output);
        let (found, between) = (vec![false; got.len()], vec![None; got.len()]);
        let mut search = Search { given, output, random, entries, got, best: first, found, between };
        let mut shares: Vec<f64> = (0..=GRID).map(|step| step as f64 / GRID as f64).chain(ENDS).collect();
        shares.sort_by(f64::total_cmp);
        let mut before: Option<(f64, Expected)> = None;
        for share in shares {
            let outcome = match given.expected(all(given, random, share)) {
                Ok(mut outcomes) => outcomes.swap_remove(output),
                // no draw is at an end, where the op may have no value
                Err(_) if is_end(share) => continue,
                Err(why) => return Err(why),
            };
            search.see(share, &outcome, before.as_ref());
            before = Some((share, outcome));
        }
        Ok(search)
    }

    /// Takes in the outcomes of one draw for all elements.
    fn see(&mut self, share: f64, outcome: &Expected, before: Option<&(f64, Expected)>) {
        for (at, got) in self.got.iter().enumerate() {
            if self.found[at] {
                continue;
            }
            if !outcome.values[at].is_finite() && !is_end(share) {
                (self.best.bars[at], self.found[at]) = (f64::INFINITY, true);
                continue;
            }
            self.found[at] = matches!(outcome.judge(at, *got), Judgement::Inside(_));
            let value = outcome.values[at];
            if self.found[at] || self.best.error(at, *got) >= (value - got).abs() {
                (self.best.values[at], self.best.bars[at]) = (value, outcome.bars[at]);
            }
            if let Some((last, outcome)) = before
                && (outcome.values[at] < *got) != (value < *got)
                && self.between[at].is_none()
            {
                self.between[at] = Some([(*last, outcome.values[at]), (share, value)]);
            }
        }
    }

    /// Halves the range of the draws of all elements that are not found yet, the first of each draw.
    fn run(mut self) -> Result<Expected, String> {
        let Some(chosen) = self.chosen() else { return Ok(self.best) };
        for _ in 0..HALVINGS {
            let mut shares = vec![0.0; self.given.len(self.random)];
            let mut open = false;
            for at in chosen.iter().filter(|at| !self.found[**at]) {
                if let Some([(lo, _), (hi, _)]) = self.between[*at] {
                    (shares[self.entries[*at]], open) = ((lo + hi) / 2.0, true);
                }
            }
            if !open {
                break;
            }
            let draws = self.draws(&shares, true);
            let values = self.given.values(draws)?.swap_remove(self.output);
            for at in &chosen {
                self.halve(*at, shares[self.entries[*at]], values[*at]);
            }
        }
        Ok(self.best)
    }

    fn halve(&mut self, at: usize, share: f64, value: f64) {
        let (got, Some([lo, hi])) = (self.got[at], &mut self.between[at]) else { return };
        if self.found[at] {
            return;
        }
        if (value - got).abs() <= self.best.bars[at] {
            self.found[at] = true;
            self.best.values[at] = value;
        } else if (lo.1 < got) == (value < got) {
            *lo = (share, value);
        } else {
            *hi = (share, value);
        }
    }

    /// The elements whose draws are looked for: of those that share a draw one, the others are taken as they are.
    fn chosen(&mut self) -> Option<Vec<usize>> {
        let mut taken = vec![false; self.given.len(self.random)];
        let mut chosen = Vec::new();
        for at in 0..self.got.len() {
            if self.found[at] || self.between[at].is_none() {
                continue;
            }
            if std::mem::replace(&mut taken[self.entries[at]], true) {
                self.best.bars[at] = f64::MAX;
                self.found[at] = true;
            } else {
                chosen.push(at);
            }
        }
        (!chosen.is_empty()).then_some(chosen)
    }

    fn draws(&self, shares: &[f64], fine: bool) -> Vec<Tensor> {
        let mut draws = self.given.draw(SEED);
        draws[self.random] = self.given.at_quantiles(self.random, shares, fine);
        draws
    }
}

/// Whether this is an end of the range, which draws come near to and never reach.
fn is_end(share: f64) -> bool {
    share == 0.0 || share == 1.0
}

/// All draws of a random variable at the same share of its range.
fn all(given: &Given, random: usize, share: f64) -> Vec<Tensor> {
    let mut draws = given.draw(SEED);
    draws[random] = given.at_quantiles(random, &vec![share; given.len(random)], false);
    draws
}
