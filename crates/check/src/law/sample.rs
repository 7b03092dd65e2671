//! What a kernel gave, seen as ranks: each outcome stands among a few that the twin drew for the same place and inputs.
//! If the kernel follows the law, all of them are alike, so that its rank among them is uniform, whatever the law is.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use ktwin_num::Rng;

use super::tails::Tails;
use super::units::Units;
use super::variety::Variety;
use crate::compare::{Expected, Judgement};

/// Outcomes that the twin draws beside each of the kernel's: ranks are 0 to this.
pub const DRAWN: u8 = 7;
/// The most different values of whole numbers that are counted one by one.
const VALUES: usize = 4096;
/// The draws of a unit from which on it is known how often rounding chooses there.
const KNOWN: usize = 100;
/// The share of draws of whole numbers that rounding may turn into others, above which their law is not judged; and the
/// same of reals, of draws that lie within the bar of an outcome and differ: which of them is less is not known.
const OPEN: f64 = 1.0 / 8.0;
const OPEN_REALS: f64 = 1.0 / 64.0;

/// What of a unit is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// One of its elements, another in each unit and launch.
    Element,
    /// All of its elements, summed up with signs of their own.
    Sum,
}

/// How often one value came out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Of the kernel.
    pub kernel: u64,
    /// Of kernel and twin together.
    pub all: u64,
}

/// The ranks of one output.
pub struct Sample {
    pub output: String,
    pub look: Look,
    /// Names and sizes of the axes: the launches, each with a seed of its own, then those along which units lie.
    pub axes: Vec<(String, usize)>,
    /// Whether every second launch has the seed after that of the one before it.
    pub successive: bool,
    /// One for each unit of each launch.
    pub ranks: Vec<u8>,
    /// Of each unit of each launch, whether a real is zero: a bit for the kernel, then one for each draw.
    pub zeros: Vec<u8>,
    /// Whether its values are whole numbers.
    pub integer: bool,
    /// Whole numbers that came out, none where they are too many; of reals, their signs.
    pub values: Option<BTreeMap<i64, Count>>,
    /// Whether the kernel is so precise that rounding gives next to no whole number that the law has not.
    pub fine: bool,
    /// Whole numbers that came nowhere else in all launches of a unit.
    pub alone: Count,
    /// How many different whole numbers came.
    pub variety: Variety,
    /// The farthest of reals.
    pub tails: Option<Tails>,
    /// How many of the ranks were decided by more than a coin.
    pub told: u64,
    /// Outcomes so far, of the kernel first, as they are counted.
    pub outcomes: Vec<[i64; DRAWN as usize + 1]>,
    /// Of each outcome, how many of the numbers that the twin drew beside it may be others by rounding.
    pub open: Vec<u8>,
}

/// A number, and how far it may be off.
type Near = (f64, f64);

