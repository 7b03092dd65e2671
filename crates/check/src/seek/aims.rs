//! Cases in which a comparison comes out as it hardly ever did. Where both its sides are the same throughout a launch,
//! two cases that differ in one size or scalar say how far apart they will be in a third.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::free::{Free, free};
use super::line;
use crate::case::Case;
use crate::comparisons::{Comparisons, Sides};
use crate::kernel::Kernel;
use crate::parts::Part;

/// Outcomes of fewer cases are looked for.
const FEW: u32 = 3;
/// How many cases are made for an outcome: of a comparison that something rare follows within so many lines, and of any
/// other.
const NEAR: u32 = 12;
const TRIES: [u32; 2] = [40, 8];
/// The same of one whose sides nothing has moved so far.
const UNMOVED: u32 = 16;
/// How many times an outcome is tried before others have their turn.
const ROUND: u32 = 4;
/// How many of the cases that come nearest are begun from.
const BASES: usize = 6;
/// What leads back to a comparison that a case does not come to any more: how many cases are made for that, in how many
/// steps one after the other, and of how many such cases.
const BACK: usize = 3;
const STEPS: usize = 3;
const LOST: usize = 48;
/// How much later a first change of a size is tried than one along which the slope is known.
const LATER: usize = 2;

/// A comparison, and how it is to come out.
type Aim = (Part, Ordering);

/// A case, the values of what is free in it, and what it compared.
struct Seen {
    case: Case,
    values: Vec<f64>,
    compared: Comparisons,
}

/// Values that a case may have in the place of another's.
struct Move {
    /// How many others come before it.
    turn: usize,
    /// Whether the slope of the comparison along what is changed is known.
    known: bool,
    values: Vec<f64>,
}

impl Move {
    fn is_sure(&self) -> bool {
        self.known && self.turn == 0
    }
}

/// Where a case is to lead that was made of another one, and in how many steps it was.
#[derive(Clone, Copy)]
struct Way {
    aim: Aim,
    base: usize,
    steps: usize,
}

/// What cases compared, and what was tried.
pub(super) struct Aims<'a> {
    kernel: &'a Kernel,
    free: Vec<Free>,
    seen: Vec<Seen>,
    /// Where the cases are to lead that were drawn.
    ways: Vec<(Vec<f64>, Way)>,
    /// Cases that do not come to the comparison that they were made for, by number, and what keeps them.
    lost: Vec<(usize, Aim, Way)>,
    losses: usize,
    /// By how much the sides of a comparison come apart along a size or scalar, wherever that was seen last.
    slopes: BTreeMap<(Part, usize), f64>,
    /// In how many cases each comparison came out in each way.
    outcomes: BTreeMap<Aim, u32>,
    tried: BTreeMap<Aim, u32>,
    made: Vec<Vec<f64>>,
}

