//! What the comparisons of a source compare. Where both sides are the same throughout a launch, they come of sizes and
//! scalars: other sizes lead elsewhere.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::parts::Part;

/// The two sides of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sides {
    /// Integers.
    Whole(i64, i64),
    /// Floats.
    Real(f64, f64),
}

impl Sides {
    /// How the first is to the second; none where either is NaN.
    pub fn outcome(self) -> Option<Ordering> {
        match self {
            Sides::Whole(a, b) => Some(a.cmp(&b)),
            Sides::Real(a, b) => a.partial_cmp(&b),
        }
    }

    /// How far the first is above the second.
    pub fn apart(self) -> f64 {
        match self {
            Sides::Whole(a, b) => (i128::from(a) - i128::from(b)) as f64,
            Sides::Real(a, b) => a - b,
        }
    }

    /// The size of the larger.
    pub fn magnitude(self) -> f64 {
        match self {
            Sides::Whole(a, b) => a.unsigned_abs().max(b.unsigned_abs()) as f64,
            Sides::Real(a, b) => a.abs().max(b.abs()),
        }
    }
}

/// The comparisons that a launch made, and both sides of those that were the same throughout.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparisons {
    all: BTreeMap<Part, Option<Sides>>,
}

impl Comparisons {
    /// Adds a comparison; none is known of sides that change.
    pub fn add(&mut self, at: Part, sides: Option<Sides>) {
        let known = self.all.entry(at).or_insert(sides);
        if *known != sides {
            *known = None;
        }
    }

    /// Adds those of another launch of the same case.
    pub fn join(&mut self, other: &Comparisons) {
        other.all.iter().for_each(|(at, sides)| self.add(*at, *sides));
    }

    /// Both sides of each comparison that were the same throughout.
    pub fn known(&self) -> impl Iterator<Item = (Part, Sides)> {
        self.all.iter().filter_map(|(at, sides)| Some((*at, (*sides)?)))
    }

    /// Whether a comparison was made.
    pub fn has(&self, at: Part) -> bool {
        self.all.contains_key(&at)
    }

    /// Both sides of a comparison, if they were the same.
    pub fn of(&self, at: Part) -> Option<Sides> {
        *self.all.get(&at)?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_that_change_are_not_known() {
        let at = |line| Part { line, number: 0 };
        let mut all = Comparisons::default();
        all.add(at(3), Some(Sides::Whole(4, 9)));
        all.add(at(5), Some(Sides::Real(0.5, 0.25)));
        let mut other = all.clone();
        all.add(at(3), Some(Sides::Whole(4, 9)));
        assert_eq!(all.of(at(3)), Some(Sides::Whole(4, 9)));
        other.add(at(3), Some(Sides::Whole(5, 9)));
        all.join(&other);
        assert_eq!(all.known().collect::<Vec<_>>(), [(at(5), Sides::Real(0.5, 0.25))]);
        assert_eq!(all.of(at(3)), None);
    }

    #[test]
    fn how_far_sides_are_apart() {
        assert_eq!(Sides::Whole(i64::MIN, i64::MAX).apart(), -(2f64.powi(64)));
        assert_eq!(Sides::Whole(4, 9).outcome(), Some(Ordering::Less));
        assert_eq!(Sides::Real(f64::NAN, 0.0).outcome(), None);
        assert_eq!(Sides::Real(0.5, 0.25).apart(), 0.25);
    }
}