impl Sample {
    pub fn new(output: &str, look: Look, axes: Vec<(String, usize)>, integer: bool) -> Sample {
        let values = (look == Look::Element).then(BTreeMap::new);
        Sample {
            output: output.to_string(),
            look,
            axes,
            successive: false,
            ranks: Vec::new(),
            zeros: Vec::new(),
            integer,
            values,
            fine: false,
            alone: Count::default(),
            variety: Variety::default(),
            tails: None,
            told: 0,
            outcomes: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Adds one launch: what came out, and what the twin drew.
    pub fn add(&mut self, got: &[f64], drawn: &[&Expected], units: &Units, rng: &mut Rng) {
        for unit in 0..units.count {
            let signs = rng.next_u64();
            let places = units.of(unit);
            let (rank, blurred) = match self.look {
                Look::Element => {
                    let at = places[rng.below(places.len() as u64) as usize];
                    let orders: Vec<Ordering> = drawn.iter().map(|e| compared(got[at], e, at)).collect();
                    // what the kernel's own may be counts as that, since the law does not tell them apart
                    let value = |(e, order): (&&Expected, &Ordering)| match order {
                        Ordering::Equal => got[at],
                        _ => e.values[at],
                    };
                    let values = || drawn.iter().zip(&orders).map(value);
                    let mut outcome = [self.class(got[at]); DRAWN as usize + 1];
                    outcome[1..].iter_mut().zip(values()).for_each(|(slot, value)| *slot = self.class(value));
                    // reals are none of each other by rounding
                    if self.integer {
                        let open = |draw: usize| drawn[draw].bars[at] > 0.0;
                        self.variety.add(&outcome, open);
                        self.outcomes.push(outcome)
                    } else {
                        self.zeros.push(zeros(&outcome));
                        self.count(&outcome)
                    }
                    if let Some(tails) = &mut self.tails {
                        let bars = drawn.iter().map(|e| e.bars[at]);
                        tails.add(got[at], values().zip(bars), rng);
                    }
                    let draws = orders.iter().copied().zip(drawn.iter().map(|e| e.values[at]));
                    let blurred = alike(draws);
                    (rank(orders.into_iter(), rng), blurred)
                }
                Look::Sum => {
                    let own = summed(places, signs, |at| (got[at], 0.0));
                    let sums = drawn.iter().map(|e| summed(places, signs, |at| (e.values[at], e.bars[at])));
                    let orders: Vec<(Ordering, f64)> = sums.map(|sum| (order(own.0, sum), sum.0)).collect();
                    let blurred = alike(orders.iter().copied());
                    (rank(orders.into_iter().map(|(order, _)| order), rng), blurred)
                }
            };
            self.told += u64::from(rank.1);
            self.ranks.push(rank.0);
            let open = |e: &&&Expected| places.iter().any(|at| e.bars[*at] > 0.0);
            self.open.push(if self.integer { drawn.iter().filter(open).count() as u8 } else { blurred });
        }
    }

    /// Whether anything is known of it: of ranks, or of how much differs.
    pub fn tells(&self) -> bool {
        self.told > 0 || self.variety.tells()
    }

    /// What an outcome is counted as: itself, or of reals its sign.
    fn class(&self, value: f64) -> i64 {
        if self.integer { value as i64 } else { sign(value) }
    }

    /// After the last launch: counts the outcomes, without those of units where rounding often chooses. Which way it
    /// goes is known of the draws, not of the kernel, so that the two could not be compared there.
    pub fn settle(&mut self, units: usize, rng: &mut Rng) {
        let launches = self.open.len() / units.max(1);
        let mut open = vec![0usize; units];
        self.open.iter().enumerate().for_each(|(at, draws)| open[at % units] += usize::from(*draws));
        let most = if self.integer { OPEN } else { OPEN_REALS };
        let often = |draws: usize, outcomes: usize| draws as f64 > most * f64::from(DRAWN) * outcomes as f64;
        let all = often(open.iter().sum(), self.open.len());
        let known = launches * usize::from(DRAWN) >= KNOWN;
        let goes = |at: usize| all || known && often(open[at % units], launches);
        for at in (0..self.ranks.len()).filter(|at| goes(*at)) {
            self.ranks[at] = rng.below(u64::from(DRAWN) + 1) as u8;
        }
        self.told = if (0..self.ranks.len()).all(goes) { 0 } else { self.told };
        let outcomes = std::mem::take(&mut self.outcomes);
        let kept = outcomes.iter().enumerate().filter(|(at, _)| !goes(*at));
        kept.for_each(|(_, outcome)| self.count(outcome));
        if self.fine && !outcomes.is_empty() {
            let sure = (0..units).filter(|unit| !all && open[*unit] == 0);
            sure.for_each(|unit| self.stray(&outcomes, unit, units, rng));
        }
    }

    /// Of the whole numbers that came in this unit to the kernel alone, or to one of the twin's draws alone, picks one
    /// and counts whose it is. It is only one, since those of one unit depend on each other. What cannot come out at
    /// all comes to the kernel alone.
    fn stray(&mut self, outcomes: &[[i64; DRAWN as usize + 1]], unit: usize, units: usize, rng: &mut Rng) {
        let mut whose: BTreeMap<i64, u8> = BTreeMap::new();
        for outcome in outcomes.iter().skip(unit).step_by(units) {
            for (series, value) in outcome.iter().enumerate() {
                *whose.entry(*value).or_default() |= 1 << series;
            }
        }
        let alone: Vec<u8> = whose.into_values().filter(|series| series.is_power_of_two()).collect();
        if !alone.is_empty() {
            self.alone.all += 1;
            self.alone.kernel += u64::from(alone[rng.below(alone.len() as u64) as usize] == 1);
        }
    }

    fn count(&mut self, outcome: &[i64]) {
        let Some(values) = &mut self.values else { return };
        values.entry(outcome[0]).or_default().kernel += 1;
        outcome.iter().for_each(|value| values.entry(*value).or_default().all += 1);
        if values.len() > VALUES {
            self.values = None;
        }
    }
}

/// The sign of a real: what is dropped is zero.
fn sign(value: f64) -> i64 {
    i64::from(value > 0.0) - i64::from(value < 0.0)
}

/// Which of some signs are zero, a bit for each.
fn zeros(signs: &[i64; DRAWN as usize + 1]) -> u8 {
    signs.iter().rev().fold(0, |bits, sign| bits << 1 | u8::from(*sign == 0))
}

/// A sum of a unit's elements, each with a sign.
fn summed(places: &[usize], signs: u64, of: impl Fn(usize) -> Near) -> Near {
    places.iter().enumerate().fold((0.0, 0.0), |(sum, bar), (n, at)| {
        let (value, off) = of(*at);
        let sign = if signs >> (n % 61) & 1 == 1 { 1.0 } else { -1.0 };
        (sum + sign * value * (1.0 + n as f64 / 64.0), bar + off * (1.0 + n as f64 / 64.0))
    })
}

/// Where a kernel's element stands to one that the twin drew.
fn compared(got: f64, drawn: &Expected, at: usize) -> Ordering {
    match drawn.judge(at, got) {
        Judgement::Inside(_) | Judgement::Free => Ordering::Equal,
        _ => order(got, (drawn.values[at], 0.0)),
    }
}

/// The order of two numbers, NaN below all others.
fn order(got: f64, (value, bar): Near) -> Ordering {
    match (got.is_nan(), value.is_nan()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        _ if (got - value).abs() <= bar => Ordering::Equal,
        _ => got.total_cmp(&value),
    }
}

/// How many draws are as good as the outcome, where they are not all the same.
fn alike(draws: impl Iterator<Item = (Ordering, f64)>) -> u8 {
    let equal: Vec<f64> =
        draws.filter(|(order, _)| *order == Ordering::Equal).map(|(_, value)| value).collect();
    let differ = equal.windows(2).any(|two| two[0] != two[1]);
    if differ { equal.len() as u8 } else { 0 }
}

/// A rank among others, a fair coin between those that are equal; and whether anything else than coins decided it.
fn rank(orders: impl Iterator<Item = Ordering>, rng: &mut Rng) -> (u8, bool) {
    let (mut below, mut equal) = (0, 0);
    for order in orders {
        below += u8::from(order == Ordering::Greater);
        equal += u8::from(order == Ordering::Equal);
    }
    (below + rng.below(u64::from(equal) + 1) as u8, equal < DRAWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample of two units in a hundred launches, the second of which is open in some.
    fn settled(open: impl Fn(usize) -> bool) -> Sample {
        let axes = vec![("launch".to_string(), 100), ("R".to_string(), 2)];
        let mut sample = Sample::new("y", Look::Element, axes, true);
        for at in 0..200 {
            sample.ranks.push(0);
            sample.told += 1;
            sample.outcomes.push([at as i64 % 2; 8]);
            sample.open.push(if open(at) { DRAWN } else { 0 });
        }
        sample.settle(2, &mut Rng::new(1, 1));
        sample
    }

    #[test]
    fn outcomes_that_rounding_may_choose_are_left_out_with_their_units() {
        let few = settled(|at| at % 30 == 1);
        assert_eq!((few.values.unwrap().len(), few.ranks.iter().sum::<u8>()), (2, 0));
        let one = settled(|at| at % 8 == 1);
        assert_eq!(one.values.unwrap().keys().collect::<Vec<_>>(), [&0]);
        assert!(
            (0..200).all(|at| at % 2 == 1 || one.ranks[at] == 0) && one.ranks.iter().any(|rank| *rank > 0)
        );
        assert!(one.told > 0);
        let many = settled(|at| at % 2 == 1);
        assert_eq!((many.values.unwrap().len(), many.told), (0, 0));
    }

    #[test]
    fn draws_that_differ_within_a_bar_cannot_be_put_in_order() {
        use Ordering::{Equal, Greater, Less};
        assert_eq!(alike([(Equal, 8.0), (Less, 24.0), (Equal, 9.5)].into_iter()), 2);
        // what can come out exactly comes out so
        assert_eq!(alike([(Equal, 2.5), (Greater, 0.0), (Equal, 2.5)].into_iter()), 0);
        assert_eq!(alike([(Equal, 2.5), (Greater, 0.0)].into_iter()), 0);
    }
}
