//! Where the wrong elements of an output are.

use super::View;
use crate::border;
use crate::compare::{Compared, indices};
use crate::pattern::{At, Place, What};

/// An axis of the output, and values of its index.
type Rule = (usize, Place);

/// The largest divisor whose remainders are looked at, and lanes of warps and workgroups.
const MODULO: usize = 64;
const LANES: [usize; 4] = [32, 64, 128, 256];

/// One in so many indices of a dimension, at most, are a place that is told beside another.
const SMALL: usize = 4;

/// The last few of a dimension are no more than these, and one in so many of its indices at most.
const LAST: usize = 8;

/// Other sizes that are wrong at the same end.
const ENDS: usize = 2;

impl View<'_> {
    /// Where the wrong elements are.
    pub(super) fn places(&self) -> Option<What> {
        let judged = |at: &usize| self.expected.bars[*at] != f64::INFINITY;
        let all: Vec<usize> = (0..self.got.len()).filter(judged).collect();
        let failing = &self.compared.failing;
        if failing.len() == 1 {
            return self.end(failing[0]);
        }
        if failing.len() == all.len() {
            // where some are free, most of what is drawn is not wrong
            return (all.len() > 1 && all.len() == self.got.len()).then_some(What::EveryElement);
        }
        // true of every wrong element and of no right one
        let right: Vec<usize> = all.into_iter().filter(|at| failing.binary_search(at).is_err()).collect();
        let sound = |failing: &[usize]| -> Vec<Rule> {
            let mut rules = self.rules(failing);
            rules.retain(|rule| !right.iter().any(|at| self.holds(rule, *at)));
            rules
        };
        let rest = |rule: &Rule| -> Vec<usize> {
            failing.iter().copied().filter(|at| !self.holds(rule, *at)).collect()
        };
        let rules = sound(failing);
        let told = |rule: &Rule| !self.contradicted(&[*rule]);
        if let Some(one) = rules.iter().find(|rule| rest(rule).is_empty() && told(rule)) {
            let (index, place) = (self.index(one.0), one.1);
            return Some(What::Where { index, place });
        }
        // two mistakes, each in a place of its own
        let pair = |one: &Rule| {
            let rest = Some(rest(one)).filter(|rest| rest.len() > 1 && rest.len() + 1 < failing.len())?;
            let both = |other: &Rule| rest.iter().all(|at| self.holds(other, *at));
            let other =
                |other: &Rule| self.is_small(other) && both(other) && !self.contradicted(&[*one, *other]);
            Some([*one, sound(&rest).into_iter().find(other)?])
        };
        let plain = |rule: &&Rule| rule.1.is_plain() && self.is_small(rule);
        let Some(pair) = rules.iter().filter(plain).find_map(pair) else { return self.border(&right) };
        Some(What::WhereEither { places: pair.map(|(axis, place)| At { index: self.index(axis), place }) })
    }

    /// The border of the last two dimensions, if that is where this case and all others are wrong.
    fn border(&self, right: &[usize]) -> Option<What> {
        let others = self.others.iter().map(|other| (other.shape.as_slice(), other.failing.as_slice()));
        border::is_where_wrong(&self.expected.shape, &self.compared.failing, right, others).then(|| {
            What::Border { indices: [2, 1].map(|back| self.index(self.expected.shape.len() - back)) }
        })
    }

    /// The first or the last of a dimension, where one element is wrong: by itself that says nothing, but cases of
    /// other sizes are wrong there as well, and nowhere else.
    fn end(&self, at: usize) -> Option<What> {
        let is_end = |rule: &Rule| rule.1.is_end() && self.holds(rule, at) && !self.contradicted(&[*rule]);
        let (axis, place) = self.rules(&[at]).into_iter().find(is_end)?;
        let mut sizes: Vec<usize> = vec![self.expected.shape[axis]];
        for other in self.others.iter().filter(|other| !other.failing.is_empty()) {
            let size = other.shape[axis];
            if size > 1 && !sizes.contains(&size) {
                sizes.push(size);
            }
        }
        (sizes.len() > ENDS).then(|| What::Where { index: self.index(axis), place })
    }

    /// Whether a place is a small part of its dimension, by a rule of all sizes or at an end: no accident.
    fn is_small(&self, (axis, place): &Rule) -> bool {
        let size = self.expected.shape[*axis];
        let part = (0..size).filter(|index| place.holds(*index)).count();
        let open = matches!(place, Place::From(_) | Place::UpTo(_) | Place::Only(_) | Place::NotFirst);
        !open && part * SMALL <= size
    }

    /// Whether an element is in a place.
    fn holds(&self, (axis, place): &Rule, at: usize) -> bool {
        place.holds(indices(&self.expected.shape, at)[*axis])
    }

    /// The name of an index.
    fn index(&self, axis: usize) -> String {
        // a size that is a number has no name
        let named = self.names.get(axis).filter(|name| name.parse::<u64>().is_err());
        named.map_or("i".into(), |name| name.to_lowercase())
    }

    /// Whether another case is wrong in other places than rules name that say the same of all sizes.
    fn contradicted(&self, rules: &[Rule]) -> bool {
        let there = |o: &Compared| -> Option<Vec<Rule>> {
            rules.iter().map(|(axis, place)| Some((*axis, place.of(o.shape[*axis])?))).collect()
        };
        let outside = |o: &Compared, rules: Vec<Rule>| {
            let known = |at: usize| rules.iter().any(|(axis, p)| p.holds(indices(&o.shape, at)[*axis]));
            o.failing.iter().any(|at| !known(*at))
        };
        self.others.iter().any(|other| there(other).is_some_and(|rules| outside(other, rules)))
    }

    /// Rules that the places of some wrong elements may follow, simple ones first.
    fn rules(&self, failing: &[usize]) -> Vec<Rule> {
        let mut out: Vec<Place> = Vec::new();
        let mut rules = Vec::new();
        for (axis, size) in self.expected.shape.iter().copied().enumerate().filter(|(_, s)| *s > 1) {
            let last = size - 1;
            let is_column = axis + 1 == self.expected.shape.len() && self.expected.shape.len() > 1;
            out.extend(match is_column {
                true => [Place::LastColumn(last), Place::FirstColumn, Place::NotFirst],
                false => [Place::LastRow(last), Place::FirstRow, Place::NotFirst],
            });
            for tile in self.tiles[axis].iter().copied().filter(|t| *t < size) {
                let from = size / tile * tile;
                out.extend((from < size).then_some(Place::PartialTile { from, tile }));
                out.extend([Place::PastFirstTile(tile), Place::FirstTile(tile), Place::EndOfTile(tile)]);
            }
            let failing = || failing.iter().map(|at| indices(&self.expected.shape, *at)[axis]);
            let (first, end) = (failing().min().unwrap_or(0), failing().max().unwrap_or(0));
            out.extend((first == end).then_some(Place::Only(first)));
            // what holds of all but the first, or of the first alone, is said above
            let few = Place::LastFew { from: first, count: size - first };
            let is_few = (2..=LAST).contains(&(size - first)) && (size - first) * LAST <= size;
            out.extend(is_few.then_some(few));
            out.extend((first > 1 && first < last).then_some(Place::From(first)));
            out.extend((end > 0 && end < last).then_some(Place::UpTo(end)));
            out.extend(
                (2..=MODULO.min(size / 2)).map(|modulo| Place::Residue { modulo, rest: first % modulo }),
            );
            for tile in self.tiles[axis].iter().copied().chain(LANES).filter(|t| *t < size) {
                let part = || failing().map(|index| index % tile);
                let (from, to) = (part().min().unwrap_or(0), part().max().unwrap_or(0) + 1);
                out.push(Place::PartOfTile { tile, from, to });
            }
            rules.extend(out.drain(..).map(|place| (axis, place)));
        }
        rules
    }
}