impl<'a> Aims<'a> {
    /// Of a kernel: nothing is known.
    pub fn of(kernel: &'a Kernel) -> Aims<'a> {
        let (outcomes, tried, slopes) = Default::default();
        let (free, losses) = (free(kernel), 0);
        let (seen, ways, lost, made) = Default::default();
        Aims { kernel, free, seen, ways, lost, losses, slopes, outcomes, tried, made }
    }

    /// Whether a case comes out as none did so far.
    pub fn is_new(&self, compared: &Comparisons) -> bool {
        known(compared).any(|(at, _, outcome)| !self.outcomes.contains_key(&(at, outcome)))
    }

    /// Notes what a case compared.
    pub fn note(&mut self, case: &Case, compared: Comparisons) {
        known(&compared).for_each(|(at, _, outcome)| *self.outcomes.entry((at, outcome)).or_default() += 1);
        let values = self.values(case);
        self.made.push(values.clone());
        if let Some(at) = self.ways.iter().position(|(own, _)| *own == values) {
            let (_, way) = self.ways.remove(at);
            let back = self.kept_from(&way, &compared).filter(|_| way.steps < STEPS && self.losses < LOST);
            self.losses += usize::from(back.is_some());
            self.lost.extend(back.map(|back| (self.seen.len(), back, way)));
        }
        self.seen.push(Seen { case: case.clone(), values, compared });
    }

    /// What keeps a case from the comparison that it was made for: the last one before that, which comes out in another
    /// way than in the case that it was made of.
    fn kept_from(&self, way: &Way, compared: &Comparisons) -> Option<Aim> {
        if compared.has(way.aim.0) {
            return None;
        }
        let base = &self.seen[way.base].compared;
        let before = known(compared).filter(|(at, ..)| *at <= way.aim.0);
        let other = before.filter_map(|(at, _, outcome)| {
            let own = base.of(at)?.outcome()?;
            (own != outcome).then_some((at, own))
        });
        other.last()
    }

    /// A few cases that may come out as hardly any did, if some are accepted: first where lines follow of which parts
    /// are rare.
    pub fn draw(&mut self, most: usize, rare: &[u32], accepts: &dyn Fn(&Case) -> bool) -> Vec<Case> {
        let mut out = Vec::new();
        while out.len() < most / 2
            && let Some((lost, back, way)) = self.lost.pop()
        {
            let way = Way { steps: way.steps + 1, ..way };
            out.extend(self.from(lost, back, way, BACK.min(most / 2 - out.len()), accepts));
        }
        for (aim, allowed) in self.open(rare) {
            if out.len() >= most {
                break;
            }
            let tries = self.tried.get(&aim).copied().unwrap_or(0);
            let left = (most - out.len()).min((allowed - tries).min(ROUND) as usize);
            let found = self.toward(aim, left, tries as usize, accepts);
            // what nothing leads to is not asked again
            let spent = if found.is_empty() { ROUND } else { found.len() as u32 };
            *self.tried.entry(aim).or_default() += spent;
            out.extend(found);
        }
        out
    }

    /// The outcomes that are looked for, and how many cases may be made for each, what is likeliest to lead on first.
    fn open(&self, rare: &[u32]) -> Vec<(Aim, u32)> {
        let mut sites: Vec<Part> = self.outcomes.keys().map(|(at, _)| *at).collect();
        sites.dedup();
        let all = sites
            .into_iter()
            .flat_map(|at| [Ordering::Equal, Ordering::Greater, Ordering::Less].map(|outcome| (at, outcome)));
        let mut open: Vec<(u32, u32, Aim, u32)> = Vec::new();
        for aim in all.filter(|aim| self.outcomes.get(aim).copied().unwrap_or(0) < FEW) {
            let (line, tries) = (aim.0.line, self.tried.get(&aim).copied().unwrap_or(0));
            let follows = rare.iter().filter(|other| **other >= line).map(|other| other - line).min();
            let far = follows.is_none_or(|lines| lines > NEAR);
            let slope = self.slopes.keys().any(|(at, _)| *at == aim.0);
            let allowed = if slope { TRIES[usize::from(far)] } else { UNMOVED };
            if tries < allowed {
                open.push((tries / ROUND + u32::from(far), follows.unwrap_or(u32::MAX), aim, allowed));
            }
        }
        open.sort();
        open.into_iter().map(|(_, _, aim, allowed)| (aim, allowed)).collect()
    }

    /// Cases that may come out in this way.
    fn toward(&mut self, aim: Aim, most: usize, turn: usize, accepts: &dyn Fn(&Case) -> bool) -> Vec<Case> {
        let mut bases: Vec<(f64, usize)> = Vec::new();
        for (at, seen) in self.seen.iter().enumerate() {
            if let Some(sides) = seen.compared.of(aim.0).filter(|sides| sides.outcome() != Some(aim.1)) {
                bases.push((sides.apart().abs(), at));
            }
        }
        bases.sort_by(|a, b| a.0.total_cmp(&b.0));
        // from the nearest, and from another one each time
        let other = bases.get(turn * BASES / 2 % bases.len().max(1)).copied();
        let mut out = Vec::new();
        for (_, base) in bases.iter().take(BASES).copied().chain(other) {
            let way = Way { aim, base, steps: 0 };
            out.extend(self.from(base, aim, way, most - out.len(), accepts));
        }
        out
    }

    /// Cases made of another one that may come out in this way.
    fn from(
        &mut self,
        base: usize,
        aim: Aim,
        way: Way,
        most: usize,
        accepts: &dyn Fn(&Case) -> bool,
    ) -> Vec<Case> {
        let mut out = Vec::new();
        // what leads back is known, or nothing does
        let sure = way.steps > 0;
        for Move { values, .. } in self.moves(aim, base).into_iter().filter(|one| !sure || one.is_sure()) {
            if out.len() == most {
                break;
            }
            if self.made.contains(&values) {
                continue;
            }
            let case = self.with(&self.seen[base].case, &values);
            self.made.push(values);
            if accepts(&case) {
                self.ways.push((self.values(&case), way));
                out.push(case);
            }
        }
        out
    }

    fn values(&self, case: &Case) -> Vec<f64> {
        self.free.iter().map(|free| free.of(case)).collect()
    }

    /// Where one may go from a case, the likeliest first: along the sizes and scalars whose slope is known before those
    /// that are still to be tried.
    fn moves(&mut self, aim: Aim, base: usize) -> Vec<Move> {
        let values = self.seen[base].values.clone();
        let mut all: Vec<Move> = Vec::new();
        for number in 0..self.free.len() {
            let steps = self.free[number].steps;
            let points = self.points(aim.0, base, number);
            let Some(here) = points.first().copied() else { continue };
            let own = line::slope(&points);
            let elsewhere = self.slopes.get(&(aim.0, number)).copied().filter(|_| own.is_none());
            let known = own.is_some();
            let later = if known { 0 } else { LATER };
            let borrowed = elsewhere.map_or(Vec::new(), |slope| steps.along(here, slope, aim.1));
            let borrowed = borrowed.into_iter().enumerate().map(|(turn, value)| (turn, true, value));
            let next = steps.next(&points, aim.1).into_iter().enumerate();
            for (turn, known, value) in borrowed.chain(next.map(|(turn, value)| (turn + later, known, value)))
            {
                let mut moved = values.clone();
                moved[number] = value;
                all.push(Move { turn, known, values: moved });
            }
            self.slopes.extend(own.map(|slope| ((aim.0, number), slope)));
        }
        all.sort_by_key(|one| one.turn);
        all
    }

    /// What is known along one size or scalar of a case: its own point first.
    fn points(&self, at: Part, base: usize, free: usize) -> Vec<(f64, f64)> {
        let own = &self.seen[base].values;
        let is_along =
            |values: &[f64]| (0..own.len()).all(|other| other == free || values[other] == own[other]);
        let rest = (0..self.seen.len()).filter(|number| *number != base);
        let mut points: Vec<(f64, f64)> = Vec::new();
        for number in [base].into_iter().chain(rest) {
            let Seen { values, compared, .. } = &self.seen[number];
            if !is_along(values) || points.iter().any(|point| point.0 == values[free]) {
                continue;
            }
            points.extend(compared.of(at).map(|sides| (values[free], sides.apart())));
        }
        points
    }

    fn with(&self, base: &Case, values: &[f64]) -> Case {
        let mut case = base.clone();
        for (free, value) in self.free.iter().zip(values) {
            if free.of(base) != *value {
                free.set(self.kernel, &mut case, *value);
            }
        }
        case
    }
}

/// The comparisons of a case whose sides are known, and how each came out.
fn known(compared: &Comparisons) -> impl Iterator<Item = (Part, Sides, Ordering)> {
    compared.known().filter_map(|(at, sides)| Some((at, sides, sides.outcome()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accept;
    use crate::plan::{Amount, plan};

    const OPS: &[(&str, &str)] =
        &[("scaled", "op scaled(x[R, D]; s = 2.0) -> y[R, D]\ny[r, d] = x[r, d] * s\n")];

    /// The cases after which one is found for which a condition holds, of which only the comparisons are seen: each is
    /// made where those before it hold.
    fn cases_until(compared: &dyn Fn(&[f64; 3]) -> Vec<Sides>, wanted: &[Ordering]) -> Option<usize> {
        let toml = "op = 'scaled'\nargs = ['x', 'y', { R = 'u32' }, { D = 'u32' }, { s = 'f32' }]";
        let kernel = Kernel::of_contract("k", toml, OPS).unwrap();
        let mut aims = Aims::of(&kernel);
        let told = |aims: &Aims, case: &Case| {
            let values: Vec<f64> = aims.free.iter().map(|free| free.of(case)).collect();
            let (mut out, mut met) = (Comparisons::default(), 0);
            for (sides, wanted) in compared(&[values[0], values[1], values[2]]).into_iter().zip(wanted) {
                out.add(Part { line: 9, number: met }, Some(sides));
                if sides.outcome() != Some(*wanted) {
                    break;
                }
                met += 1;
            }
            (out, met as usize == wanted.len())
        };
        let planned = plan(&kernel, Amount::QUICK).unwrap().cases;
        // only those that tell nothing of how to meet it
        let told_nothing = |case: &&Case| !told(&aims, case).1;
        let dull: Vec<&Case> = planned.iter().step_by(8).filter(told_nothing).collect();
        assert!(dull.len() > 2, "no planned case is left to begin from");
        for case in dull {
            let (out, _) = told(&aims, case);
            aims.note(case, out);
        }
        let accepts =
            |case: &Case| accept::accepts(&kernel, case).is_ok() && case.dims.iter().all(|d| d.1 < 4096);
        let mut count = 0;
        for _ in 0..12 {
            for case in aims.draw(8, &[10], &accepts) {
                count += 1;
                let (out, met) = told(&aims, &case);
                aims.note(&case, out);
                if met {
                    return Some(count);
                }
            }
        }
        None
    }

    #[test]
    fn what_sizes_are_derived_to_is_met() {
        let equal = |a: f64, b: f64| vec![Sides::Whole(a as i64, b as i64)];
        let found =
            |f: &dyn Fn(&[f64; 3]) -> Vec<Sides>| cases_until(f, &[Ordering::Equal]).is_some_and(|n| n < 60);
        assert!(found(&|[_, d, _]| equal(4.0 * d, 1236.0)));
        assert!(found(&|[r, d, _]| equal(r + d, 77.0)));
        assert!(found(&|[r, d, _]| equal(*d, 3.0 * r + 2.0)));
        assert!(found(&|[_, d, _]| equal((*d as i64 >> 4) as f64, 6.0)));
        assert!(found(&|[_, d, _]| equal(f64::from((*d as u32).leading_zeros()), 21.0)));
    }

    #[test]
    fn several_conditions_are_met_one_after_the_other() {
        let all = |[r, d, _]: &[f64; 3]| {
            [(*r, 3.0), (d % 7.0, 5.0), (*d, 200.0)].map(|(a, b)| Sides::Whole(a as i64, b as i64)).to_vec()
        };
        assert!(cases_until(&all, &[Ordering::Equal, Ordering::Equal, Ordering::Greater]).is_some());
        let squares = |[_, d, s]: &[f64; 3]| vec![Sides::Real(s * s, 0.06), Sides::Whole(*d as i64, 300)];
        assert!(cases_until(&squares, &[Ordering::Less, Ordering::Greater]).is_some());
    }

    #[test]
    fn nothing_is_made_where_all_outcomes_were_met_or_nothing_is_compared() {
        let kernel = Kernel::of_contract("k", "op = 'scaled'\nargs = ['x', 'y']", OPS).unwrap();
        let mut aims = Aims::of(&kernel);
        let cases = plan(&kernel, Amount::QUICK).unwrap().cases;
        assert!(aims.draw(8, &[10], &|_| true).is_empty());
        let at = Part { line: 9, number: 0 };
        for (number, case) in cases.iter().take(9).enumerate() {
            let mut compared = Comparisons::default();
            compared.add(at, Some(Sides::Whole(number as i64 % 3, 1)));
            assert_eq!(aims.is_new(&compared), number < 3);
            aims.note(case, compared);
        }
        assert!(aims.draw(8, &[10], &|_| true).is_empty());
    }
}
